/** Finds the end of an archive's log in the store. */
import { sha256 } from '../archive/chunk.ts';
import {
  chainKey,
  chainsPrefix,
  parseSegmentKey,
  segmentKey,
  segmentsPrefix,
} from '../archive/keys.ts';
import { readChainNote, readChains } from '../archive/log-chains.ts';
import { isLost } from '../archive/errors.ts';
import { decodeSegment, type SegmentHead } from '../archive/log-segment.ts';
import type { ObjectStore } from '../archive/object-store.ts';
import type { ArchiveEnd } from './spool.ts';

/** `undefined` if nothing of the log was ever archived. */
export async function findEnd(
  store: ObjectStore,
  databaseId: string,
): Promise<ArchiveEnd | undefined> {
  const chains = await readChains(store, databaseId);
  const chain = chains.at(-1);
  if (chain === undefined) return undefined;
  const { line, firstOp, segments } = chain;
  const gaps = chains.filter(({ follows }) => follows === 'gap').length;
  const key = segmentKey(databaseId, line, segments.at(-1)!);
  return endAt(store, key, databaseId, { chainFirstOp: firstOp, gaps });
}

/** Finds the end from an earlier one, without a list of all that is before it. */
export async function findLaterEnd(store: ObjectStore, known: ArchiveEnd): Promise<ArchiveEnd> {
  const { databaseId, line, firstOp, chainFirstOp, gaps } = known;
  let last: string | undefined;
  for await (const key of store.list(
    segmentsPrefix(databaseId, line),
    segmentKey(databaseId, line, firstOp),
  ))
    last = key;
  if (last === undefined) return known;
  // Chains that began since then are few.
  const after = chainKey(databaseId, line, chainFirstOp);
  const begun: number[] = [];
  for await (const key of store.list(chainsPrefix(databaseId), after)) {
    const note = await readChainNote(store, key, databaseId);
    if (note.firstOp <= (parseSegmentKey(last) ?? 0)) begun.push(note.firstOp);
  }
  return endAt(store, last, databaseId, {
    chainFirstOp: begun.at(-1) ?? chainFirstOp,
    gaps: gaps + begun.length,
  });
}

async function endAt(
  store: ObjectStore,
  key: string,
  databaseId: string,
  chain: Pick<ArchiveEnd, 'chainFirstOp' | 'gaps'>,
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
  chain: Pick<ArchiveEnd, 'chainFirstOp' | 'gaps'>,
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
