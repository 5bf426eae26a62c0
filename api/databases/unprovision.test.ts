/** The interplay with the real API server and operator is tested in test/integration/api/backups. */
import { expect, test } from '@jest/globals';
import type {
  DatabaseObject,
  DatabaseSpec,
  OneBackupObject,
} from '../../domain/custom-resources.ts';
import type { DatabaseWriter } from '../kubernetes/database-writer.ts';
import type { Database } from '../store/database-record.ts';
import { unprovision } from './unprovision.ts';

const never = () => Promise.reject(new Error('nothing else is done'));
/** The database is gone from the cluster, and the watch has shown no backup of it yet. */
const late = {
  writer: { read: never } as unknown as DatabaseWriter,
  nowMs: () => 0,
  removed: never,
  hasLastBackup: () => Promise.resolve(false),
};
const gone = {
  id: 'db_1',
  name: 'shop',
  kubernetesUid: 'u1',
  kubernetesNamespace: 'acme',
  status: 'DELETED',
  deletedAt: new Date('2027-01-01T00:00:00Z'),
} as Database;
const backup = (
  databaseId: string,
  type: string,
  succeeded: string,
  completedAt = '2027-01-01T00:01:00Z',
) =>
  ({
    metadata: { name: 'last' },
    spec: { type },
    status: {
      databaseId,
      startedAt: '2027-01-01T00:00:00Z',
      completedAt,
      conditions: [{ type: 'Succeeded', status: succeeded, reason: 'r', message: '' }],
    },
  }) as unknown as OneBackupObject;
const having = (...found: readonly OneBackupObject[]) => ({ list: () => Promise.resolve(found) });

test('a last backup counts from the moment the API server has it, however late the watch is', async () => {
  let purged = 0;
  const world = { ...late, purged: () => Promise.resolve(void (purged += 1)) };
  const backups = having(backup('db_1', 'Final', 'True'));
  const options = { unprotect: false, finalBackup: true };
  const look = await unprovision({ ...world, backups }, gone, options);
  expect(look).toMatchObject({ kind: 'done', message: expect.stringContaining('last backup') });
  expect(purged).toBe(1);
});

test.each([
  ['none', []],
  ['that of another database', [backup('db_2', 'Final', 'True')]],
  ['one that failed', [backup('db_1', 'Final', 'False')]],
  ['one that somebody asked for', [backup('db_1', 'Manual', 'True')]],
  ['that of an earlier shape', [backup('db_1', 'Final', 'True', '2026-12-01T00:00:00Z')]],
])(
  'a database that went without its last backup (%s) is never said to have one',
  async (_, all) => {
    const world = { ...late, purged: never, backups: having(...all) };
    const look = await unprovision(world, gone, { unprotect: false, finalBackup: true });
    expect(look).toMatchObject({ kind: 'failed', code: 'final_backup_failed', final: true });
  },
);

test('volumes that a last backup may have let go before they were to be kept are promised to nobody', async () => {
  const world = { ...late, purged: never };
  const kept = { unprotect: false, finalBackup: false };
  const backups = having(backup('db_1', 'Final', 'True'));
  expect(await unprovision({ ...world, backups }, gone, kept)).toMatchObject({
    kind: 'done',
    message: expect.stringContaining('what is left of them stays until it is purged'),
  });
  expect(await unprovision({ ...world, backups: having() }, gone, kept)).toMatchObject({
    kind: 'done',
    message: 'The database is deleted; its volumes stay until they are purged.',
  });
});

test('a deletion with a last backup that protection stops leaves no policy by which the volumes go later', async () => {
  const spec = { deletionPolicy: 'BackupThenDelete', deletionProtection: true };
  const written: Partial<DatabaseSpec>[] = [];
  const writer = {
    read: () => Promise.resolve({ metadata: { name: 'shop', uid: 'u1' }, spec } as DatabaseObject),
    change: (_identity: unknown, _uid: unknown, patch: Partial<DatabaseSpec>) =>
      Promise.resolve(void written.push(patch)),
  };
  const look = await unprovision(
    {
      writer: writer as unknown as DatabaseWriter,
      nowMs: () => 0,
      removed: never,
      hasLastBackup: never,
      backups: { list: never },
      purged: never,
    },
    { id: 'db_1', name: 'shop', kubernetesUid: 'u1', status: 'DELETING' } as Database,
    { unprotect: false, finalBackup: true },
  );
  expect(look).toMatchObject({ kind: 'failed', code: 'deletion_protected' });
  expect(written).toEqual([{ deletionPolicy: 'Retain' }]);
});
