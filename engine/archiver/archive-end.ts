/** Finds the end of an archive's log in the store. */
import { EARLIER_RUNS_MAX, type LogRun } from '../../domain/archive-status.ts';
import { sha256 } from '../archive/chunk.ts';
import {
  chainKey,
  chainsPrefix,
  parseSegmentKey,
  segmentKey,
  segmentsPrefix,
} from '../archive/keys.ts';
import {
  FIRST_LINE,
  readChainNote,
  readChains,
  readSegmentHead,
  type Chain,
} from '../archive/log-chains.ts';
import { isLost } from '../archive/errors.ts';
import { decodeSegment, SEGMENT_BYTES_MAX, type SegmentHead } from '../archive/log-segment.ts';
import type { ObjectStore, RangedStore } from '../archive/object-store.ts';
import { headerSize } from '../wire/limits.ts';
import type { ArchiveEnd, ChainPlace } from './spool.ts';

/** No segment holds more operations. */
const OPS_MAX = SEGMENT_BYTES_MAX / headerSize;

/** `undefined` if nothing of the log was ever archived. */
export async function findEnd(
  store: ObjectStore & RangedStore,
  databaseId: string,
): Promise<ArchiveEnd | undefined> {
  const chains = await readChains(store, databaseId);
  const chain = chains.at(-1);
  if (chain === undefined) return undefined;
  const { line, firstOp, segments } = chain;
  const gaps = chains.filter(({ follows }) => follows === 'gap').length;
  const key = segmentKey(databaseId, line, segments.at(-1)!);
  const earlier: LogRun[] = [];
  for (const before of chains.slice(0, -1).slice(-EARLIER_RUNS_MAX))
    earlier.push(await runOf(store, databaseId, before));
  return endAt(store, key, databaseId, { chainFirstOp: firstOp, gaps, earlier });
}

async function runOf(
  store: RangedStore,
  databaseId: string,
  { line, firstOp, segments }: Chain,
): Promise<LogRun> {
  const { lastOp, lastTimestamp } = await readSegmentHead(
    store,
    databaseId,
    line,
    segments.at(-1)!,
  );
  return { firstOp, lastOp, lastTimestamp: String(lastTimestamp) };
}

/** Finds the end from an earlier one, without a list of all that is before it. */
export async function findLaterEnd(
  store: ObjectStore & RangedStore,
  known: ArchiveEnd,
): Promise<ArchiveEnd> {
  const { databaseId, line, firstOp, chainFirstOp, gaps, earlier } = known;
  let last: string | undefined;
  for await (const key of store.list(
    segmentsPrefix(databaseId, line),
    segmentKey(databaseId, line, firstOp),
  ))
    last = key;
  if (last === undefined) return known;
  for await (const key of store.list(
    chainsPrefix(databaseId),
    chainKey(databaseId, line, chainFirstOp),
  )) {
    const note = await readChainNote(store, key, databaseId);
    // A gap is rare enough for a look at everything.
    if (note.firstOp <= (parseSegmentKey(last) ?? 0))
      return (await findEnd(store, databaseId)) ?? known;
  }
  return endAt(store, last, databaseId, { chainFirstOp, gaps, earlier });
}

/**
 * Finds the end if its segment holds the operation `op` or a later one, without a list of all that is before: a log of months has too many
 * segments for it.
 */
export async function findEndFrom(
  store: ObjectStore,
  databaseId: string,
  op: number,
): Promise<Pick<ArchiveEnd, 'lastOp' | 'checksum' | 'sha256'> | undefined> {
  for (const firstOp of [op, op - OPS_MAX]) {
    const before = segmentKey(databaseId, FIRST_LINE, Math.max(0, firstOp - 1));
    let last: string | undefined;
    for await (const key of store.list(segmentsPrefix(databaseId, FIRST_LINE), before)) last = key;
    if (last !== undefined) {
      const end = await endAt(store, last, databaseId, { chainFirstOp: 0, gaps: 0, earlier: [] });
      return end.lastOp < op ? undefined : end;
    }
  }
  return undefined;
}

/** The first op that is left of the log, because the sweep deletes its beginning. `undefined` if none is left. */
export async function findFirstOp(
  store: ObjectStore,
  { databaseId, line }: Pick<ArchiveEnd, 'databaseId' | 'line'>,
): Promise<number | undefined> {
  for await (const key of store.list(segmentsPrefix(databaseId, line))) return parseSegmentKey(key);
  return undefined;
}

/** The same end, without what was deleted before an op. */
export const leftFrom = (end: ArchiveEnd, firstOp: number): ArchiveEnd => ({
  ...end,
  chainFirstOp: Math.max(end.chainFirstOp, firstOp),
  earlier: end.earlier
    .filter(({ lastOp }) => lastOp >= firstOp)
    .map((run) => ({ ...run, firstOp: Math.max(run.firstOp, firstOp) })),
});

/** The place of the segment that follows an end, and begins a chain or goes on with one. */
export function placeAfterEnd(
  before: ArchiveEnd | undefined,
  { firstOp, begins }: { readonly firstOp: number; readonly begins: Chain['follows'] | undefined },
): ChainPlace {
  const { chainFirstOp = firstOp, gaps = 0, earlier = [] } = before ?? {};
  if (begins === undefined) return { chainFirstOp, gaps, earlier };
  const ended =
    before === undefined
      ? []
      : [{ firstOp: chainFirstOp, lastOp: before.lastOp, lastTimestamp: before.lastTimestamp }];
  return {
    chainFirstOp: firstOp,
    gaps: gaps + (begins === 'gap' ? 1 : 0),
    earlier: [...earlier, ...ended].slice(-EARLIER_RUNS_MAX),
  };
}

async function endAt(
  store: ObjectStore,
  key: string,
  databaseId: string,
  chain: ChainPlace,
): Promise<ArchiveEnd> {
  const object = await store.read(key);
  return endOf(await decodeSegment(key, object, databaseId), object, chain);
}

/** Whether a remembered end is still the end: two requests, where finding it lists the whole log. */
export async function confirmEnd(store: ObjectStore, known: ArchiveEnd): Promise<boolean> {
  const { databaseId, line, firstOp, lastOp } = known;
  try {
    const object = await store.read(segmentKey(databaseId, line, firstOp));
    if (sha256(object).toString('hex') !== known.sha256) return false;
  } catch (error) {
    if (isLost(error)) return false;
    throw error;
  }
  return store.read(segmentKey(databaseId, line, lastOp + 1)).then(
    () => false,
    (error: unknown) => {
      if (isLost(error)) return true;
      throw error;
    },
  );
}

/** The end of an archive whose last segment this is. */
export const endOf = (
  { databaseId, line, firstOp, lastOp, lastTimestamp, lastChecksum }: SegmentHead,
  object: Uint8Array,
  chain: ChainPlace,
): ArchiveEnd => ({
  databaseId,
  line,
  firstOp,
  lastOp,
  lastTimestamp: String(lastTimestamp),
  sha256: sha256(object).toString('hex'),
  checksum: Buffer.from(lastChecksum).toString('hex'),
  ...chain,
});
