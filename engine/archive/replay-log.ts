/** Replays segments of the log on a ledger, and compares it with every mark on the way. */
import { AssertionError } from '../../base/assert.ts';
import type { LogEntry } from '../log/log.ts';
import type { CheckpointPosition } from '../log/log.ts';
import type { PageSource } from '../log/page-reader.ts';
import type { Checkpointed } from '../ledger/checkpoint.ts';
import { sha256 } from './chunk.ts';
import { ArchiveError, damaged, missing } from './errors.ts';
import { segmentKey } from './keys.ts';
import { decodeSegment } from './log-segment.ts';
import type { MomentPlan } from './moments.ts';
import type { ObjectStore } from './object-store.ts';

/** A ledger that executes entries as a replica does. */
export interface Replayer {
  readonly state: Checkpointed;
  readonly op: number;
  /** Applies an entry, with pages from the data file if it needs rows that are not in memory. */
  replay(entry: LogEntry, pages: PageSource): void | Promise<void>;
  /** Call after the state was loaded from a checkpoint. */
  loaded(position: CheckpointPosition): void;
  position(): CheckpointPosition;
}

interface Decoded {
  readonly key: string;
  readonly firstOp: number;
  readonly object: Uint8Array;
  readonly segment: Awaited<ReturnType<typeof decodeSegment>>;
}

/** Segments that are fetched ahead: with some MiB of entries each, they bound the memory. */
const SEGMENTS_AHEAD = 4;

/**
 * Applies the entries after the replayer's op up to the plan's moment. Rejects with ArchiveError that names the segment at
 * fault: it is missing, damaged, foreign, does not follow the one before, or gives another ledger than the database had.
 */
export async function replayLog(
  store: ObjectStore,
  plan: MomentPlan,
  replayer: Replayer,
  pages: PageSource,
): Promise<void> {
  const { databaseId, line, moment } = plan;
  let previous: { readonly sha256: string; readonly key: string } | undefined;
  for await (const { key, firstOp, object, segment } of decodedSegments(store, plan)) {
    if (segment.firstOp !== firstOp || firstOp > replayer.op + 1)
      throw missing(segmentKey(databaseId, line, replayer.op + 1));
    if (previous !== undefined && segment.previous !== previous.sha256)
      throw damaged(key, `it does not follow ${previous.key}`);
    previous = { key, sha256: sha256(object).toString('hex') };
    const marks = segment.marks[Symbol.iterator]();
    let mark = marks.next();
    for (const entry of segment.entries) {
      if (entry.op > moment.op) break;
      if (entry.op > replayer.op) await replayEntry(key, entry, replayer, pages);
      while (mark.done !== true && mark.value.op < entry.op) mark = marks.next();
      if (mark.done !== true && mark.value.op === entry.op && replayer.op === entry.op)
        requireState(key, replayer, mark.value.stateHash);
    }
  }
  if (replayer.op !== moment.op) throw missing(segmentKey(databaseId, line, replayer.op + 1));
}

/** Rejects with ArchiveError for an entry that no database has executed. */
async function replayEntry(
  key: string,
  entry: LogEntry,
  replayer: Replayer,
  pages: PageSource,
): Promise<void> {
  try {
    await replayer.replay(entry, pages);
  } catch (error) {
    if (error instanceof AssertionError)
      throw damaged(key, `operation ${entry.op} cannot be executed: ${error.message}`);
    throw error;
  }
}

function requireState(key: string, replayer: Replayer, expected: Uint8Array): void {
  const { stateHash, op } = replayer.position();
  if (Buffer.compare(stateHash, expected) === 0) return;
  throw new ArchiveError(
    'state_rejected',
    `The log up to operation ${op} does not make the ledger that the database had there (${key}): its state hash is ${hexOf(stateHash)}, not ${hexOf(expected)}. Restore a moment before it or after the next backup, and keep the archive for examination.`,
    { key },
  );
}

/** A segment is unpacked by other threads while the one before is executed. */
async function* decodedSegments(store: ObjectStore, plan: MomentPlan): AsyncGenerator<Decoded> {
  const { databaseId, line } = plan;
  let before: Promise<Decoded> | undefined;
  for await (const { firstOp, object } of fetchSegments(store, plan)) {
    const key = segmentKey(databaseId, line, firstOp);
    const decoded = decodeSegment(key, object, databaseId).then((segment) => ({
      key,
      firstOp,
      object,
      segment,
    }));
    // Rejections are seen when their turn comes.
    decoded.catch(() => undefined);
    if (before !== undefined) yield await before;
    before = decoded;
  }
  if (before !== undefined) yield await before;
}

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

async function* fetchSegments(
  store: ObjectStore,
  { databaseId, line, segments }: MomentPlan,
): AsyncGenerator<{ readonly firstOp: number; readonly object: Uint8Array }> {
  const ahead: Promise<{ readonly firstOp: number; readonly object: Uint8Array }>[] = [];
  for (const firstOp of segments) {
    const fetched = store
      .read(segmentKey(databaseId, line, firstOp))
      .then((object) => ({ firstOp, object }));
    // Rejections are seen when their turn comes.
    fetched.catch(() => undefined);
    ahead.push(fetched);
    if (ahead.length === SEGMENTS_AHEAD) yield await ahead.shift()!;
  }
  for (const fetched of ahead) yield await fetched;
}
