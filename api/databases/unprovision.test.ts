/** The interplay with the real API server and operator is tested in test/integration/api/backups. */
import { expect, test } from '@jest/globals';
import type { DatabaseObject, DatabaseSpec } from '../../domain/custom-resources.ts';
import type { DatabaseWriter } from '../kubernetes/database-writer.ts';
import type { Database } from '../store/database-record.ts';
import { unprovision } from './unprovision.ts';

test('a deletion with a last backup that protection stops leaves no policy by which the volumes go later', async () => {
  const spec = { deletionPolicy: 'BackupThenDelete', deletionProtection: true };
  const written: Partial<DatabaseSpec>[] = [];
  const writer = {
    read: () => Promise.resolve({ metadata: { name: 'shop', uid: 'u1' }, spec } as DatabaseObject),
    change: (_identity: unknown, _uid: unknown, patch: Partial<DatabaseSpec>) =>
      Promise.resolve(void written.push(patch)),
  };
  const never = () => Promise.reject(new Error('nothing else is done'));
  const look = await unprovision(
    {
      writer: writer as unknown as DatabaseWriter,
      nowMs: () => 0,
      removed: never,
      hasLastBackup: never,
      purged: never,
    },
    { id: 'db_1', name: 'shop', kubernetesUid: 'u1', status: 'DELETING' } as Database,
    { unprotect: false, finalBackup: true },
  );
  expect(look).toMatchObject({ kind: 'failed', code: 'deletion_protected' });
  expect(written).toEqual([{ deletionPolicy: 'Retain' }]);
});
