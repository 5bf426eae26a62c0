/**
 * Backups of data files that were begun and will not end, because their resource was deleted meanwhile. They are noted as removed,
 * so that the sweep deletes the copied objects. This may be killed at any point, and run twice at a time. In three steps:
 *
 * 1. A note says that it is about to be given up: nobody copies another file.
 * 2. It is given up by an object in the place of its record, which nobody overwrites: either that is there, or the record (record.ts).
 * 3. It is noted as removed.
 */
import { allRecordKeys } from '../archive.ts';
import {
  afterFilesOf,
  allFilesPrefix,
  backupOfFileKey,
  fileBackupKey,
  filesPrefix,
  givenUpKey,
} from '../keys.ts';
import type { SweptStore } from '../object-store.ts';
import { removals, removeBackup } from '../removals.ts';
import { isRemoved } from '../sweep.ts';
import { giveUp, isThere } from './record.ts';

/** Time since the last object of such a backup. Its Jobs end within half a day, once they run. */
export const UNFINISHED_MS = 7 * 24 * 3_600_000;

interface Swept {
  readonly store: SweptStore;
  readonly databaseId: string;
  readonly nowMs: number;
}

/** Resolves with the number of backups that it has noted. */
export async function removeUnfinished({ store, databaseId, nowMs }: Swept): Promise<number> {
  const known = await removals(store, databaseId);
  const at = new Date(nowMs).toISOString();
  let noted = 0;
  for await (const backupId of begunBackups(store, databaseId)) {
    if (known.has(backupId)) continue;
    const noteKey = givenUpKey(databaseId, backupId);
    const isNoted = await isThere(store, noteKey);
    const isDecided = await isThere(store, fileBackupKey(databaseId, backupId));
    // The usual case: it is complete. With a note, an earlier round may have given it up and been killed then.
    if (isDecided && !isNoted) continue;
    const isResting = async () =>
      nowMs - (await lastWrittenMs(store, databaseId, backupId)) >= UNFINISHED_MS;
    if (!isNoted && !(await isResting())) continue;
    // The note of the removal would remove that one as well.
    if (await isOfRows(store, databaseId, backupId)) continue;
    if (!isNoted) await store.create(noteKey, noteOf({ backupId, givenUpAt: at }));
    if (!(await giveUp(store, { databaseId, backupId }, at))) {
      // It was completed meanwhile. While the note is locked it stays, and says nothing.
      await isRemoved(store, noteKey);
      continue;
    }
    const note = { backupId, removedAt: at };
    if ((await removeBackup(store, databaseId, note)) === note) noted += 1;
  }
  return noted;
}

const noteOf = (note: object): Uint8Array => Buffer.from(`${JSON.stringify(note)}\n`);

/** Whether a backup of rows has this name. */
async function isOfRows(store: SweptStore, databaseId: string, backupId: string): Promise<boolean> {
  const records = await allRecordKeys(store, databaseId);
  return records.some((one) => one.backupId === backupId);
}

/** One request for each to find it. */
async function* begunBackups(store: SweptStore, databaseId: string): AsyncGenerator<string> {
  let after: string | undefined;
  for (;;) {
    const backupId = await firstOf(store.list(allFilesPrefix(databaseId), after));
    if (backupId === undefined) return;
    yield backupId;
    after = afterFilesOf(databaseId, backupId);
  }
}

async function firstOf(keys: AsyncIterable<string>): Promise<string | undefined> {
  for await (const key of keys) {
    const backupId = backupOfFileKey(key);
    if (backupId !== undefined) return backupId;
  }
  return undefined;
}

async function lastWrittenMs(
  store: SweptStore,
  databaseId: string,
  backupId: string,
): Promise<number> {
  let last = 0;
  for await (const { writtenMs } of store.listWritten(filesPrefix(databaseId, backupId)))
    last = Math.max(last, writtenMs);
  return last;
}
