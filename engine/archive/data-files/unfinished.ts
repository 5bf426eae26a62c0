/**
 * Backups of data files that were begun and are not going to end, because their resource was deleted meanwhile: they are noted as removed,
 * so that the sweep deletes what was copied.
 */
import { allRecordKeys } from '../archive.ts';
import {
  afterFilesOf,
  allFilesPrefix,
  backupOfFileKey,
  fileBackupKey,
  filesPrefix,
  removalKey,
} from '../keys.ts';
import type { SweptStore } from '../object-store.ts';
import { removals, removeBackup } from '../removals.ts';

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
  let noted = 0;
  for await (const backupId of begunBackups(store, databaseId)) {
    if (known.has(backupId) || (await isComplete(store, databaseId, backupId))) continue;
    if (nowMs - (await lastWrittenMs(store, filesPrefix(databaseId, backupId))) < UNFINISHED_MS)
      continue;
    // The note would remove that one as well.
    if (await isOfRows(store, databaseId, backupId)) continue;
    const note = { backupId, removedAt: new Date(nowMs).toISOString() };
    if ((await removeBackup(store, databaseId, note)) !== note) continue;
    // Whoever completes it writes first, and then looks for a note (complete.ts).
    if (await isComplete(store, databaseId, backupId))
      await store.remove(removalKey(databaseId, backupId));
    else noted += 1;
  }
  return noted;
}

/** Whether it has a record. It is not read: the sweep may have no key for it. */
async function isComplete(
  store: SweptStore,
  databaseId: string,
  backupId: string,
): Promise<boolean> {
  const key = fileBackupKey(databaseId, backupId);
  for await (const found of store.list(key)) if (found === key) return true;
  return false;
}

/** Whether a backup of rows has this name. */
async function isOfRows(store: SweptStore, databaseId: string, backupId: string): Promise<boolean> {
  const records = await allRecordKeys(store, databaseId);
  return records.some((one) => one.backupId === backupId);
}

/** One request for each. */
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

async function lastWrittenMs(store: SweptStore, prefix: string): Promise<number> {
  let last = 0;
  for await (const { writtenMs } of store.listWritten(prefix)) last = Math.max(last, writtenMs);
  return last;
}
