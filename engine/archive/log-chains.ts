/**
 * The log in an archive: chains of segments. A chain is a run of operations without a break; a new one begins with the first
 * segment, and after a gap. FORMAT.md, "Log".
 */
import { z } from 'zod';
import { jsonOf } from '../../base/json.ts';
import { damaged, isLost } from './errors.ts';
import { chainKey, chainsPrefix, parseSegmentKey, segmentKey, segmentsPrefix } from './keys.ts';
import {
  decodeSegmentHead,
  NO_SEGMENT,
  SEGMENT_HEAD_BYTES,
  type SegmentHead,
} from './log-segment.ts';
import type { ObjectStore, RangedStore } from './object-store.ts';

/** The line of all operations that a database has ever executed; another one would follow the return of an older state. */
export const FIRST_LINE = 1;

const count = z.number().int().nonnegative();

const noteSchema = z.object({
  format: z.literal(1),
  databaseId: z.string(),
  line: count.min(1),
  firstOp: count.min(1),
  /** `start`: archiving began here; `gap`: operations before this one are missing. */
  follows: z.enum(['start', 'gap']),
  begunAt: z.iso.datetime(),
});

/** The note that a chain begins; it is written before the chain's first segment. */
export type ChainNote = z.infer<typeof noteSchema>;

export interface Chain extends Pick<ChainNote, 'line' | 'firstOp' | 'follows' | 'begunAt'> {
  /** First ops of its segments, rising; at least one. */
  readonly segments: readonly number[];
}

export async function writeChainNote(
  store: ObjectStore,
  note: Omit<ChainNote, 'format'>,
): Promise<void> {
  const bytes = Buffer.from(`${JSON.stringify({ format: 1, ...note })}\n`);
  await store.create(chainKey(note.databaseId, note.line, note.firstOp), bytes);
}

/**
 * Returns the chains of a database that have segments, oldest first. Notes are never encrypted, and everybody who may write to the bucket
 * can add one. So a note only counts if its segments confirm it: they do not continue those before it.
 */
export async function readChains(
  store: ObjectStore & RangedStore,
  databaseId: string,
): Promise<readonly Chain[]> {
  const notes: ChainNote[] = [];
  for await (const key of store.list(chainsPrefix(databaseId)))
    notes.push(await readChainNote(store, key, databaseId));
  const found: Chain[] = [];
  for (const line of new Set(notes.map((note) => note.line))) {
    const own = notes.filter((note) => note.line === line);
    const ops: number[] = [];
    for await (const key of store.list(segmentsPrefix(databaseId, line))) {
      const op = parseSegmentKey(key);
      if (op !== undefined) ops.push(op);
    }
    for (const [index, { firstOp, follows, begunAt }] of own.entries()) {
      const end = own[index + 1]?.firstOp ?? Infinity;
      const segments = ops.filter((op) => op >= firstOp && op < end);
      const before = found.at(-1);
      // The sweep deletes segments from the beginning; their chain's note stays.
      if (segments.length === 0) continue;
      if (before?.line === line && (await continues(store, databaseId, before, segments[0]!)))
        found.push({ ...found.pop()!, segments: [...before.segments, ...segments] });
      else found.push({ line, firstOp: segments[0]!, follows, begunAt, segments });
    }
  }
  return found;
}

/** Whether a segment continues a chain. One that begins a chain names none before it; one that cannot be read says nothing. */
async function continues(
  store: RangedStore,
  databaseId: string,
  { line, segments }: Chain,
  firstOp: number,
): Promise<boolean> {
  try {
    const head = await readSegmentHead(store, databaseId, line, firstOp);
    if (head.previous === NO_SEGMENT) return false;
    const before = await readSegmentHead(store, databaseId, line, segments.at(-1)!);
    return before.lastOp + 1 === firstOp;
  } catch (error) {
    if (isLost(error)) return false;
    throw error;
  }
}

export async function readChainNote(
  store: ObjectStore,
  key: string,
  databaseId: string,
): Promise<ChainNote> {
  const bytes = await store.read(key);
  const parsed = noteSchema.safeParse(jsonOf(Buffer.from(bytes).toString('utf8')));
  if (!parsed.success || parsed.data.databaseId !== databaseId)
    throw damaged(key, 'it is no note of a chain of this database');
  return parsed.data;
}

/** Reads the head of a segment alone. Rejects with ArchiveError that names the key. */
export async function readSegmentHead(
  store: RangedStore,
  databaseId: string,
  line: number,
  firstOp: number,
): Promise<SegmentHead> {
  const key = segmentKey(databaseId, line, firstOp);
  const { bytes } = await store.readRange(key, 0, SEGMENT_HEAD_BYTES);
  const head = decodeSegmentHead(key, bytes, databaseId);
  if (head.firstOp === firstOp && head.line === line) return head;
  throw damaged(key, `it holds the operations from ${head.firstOp} on`);
}

/** Resolves with the head of a segment; `undefined` if there is none. */
export async function segmentIfAny(
  ...args: Parameters<typeof readSegmentHead>
): Promise<SegmentHead | undefined> {
  return readSegmentHead(...args).catch((error: unknown) => {
    if (isLost(error) && (error as { code?: string }).code === 'object_missing') return undefined;
    throw error;
  });
}
