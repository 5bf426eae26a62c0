/**
 * Removal of backups, second half: deletes the objects of removed backups that no other backup needs. It deletes nothing that
 * it cannot account for, may be killed at any point, and may run twice at a time. Each backup goes in two rounds:
 *
 * 1. Its chunks, once every backup that was begun before the removal, and may build on it, has ended.
 * 2. Its record, as much later: while it exists, new backups avoid the names of its chunks (make-backup.ts), so that a
 *    request that arrives late deletes nothing new.
 */
import { isAhead } from '../../domain/clocks.ts';
import { allRecordKeys, readRecord, type RecordKey } from './archive.ts';
import { ArchiveError, isLost } from './errors.ts';
import {
  fileBackupKey,
  fileBackupsPrefix,
  filesPrefix,
  parseFileBackupKey,
  removalKey,
  removalsPrefix,
  sweptKey,
  sweptPrefix,
} from './keys.ts';
import { writtenTimes, type SweptStore } from './object-store.ts';
import { chunksOf, type NamedChunk } from './record.ts';
import { noteSwept, removals, sweptTimes } from './removals.ts';

interface SweepOptions {
  readonly store: SweptStore;
  readonly databaseId: string;
  readonly nowMs: number;
  /**
   * Minimum time between removal and first round, and between both rounds. Neither making a backup nor restoring one may take longer:
   * GRACE_MS or more, except in tests.
   */
  readonly graceMs: number;
}

interface Swept {
  /** Number of backups whose chunks were deleted, and of those that are deleted completely. */
  readonly emptied: number;
  readonly gone: number;
  /** Deleted chunks and pieces of files, and their bytes in the store. */
  readonly chunks: number;
  readonly bytes: number;
  /** Removed backups whose time has not come. */
  readonly waiting: number;
  /** Removed backups whose objects the store does not let go yet, because they are locked. They are tried again by the next sweep. */
  readonly locked: number;
}

/** Sweeps one archive. Rejects if a record that stays cannot be read: its chunks are unknown then, and nothing is deleted. */
export async function sweep({ store, databaseId, nowMs, graceMs }: SweepOptions): Promise<Swept> {
  const notes = await removals(store, databaseId);
  const swept = await sweptTimes(store, databaseId);
  const isOld = await noteAges({ store, databaseId, nowMs, graceMs }, notes.size + swept.size);
  const due = [...notes.values()].filter(
    ({ backupId, removedAt }) =>
      !swept.has(backupId) && isOld(removalKey(databaseId, backupId), removedAt),
  );
  const over = [...swept]
    .filter(([backupId, at]) => isOld(sweptKey(databaseId, backupId), at))
    .map(([backupId]) => backupId);
  const waiting = notes.size - due.length - over.length;
  if (due.length === 0 && over.length === 0)
    return { emptied: 0, gone: 0, chunks: 0, bytes: 0, waiting, locked: 0 };
  const records = await allRecordKeys(store, databaseId);
  const recordOf = (backupId: string) => records.find((one) => one.backupId === backupId);
  const goes = new Set([...swept.keys(), ...due.map(({ backupId }) => backupId)]);
  const stay = records.filter(({ backupId }) => !goes.has(backupId));
  const needed = await neededChunks(store, databaseId, stay);
  let [chunks, bytes] = [0, 0];
  const locked = new Set<string>();
  for (const { backupId } of due) {
    for (const { name, size } of await chunksOfRemoved(store, databaseId, recordOf(backupId))) {
      if (needed.has(name)) continue;
      if (await isRemoved(store, name)) {
        chunks += 1;
        bytes += size;
      } else locked.add(backupId);
    }
    // No other backup uses them.
    for await (const one of store.listWritten(filesPrefix(databaseId, backupId))) {
      if (await isRemoved(store, one.key)) {
        chunks += 1;
        bytes += one.bytes;
      } else locked.add(backupId);
    }
    if (locked.has(backupId)) continue;
    await noteSwept(store, databaseId, { backupId, sweptAt: new Date(nowMs).toISOString() });
  }
  const ofFiles = over.length === 0 ? new Set() : await fileBackups(store, databaseId);
  for (const backupId of over) {
    const record = recordOf(backupId)?.key;
    const recordOfFiles = ofFiles.has(backupId) ? fileBackupKey(databaseId, backupId) : undefined;
    // In this order: while the record is there, the removal has to be known.
    const names = [removalKey(databaseId, backupId), sweptKey(databaseId, backupId)];
    for (const name of [record, recordOfFiles, ...names]) {
      if (name === undefined) continue;
      if (await isRemoved(store, name)) continue;
      locked.add(backupId);
      break;
    }
  }
  const of = (ids: readonly string[]) => ids.filter((id) => !locked.has(id)).length;
  return {
    emptied: of(due.map(({ backupId }) => backupId)),
    gone: of(over),
    chunks,
    bytes,
    waiting,
    locked: locked.size,
  };
}

/**
 * Tells whether a note is old, also by the store's clock: that of the machine that wrote it may have been wrong. Of both times, one of the
 * future says nothing; if both are, it is not old.
 */
async function noteAges(
  { store, databaseId, nowMs, graceMs }: SweepOptions,
  notes: number,
): Promise<(key: string, noted: string) => boolean> {
  if (notes === 0) return () => false;
  const written = new Map<string, number>();
  for (const prefix of [removalsPrefix(databaseId), sweptPrefix(databaseId)])
    for (const [key, ms] of await writtenTimes(store, prefix)) written.set(key, ms);
  return (key, noted) => {
    const [notedMs, writtenMs] = [Date.parse(noted), written.get(key)];
    // Without the store's time, it is new.
    if (writtenMs === undefined || writtenMs === Infinity) return false;
    const past = [notedMs, writtenMs].filter((ms) => !isAhead(ms, nowMs));
    return past.length > 0 && nowMs - Math.max(...past) >= graceMs;
  };
}

async function fileBackups(store: SweptStore, databaseId: string): Promise<ReadonlySet<unknown>> {
  const found = new Set<unknown>();
  for await (const key of store.list(fileBackupsPrefix(databaseId)))
    found.add(parseFileBackupKey(key));
  return found;
}

/** Deletes an object, unless it is locked. */
export async function isRemoved(store: SweptStore, name: string): Promise<boolean> {
  try {
    await store.remove(name);
    return true;
  } catch (error) {
    if (!(error instanceof ArchiveError && error.code === 'object_locked')) throw error;
    return false;
  }
}

/** Chunks of the backups that stay, and of those whose time has not come. */
async function neededChunks(
  store: SweptStore,
  databaseId: string,
  records: readonly RecordKey[],
): Promise<ReadonlySet<string>> {
  const needed = new Set<string>();
  for (const { key } of records) {
    const { record } = await readRecord(store, databaseId, key);
    for (const { name } of chunksOf(record)) needed.add(name);
  }
  return needed;
}

/** Empty if the record is damaged: its chunks are unknown and stay. */
async function chunksOfRemoved(
  store: SweptStore,
  databaseId: string,
  going: RecordKey | undefined,
): Promise<readonly NamedChunk[]> {
  if (going === undefined) return [];
  try {
    return chunksOf((await readRecord(store, databaseId, going.key)).record);
  } catch (error) {
    if (!isLost(error)) throw error;
    return [];
  }
}
