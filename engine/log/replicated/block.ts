/**
 * A block: the entries that one put into etcd commits, and what proves their place. Little-endian, 128 bytes of head:
 *
 *     0   u32  magic "LBLK"            40  u64  timestamp of the first entry (ns)
 *     4   u32  version 1               48  u64  timestamp of the last
 *     8   u64  sequence                56  u32  bytes of entries
 *     16  u64  op of the first entry   60  u32  bytes of them without zeros; 0: they are as they are
 *     24  u32  entries                 64  16 B seal over all of the block but itself
 *     28  u32  view                    80  16 B seal of the block before
 *     32  u64  fence                   96  32 B 0
 *
 * then the entries (../entries.ts), as they are or without zeros (zero-words.ts), whatever is shorter. The seal's key is the database's and the incarnation's, so that a block of another
 * log never fits. The first block of an incarnation follows the state's hash that the incarnation began with.
 */
import { createHash, createSecretKey, type KeyObject } from 'node:crypto';
import { assert } from '../../../base/assert.ts';
import { decodeEntries, encodeEntries, entrySize } from '../entries.ts';
import { Fields } from '../fields.ts';
import type { LogEntry } from '../log.ts';
import { seal, SEAL_SIZE, sealMatches } from '../seal.ts';
import { BLOCK_SIZE_MAX } from './limits.ts';
import { putWithoutZeros, withoutZerosMax, withZeros } from './zero-words.ts';

export interface Block {
  readonly sequence: number;
  /** mod_revision of `lead` when its maker led. */
  readonly fence: number;
  readonly view: number;
  /** At least one. */
  readonly entries: readonly LogEntry[];
  readonly seal: Uint8Array;
  /** `seal` of the block before. */
  readonly parent: Uint8Array;
  /** As etcd keeps it. */
  readonly sizeBytes: number;
  /** Of the entries. */
  readonly contentBytes: number;
}

/** Where a replica is in the log: behind which block. */
export interface LogPosition {
  readonly sequence: number;
  readonly op: number;
  readonly timestamp: bigint;
  readonly view: number;
  readonly fence: number;
  /** Of the block at `sequence`; where an incarnation begins, the state's hash there. */
  readonly seal: Uint8Array;
}

const MAGIC = 0x4b4c_424c; // "LBLK"
const VERSION = 1;
const HEAD_SIZE = 128;
const SEAL_AT = 64;
const PARENT_AT = 80;
/** Of entries whose zeros are looked for: few bytes cost etcd next to nothing. */
const SHORTENED_FROM = 2048;

export function blockSealKey(clusterId: bigint, incarnation: number): KeyObject {
  const hash = createHash('sha256').update(`block ${clusterId} ${incarnation}`).digest();
  return createSecretKey(hash.subarray(0, 16));
}

/** Whether a block that has `entriesSize` bytes of entries takes this message too. */
export function fitsBlock(entriesSize: number, message: Uint8Array): boolean {
  return HEAD_SIZE + entriesSize + entrySize(message) <= BLOCK_SIZE_MAX;
}

/** The block behind `after` that holds `entries`, which are those that follow it, and its bytes. */
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

/** A block's bytes with the entries in their place, and as how many they are stored there without zeros, or 0. */
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

/** Used while a block is made, which waits for nothing: fresh memory costs more than what is done to it. The heads are 0. */
const wholeScratch = new Uint8Array(BLOCK_SIZE_MAX);
const shortScratch = new Uint8Array(HEAD_SIZE + withoutZerosMax(BLOCK_SIZE_MAX));

/** Undefined when the bytes are no block of this log, or damaged. The entries' messages may be views of `bytes`. */
export function decodeBlock(key: KeyObject, bytes: Uint8Array): Block | undefined {
  if (bytes.length < HEAD_SIZE) return undefined;
  const fields = new Fields(bytes);
  if (fields.u32(0) !== MAGIC || fields.u32(4) !== VERSION) return undefined;
  if (!sealMatches(sealOf(key, bytes), fields.slice(SEAL_AT, SEAL_SIZE))) return undefined;
  const [contentBytes, storedBytes] = [fields.u32(56), fields.u32(60)];
  const stored = bytes.subarray(HEAD_SIZE);
  assert(stored.length === (storedBytes || contentBytes), 'a sealed block has the size it says');
  const payload = storedBytes === 0 ? stored : withZeros(stored, contentBytes);
  return {
    sequence: fields.u64(8),
    fence: fields.u64(32),
    view: fields.u32(28),
    entries: decodeEntries(payload, fields.u32(24)),
    // Copies: a position keeps them, and must not keep the block's bytes with them.
    seal: fields.slice(SEAL_AT, SEAL_SIZE).slice(),
    parent: fields.slice(PARENT_AT, SEAL_SIZE).slice(),
    sizeBytes: bytes.length,
    contentBytes,
  };
}

function sealOf(key: KeyObject, bytes: Uint8Array): Uint8Array {
  return seal(key, bytes.subarray(0, SEAL_AT), bytes.subarray(PARENT_AT));
}

export type Misfit = 'sequence' | 'parent' | 'fence' | 'view' | 'op' | 'timestamp';

/** In what a block does not follow a position; undefined: it does. */
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
