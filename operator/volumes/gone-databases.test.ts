import { expect, test } from '@jest/globals';
import type { DatabaseSpec, LedgerDatabase } from '../../domain/custom-resources.ts';
import { GoneDatabases } from './gone-databases.ts';

const database = (uid: string, spec: Partial<DatabaseSpec>): LedgerDatabase => ({
  apiVersion: 'ledgerhouse.dev/v1alpha1',
  kind: 'LedgerDatabase',
  metadata: { name: 'payments', namespace: 'shop', uid },
  spec: { suspend: false, deletionProtection: false, deletionPolicy: 'Delete', ...spec },
});

test('only a database under Delete that was not paused took its volumes with it', () => {
  const gone = new GoneDatabases();
  gone.note(database('deleted', {}));
  gone.note(database('kept', { deletionPolicy: 'Retain' }));
  gone.note(database('paused', { paused: true }));
  const took = ['deleted', 'kept', 'paused', 'never seen'].filter((uid) =>
    gone.tookVolumes(uid, 'shop'),
  );
  expect(took).toEqual(['deleted']);
});

test('the memory of gone databases is bounded', () => {
  const gone = new GoneDatabases();
  for (let index = 0; index <= 10_000; index += 1) gone.note(database(`uid-${index}`, {}));
  const took = ['uid-0', 'uid-1'].map((uid) => gone.tookVolumes(uid, 'shop'));
  expect(took).toEqual([false, true]);
});

test('a copy of the volume in another namespace does not go with the database', () => {
  const gone = new GoneDatabases();
  gone.note(database('deleted', {}));
  expect(gone.tookVolumes('deleted', 'copy-of-shop')).toBe(false);
});
