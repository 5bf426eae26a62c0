/**
 * Finds an operation of the archived log by its number or its time, without a list of all segments: a week of them are a
 * hundred thousand. It guesses an op, asks the store for the first segment from there on, and goes on in the part that is left.
 */
import type { Moment, Target } from '../../domain/recovery.ts';
import { parseSegmentKey, segmentKey, segmentsPrefix } from './keys.ts';
import { readSegmentHead } from './log-chains.ts';
import { decodeSegment, type SegmentHead } from './log-segment.ts';
import type { ObjectStore, RangedStore } from './object-store.ts';

interface Log {
  readonly store: ObjectStore & RangedStore;
  readonly databaseId: string;
  readonly line: number;
  /** The last operation in the store. */
  readonly end: Moment;
}

/** Resolves with the last operation at or before the target; `undefined` if the log does not reach from there to there. */
export async function findMoment(
  log: Log,
  target: Target,
  signal: AbortSignal,
): Promise<Moment | undefined> {
  const { end } = log;
  if (isAfter(end, target)) {
    const holding = await findSegment(log, target, signal);
    return holding && within(log, holding, target);
  }
  const isEnd = target.kind === 'op' ? target.op === end.op : target.timestamp === end.timestamp;
  return isEnd ? end : undefined;
}

/** The last segment that begins at or before the target. */
async function findSegment(
  log: Log,
  target: Target,
  signal: AbortSignal,
): Promise<SegmentHead | undefined> {
  let low = await firstFrom(log, 0);
  if (low === undefined || isAfter(startOf(low), target)) return undefined;
  // No segment that begins at `high` or later is the one.
  let high = { op: log.end.op + 1, timestamp: log.end.timestamp };
  for (let turn = 0; low.lastOp + 1 < high.op && isAfterEnd(low, target); turn += 1) {
    signal.throwIfAborted();
    const guess = guessBetween(low, high, target, turn);
    const next = await firstFrom(log, guess);
    const isBeyond = next === undefined || next.firstOp >= high.op;
    if (!isBeyond && !isAfter(startOf(next), target)) low = next;
    else high = { op: guess, timestamp: isBeyond ? high.timestamp : next.firstTimestamp };
  }
  return low;
}

/**
 * As if the load were steady, and all segments as long as the one at `low`: the one that holds the target begins up to its length before.
 * Each second guess is the middle, which bounds the number of guesses.
 */
function guessBetween(low: SegmentHead, high: Moment, target: Target, turn: number): number {
  const first = low.lastOp + 1;
  const last = high.op - 1;
  if (turn % 2 === 1) return first + Math.floor((last - first) / 2);
  const estimate = target.kind === 'op' ? target.op : opAround(low, high, target.timestamp);
  return Math.min(last, Math.max(first, estimate - (low.lastOp - low.firstOp)));
}

function opAround({ lastOp, lastTimestamp }: SegmentHead, high: Moment, timestamp: bigint): number {
  const time = Number(high.timestamp - lastTimestamp);
  if (time <= 0) return high.op;
  return lastOp + Math.floor(((high.op - lastOp) * Number(timestamp - lastTimestamp)) / time);
}

async function within(log: Log, head: SegmentHead, target: Target): Promise<Moment | undefined> {
  const { store, databaseId, line } = log;
  const { firstOp, lastOp, lastTimestamp } = head;
  const last = { op: lastOp, timestamp: lastTimestamp };
  if (!isAfter(last, target)) {
    // An operation by its number is in no gap.
    return target.kind === 'op' && target.op > lastOp ? undefined : last;
  }
  const key = segmentKey(databaseId, line, firstOp);
  const { entries } = await decodeSegment(key, await store.read(key), databaseId);
  const found = entries.findLast((entry) => !isAfter(entry, target));
  return found && { op: found.op, timestamp: found.timestamp };
}

/** The first segment that begins at an op or later. */
async function firstFrom(
  { store, databaseId, line }: Log,
  op: number,
): Promise<SegmentHead | undefined> {
  const after = op === 0 ? undefined : segmentKey(databaseId, line, op - 1);
  for await (const key of store.list(segmentsPrefix(databaseId, line), after)) {
    const firstOp = parseSegmentKey(key);
    if (firstOp !== undefined) return readSegmentHead(store, databaseId, line, firstOp);
  }
  return undefined;
}

const startOf = ({ firstOp, firstTimestamp }: SegmentHead): Moment => ({
  op: firstOp,
  timestamp: firstTimestamp,
});

const isAfter = ({ op, timestamp }: Moment, target: Target): boolean =>
  target.kind === 'op' ? op > target.op : timestamp > target.timestamp;

const isAfterEnd = ({ lastOp, lastTimestamp }: SegmentHead, target: Target): boolean =>
  target.kind === 'op' ? target.op > lastOp : target.timestamp > lastTimestamp;
