/** Archives that earlier releases wrote, in `test/fixtures/archives`: each release restores all of them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { checkout } from '../../test/support/shell.ts';
import { StateMachine } from '../ledger/state-machine.ts';
import { findRecord, recordKeys } from './archive.ts';
import { Archive } from './moments.ts';
import { digestOf, restoredAt, storeOf, type KeptArchives } from './testing/kept-archive.ts';
import { refusal } from './testing/memory-store.ts';
import { verifyBackup } from './verify-backup.ts';

const folder = join(checkout, 'test/fixtures/archives');
const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
const kept = (name: string) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as KeptArchives;

test('the first archive is kept, plain and encrypted', () => {
  expect(names).toContain('0.1.0.json');
  const [plain, sealed] = kept('0.1.0.json').databases;
  expect([plain?.keys, typeof sealed?.keys]).toEqual([undefined, 'string']);
});

test.each(names)(
  'the archive %s restores to the state after every operation that was noted',
  async (name) => {
    for (const archive of kept(name).databases) {
      const { databaseId, states, contents } = archive;
      const store = storeOf(archive);
      const { windows } = await Archive.read(store, databaseId);
      expect(windows).toMatchObject([{ to: { op: states.at(-1)?.op }, missingOps: 0 }]);
      let last = '';
      for (const { op, stateHash } of states) {
        const { position, ledger } = await restoredAt(store, databaseId, op);
        const hash = Buffer.from(position.stateHash).toString('hex');
        expect({ name, op: position.op, hash }).toEqual({ name, op, hash: stateHash });
        last = digestOf(ledger);
      }
      expect(last).toBe(contents);
    }
  },
);

test.each(names)(
  'each backup of the archive %s is whole, and is found by its name and digest',
  async (name) => {
    for (const archive of kept(name).databases) {
      const { databaseId, backups } = archive;
      const store = storeOf(archive);
      expect(await recordKeys(store, databaseId)).toHaveLength(backups.length);
      for (const { backupId, sha256 } of backups) {
        const found = await findRecord(store, databaseId, backupId);
        expect(found.sha256).toBe(sha256);
        await verifyBackup(store, found.record, new StateMachine({ memoryLimitBytes: 2 ** 34 }));
      }
      if (archive.keys === undefined) continue;
      const { keys: _, ...locked } = archive;
      const without = findRecord(storeOf(locked), databaseId, undefined);
      expect(await refusal(without)).toMatchObject({ code: 'key_missing' });
    }
  },
);
