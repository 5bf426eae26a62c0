/**
 * Deletes the old part of an archived log: what comes before the newest backup that is older than the promised days and one more. So
 * every moment of these days stays, a restore of it finds its beginning, and one that has begun has a day to read it
 * (docs/decisions/0174-restores-outlast-the-sweep.md). Without such a backup nothing is deleted.
 */
import { GRACE_MS } from '../../domain/kept-log.ts';
import { readRecord, recordKeys } from './archive.ts';
import { recordsPrefix, segmentKey, segmentsPrefix } from './keys.ts';
import { readChains } from './log-chains.ts';
import { writtenTimes, type RangedStore, type SweptStore } from './object-store.ts';
import { isRemoved } from './sweep.ts';

interface SweepLogOptions {
  readonly store: SweptStore & RangedStore;
  readonly databaseId: string;
  readonly nowMs: number;
  /** Time for which every moment can be restored. */
  readonly keepMs: number;
}

interface SweptLog {
  /** Deleted segments, and their bytes. */
  readonly segments: number;
  readonly bytes: number;
}

const NOTHING: SweptLog = { segments: 0, bytes: 0 };

/** It may be killed at any point, and runs from the oldest segment on. */
export async function sweepLog({
  store,
  databaseId,
  nowMs,
  keepMs,
}: SweepLogOptions): Promise<SweptLog> {
  const chains = await readChains(store, databaseId);
  if (chains.length === 0) return NOTHING;
  const baseOp = await opBefore(store, databaseId, nowMs - keepMs - GRACE_MS);
  if (baseOp === undefined) return NOTHING;
  const all = chains.flatMap(({ line, segments }) =>
    segments.map((op) => ({ op, key: segmentKey(databaseId, line, op), line })),
  );
  // The last segment shows archivers where the log ends.
  const end = all.findIndex((_, index) => (all[index + 1]?.op ?? Infinity) > baseOp + 1);
  const old = all.slice(0, end);
  const sizes = await sizesOf(store, databaseId, new Set(old.map(({ line }) => line)));
  let [segments, bytes] = [0, 0];
  for (const { key } of old) {
    // Later ones are locked for longer.
    if (!(await isRemoved(store, key))) break;
    segments += 1;
    bytes += sizes.get(key) ?? 0;
  }
  return { segments, bytes };
}

async function sizesOf(
  store: SweptStore,
  databaseId: string,
  lines: ReadonlySet<number>,
): Promise<ReadonlyMap<string, number>> {
  const sizes = new Map<string, number>();
  for (const line of lines)
    for await (const { key, bytes } of store.listWritten(segmentsPrefix(databaseId, line)))
      sizes.set(key, bytes);
  return sizes;
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
