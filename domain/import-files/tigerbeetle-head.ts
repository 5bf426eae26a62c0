/**
 * Reads the head of a TigerBeetle data file: four copies of a superblock of 8 KiB, 24 KiB apart, each with a checksum over its bytes
 * 34 … 8191. As in TigerBeetle itself, the copies with the highest sequence count if at least two agree. It runs in browsers, too.
 * Facts: TigerBeetle's `src/vsr/superblock.zig`, release 0.17.
 */

export interface TigerBeetleHead {
  readonly clusterId: bigint;
  /** Index among the members; a standby has one at or above `replicaCount`; -1 if the file belongs to none of them. */
  readonly replicaIndex: number;
  readonly replicaCount: number;
  readonly formatVersion: number;
  /** Number of changes of the superblock. */
  readonly sequence: number;
  /** Release of the newest checkpoint, and the one that formatted the file: major << 16 | minor << 8 | patch. */
  readonly release: number;
  readonly releaseFormat: number;
  readonly checkpointOp: number;
  /** Nanoseconds; 0 before the first checkpoint. */
  readonly checkpointTimestamp: bigint;
  /** Not 0 while the replica still fetches data that its newest checkpoint refers to. */
  readonly syncOpMax: number;
  readonly view: number;
  readonly sizeBytes: number;
  /** Checksum of the superblock, in hex. */
  readonly checksum: string;
  /** Number of copies that agree with the newest superblock. */
  readonly copies: number;
}

/** Whether `expected[offset … offset + 15]` is the checksum of `data`. */
export type ChecksumMatches = (data: Uint8Array, expected: Uint8Array, offset: number) => boolean;

/** The one version of the superblock in released programs. */
export const TIGERBEETLE_FORMAT_VERSION = 2;
/** Smallest size of a data file: superblock, log and replies (0.17's `data_file_size_min`). */
export const TIGERBEETLE_FILE_SIZE_MIN = 1_141_374_976;

const COPIES = 4;
const COPY_DISTANCE = 24_576;
const COPY_SIZE = 8_192;
const CHECKSUM_SIZE = 16;
const CHECKSUM_FROM = 34;
const CLUSTER_OFFSET = 48;
const REPLICA_OFFSET = 1_120;
const MEMBERS_OFFSET = 1_136;
const MEMBERS_MAX = 12;
const QUORUM = 2;

/** Number of bytes at the file's beginning that contain the head. */
export const TIGERBEETLE_HEAD_SIZE = (COPIES - 1) * COPY_DISTANCE + COPY_SIZE;

/**
 * Reads the head in a file's first bytes. Returns `undefined` if no two copies agree, or TigerBeetle would not start with them. Without `matches`, copies count that are
 * equal, their checksums included; with it, the checksums are computed as well.
 */
export function readTigerBeetleHead(
  bytes: Uint8Array,
  matches?: ChecksumMatches,
): TigerBeetleHead | undefined {
  const copies = Array.from({ length: COPIES }, (_, index) =>
    bytes.subarray(index * COPY_DISTANCE, index * COPY_DISTANCE + COPY_SIZE),
  ).filter(
    (copy) => isPossible(copy) && (matches?.(copy.subarray(CHECKSUM_FROM), copy, 0) ?? true),
  );
  let newest: { readonly head: TigerBeetleHead; readonly copy: Uint8Array } | undefined;
  for (const copy of copies) {
    const agreeing = copies.filter((other) => isEqual(copy, other)).length;
    if (agreeing < QUORUM) continue;
    const head = decode(copy, agreeing);
    if (newest === undefined || head.sequence > newest.head.sequence) newest = { head, copy };
  }
  if (newest === undefined) return undefined;
  const { head, copy } = newest;
  // Without checksums, a copy that differs may be damaged anywhere.
  const isWhole = matches === undefined || copies.every((other) => isBeside(other, copy));
  return isWhole ? head : undefined;
}

/**
 * Whether a sound copy can lie beside the newest one of which two agree: the same, an older one, or the next one, whose
 * other copies were not written any more. TigerBeetle starts with no other: not with 2, 2, 2, 4, of which the third was lost.
 */
function isBeside(other: Uint8Array, newest: Uint8Array): boolean {
  if (!sameBytes(other, newest, CLUSTER_OFFSET) || !sameBytes(other, newest, REPLICA_OFFSET))
    return true;
  const step = sequenceOf(other) - sequenceOf(newest);
  return step === 0 ? isEqual(other, newest) : step <= 1;
}

const sameBytes = (a: Uint8Array, b: Uint8Array, offset: number): boolean =>
  a.subarray(offset, offset + 16).every((byte, at) => b[offset + at] === byte);

const sequenceOf = (copy: Uint8Array): number => Number(fieldsOf(copy).getBigUint64(40, true));

/** Whether a file that begins like this is TigerBeetle's, although no two copies of its head may be there. */
export function beginsLikeTigerBeetle(bytes: Uint8Array): boolean {
  const copy = bytes.subarray(0, COPY_SIZE);
  if (!isPossible(copy)) return false;
  const fields = fieldsOf(copy);
  const count = fields.getUint8(1_364);
  return fields.getUint16(32, true) === 0 && count >= 1 && count <= 6;
}

/** All of it, a checksum that is not zero, the zeros after it, and a format that can be. */
function isPossible(copy: Uint8Array): boolean {
  if (copy.length < COPY_SIZE) return false;
  const zeros = copy.subarray(CHECKSUM_SIZE, 32).every((byte) => byte === 0);
  const version = fieldsOf(copy).getUint16(34, true);
  return zeros && version <= 64 && copy.subarray(0, CHECKSUM_SIZE).some((byte) => byte !== 0);
}

/** The number of a copy, before `CHECKSUM_FROM`, is its own. */
const isEqual = (a: Uint8Array, b: Uint8Array): boolean =>
  a.every((byte, at) => b[at] === byte || at === 32 || at === 33);

function decode(copy: Uint8Array, copies: number): TigerBeetleHead {
  const fields = fieldsOf(copy);
  const big64 = (at: number): bigint => fields.getBigUint64(at, true);
  const u128 = (at: number): bigint => big64(at) | (big64(at + 8) << 64n);
  const replicaId = u128(REPLICA_OFFSET);
  const members = Array.from({ length: MEMBERS_MAX }, (_, index) =>
    u128(MEMBERS_OFFSET + index * 16),
  );
  return {
    clusterId: u128(CLUSTER_OFFSET),
    replicaIndex: members.indexOf(replicaId),
    replicaCount: fields.getUint8(1_364),
    formatVersion: fields.getUint16(34, true),
    sequence: sequenceOf(copy),
    release: fields.getUint32(708, true),
    releaseFormat: fields.getUint32(36, true),
    checkpointOp: Number(big64(320)),
    checkpointTimestamp: big64(336),
    syncOpMax: Number(big64(1_344)),
    view: fields.getUint32(1_360, true),
    sizeBytes: Number(big64(672)),
    checksum: hexOf(copy.subarray(0, CHECKSUM_SIZE)),
    copies,
  };
}

const fieldsOf = (copy: Uint8Array): DataView =>
  new DataView(copy.buffer, copy.byteOffset, copy.byteLength);

export const hexOf = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
