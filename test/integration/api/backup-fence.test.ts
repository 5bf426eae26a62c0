/** Workers that freeze while they make a backup, and backups that nobody owns any more, in a real PostgreSQL. */
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { makingHandler, type BackupWorld } from '../../../api/backups/make.ts';
import { removeBackupsOfPurged } from '../../../api/backups/remove-of-purged.ts';
import type { JobContext } from '../../../api/jobs/handler.ts';
import type { Job } from '../../../api/model/job.ts';
import {
  createBackup,
  findAnyBackup,
  updateBackup,
  type BackupPatch,
} from '../../../api/store/backups.ts';
import { JobLeaseLost } from '../../../api/store/job-leases.ts';
import type { Organization } from '../../../api/store/organizations.ts';
import { uuidOf } from '../../../api/store/ids.ts';
import type { Store } from '../../../api/store/store.ts';
import { TestPostgres } from '../../support/api/postgres.ts';
import { makeDatabase, openTestStore, tester } from '../../support/api/store.ts';
import { newBackup } from '../../support/api/stored-backups.ts';

let postgres: TestPostgres;
let store: Store;
let organization: Organization;
let databaseId: string;

beforeAll(async () => {
  postgres = await TestPostgres.create();
  ({ store, organization } = await openTestStore(postgres));
  databaseId = (await makeDatabase(store, organization, 'payments')).id;
});
afterEach(async () => {
  await store.read.deleteFrom('jobs').execute();
  await store.read.deleteFrom('backups').execute();
});
afterAll(async () => {
  await store?.close();
  await postgres?.remove();
});

const backup = (name: string, patch: BackupPatch = {}) =>
  store.change(tester, async (change) => {
    const made = await createBackup(
      change,
      newBackup({
        organizationId: organization.id,
        databaseId,
        name,
        kubernetesNamespace: organization.namespace,
      }),
    );
    if (made === undefined) throw new Error('there is one');
    return updateBackup(change, made.id, patch);
  });

/** A worker at work on a backup, and what it does in Kubernetes. */
function workerOn(backupId: string) {
  const did: string[] = [];
  let isLost = false;
  /** What happens elsewhere while the worker is frozen in its create. */
  let meanwhile: () => Promise<unknown> = () => Promise.resolve();
  const backups = {
    read: () => Promise.resolve(),
    create: async ({ name }: { readonly name: string }) => {
      did.push(`create ${name}`);
      await meanwhile();
      return { metadata: { name, uid: 'uid-late' }, spec: { database: 'payments' } };
    },
    delete: async ({ name }: { readonly name: string }, uid: string) =>
      void did.push(`delete ${name} ${uid}`),
  };
  const context: JobContext = {
    job: { input: { backupId }, steps: [], progress: {} } as unknown as Job,
    signal: new AbortController().signal,
    write: (work) => {
      if (isLost) return Promise.reject(new JobLeaseLost('it is another worker’s'));
      return store.change(tester, (change) => work(change, context.job));
    },
    step: () => Promise.resolve(),
  };
  const world = { store, backups, nowMs: () => 0 } as unknown as BackupWorld;
  return {
    did,
    loseLease: () => (isLost = true),
    freezeInCreate: (then: () => Promise<unknown>) => (meanwhile = then),
    run: () => makingHandler(world).run(context),
  };
}

test('a worker that wakes up without its lease makes no backup', async () => {
  const { id } = await backup('one');
  const worker = workerOn(id);
  worker.loseLease();
  await expect(worker.run()).rejects.toThrow(JobLeaseLost);
  expect(worker.did).toEqual([]);
});

test('a worker that was frozen while it made a backup takes it back if another worker made it before', async () => {
  const { id } = await backup('two');
  const worker = workerOn(id);
  worker.freezeInCreate(async () => {
    worker.loseLease();
    // Made by another worker, and removed since, so that the name was free again.
    await store.change(tester, (change) =>
      updateBackup(change, id, { kubernetesUid: 'uid-first', status: 'DELETED' }),
    );
  });
  await expect(worker.run()).rejects.toThrow(JobLeaseLost);
  expect(worker.did).toEqual(['create two', 'delete two uid-late']);
});

test('a backup that a frozen worker was the first to make stays for the worker that follows it', async () => {
  const { id } = await backup('three');
  const worker = workerOn(id);
  worker.freezeInCreate(async () => worker.loseLease());
  await expect(worker.run()).rejects.toThrow(JobLeaseLost);
  expect(worker.did).toEqual(['create three']);
  // Without a freeze it is recorded.
  const other = workerOn(id);
  await other.run();
  expect((await findAnyBackup(store.read, id))?.kubernetesUid).toBe('uid-late');
});

test('backups of a purged organization are removed from the bucket, but for those that somebody protected', async () => {
  const facts = { op: 1 } as BackupPatch['facts'] & object;
  const done = { status: 'SUCCEEDED', facts } as const;
  const [good, failed, kept, unmanaged] = [
    await backup('good', { ...done, kubernetesUid: 'uid-1' }),
    await backup('failed', { status: 'FAILED', kubernetesUid: 'uid-2' }),
    await backup('kept', { ...done, kubernetesUid: 'uid-3', protected: true }),
    await backup('unmanaged', { ...done, kubernetesUid: 'uid-4', resourceGone: true }),
  ];
  expect(await removeBackupsOfPurged(store)).toBe(0);
  await store.read
    .updateTable('organizations')
    .set({ purgedAt: new Date(), purgeAt: new Date(), deletedAt: new Date() })
    .where('id', '=', uuidOf(organization.id))
    .execute();
  expect(await removeBackupsOfPurged(store)).toBe(2);
  expect(await removeBackupsOfPurged(store)).toBe(0);
  const statuses = await Promise.all(
    [good, failed, kept, unmanaged].map(
      async ({ id }) => (await findAnyBackup(store.read, id))?.status,
    ),
  );
  expect(statuses).toEqual(['DELETING', 'DELETING', 'SUCCEEDED', 'SUCCEEDED']);
  const jobs = await store.read.selectFrom('jobs').select(['type', 'input']).execute();
  expect(jobs).toHaveLength(2);
  expect(new Set(jobs.map(({ type }) => type))).toEqual(new Set(['backup.delete']));
});

test('removals of a purged organization’s backups that never end keep no other one from its turn', async () => {
  const facts = { op: 1 } as BackupPatch['facts'] & object;
  const stuck = { status: 'DELETING', facts, removing: true } as const;
  for (let index = 0; index < 20; index += 1) {
    await backup(`stuck-${index}`, { ...stuck, kubernetesUid: `uid-stuck-${index}` });
  }
  const { id } = await backup('next', { status: 'SUCCEEDED', facts, kubernetesUid: 'uid-next' });
  expect(await removeBackupsOfPurged(store)).toBe(1);
  expect((await findAnyBackup(store.read, id))?.status).toBe('DELETING');
});

test('backups of a purged organization whose removal failed come after the others', async () => {
  const facts = { op: 1 } as BackupPatch['facts'] & object;
  const done = { status: 'SUCCEEDED', facts } as const;
  const tried = await backup('tried', { ...done, kubernetesUid: 'uid-tried' });
  const untried = [];
  for (let index = 0; index < 20; index += 1) {
    untried.push(await backup(`untried-${index}`, { ...done, kubernetesUid: `uid-${index}` }));
  }
  await store.change(tester, (change) => updateBackup(change, tried.id, { status: 'SUCCEEDED' }));
  expect(await removeBackupsOfPurged(store)).toBe(20);
  expect(await removeBackupsOfPurged(store)).toBe(0);
  expect((await findAnyBackup(store.read, tried.id))?.status).toBe('SUCCEEDED');
});
