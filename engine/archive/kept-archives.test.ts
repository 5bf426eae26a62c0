/** Archives that earlier releases wrote, in `test/fixtures/archives`: each release restores all of them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { GRACE_MS } from '../../domain/kept-log.ts';
import { checkout } from '../../test/support/shell.ts';
import { StateMachine } from '../ledger/state-machine.ts';
import { findRecord, recordKeys } from './archive.ts';
import { findFileBackup } from './data-files/record.ts';
import { verifyFiles } from './data-files/verify-files.ts';
import { fileBackupKey, filesPrefix } from './keys.ts';
import { Archive } from './moments.ts';
import { removals } from './removals.ts';
import { sweep } from './sweep.ts';
import {
  digestOf,
  restoredAt,
  storeOf,
  type KeptArchives,
  type KeptFiles,
} from './testing/kept-archive.ts';
import { MemoryStore, refusal } from './testing/memory-store.ts';
import { verifyBackup } from './verify-backup.ts';

const folder = join(checkout, 'test/fixtures/archives');
const all = readdirSync(folder).filter((name) => name.endsWith('.json'));
const ofFiles = all.filter((name) => name.endsWith('-files.json'));
const names = all.filter((name) => !ofFiles.includes(name));
const textOf = (name: string) => readFileSync(join(folder, name), 'utf8');
const kept = (name: string) => JSON.parse(textOf(name)) as KeptArchives;
const filesOf = (name: string) =>
  (JSON.parse(textOf(name)) as { readonly databases: readonly KeptFiles[] }).databases;

test('the first archives are kept, plain and encrypted', () => {
  expect(names).toContain('0.1.0.json');
  expect(ofFiles).toContain('0.1.0-files.json');
  for (const [plain, sealed] of [kept('0.1.0.json').databases, filesOf('0.1.0-files.json')])
    expect([plain?.keys, typeof sealed?.keys]).toEqual([undefined, 'string']);
});

test.each(ofFiles)(
  'the data files of %s are whole; the removal of the others is known, and the sweep carries it out',
  async (name) => {
    for (const archive of filesOf(name)) {
      const { databaseId, backup, removed } = archive;
      const { backupId, sha256, files } = backup;
      const objects = new MemoryStore();
      const store = storeOf(archive, objects);
      const isWhole = async () => {
        const { record } = await findFileBackup(store, { databaseId, backupId }, sha256);
        expect(record.files.map((file) => file.sha256)).toEqual(files);
        await verifyFiles(store, record);
      };
      await isWhole();
      const gone = findFileBackup(store, { databaseId, backupId: removed });
      expect(await refusal(gone)).toMatchObject({ code: 'backup_removed' });
      const prefixes = [filesPrefix(databaseId, removed), fileBackupKey(databaseId, removed)];
      const left = () =>
        [...objects.objects.keys()].filter((key) => prefixes.some((one) => key.startsWith(one)));
      expect(left()).not.toEqual([]);
      const note = (await removals(store, databaseId)).get(removed);
      for (const days of [2, 4]) {
        const nowMs = Date.parse(note?.removedAt ?? '') + days * GRACE_MS;
        await sweep({ store, databaseId, nowMs, graceMs: GRACE_MS });
      }
      expect(left()).toEqual([]);
      await isWhole();
    }
  },
);

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
