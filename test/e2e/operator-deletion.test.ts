/** The fate of data when databases are deleted, under each policy, on a real node with real volumes. */
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import type { Claim } from '../../domain/kinds.ts';
import { annotations } from '../../domain/names.ts';
import { startTestCluster, type TestCluster } from '../support/cluster/cluster.ts';
import {
  conditionOf,
  figure,
  install,
  type Installation,
} from '../support/cluster/installation.ts';
import type { Database } from '../support/operator/operator-world.ts';
import { eventually } from '../support/shell.ts';

jest.setTimeout(25 * 60_000);

let cluster: TestCluster;
let world: Installation;
const policies = ['Retain', 'BackupThenDelete', 'Delete'] as const;
const namespaceOf = (policy: string) => `of-${policy.toLowerCase()}`;

beforeAll(async () => {
  cluster = await startTestCluster();
  world = await install(cluster, ['ledger-client']);
  // All are made at once, and each test waits for its own.
  await world.create('guarded', { deletionProtection: true });
  await world.create('phoenix');
  await world.create('fleeting', { deletionPolicy: 'Delete' });
  await world.create('careful', { deletionPolicy: 'BackupThenDelete' });
  for (const deletionPolicy of policies) {
    await cluster.kubectl('create', 'namespace', namespaceOf(deletionPolicy));
    await world.create('payments', { deletionPolicy }, namespaceOf(deletionPolicy));
  }
});
afterAll(async () => cluster?.down());

const remove = (name: string, ...args: string[]) =>
  cluster.kubectl('delete', 'ldb', name, '--timeout=280s', ...args);

/** Resolves when the claim's persistent volume no longer exists, which frees the disk. */
const volumeIsGone = (claim: Claim | undefined) =>
  eventually('the volume is gone', async () => {
    const { code, stderr } = await cluster.tryKubectl('get', 'pv', claim?.spec?.volumeName ?? '');
    return code !== 0 && stderr.includes('NotFound') ? true : undefined;
  });

const marked = (database: Database) =>
  eventually('the volume is marked', async () => {
    const [claim] = await world.claims(database);
    const purgeAt = claim?.metadata.annotations?.[annotations.purgeAt];
    return purgeAt === undefined ? undefined : { claim, purgeAt };
  });

test('a protected database is not deleted, and the refusal says the command that lets it go', async () => {
  const database = await world.until('guarded', 'Ready', 'True');
  const refused = await cluster.tryKubectl('delete', 'ldb', 'guarded');
  expect(refused.code).not.toBe(0);
  const [, arguments_ = ''] =
    /kubectl (-n default patch ldb guarded .*)/.exec(refused.stderr) ?? [];
  expect((await world.get('guarded')).metadata.deletionTimestamp).toBeUndefined();
  expect(await world.pods(database)).toHaveLength(1);
  // As it is told, with the shell's quotes around the patch.
  await cluster.kubectl(
    ...arguments_
      .trim()
      .split(' ')
      .map((word) => word.replaceAll("'", '')),
  );
  await remove('guarded');
  expect(await world.claims(database)).toHaveLength(1);
});

test('under Retain the volume outlives its database, and a new one that names it has the data', async () => {
  const old = await world.until('phoenix', 'Ready', 'True');
  const client = await world.client(old);
  expect(await client('create', '5')).toBe('5');
  await remove('phoenix');
  const { claim, purgeAt } = await marked(old);
  const days = (Date.parse(purgeAt) - Date.now()) / 86_400_000;
  expect(days).toBeGreaterThan(6.9);
  expect(days).toBeLessThan(7.1);
  await eventually('the pod is gone', async () =>
    (await world.pods(old)).length === 0 ? true : undefined,
  );

  const databaseId = old.status?.databaseId ?? '';
  const started = Date.now();
  await world.create('ashes', { bootstrap: { volumes: { databaseId } } });
  const restored = await world.until('ashes', 'Ready', 'True');
  figure('a deleted database is back', started);
  expect(restored.status?.clusterId).toBe(old.status?.clusterId);
  expect(conditionOf(restored, 'Bootstrapped')?.reason).toBe('Inherited');
  const [kept] = await world.claims(restored);
  expect(kept?.metadata.uid).toBe(claim?.metadata.uid);
  expect(kept?.metadata.annotations?.[annotations.purgeAt]).toBeUndefined();
  const again = await world.client(restored);
  expect(await again('read')).toBe('5');
  expect(await again('create', '1')).toBe('6');

  const inUse = restored.status?.databaseId ?? '';
  await world.create('thief', { bootstrap: { volumes: { databaseId: inUse } } });
  await world.until('thief', 'Stalled', 'True', { reason: 'VolumesInUse' });
  expect(await again('read')).toBe('6');
});

test('a database under the name of a deleted one begins empty, with volumes of its own', async () => {
  await world.create('phoenix');
  const database = await world.until('phoenix', 'Ready', 'True');
  await cluster.kubectl('delete', 'pod', 'client-of-phoenix', '--wait');
  const client = await world.client(database);
  expect(await client('read')).toBe('no account');
});

test('a volume past its time is purged', async () => {
  const old = await world.get('phoenix');
  const [claim] = await world.claims(old);
  await remove('phoenix');
  await marked(old);
  const past = `${annotations.purgeAt}=2020-01-01T00:00:00Z`;
  await cluster.kubectl('annotate', '--overwrite', 'pvc', claim?.metadata.name ?? '', past);
  await eventually('purged', async () =>
    (await world.claims(old)).length === 0 ? true : undefined,
  );
  await volumeIsGone(claim);
});

test('under Delete the volume goes with the database', async () => {
  const database = await world.until('fleeting', 'Ready', 'True');
  const [claim] = await world.claims(database);
  await remove('fleeting');
  await eventually('purged', async () =>
    (await world.claims(database)).length === 0 ? true : undefined,
  );
  await volumeIsGone(claim);
});

test('under BackupThenDelete the database waits, says so, keeps its data, and is let go by another policy', async () => {
  const database = await world.until('careful', 'Ready', 'True');
  await remove('careful', '--wait=false');
  const stalled = await world.until('careful', 'Stalled', 'True', { reason: 'BackupsUnavailable' });
  expect(conditionOf(stalled, 'Stalled')?.message).toContain(
    'kubectl -n default patch ldb careful',
  );
  expect(await world.claims(database)).toHaveLength(1);
  await world.patch('careful', { deletionPolicy: 'Retain' });
  await cluster.kubectl('wait', '--for=delete', 'ldb/careful', '--timeout=280s');
  await marked(database);
});

test('a namespace with a database goes when it is deleted, whatever the policy', async () => {
  const namespaces = policies.map(namespaceOf);
  for (const namespace of namespaces) await world.until('payments', 'Ready', 'True', { namespace });
  const started = Date.now();
  await cluster.kubectl('delete', 'namespace', ...namespaces, '--timeout=280s');
  figure('namespaces with databases are gone', started);
});
