/** Backups on a real node: made beside a running engine, into the chart's own S3 server, and restored after everything is gone. */
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import type { LedgerBackup } from '../../domain/custom-resources.ts';
import { startTestCluster, type TestCluster } from '../support/cluster/cluster.ts';
import { eventually } from '../support/shell.ts';
import { OfficialClient } from '../support/engine/official-client.ts';
import { figure, install, type Installation } from '../support/cluster/installation.ts';

jest.setTimeout(25 * 60_000);

let cluster: TestCluster;
let world: Installation;

beforeAll(async () => {
  cluster = await startTestCluster();
  world = await install(cluster, ['ledger-client', 's3']);
});
afterAll(async () => cluster?.down());

interface Account {
  readonly debits_posted: string;
  readonly credits_posted: string;
}

async function backUp(name: string, database: string): Promise<LedgerBackup> {
  const started = Date.now();
  await cluster.apply([
    {
      apiVersion: 'ledgerhouse.dev/v1alpha1',
      kind: 'LedgerBackup',
      metadata: { name, namespace: 'default' },
      spec: { database },
    },
  ]);
  await cluster.reporting(() =>
    cluster.kubectl('wait', '--for=condition=Succeeded', `lbk/${name}`, '--timeout=300s'),
  );
  figure(`backup ${name} is made`, started);
  return JSON.parse(await cluster.kubectl('get', 'lbk', name, '-o', 'json')) as LedgerBackup;
}

async function restore(name: string, { status }: LedgerBackup): Promise<void> {
  const { databaseId = '', backupId = '' } = status ?? {};
  await world.create(name, { bootstrap: { backup: { databaseId, backupId } } });
}

test('a database that was deleted with its volumes is had again as it was at each of its backups, and the books balance', async () => {
  await world.create('payments', { deletionPolicy: 'Delete' });
  const database = await world.until('payments', 'Ready', 'True');
  const client = await world.client(database);
  expect(await client('create', '7')).toBe('7');
  const early = await backUp('early', 'payments');
  expect(await client('create', '3')).toBe('10');
  const [podBefore] = await world.pods(database);
  const late = await backUp('late', 'payments');
  // The engine went on in the same pod, and the second backup sent less than it refers to.
  const [podAfter] = await world.pods(database);
  expect(podAfter?.metadata.uid).toBe(podBefore?.metadata.uid);
  expect(podAfter?.status?.containerStatuses?.every(({ restartCount }) => restartCount === 0)).toBe(
    true,
  );
  expect(late.status?.op).toBeGreaterThan(early.status?.op ?? Infinity);
  expect(late.status?.transfers).toBe((early.status?.transfers ?? 0) + 3);
  expect(late.status?.clusterId).toBe(database.status?.clusterId);

  await cluster.kubectl('delete', 'ldb', 'payments', '--timeout=280s');
  // Kubernetes removes a volume when the pod that had it has ended.
  await eventually('its volumes are gone', async () => {
    expect(await world.claims(database)).toEqual([]);
    return true;
  });

  const started = Date.now();
  await restore('again', late);
  await restore('earlier', early);
  const again = await world.until('again', 'Ready', 'True');
  figure('restored and ready', started);
  expect(again.status?.clusterId).not.toBe(database.status?.clusterId);
  expect(again.status?.databaseId).not.toBe(database.status?.databaseId);
  const reader = await world.client(again);
  expect(await reader('read')).toBe('10');
  const ledger = await OfficialClient.open(cluster, {
    namespace: 'default',
    name: 'client-of-again',
  });
  const accounts = await ledger.ask<Account[]>('lookupAccounts', ['1', '2']);
  ledger.close();
  expect(accounts).toMatchObject([
    { debits_posted: '10', credits_posted: '0' },
    { debits_posted: '0', credits_posted: '10' },
  ]);
  expect(await reader('create', '1')).toBe('11');
  const earlier = await world.client(await world.until('earlier', 'Ready', 'True'));
  expect(await earlier('read')).toBe('7');
  // A restored database is backed up like any other.
  const next = await backUp('next', 'again');
  expect(next.status?.transfers).toBe((late.status?.transfers ?? 0) + 1);
});

test('a backup that is not in the bucket stops the new database before it begins, with its name', async () => {
  const backup = {
    databaseId: 'db_01h455vb4pex5vsknk084sn02q',
    backupId: 'bkp_01h455vb4pex5vsknk084sn02q',
  };
  await world.create('never', { bootstrap: { backup } });
  const stalled = await world.until('never', 'Stalled', 'True', {
    reason: 'FormatFailed',
    timeoutMs: 600_000,
  });
  const message = stalled.status?.conditions?.find(({ type }) => type === 'Stalled')?.message;
  expect(message).toContain(`The bucket has no backup of ${backup.databaseId}`);
  expect(await world.pods(stalled)).toEqual([]);
});
