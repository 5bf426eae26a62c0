/**
 * Renews locks that end too early, of objects that a backup needs besides its own: the archive's head and its lock boxes, and
 * the backup before with the log from there on, so that the moments between both backups stay as long as promised.
 */
import { ArchiveError } from './errors.ts';
import {
  archiveKey,
  chainsPrefix,
  chunkKey,
  lockBoxesPrefix,
  parseSegmentKey,
  segmentKey,
  segmentsPrefix,
} from './keys.ts';
import { FIRST_LINE } from './log-chains.ts';
import type { Locks } from './object-lock.ts';
import type { ObjectStore } from './object-store.ts';
import type { FoundRecord } from './archive.ts';

/** Resolves with the earliest end of a lock of the archive's head and its boxes. */
export async function keepHead(
  store: ObjectStore,
  locks: Locks,
  databaseId: string,
): Promise<string> {
  let earliest = await locks.keep(archiveKey(databaseId));
  for await (const key of store.list(lockBoxesPrefix(databaseId)))
    earliest = earlier(earliest, await locks.keep(key));
  return earliest;
}

/** Locks the backup before, as far as it shares nothing with the new one, and the log between both. */
export async function keepUpTo(
  store: ObjectStore,
  locks: Locks,
  {
    databaseId,
    before,
    shared,
    op,
  }: {
    readonly databaseId: string;
    readonly before: FoundRecord | undefined;
    /** Keys of chunks that are locked already. */
    readonly shared: ReadonlySet<string>;
    /** The operation of the new backup. */
    readonly op: number;
  },
): Promise<void> {
  if (before !== undefined) {
    const { key, record } = before;
    for (const { table, chunks } of record.tables) {
      for (const chunk of chunks) {
        const name = chunkKey(databaseId, table, chunk);
        if (shared.has(name)) continue;
        if (chunk.lockedUntil !== undefined && locks.isEnough(chunk.lockedUntil)) continue;
        await locks.keep(name).catch(unlessMissing);
      }
    }
    await locks.keep(key).catch(unlessMissing);
  }
  await keepLog(store, locks, databaseId, { from: before?.record.op ?? 0, to: op });
}

/** Each segment is looked at: one that was archived without locks, or with fewer days, may come after one that lasts. */
async function keepLog(
  store: ObjectStore,
  locks: Locks,
  databaseId: string,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<void> {
  // Without its note no segment of a chain is found. The notes are older than the segments, and needed as long as the newest.
  for await (const key of store.list(chainsPrefix(databaseId))) await locks.keep(key);
  const prefix = segmentsPrefix(databaseId, FIRST_LINE);
  const after = from === 0 ? undefined : segmentKey(databaseId, FIRST_LINE, from);
  const due: string[] = [];
  for await (const key of store.list(prefix, after)) {
    const op = parseSegmentKey(key);
    if (op === undefined) continue;
    if (op > to) break;
    if ((await locks.lasting(key)) === undefined) due.push(key);
  }
  const [first] = due;
  if (first === undefined) return;
  // The segment before holds the operations from the earlier backup on to this one.
  let spanning: string | undefined;
  for await (const key of store.list(prefix)) {
    if (key >= first) break;
    spanning = key;
  }
  // It comes first: the next search would not look at it if this were killed once the due ones last.
  if (spanning !== undefined) due.unshift(spanning);
  for (const key of due) await locks.keep(key).catch(unlessMissing);
}

export const earlier = (one: string, other: string): string =>
  Date.parse(one) <= Date.parse(other) ? one : other;

/** Ignores a missing object: it is reported when it is read, and does not prevent a new backup. */
export function unlessMissing(error: unknown): undefined {
  if (!(error instanceof ArchiveError && error.code === 'object_missing')) throw error;
}
