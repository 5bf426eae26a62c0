/**
 * An object with a run of the log: a head that describes it, marks of the ledger, and the entries. Its head names the digest
 * of the segment before, so that the newest digest proves every byte back to the chain's beginning. FORMAT.md, "Segment".
 */
import { promisify } from 'node:util';
import { constants, zstdCompress, zstdDecompress } from 'node:zlib';
import { assert, AssertionError } from '../../base/assert.ts';
import {
  CHECKSUM_BYTES,
  checksumOf,
  decodeEntries,
  encodeEntries,
  entrySize,
} from '../log/entries.ts';
import { Fields } from '../log/fields.ts';
import {
  decodeMarks,
  encodeMarks,
  MARK_BYTES,
  putMark,
  readMark,
  type LedgerMark,
} from '../log/ledger-mark.ts';
import type { LogEntry } from '../log/log.ts';
import { sha256 } from './chunk.ts';
import { ArchiveError, damaged } from './errors.ts';

const MAGIC = 0x4745_534c; // "LSEG"
const VERSION = 1;
export const SEGMENT_HEAD_BYTES = 384;
const HEAD_SEALED = 352;
const DATABASE_BYTES_MAX = 64;
/** Maximum size of a segment's content: readers refuse more before they unpack it. */
export const SEGMENT_BYTES_MAX = 16 << 20;

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

export interface SegmentHead {
  readonly databaseId: string;
  readonly line: number;
  readonly firstOp: number;
  readonly lastOp: number;
  readonly firstTimestamp: bigint;
  readonly lastTimestamp: bigint;
  /** SHA-256 of the object before, in hexadecimal; zeros where a chain begins. */
  readonly previous: string;
  /** Checksum of the last entry's message. */
  readonly lastChecksum: Uint8Array;
  /** The newest mark in the segment; absent if it has none. */
  readonly mark: LedgerMark | undefined;
}

export interface SegmentContent {
  readonly entries: readonly LogEntry[];
  /** In the order of their ops, which are those of entries. */
  readonly marks: readonly LedgerMark[];
}

/** The `previous` of a chain's first segment. */
export const NO_SEGMENT = '0'.repeat(64);

/** The content of a segment before it is compressed, and the facts of it that the head has. */
export interface PlainSegment {
  /** The marks, then the entries. */
  readonly plain: Uint8Array;
  readonly entryCount: number;
  readonly markCount: number;
  readonly first: Pick<LogEntry, 'op' | 'timestamp'>;
  readonly last: Pick<LogEntry, 'op' | 'timestamp'>;
  readonly lastChecksum: Uint8Array;
  readonly lastMark: LedgerMark | undefined;
}

type Begin = Pick<SegmentHead, 'databaseId' | 'line' | 'previous'>;

export function encodeSegment(
  begin: Begin,
  { entries, marks }: SegmentContent,
): Promise<Uint8Array> {
  const [first, last] = [entries[0]!, entries.at(-1)!];
  const marksEnd = marks.length * MARK_BYTES;
  const plain = new Uint8Array(
    entries.reduce((sum, { message }) => sum + entrySize(message), marksEnd),
  );
  plain.set(encodeMarks(marks));
  encodeEntries(plain, marksEnd, entries);
  return sealSegment(begin, {
    plain,
    entryCount: entries.length,
    markCount: marks.length,
    first,
    last,
    lastChecksum: checksumOf(last),
    lastMark: marks.at(-1),
  });
}

/** Bytes that the compression puts out at a time: a segment in a few pieces. */
const COMPRESSED_BYTES = 256 << 10;

/** Compresses the content, which must not change until this resolves, and puts the head before it. */
export async function sealSegment(
  { databaseId, line, previous }: Begin,
  { plain, entryCount, markCount, first, last, lastChecksum, lastMark }: PlainSegment,
): Promise<Uint8Array> {
  assert(plain.length <= SEGMENT_BYTES_MAX, 'a segment is one that a restore takes');
  const payload = await compress(plain, {
    params: { [constants.ZSTD_c_compressionLevel]: 1 },
    chunkSize: COMPRESSED_BYTES,
  });
  const object = new Uint8Array(SEGMENT_HEAD_BYTES + payload.length);
  const fields = new Fields(object);
  fields.putU32(0, MAGIC);
  fields.putU32(4, VERSION);
  fields.putU32(8, entryCount);
  fields.putU32(12, markCount);
  fields.putU64(16, first.op);
  fields.putU64(24, last.op);
  fields.putBig64(32, first.timestamp);
  fields.putBig64(40, last.timestamp);
  fields.putU64(48, plain.length);
  fields.putU64(56, payload.length);
  fields.put(64, Buffer.from(previous, 'hex'));
  fields.put(96, sha256(plain));
  fields.put(128, sha256(payload));
  fields.put(160, lastChecksum);
  if (lastMark !== undefined) putMark(fields, 176, lastMark);
  fields.put(224, databaseBytes(databaseId));
  fields.putU32(288, line);
  fields.put(HEAD_SEALED, sha256(object.subarray(0, HEAD_SEALED)));
  object.set(payload, SEGMENT_HEAD_BYTES);
  return object;
}

/** Reads the head of a segment, whose first bytes suffice. Throws ArchiveError that names the key. */
export function decodeSegmentHead(
  key: string,
  object: Uint8Array,
  databaseId: string,
): SegmentHead {
  const fields = new Fields(object);
  if (object.length < SEGMENT_HEAD_BYTES || fields.u32(0) !== MAGIC)
    throw damaged(key, 'it is no segment of a log');
  if (fields.u32(4) !== VERSION) {
    throw new ArchiveError(
      'format_unknown',
      `${key} has format ${fields.u32(4)}, this release knows ${VERSION}. Use a newer release.`,
      { key },
    );
  }
  if (!sha256(object.subarray(0, HEAD_SEALED)).equals(fields.slice(HEAD_SEALED, 32)))
    throw damaged(key, 'its head is damaged');
  if (!databaseBytes(databaseId).equals(fields.slice(224, DATABASE_BYTES_MAX)))
    throw new ArchiveError('archive_foreign', `${key} belongs to another database.`, { key });
  return {
    databaseId,
    line: fields.u32(288),
    firstOp: fields.u64(16),
    lastOp: fields.u64(24),
    firstTimestamp: fields.big64(32),
    lastTimestamp: fields.big64(40),
    previous: Buffer.from(fields.slice(64, 32)).toString('hex'),
    lastChecksum: fields.slice(160, CHECKSUM_BYTES).slice(),
    mark: fields.u32(12) === 0 ? undefined : readMark(fields, 176),
  };
}

/** Reads a segment and verifies every byte. Rejects with ArchiveError that names the key. */
export async function decodeSegment(
  key: string,
  object: Uint8Array,
  databaseId: string,
): Promise<SegmentHead & SegmentContent> {
  const head = decodeSegmentHead(key, object, databaseId);
  const fields = new Fields(object);
  const payload = object.subarray(SEGMENT_HEAD_BYTES);
  if (fields.u64(56) !== payload.length) throw damaged(key, 'it is cut');
  if (!sha256(payload).equals(fields.slice(128, 32)))
    throw damaged(key, 'its compressed entries are damaged');
  const size = fields.u64(48);
  if (size > SEGMENT_BYTES_MAX) throw damaged(key, 'its size is not that of a segment');
  // In one piece: each one is a way to another thread and back, and a copy. What is longer than it says needs a second one.
  const plain = await decompress(payload, { maxOutputLength: size, chunkSize: size + 64 }).catch(
    () => undefined,
  );
  if (plain?.length !== size || !sha256(plain).equals(fields.slice(96, 32)))
    throw damaged(key, 'its entries are damaged');
  const markCount = fields.u32(12);
  const marksEnd = markCount * MARK_BYTES;
  const entries = entriesIn(key, plain.subarray(marksEnd), fields.u32(8));
  if (!areSuccessive(entries, head)) throw damaged(key, 'its entries do not follow one another');
  return { ...head, entries, marks: decodeMarks(plain.subarray(0, marksEnd), markCount) };
}

/** The digests of a segment can be right, and its content none: whoever may write to the bucket makes them. */
function entriesIn(key: string, bytes: Uint8Array, count: number): LogEntry[] {
  try {
    return decodeEntries(bytes, count);
  } catch (error) {
    if (!(error instanceof AssertionError || error instanceof RangeError)) throw error;
    throw damaged(key, 'its entries cannot be read');
  }
}

function areSuccessive(entries: readonly LogEntry[], head: SegmentHead): boolean {
  const follow = entries.every(({ op }, index) => op === head.firstOp + index);
  return follow && entries.at(-1)?.op === head.lastOp;
}

function databaseBytes(databaseId: string): Buffer {
  const bytes = Buffer.alloc(DATABASE_BYTES_MAX);
  bytes.write(databaseId, 'utf8');
  return bytes;
}
