import { expect, test } from '@jest/globals';
import type { Pod } from '../../domain/kinds.ts';
import { jobContainers, keyOf, replicaContainers } from './containers.ts';

const database = {
  id: 'db_1',
  name: 'payments',
  namespace: 'org-a',
  kubernetesUid: 'u-1',
  topology: 'ha-3',
  engine: 'Builtin',
};

const shownOf = (containers: ReturnType<typeof jobContainers>) =>
  containers.map((one) => `${keyOf(one)} ${one.component} ${one.node}`);

test('the containers of replicas follow from engine and topology', () => {
  expect(shownOf(replicaContainers(database, 'payments-abc')).slice(0, 4)).toEqual([
    'db_1/payments-abc-0/engine engine 0',
    'db_1/payments-abc-0/etcd etcd 0',
    'db_1/payments-abc-0/etcd-config agent 0',
    'db_1/payments-abc-1/engine engine 1',
  ]);
  const single = { ...database, topology: 'single', engine: 'TigerBeetle' };
  expect(shownOf(replicaContainers(single, 'p'))).toEqual([
    'db_1/p-0/engine engine 0',
    'db_1/p-0/status agent 0',
    'db_1/p-0/check agent 0',
  ]);
});

const pod = (name: string, labels: Record<string, string>, namespace = 'org-a'): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace, labels: { 'ledgerhouse.dev/database-uid': 'u-1', ...labels } },
  spec: { initContainers: [{ name: 'engine' }], containers: [{ name: 'install' }] },
});

test('pods of Jobs belong to the database whose UID they name, in its own namespace', () => {
  const pods = [
    pod('format', { 'ledgerhouse.dev/replica': '2' }),
    pod('backup', { 'ledgerhouse.dev/backup': 'daily' }),
    pod('other', { 'ledgerhouse.dev/database-uid': 'u-2' }),
    pod('forged', {}, 'org-b'),
  ];
  expect(shownOf(jobContainers(pods, [database]))).toEqual([
    'db_1/format/engine engine 2',
    'db_1/format/install agent 2',
    'db_1/backup/engine backup null',
    'db_1/backup/install backup null',
  ]);
});
