/** Two who change the protection or the hold of a backup at once, in a real PostgreSQL. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { holdBackup } from '../../../api/backups/hold.ts';
import { changeBackup, type BackupServices } from '../../../api/backups/request-backup.ts';
import { followedBackups } from '../../../api/backups/sync.ts';
import type { BackupWriter } from '../../../api/kubernetes/backup-writer.ts';
import { createBackup, findAnyBackup, updateBackup } from '../../../api/store/backups.ts';
import { listEvents } from '../../../api/store/events.ts';
import type { Organization } from '../../../api/store/organizations.ts';
import type { Store } from '../../../api/store/store.ts';
import type { OneBackupObject } from '../../../domain/custom-resources.ts';
import { TestPostgres } from '../../support/api/postgres.ts';
import { makeDatabase, openTestStore, tester } from '../../support/api/store.ts';
import { newBackup } from '../../support/api/stored-backups.ts';

let postgres: TestPostgres;
let store: Store;
let organization: Organization;

beforeAll(async () => {
  postgres = await TestPostgres.create();
  ({ store, organization } = await openTestStore(postgres));
});
afterAll(async () => {
  await store?.close();
  await postgres?.remove();
});

/** A good backup, as the watch has seen it in version 98 of its resource. */
async function goodBackup(name: string) {
  const { id: databaseId } = await makeDatabase(store, organization, `of-${name}`);
  const { id } = await store.change(tester, async (change) => {
    const made = await createBackup(
      change,
      newBackup({
        organizationId: organization.id,
        databaseId,
        name,
        kubernetesNamespace: organization.namespace,
        kubernetesUid: `uid-${name}`,
      }),
    );
    if (made === undefined) throw new Error('there is one');
    return updateBackup(change, made.id, { status: 'SUCCEEDED', resourceVersion: '98' });
  });
  return { id, databaseId, of: { databaseId, backupId: id } };
}

test('a request that is slow does not write over the protection that somebody set after it', async () => {
  const { id, databaseId } = await goodBackup('one');
  const backups = {
    protect: async () => {
      // Before the answer comes back, somebody else takes the protection away, and the watch has seen it.
      await store.change(tester, (change) =>
        updateBackup(change, id, { resourceVersion: '100', protected: false }),
      );
      return { metadata: { resourceVersion: '99' } };
    },
  };
  const services = { store, backups } as unknown as BackupServices;
  const caller = { organization, author: tester };
  const answered = await changeBackup(services, caller, databaseId, id, { protected: true });
  expect(answered.protected).toBe(false);
  expect((await findAnyBackup(store.read, id))?.protected).toBe(false);
});

type Hold = OneBackupObject['spec']['hold'];

/** A version of the backup's resource. */
const versionOf = (name: string) => (resourceVersion: string, hold?: Hold | null) =>
  ({
    metadata: { uid: `uid-${name}`, namespace: organization.namespace, name, resourceVersion },
    spec: {
      database: `of-${name}`,
      type: 'Manual',
      protected: false,
      removeRequested: false,
      ...(hold && { hold }),
    },
    status: {
      startedAt: '2027-01-31T12:00:00Z',
      completedAt: '2027-01-31T12:00:01Z',
      conditions: [{ type: 'Succeeded', status: 'True', reason: 'Completed', message: '' }],
    },
  }) as unknown as OneBackupObject;

const watch = () => followedBackups({ store } as Parameters<typeof followedBackups>[0]);
const holding = (backups: Pick<BackupWriter, 'read' | 'hold'>) =>
  ({ store, backups, now: () => new Date() }) as unknown as BackupServices;
const told = async (id: string) => {
  const types = ['backup.held', 'backup.released'] as const;
  const page = { limit: 100, order: 'asc' } as const;
  const { rows } = await listEvents(store.read, organization.id, { types }, page);
  return rows
    .filter(({ data }) => (data as { backup?: { id: string } }).backup?.id === id)
    .map(({ type }) => type);
};

test('a request that is slow holds nothing in the list that somebody released after it', async () => {
  const { id, of } = await goodBackup('two');
  const version = versionOf('two');
  const services = holding({
    read: async () => version('98'),
    // Before the answer comes back, somebody else releases it, and the watch has seen both.
    hold: async (_, hold) => {
      await watch().take(version('99', hold));
      await watch().take(version('100'));
      return version('99', hold);
    },
  });
  const caller = { organization, author: tester };
  expect((await holdBackup(services, caller, of, 'case 7')).hold).toBeNull();
  expect((await findAnyBackup(store.read, id))?.hold).toBeNull();
  expect(await told(id)).toEqual(['backup.held', 'backup.released']);
});

test('an older version that the watch writes after a hold releases nothing, and tells of none', async () => {
  const { id, of } = await goodBackup('three');
  const version = versionOf('three');
  let held: Hold | null = null;
  const services = holding({
    read: async () => version('99'),
    hold: async (_, hold) => version('100', (held = hold)),
  });
  const caller = { organization, author: tester };
  expect((await holdBackup(services, caller, of, 'case 7')).hold).toMatchObject({
    reason: 'case 7',
  });
  await watch().take(version('99'));
  await watch().take(version('100', held));
  expect((await findAnyBackup(store.read, id))?.hold).toMatchObject({ reason: 'case 7' });
  expect(await told(id)).toEqual(['backup.held']);
});

test('a hold that somebody replaces in Kubernetes is told as the end of the one and the begin of the other', async () => {
  const { id } = await goodBackup('four');
  const version = versionOf('four');
  const hold = { reason: 'case 7', by: 'ada', at: '2027-01-31T12:00:00Z' };
  await watch().take(version('99', hold));
  await watch().take(version('100', { ...hold, reason: 'none' }));
  expect(await told(id)).toEqual(['backup.held', 'backup.released', 'backup.held']);
});
