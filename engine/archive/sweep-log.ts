/**
 * Deletes the old part of an archived log: what comes before the newest backup that is older than the promised days and one more. So
 * every moment of these days stays, a restore of it finds its beginning, and one that has begun has a day to read it
 * (docs/decisions/0174-restores-outlast-the-sweep.md). Without such a backup nothing is deleted.
 */
import { readRecord, recordKeys } from './archive.ts';
import { recordsPrefix, segmentKey } from './keys.ts';
import { readChains } from './log-chains.ts';
import { writtenTimes, type RangedStore, type SweptStore } from './object-store.ts';
import { GRACE_MS, isRemoved } from './sweep.ts';

interface SweepLogOptions {
  readonly store: SweptStore & RangedStore;
  readonly databaseId: string;
  readonly nowMs: number;
  /** Time for which every moment can be restored. */
  readonly keepMs: number;
}

/** Resolves with the number of deleted segments. It may be killed at any point, and runs from the oldest segment on. */
export async function sweepLog({
  store,
  databaseId,
  nowMs,
  keepMs,
}: SweepLogOptions): Promise<number> {
  const chains = await readChains(store, databaseId);
  if (chains.length === 0) return 0;
  const baseOp = await opBefore(store, databaseId, nowMs - keepMs - GRACE_MS);
  if (baseOp === undefined) return 0;
  const all = chains.flatMap(({ line, segments }) => segments.map((op) => ({ line, op })));
  let deleted = 0;
  for (const [index, { line, op }] of all.entries()) {
    const next = all[index + 1];
    // The last segment shows archivers where the log ends.
    if (next === undefined || next.op > baseOp + 1) break;
    // Later ones are locked for longer.
    if (!(await isRemoved(store, segmentKey(databaseId, line, op)))) break;
    deleted += 1;
  }
  return deleted;
}

/** The op of the newest backup that was complete by then, also by the store's clock: that of its Job may have been wrong. */
async function opBefore(
  store: SweptStore,
  databaseId: string,
  atMs: number,
): Promise<number | undefined> {
  const written = await writtenTimes(store, recordsPrefix(databaseId));
  for (const { key } of (await recordKeys(store, databaseId)).toReversed()) {
    if ((written.get(key) ?? Infinity) > atMs) continue;
    const { record } = await readRecord(store, databaseId, key);
    if (Date.parse(record.completedAt) <= atMs) return record.op;
  }
  return undefined;
}
