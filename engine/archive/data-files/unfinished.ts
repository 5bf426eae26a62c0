/**
 * Backups of data files that were begun and will not end, because their resource was deleted meanwhile. They are noted as removed,
 * so that the sweep deletes the copied objects. This may be killed at any point, and run twice at a time. Each takes two rounds:
 *
 * 1. It is given up. A process that completes it writes the record, and then looks for that note (complete.ts).
 * 2. If it has no record even now, it is noted as removed: one that is written later is nobody's backup.
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
import { isThere } from './record.ts';

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
    const isComplete = () => isThere(store, fileBackupKey(databaseId, backupId));
    if (known.has(backupId) || (await isComplete())) continue;
    const { lastWrittenMs, isGivenUp } = await looked(store, databaseId, backupId);
    if (nowMs - lastWrittenMs < UNFINISHED_MS) continue;
    // The note would remove that one as well.
    if (await isOfRows(store, databaseId, backupId)) continue;
    const at = new Date(nowMs).toISOString();
    if (!isGivenUp) {
      const key = givenUpKey(databaseId, backupId);
      await store.create(key, Buffer.from(`${JSON.stringify({ backupId, givenUpAt: at })}\n`));
      if (await isComplete()) await store.remove(key);
    } else if (!(await isComplete())) {
      const note = { backupId, removedAt: at };
      if ((await removeBackup(store, databaseId, note)) === note) noted += 1;
    }
  }
  return noted;
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

async function looked(
  store: SweptStore,
  databaseId: string,
  backupId: string,
): Promise<{ readonly lastWrittenMs: number; readonly isGivenUp: boolean }> {
  let [lastWrittenMs, isGivenUp] = [0, false];
  for await (const { key, writtenMs } of store.listWritten(filesPrefix(databaseId, backupId)))
    if (key === givenUpKey(databaseId, backupId)) isGivenUp = true;
    else lastWrittenMs = Math.max(lastWrittenMs, writtenMs);
  return { lastWrittenMs, isGivenUp };
}
