/** A database's objects without the fields that differ between databases: two with the same history are equal. */
import { annotations } from '../../../domain/names.ts';
import { resources } from '../../../domain/kinds.ts';
import type { Kube, KubeObject, Resource } from '../../../base/kube/kube.ts';
import type { Database } from './operator-world.ts';

const kinds: readonly Resource[] = [
  resources.database,
  resources.service,
  resources.claim,
  resources.job,
  resources.pod,
  resources.statefulSet,
  resources.configMap,
  resources.podDisruptionBudget,
  resources.networkPolicy,
];

type Loose = KubeObject & {
  readonly spec?: unknown;
  readonly data?: unknown;
  readonly status?: unknown;
};

/** By kind and name. `identities`: the words of each database that was there, such as its uid, to be replaced. */
export async function stateOf(
  kube: Kube,
  namespace: string,
  identities: ReadonlyMap<string, string>,
): Promise<Record<string, unknown>> {
  const state: Record<string, unknown> = {};
  for (const resource of kinds) {
    for (const object of await kube.list<Loose>(resource, { namespace })) {
      // An object of the cluster itself, such as kube-root-ca.crt.
      if (object.metadata.labels === undefined && resource !== resources.database) continue;
      const key = `${resource.kind}/${object.metadata.name}`;
      state[neutral(key, identities)] = JSON.parse(
        neutral(JSON.stringify(essence(object)), identities),
      );
    }
  }
  return state;
}

function essence({ kind, metadata, spec, data, status }: Loose): object {
  const {
    [annotations.templateInputs]: _inputs,
    [annotations.intended]: _intended,
    [annotations.attempt]: _attempt,
    ...noted
  } = metadata.annotations ?? {};
  return {
    labels: metadata.labels,
    annotations: noted,
    finalizers: metadata.finalizers,
    owners: metadata.ownerReferences?.map((owner) => `${owner.kind}/${owner.name}`),
    spec,
    data,
    ...(kind === 'LedgerDatabase' || kind === 'PersistentVolumeClaim'
      ? { status: withoutHearsay(status) }
      : {}),
  };
}

/** Conditions that say what an engine said. */
const hearsay: ReadonlySet<string> = new Set(['CapacityLeft', 'DataIntact']);

/** An engine's last status depends on when it was asked. */
function withoutHearsay(status: unknown): unknown {
  const { members, conditions, ...others } = (status ?? {}) as {
    members?: readonly object[];
    conditions?: readonly { type: string }[];
  };
  const told = conditions?.map((one) => (hearsay.has(one.type) ? { type: one.type } : one));
  const rest = { ...others, ...(told && { conditions: told }) };
  if (members === undefined) return rest;
  const seen = members.map((member) =>
    Object.fromEntries(
      Object.entries(member).filter(([field]) => !['role', 'op', 'release'].includes(field)),
    ),
  );
  return { ...rest, members: seen };
}

/** The words by which this database differs from another of the same name. */
export function identityOf(database: Database, mark: string): Map<string, string> {
  const { uid = '', namespace = '' } = database.metadata;
  const words = new Map([
    [uid, `UID${mark}`],
    [uid.slice(0, 6), `W${mark}`],
    [namespace, 'NAMESPACE'],
  ]);
  const { databaseId, clusterId, endpoints = [] } = database.status ?? {};
  if (databaseId !== undefined) words.set(databaseId, `DATABASE${mark}`);
  if (clusterId !== undefined) words.set(clusterId, `CLUSTER${mark}`);
  for (const { index, ip } of endpoints) words.set(ip, `IP${index}${mark}`);
  return words;
}

function neutral(text: string, identities: ReadonlyMap<string, string>): string {
  // The longest first: a uid holds its own beginning.
  const words = [...identities].sort(([a], [b]) => b.length - a.length);
  const replaced = words.reduce((now, [word, by]) => now.replaceAll(word, by), text);
  return replaced
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, 'TIME')
    .replaceAll(
      /("(?:controller-revision-hash|batch\.kubernetes\.io\/controller-uid|controller-uid)":")[^"]*"/g,
      '$1HASH"',
    )
    .replaceAll(/(payments-\w+-)[a-z0-9]{8,10}"/g, '$1HASH"')
    .replaceAll(/pvc-[0-9a-f-]{36}|kube-api-access-\w{5}/g, 'NAME');
}
