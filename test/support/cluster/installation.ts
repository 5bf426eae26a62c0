/**
 * Both charts in a test's cluster, as a person installs them, with images that were built here; and what tests do there.
 *
 * TIGERBEETLE_IMAGE and TIGERBEETLE_IMAGE_NEXT name images of TigerBeetle's versions 0.17.8 and 0.17.9, to be pulled by the
 * nodes; where they are not set, the double (images/tigerbeetle-double) stands for them.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { KubeObject } from '../../../base/kube/kube.ts';
import { connectLabel, connectionName, labels } from '../../../domain/names.ts';
import { resources, type Claim, type Pod } from '../../../domain/kinds.ts';
import type { CatalogSpec, Condition, DatabaseSpec } from '../../../domain/custom-resources.ts';
import { catalogObject, catalogSpec, namesOnly } from '../../fixtures/catalog.ts';
import type { TestCluster } from './cluster.ts';
import type { Database } from '../operator/operator-world.ts';
import { eventually, mustRun } from '../shell.ts';

export const systemNamespace = 'ledgerhouse-system';

/** Whether TigerBeetle itself runs in the tests. */
export const realTigerBeetle = process.env['TIGERBEETLE_IMAGE'] !== undefined;

export interface Installation {
  readonly cluster: TestCluster;
  helm(...args: string[]): Promise<string>;
  /** Installs or upgrades the chart; of the images it says which operator's. */
  upgrade(operator?: 'operator' | 'operator-next'): Promise<void>;
  create(name: string, spec?: Partial<DatabaseSpec>, namespace?: string): Promise<void>;
  patch(name: string, spec: object, namespace?: string): Promise<void>;
  get(name: string, namespace?: string): Promise<Database>;
  /** Waits until a condition, for the newest generation, has this status and reason. */
  until(name: string, type: string, status: string, options?: UntilOptions): Promise<Database>;
  /** Watches a database while `deed` runs. Returns every version of it that was seen. */
  watching(name: string, deed: () => Promise<unknown>): Promise<Database[]>;
  /** All objects of a kind that carry the database's uid. */
  owned<T extends KubeObject>(kind: OwnedKind, database: Database): Promise<readonly T[]>;
  /** The replicas' pods, in the order of their indexes. */
  pods(database: Database): Promise<readonly Pod[]>;
  claims(database: Database): Promise<readonly Claim[]>;
  /** Runs JavaScript beside the engine, in its container, and gives what it prints. */
  beside(pod: Pod, script: string): Promise<string>;
  /** A client's pod, which may connect to the database when labelled; gives what it prints for a verb. */
  client(database: Database, options?: { labelled?: boolean }): Promise<Client>;
}

type OwnedKind = 'claim' | 'job' | 'pod' | 'podDisruptionBudget';

interface UntilOptions {
  readonly reason?: string;
  readonly namespace?: string;
  readonly timeoutMs?: number;
}

/** Verbs of images/ledger-client. */
type Client = (verb: 'create' | 'read' | 'connect', argument?: string) => Promise<string>;

export const conditionOf = (database: Database, type: string): Condition | undefined =>
  database.status?.conditions?.find((one) => one.type === type);

/** Prints a figure for people who read the log of a run. Returns the seconds since `sinceMs`. */
export const figure = (what: string, sinceMs: number): number => {
  const seconds = Math.round((Date.now() - sinceMs) / 100) / 10;
  process.stderr.write(`figure: ${what}: ${seconds} s\n`);
  return seconds;
};

const always = ['operator', 'engine'] as const;
type Extra =
  | 'etcd'
  | 'ledger-client'
  | 's3'
  | 'engine-next'
  | 'operator-next'
  | 'tigerbeetle-double'
  | 'tigerbeetle-double-next';

/** A store of backups outside the cluster. */
interface Store {
  readonly url: string;
  readonly endpoint: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** As their file has them; absent: nothing is encrypted. */
  readonly encryptionKeys?: string;
}

/**
 * Installs both charts. `extra`: images to load besides the operator's and the engine's; with `s3`, the chart's own S3 server
 * runs, and backups go there.
 */
export async function install(
  cluster: TestCluster,
  extra: readonly Extra[] = [],
  outside?: Store,
): Promise<Installation> {
  const started = Date.now();
  const helmPath = (await cluster.cluster('binary', 'helm')).trim().split('\n').at(-1) ?? 'helm';
  const helm = (...args: string[]) =>
    mustRun(helmPath, [...args, '--kubeconfig', cluster.kubeconfig], { timeoutMs: 900_000 });
  const images: Partial<Record<Extra, string>> & Record<(typeof always)[number], string> =
    await cluster.images(...always, ...extra);
  figure('images are there', started);
  const chart = (name: string, ...args: string[]) => {
    const wait = ['--wait', '--timeout', '14m'];
    const release = ['upgrade', '--install', ...wait, name, `charts/${name}`];
    return helm(...release, '--namespace', systemNamespace, '--create-namespace', ...args);
  };
  const upgrade = async (operator: 'operator' | 'operator-next' = 'operator') => {
    const file = join(cluster.stateFolder, 'values.yaml');
    const [repository, tag] = (images[operator] ?? '').split(':');
    // The tests' catalog has versions that the chart's has not.
    const [s3Repository, s3Tag] = (images.s3 ?? '').split(':');
    const store = images.s3 === undefined ? undefined : { repository: s3Repository, tag: s3Tag };
    const values = {
      images: { operator: { repository, tag }, ...(store === undefined ? {} : { s3: store }) },
      ...(store === undefined ? {} : { s3: { enabled: true, storage: '1Gi' } }),
      ...(outside === undefined ? {} : { backups: backupsIn(outside) }),
      catalog: { create: false },
    };
    writeFileSync(file, stringify(values));
    await chart('ledgerhouse', '--values', file);
  };
  await chart('ledgerhouse-crds');
  if (outside !== undefined) await cluster.apply(secretsOf(outside));
  await upgrade();
  await cluster.apply([catalogObject(catalogOf(images))]);
  figure('both charts are installed', started);
  return {
    cluster,
    helm,
    upgrade,
    ...spokenOf(cluster),
    client: clientsIn(cluster, images['ledger-client'] ?? 'the image ledger-client is not loaded'),
  };
}

const keyName = 'bucket-key';
const encryptionName = 'backup-keys';

const backupsIn = ({ url, endpoint, encryptionKeys }: Store) => ({
  store: { url, endpoint },
  credentialsSecret: keyName,
  ...(encryptionKeys !== undefined && { encryption: { keysSecret: encryptionName } }),
});

function secretsOf({ accessKeyId, secretAccessKey, encryptionKeys }: Store) {
  const secret = (name: string, stringData: Readonly<Record<string, string>>) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace: systemNamespace },
    stringData,
  });
  return [
    secret(keyName, { accessKeyId, secretAccessKey }),
    ...(encryptionKeys === undefined ? [] : [secret(encryptionName, { keys: encryptionKeys })]),
  ];
}

function catalogOf(images: Partial<Record<Extra | 'engine', string>>): CatalogSpec {
  const { TIGERBEETLE_IMAGE: real, TIGERBEETLE_IMAGE_NEXT: realNext } = process.env;
  if ((real === undefined) !== (realNext === undefined)) {
    throw new Error('set TIGERBEETLE_IMAGE and TIGERBEETLE_IMAGE_NEXT, both or neither');
  }
  const spec = catalogSpec({
    engine: images.engine ?? namesOnly.engine,
    engineNext: images['engine-next'] ?? namesOnly.engineNext,
    tigerbeetle: real ?? images['tigerbeetle-double'] ?? namesOnly.tigerbeetle,
    tigerbeetleNext: realNext ?? images['tigerbeetle-double-next'] ?? namesOnly.tigerbeetleNext,
    etcd: images.etcd ?? namesOnly.etcd,
  });
  // A registry that refuses at once, instead of one whose name is looked up for half a minute.
  const refused = { image: '127.0.0.1:1/ledgerhouse/missing:1' };
  const engines = spec.engines.map((engine) => ({
    ...engine,
    versions: engine.versions.map((row) =>
      row.version.endsWith('-broken') ? { ...row, ...refused } : row,
    ),
  }));
  // The double needs less than TigerBeetle, which takes its memory at once.
  const large = { memoryMib: real === undefined ? 1_024 : 6_144 };
  const sizes = spec.sizes.map((row) => (row.id === 'lh-40' ? { ...row, ...large } : row));
  return { ...spec, engines, sizes };
}

function spokenOf(
  cluster: TestCluster,
): Pick<
  Installation,
  'create' | 'patch' | 'get' | 'until' | 'watching' | 'owned' | 'pods' | 'claims' | 'beside'
> {
  const get = async (name: string, namespace = 'default') => {
    const { database: resource } = resources;
    const found = await cluster.read<Database>({ resource, namespace, name });
    if (found === undefined) throw new Error(`there is no LedgerDatabase ${namespace}/${name}`);
    return found;
  };
  const owned = <T extends KubeObject>(kind: OwnedKind, { metadata }: Database) => {
    const { namespace = 'default', uid } = metadata;
    return cluster.list<T>(resources[kind], { namespace, labelSelector: `${labels.uid}=${uid}` });
  };
  return {
    get,
    owned,
    pods: async (database) =>
      (await owned<Pod>('pod', database)).filter(
        (pod) => pod.metadata.labels?.[labels.role] === 'replica',
      ),
    claims: (database) => owned<Claim>('claim', database),
    async create(name, spec = {}, namespace = 'default') {
      const { apiVersion } = resources.database;
      const metadata = { name, namespace };
      const whole = { deletionProtection: false, ...spec };
      await cluster.apply([{ apiVersion, kind: 'LedgerDatabase', metadata, spec: whole }]);
    },
    async patch(name, spec, namespace = 'default') {
      const patch = JSON.stringify({ spec });
      await cluster.kubectl('-n', namespace, 'patch', 'ldb', name, '--type=merge', '-p', patch);
    },
    until: (name, type, status, { reason, namespace, timeoutMs = 300_000 } = {}) =>
      cluster.reporting(() =>
        eventually(
          `${name}: ${type}=${status} ${reason ?? ''}`,
          async () => {
            const database = await get(name, namespace);
            const row = conditionOf(database, type);
            const current = row?.observedGeneration === database.metadata.generation;
            const met = row?.status === status && (reason === undefined || row.reason === reason);
            if (current && met) return database;
            throw new Error(JSON.stringify(database.status?.conditions, undefined, 1));
          },
          timeoutMs,
        ),
      ),
    async watching(name, deed) {
      const seen: Database[] = [];
      const done = new AbortController();
      const looking = (async () => {
        while (!done.signal.aborted) {
          seen.push(await get(name));
          await sleep(250);
        }
      })();
      try {
        await deed();
      } finally {
        done.abort();
        await looking;
      }
      return seen;
    },
    async beside({ metadata: { name = '', namespace = 'default' } }, script) {
      const node = ['/bin/node', '--input-type=module', '-e', script];
      const said = await cluster.kubectl(
        '-n',
        namespace,
        'exec',
        name,
        '-c',
        'engine',
        '--',
        ...node,
      );
      return said.trim();
    },
  };
}

function clientsIn(cluster: TestCluster, image: string): Installation['client'] {
  return async (database, options) => {
    const there = ['-n', database.metadata.namespace ?? 'default'];
    const pod = await startClientPod(cluster, image, database, options);
    return async (verb, argument = '') => {
      const command = ['/bin/node', '/app/main.js', verb, argument];
      return (await cluster.kubectl(...there, 'exec', pod, '--', ...command)).trim();
    };
  };
}

/** A pod of images/ledger-client, which may connect to the database when labelled; its name, once it is ready. */
export async function startClientPod(
  cluster: TestCluster,
  image: string,
  database: Database,
  { labelled = true }: { readonly labelled?: boolean } = {},
): Promise<string> {
  const { name, namespace = 'default' } = database.metadata;
  const pod = `client-${labelled ? 'of' : 'not-of'}-${name}`;
  await cluster.apply([clientPod(pod, image, database, labelled)]);
  const ready = ['--for=condition=Ready', `pod/${pod}`, '--timeout=240s'];
  await cluster.kubectl('-n', namespace, 'wait', ...ready);
  return pod;
}

function clientPod(name: string, image: string, database: Database, labelled: boolean) {
  const { namespace = 'default' } = database.metadata;
  const from = (key: string) => ({
    configMapKeyRef: { name: connectionName(database), key },
  });
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace,
      labels: labelled ? { [connectLabel(database.metadata.name)]: namespace } : {},
    },
    spec: {
      terminationGracePeriodSeconds: 1,
      automountServiceAccountToken: false,
      containers: [
        {
          name: 'client',
          image,
          imagePullPolicy: 'IfNotPresent',
          env: [
            { name: 'ADDRESSES', valueFrom: from('addresses') },
            { name: 'CLUSTER_ID', valueFrom: from('clusterId') },
          ],
          // Organizations' namespaces take no less. The client library needs io_uring, which RuntimeDefault forbids.
          securityContext: {
            runAsNonRoot: true,
            runAsUser: 65532,
            allowPrivilegeEscalation: false,
            capabilities: { drop: ['ALL'] },
            seccompProfile: {
              type: 'Localhost',
              localhostProfile: 'profiles/ledgerhouse-io-uring.json',
            },
          },
        },
      ],
    },
  };
}
