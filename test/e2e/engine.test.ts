/** The engine's image in a real cluster: formatted once, run as non-root on a read-only root, its data outliving its pod. */
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { Operation } from '../../engine/wire/operations.ts';
import { Client } from '../../engine/client/client.ts';
import { startTestCluster, type TestCluster } from '../support/cluster/cluster.ts';
import {
  accountBytes,
  create,
  created,
  lookupAccounts,
  transferBytes,
} from '../support/engine/ledger.ts';

jest.setTimeout(25 * 60_000);
let cluster: TestCluster;
let image = '';

beforeAll(async () => {
  cluster = await startTestCluster();
  image = await cluster.image('engine');
});
afterAll(async () => cluster?.down());

const container = (name: string, args: readonly string[]) => ({
  name,
  image,
  args,
  imagePullPolicy: 'IfNotPresent',
  resources: { requests: { memory: '512Mi' }, limits: { memory: '512Mi' } },
  securityContext: {
    readOnlyRootFilesystem: true,
    allowPrivilegeEscalation: false,
    capabilities: { drop: ['ALL'] },
  },
  volumeMounts: [{ name: 'data', mountPath: '/data' }],
});
const podSpec = (inside: unknown, restartPolicy: string) => ({
  restartPolicy,
  automountServiceAccountToken: false,
  terminationGracePeriodSeconds: 20,
  securityContext: {
    runAsNonRoot: true,
    runAsUser: 65532,
    fsGroup: 65532,
    seccompProfile: { type: 'RuntimeDefault' },
  },
  containers: [inside],
  volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'ledger' } }],
});

const claim = {
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'ledger', namespace: 'default' },
  spec: {
    accessModes: ['ReadWriteOnce'],
    storageClassName: 'ledgerhouse-network',
    resources: { requests: { storage: '1Gi' } },
  },
};
const formatJob = () => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'format', namespace: 'default' },
  spec: {
    backoffLimit: 0,
    template: {
      spec: podSpec(
        container('format', [
          'format',
          '--cluster=0',
          '--replica=0',
          '--replica-count=1',
          '/data/0_0.ledger',
        ]),
        'Never',
      ),
    },
  },
});
const enginePod = () => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'engine', namespace: 'default' },
  spec: podSpec(
    {
      ...container('engine', [
        'start',
        '--addresses=0.0.0.0:3001',
        '--status-address=0.0.0.0:3002',
        '/data/0_0.ledger',
      ]),
      readinessProbe: { httpGet: { path: '/readyz', port: 3002 }, periodSeconds: 1 },
      livenessProbe: { httpGet: { path: '/livez', port: 3002 } },
    },
    'Always',
  ),
});

async function connected(): Promise<Client> {
  await cluster.kubectl('wait', '--for=condition=Ready', 'pod/engine', '--timeout=280s');
  const host = await cluster.kubectl('get', 'pod', 'engine', '-o', 'jsonpath={.status.podIP}');
  return new Client({ cluster: 0n, addresses: [{ host, port: 3001 }], timeoutMs: 180_000 });
}

test('a pod of the engine serves clients, and another pod on its volume has all acknowledged events', async () => {
  await cluster.apply([claim, formatJob()]);
  await cluster.kubectl('wait', '--for=condition=Complete', 'job/format', '--timeout=280s');
  await cluster.apply([enginePod()]);
  const client = await connected();
  expect(await create(client, Operation.createAccounts, accountBytes([1n, 2n]))).toEqual([
    created,
    created,
  ]);
  const paid = transferBytes([{ id: 1n, debit: 1n, credit: 2n, amount: 42n }]);
  expect(await create(client, Operation.createTransfers, paid)).toEqual([created]);
  client.close();

  await cluster.kubectl('delete', 'pod', 'engine', '--force', '--grace-period=0');
  await cluster.apply([enginePod()]);
  const again = await connected();
  const [one, two] = await lookupAccounts(again, [1n, 2n]);
  expect([one?.debitsPosted, two?.creditsPosted]).toEqual([42n, 42n]);
  again.close();
});

test('formatting a second time is refused and changes nothing', async () => {
  await cluster.kubectl('delete', 'job', 'format', '--wait');
  await cluster.kubectl('delete', 'pod', 'engine', '--wait');
  await cluster.apply([formatJob()]);
  await cluster.kubectl('wait', '--for=condition=Failed', 'job/format', '--timeout=280s');
  await cluster.apply([enginePod()]);
  const client = await connected();
  expect(await lookupAccounts(client, [1n, 2n])).toHaveLength(2);
  client.close();
});
