/** Both charts in a test's cluster, as a person installs them, with images that were built here. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { DatabaseSpec } from '../../domain/resources.ts';
import { catalogObject, catalogSpec } from '../fixtures/catalog.ts';
import type { TestCluster } from './cluster.ts';
import type { Database } from './operator-world.ts';
import { eventually, mustRun } from './shell.ts';

export const systemNamespace = 'ledgerhouse-system';

export interface Installation {
  helm(...args: string[]): Promise<string>;
  /** Installs or upgrades the chart with these values besides the images'. */
  upgrade(values?: object): Promise<void>;
  create(name: string, spec?: Partial<DatabaseSpec>, namespace?: string): Promise<void>;
  patch(name: string, spec: object, namespace?: string): Promise<void>;
  get(name: string, namespace?: string): Promise<Database>;
  until(
    name: string,
    type: string,
    status: string,
    options?: { reason?: string; namespace?: string; timeoutMs?: number },
  ): Promise<Database>;
  /** A client's pod that may connect to a database; what it prints for a verb of images/ledger-client. */
  client(database: Database, options?: { labelled?: boolean }): Promise<Client>;
}

export type Client = (verb: string, argument?: string) => Promise<string>;

export async function install(cluster: TestCluster): Promise<Installation> {
  const said = await cluster.cluster('binary', 'helm');
  const helmPath = said.trim().split('\n').at(-1) ?? 'helm';
  const helm = (...args: string[]) =>
    mustRun(helmPath, [...args, '--kubeconfig', cluster.kubeconfig], { timeoutMs: 300_000 });
  const [operator, engine, engineNext, tigerbeetle, tigerbeetleNext, client] = await Promise.all(
    [
      'operator',
      'engine',
      'engine-next',
      'tigerbeetle-double',
      'tigerbeetle-double-next',
      'ledger-client',
    ].map(serially((name) => cluster.image(name))),
  );
  const images = { engine, engineNext, tigerbeetle, tigerbeetleNext } as Record<string, string>;
  const upgrade = async (values: object = {}) => {
    const file = join(cluster.stateFolder, 'values.yaml');
    const [repository, tag] = (operator ?? '').split(':');
    writeFileSync(
      file,
      stringify({
        images: { operator: { repository, tag } },
        // The tests' catalog has versions that the chart's has not.
        catalog: { create: false },
        ...values,
      }),
    );
    await helm(
      'upgrade',
      '--install',
      '--wait',
      'ledgerhouse',
      'charts/ledgerhouse',
      '--namespace',
      systemNamespace,
      '--create-namespace',
      '--values',
      file,
    );
  };
  await helm(
    'upgrade',
    '--install',
    '--wait',
    'ledgerhouse-crds',
    'charts/ledgerhouse-crds',
    '--namespace',
    systemNamespace,
    '--create-namespace',
  );
  await upgrade();
  const spec = catalogSpec({
    engine: images['engine'] ?? '',
    engineNext: images['engineNext'] ?? '',
    tigerbeetle: process.env['TIGERBEETLE_IMAGE'] ?? images['tigerbeetle'] ?? '',
    tigerbeetleNext: process.env['TIGERBEETLE_IMAGE_NEXT'] ?? images['tigerbeetleNext'] ?? '',
  });
  await cluster.apply([catalogObject(spec)]);
  return { ...verbs(cluster, client ?? ''), helm, upgrade };
}

/** Images are built one after another: two cores do not build six at once faster. */
function serially<T>(one: (name: string) => Promise<T>): (name: string) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (name) => {
    const next = last.then(() => one(name));
    last = next.catch(() => undefined);
    return next;
  };
}

function verbs(
  cluster: TestCluster,
  clientImage: string,
): Pick<Installation, 'create' | 'patch' | 'get' | 'until' | 'client'> {
  const get = async (name: string, namespace = 'default') =>
    JSON.parse(
      await cluster.kubectl('-n', namespace, 'get', 'ldb', name, '-o', 'json'),
    ) as Database;
  return {
    get,
    async create(name, spec = {}, namespace = 'default') {
      await cluster.apply([
        {
          apiVersion: 'ledgerhouse.dev/v1alpha1',
          kind: 'LedgerDatabase',
          metadata: { name, namespace },
          spec: { deletionProtection: false, ...spec },
        },
      ]);
    },
    async patch(name, spec, namespace = 'default') {
      const patch = JSON.stringify({ spec });
      await cluster.kubectl('-n', namespace, 'patch', 'ldb', name, '--type=merge', '-p', patch);
    },
    until: (name, type, status, { reason, namespace, timeoutMs } = {}) =>
      eventually(
        `${name}: ${type}=${status} ${reason ?? ''}`,
        async () => {
          const database = await get(name, namespace);
          const row = database.status?.conditions?.find((one) => one.type === type);
          const current = row?.observedGeneration === database.metadata.generation;
          if (
            row?.status !== status ||
            !current ||
            (reason !== undefined && row.reason !== reason)
          ) {
            throw new Error(JSON.stringify(database.status?.conditions, undefined, 1));
          }
          return database;
        },
        timeoutMs ?? 120_000,
      ),
    async client(database, { labelled = true } = {}) {
      const { name, namespace = 'default' } = database.metadata;
      const pod = `client-${labelled ? 'of' : 'not-of'}-${name}`;
      await cluster.apply([clientPod(pod, clientImage, database, labelled)]);
      await cluster.kubectl(
        '-n',
        namespace,
        'wait',
        '--for=condition=Ready',
        `pod/${pod}`,
        '--timeout=60s',
      );
      return async (verb, argument = '') =>
        (
          await cluster.kubectl(
            '-n',
            namespace,
            'exec',
            pod,
            '--',
            '/bin/node',
            '/app/main.js',
            verb,
            argument,
          )
        ).trim();
    },
  };
}

function clientPod(name: string, image: string, database: Database, labelled: boolean) {
  const { namespace = 'default' } = database.metadata;
  const from = (key: string) => ({
    configMapKeyRef: { name: `${database.metadata.name}-connection`, key },
  });
  const connect = { [`ledgerhouse.dev/connect-${database.metadata.name}`]: namespace };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, labels: labelled ? connect : {} },
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
          securityContext: { runAsNonRoot: true, runAsUser: 65532 },
        },
      ],
    },
  };
}
