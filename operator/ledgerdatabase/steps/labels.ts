/**
 * Gives volumes and Jobs of the database the labels back that somebody removed: policies select by them, and a later database
 * needs those of the volumes. Other objects get theirs when they are applied. Pods are only reported: the operator's account
 * may not change pods, because that would allow it to change their programs.
 */
import { databaseIdOf, labels, managedBy, uidOf } from '../../../domain/names.ts';
import { resources } from '../../../domain/kinds.ts';
import type { LedgerDatabase } from '../../../domain/custom-resources.ts';
import type { KubeObject } from '../../../base/kube/kube.ts';
import { commonLabels, Role } from '../../manifests/metadata.ts';
import { patchOf } from '../actions.ts';
import { isReplicaName } from '../belongs-to.ts';
import type { Draft, StepResult } from '../draft.ts';
import type { Observation } from '../observation.ts';
import { missesAny } from '../strays.ts';

type Labels = Readonly<Record<string, string | undefined>>;

export function giveLabelsBack(observed: Observation, draft: Draft): StepResult {
  const { database, owned, strays } = observed;
  if (strays === undefined && missesAny(observed)) draft.needs.add('strays');
  for (const kind of ['claim', 'job'] as const) {
    for (const object of owned[`${kind}s`] as readonly KubeObject[]) {
      if (object.metadata.deletionTimestamp !== undefined) continue;
      const lost = lostLabels(object, labelsOf(database, object));
      if (lost === undefined) continue;
      draft.do(patchOf('label', resources[kind], object, { metadata: { labels: lost } }));
    }
  }
  const [foreign] = strays?.foreignClaims ?? [];
  if (foreign !== undefined) tellForeign(database, draft, foreign);
  tellPods(observed, draft);
  return 'continue';
}

/** The labels that the object lacks. Another value stays, except for the labels of the maker and of the uid. */
function lostLabels({ metadata }: KubeObject, wanted: Labels): Record<string, string> | undefined {
  const lost = Object.entries(wanted).flatMap(([key, value]) => {
    const has = metadata.labels?.[key];
    const isIdentity = key === labels.managedBy || key === labels.uid;
    return value === undefined || (isIdentity ? has === value : has !== undefined)
      ? []
      : [[key, value] as const];
  });
  return lost.length === 0 ? undefined : Object.fromEntries(lost);
}

function labelsOf(database: LedgerDatabase, { kind, metadata }: KubeObject): Labels {
  const { status = {} } = database;
  const { name, namespace = '' } = database.metadata;
  const workload = status.workload ?? metadata.labels?.[labels.workload];
  if (workload === undefined) return { [labels.managedBy]: managedBy };
  const common = commonLabels({ name, namespace, uid: uidOf(database), workload });
  if (kind === 'Pod') return { ...common, [labels.role]: Role.replica };
  if (kind !== 'PersistentVolumeClaim') return common;
  return {
    ...common,
    [labels.databaseId]: status.databaseId ?? databaseIdOf(database),
    [labels.engine]: status.resolved?.engine?.name,
    [labels.topology]: status.resolved?.topology?.name,
    [labels.clusterId]: status.clusterId,
  };
}

function tellForeign(
  { metadata }: LedgerDatabase,
  draft: Draft,
  { metadata: its }: KubeObject,
): void {
  const uid = its.labels?.[labels.uid];
  draft.stallWith(
    'DataVolumesNotOurs',
    `PersistentVolumeClaim ${its.namespace}/${its.name} has the name of a volume of this database and ` +
      `${uid === undefined ? 'no label of a database' : `the label of another database (${uid})`}; it is left alone. ` +
      `If it is this database's volume, give it its label: kubectl -n ${its.namespace} label pvc ${its.name} ` +
      `${labels.uid}=${metadata.uid} --overwrite`,
  );
}

/** Networks select pods by their labels: a replica without them may be reached by nobody. */
function tellPods({ database, owned }: Observation, draft: Draft): void {
  const { workload } = database.status ?? {};
  if (workload === undefined) return;
  for (const pod of owned.pods) {
    const { metadata } = pod;
    if (metadata.deletionTimestamp !== undefined || !isReplicaName(workload, metadata.name))
      continue;
    const lost = lostLabels(pod, labelsOf(database, pod));
    if (lost === undefined) continue;
    const words = Object.entries(lost).map(([key, value]) => `${key}=${value}`);
    draft.stallWith(
      'ChangedByAdmission',
      `somebody, or an admission webhook, removed or changed labels of Pod ${metadata.name} by which networks and the operator ` +
        `find it. Give them back: kubectl -n ${metadata.namespace} label pod ${metadata.name} ${words.join(' ')} --overwrite`,
    );
  }
}
