/**
 * A block: the entries that one put into etcd commits, and the proof of their place. Little-endian, a head of 128 bytes:
 *
 *     0   u32  magic "LBLK"            40  u64  timestamp of the first entry (ns)
 *     4   u32  version 1               48  u64  timestamp of the last
 *     8   u64  sequence                56  u32  bytes of entries
 *     16  u64  op of the first entry   60  u32  bytes of them without zeros; 0: they are as they are
 *     24  u32  entries                 64  16 B seal over all of the block but itself
 *     28  u32  view                    80  16 B seal of the block before
 *     32  u64  fence                   96  32 B 0
 *
 * The entries follow (../entries.ts), as they are or without zeros (zero-words.ts), whichever is shorter. The seal's key
 * depends on the database and the incarnation, so that a block of another log never fits. The parent of an incarnation's
 * first block is the state hash with which the incarnation began.
 */
import { createHash, createSecretKey, type KeyObject } from 'node:crypto';
import { assert } from '../../../base/assert.ts';
import { decodeEntries, encodeEntries, entrySize } from '../entries.ts';
import { Fields } from '../fields.ts';
import type { LogEntry } from '../log.ts';
import { seal, SEAL_SIZE, sealMatches } from '../seal.ts';
import { BLOCK_SIZE_MAX } from './limits.ts';
import { putWithoutZeros, putWithZeros, withoutZerosMax, withZeros } from './zero-words.ts';

export interface Block {
  readonly sequence: number;
  /** mod_revision of `lead` while the block's maker led. */
  readonly fence: number;
  readonly view: number;
  /** At least one. */
  readonly entries: readonly LogEntry[];
  readonly seal: Uint8Array;
  /** `seal` of the block before. */
  readonly parent: Uint8Array;
  /** Bytes of the block as etcd keeps it. */
  readonly sizeBytes: number;
  /** Bytes of the entries, with their zeros. */
  readonly contentBytes: number;
}

/** A replica's place in the log: the block that it stands behind. */
export interface LogPosition {
  readonly sequence: number;
  readonly op: number;
  readonly timestamp: bigint;
  readonly view: number;
  readonly fence: number;
  /** Seal of the block at `sequence`. At the start of an incarnation it is the state hash there. */
  readonly seal: Uint8Array;
}

const MAGIC = 0x4b4c_424c; // "LBLK"
const VERSION = 1;
const HEAD_SIZE = 128;
const SEAL_AT = 64;
const PARENT_AT = 80;
/** Size in bytes from which entries are stored without zeros: few bytes cost etcd next to nothing. */
const SHORTENED_FROM = 2048;

export function blockSealKey(clusterId: bigint, incarnation: number): KeyObject {
  const hash = createHash('sha256').update(`block ${clusterId} ${incarnation}`).digest();
  return createSecretKey(hash.subarray(0, 16));
}

/** Returns whether a block with `entriesSize` bytes of entries has room for this message. */
export function fitsBlock(entriesSize: number, message: Uint8Array): boolean {
  return HEAD_SIZE + entriesSize + entrySize(message) <= BLOCK_SIZE_MAX;
}

/** Makes the block that follows `after` and holds `entries`. Returns the block and its bytes. */
export function encodeBlock(
  key: KeyObject,
  after: LogPosition,
  made: { readonly fence: number; readonly view: number; readonly entries: readonly LogEntry[] },
): { readonly block: Block; readonly bytes: Uint8Array } {
  const { fence, view, entries } = made;
  const [first, last] = [entries[0], entries.at(-1)];
  assert(first !== undefined && last !== undefined, 'a block holds an entry');
  const contentBytes = entries.reduce((sum, { message }) => sum + entrySize(message), 0);
  assert(HEAD_SIZE + contentBytes <= BLOCK_SIZE_MAX, 'a block is within what etcd takes');
  const { bytes, storedBytes } = layOut(entries, contentBytes);
  const fields = new Fields(bytes);
  fields.putU32(0, MAGIC);
  fields.putU32(4, VERSION);
  fields.putU64(8, after.sequence + 1);
  fields.putU64(16, first.op);
  fields.putU32(24, entries.length);
  fields.putU32(28, view);
  fields.putU64(32, fence);
  fields.putBig64(40, first.timestamp);
  fields.putBig64(48, last.timestamp);
  fields.putU32(56, contentBytes);
  fields.putU32(60, storedBytes);
  fields.put(PARENT_AT, after.seal);
  fields.put(SEAL_AT, sealOf(key, bytes));
  const block: Block = {
    sequence: after.sequence + 1,
    fence,
    view,
    entries,
    seal: fields.slice(SEAL_AT, SEAL_SIZE).slice(),
    parent: after.seal,
    sizeBytes: bytes.length,
    contentBytes,
  };
  assert(misfitOf(after, block) === undefined, 'a block follows the one before');
  return { block, bytes };
}

/**
 * Lays out a block's bytes with the entries in place. `storedBytes` is their size without zeros, or 0 if stored as they
 * are.
 */
function layOut(
  entries: readonly LogEntry[],
  contentBytes: number,
): { readonly bytes: Uint8Array; readonly storedBytes: number } {
  const whole = wholeScratch.subarray(0, HEAD_SIZE + contentBytes);
  encodeEntries(whole, HEAD_SIZE, entries);
  if (contentBytes >= SHORTENED_FROM) {
    const end = putWithoutZeros(shortScratch, HEAD_SIZE, whole.subarray(HEAD_SIZE));
    if (end < whole.length)
      return { bytes: shortScratch.slice(0, end), storedBytes: end - HEAD_SIZE };
  }
  return { bytes: whole.slice(), storedBytes: 0 };
}

/**
 * Scratch memory for making a block, which is synchronous: allocation costs more than the work itself. The heads stay 0.
 */
const wholeScratch = new Uint8Array(BLOCK_SIZE_MAX);
const shortScratch = new Uint8Array(HEAD_SIZE + withoutZerosMax(BLOCK_SIZE_MAX));

/** A block whose entries are not decoded. */
interface OpenedBlock extends Omit<Block, 'entries'> {
  readonly entryCount: number;
  /** Its entries, as they are or without zeros. */
  readonly stored: Uint8Array;
  readonly isShortened: boolean;
}

/** Reads the head of a block. Returns `undefined` if the bytes are damaged or no block of this log. */
export function openBlock(key: KeyObject, bytes: Uint8Array): OpenedBlock | undefined {
  if (bytes.length < HEAD_SIZE) return undefined;
  const fields = new Fields(bytes);
  if (fields.u32(0) !== MAGIC || fields.u32(4) !== VERSION) return undefined;
  if (!sealMatches(sealOf(key, bytes), fields.slice(SEAL_AT, SEAL_SIZE))) return undefined;
  const [contentBytes, storedBytes] = [fields.u32(56), fields.u32(60)];
  const stored = bytes.subarray(HEAD_SIZE);
  assert(stored.length === (storedBytes || contentBytes), 'a sealed block has the size it says');
  return {
    sequence: fields.u64(8),
    fence: fields.u64(32),
    view: fields.u32(28),
    entryCount: fields.u32(24),
    stored,
    isShortened: storedBytes !== 0,
    // Copies: a position keeps them, and must not keep the block's bytes with them.
    seal: fields.slice(SEAL_AT, SEAL_SIZE).slice(),
    parent: fields.slice(PARENT_AT, SEAL_SIZE).slice(),
    sizeBytes: bytes.length,
    contentBytes,
  };
}

/** Writes the encoded entries of a block to `target`, which has their size. */
export function putContent(target: Uint8Array, { stored, isShortened }: OpenedBlock): void {
  if (isShortened) putWithZeros(target.fill(0), stored);
  else target.set(stored);
}

/**
 * Decodes a block. Returns `undefined` if the bytes are damaged or no block of this log. The messages may be views of
 * `bytes`.
 */
export function decodeBlock(key: KeyObject, bytes: Uint8Array): Block | undefined {
  const opened = openBlock(key, bytes);
  if (opened === undefined) return undefined;
  const { entryCount, stored, isShortened, ...block } = opened;
  const payload = isShortened ? withZeros(stored, block.contentBytes) : stored;
  return { ...block, entries: decodeEntries(payload, entryCount) };
}

function sealOf(key: KeyObject, bytes: Uint8Array): Uint8Array {
  return seal(key, bytes.subarray(0, SEAL_AT), bytes.subarray(PARENT_AT));
}

type Misfit = 'sequence' | 'parent' | 'fence' | 'view' | 'op' | 'timestamp';

/** Returns in which field a block does not follow a position, or `undefined` if it follows. */
export function misfitOf(position: LogPosition, block: Block): Misfit | undefined {
  if (block.sequence !== position.sequence + 1) return 'sequence';
  if (!sealMatches(block.parent, position.seal)) return 'parent';
  if (block.fence < position.fence) return 'fence';
  if (block.view < position.view) return 'view';
  let { op, timestamp } = position;
  for (const entry of block.entries) {
    if (entry.op !== op + 1) return 'op';
    if (entry.timestamp <= timestamp) return 'timestamp';
    ({ op, timestamp } = entry);
  }
  return undefined;
}

export function positionAfter(block: Block): LogPosition {
  const last = block.entries.at(-1);
  assert(last !== undefined, 'a block holds an entry');
  const { sequence, view, fence, seal: ownSeal } = block;
  return { sequence, op: last.op, timestamp: last.timestamp, view, fence, seal: ownSeal };
}
