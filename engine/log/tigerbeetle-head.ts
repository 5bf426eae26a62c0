/**
 * The head of a TigerBeetle data file: four copies of a superblock of 8 KiB, 24 KiB apart, each with a checksum over its
 * bytes 34 … 8191. As in TigerBeetle itself, the copies with the highest sequence count if at least two agree. Facts:
 * TigerBeetle's `src/vsr/superblock.zig`, release 0.17.
 */
import { checksumMatches } from '../wire/checksum.ts';
import { Fields } from './fields.ts';

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
  /** Not 0 while the replica still fetches data that its newest checkpoint refers to. */
  readonly syncOpMax: number;
  readonly view: number;
  readonly sizeBytes: number;
  /** Number of copies that agree with the newest superblock. */
  readonly copies: number;
}

const COPIES = 4;
const COPY_DISTANCE = 24_576;
const COPY_SIZE = 8192;
const CHECKSUM_FROM = 34;
const MEMBERS_OFFSET = 1136;
const MEMBERS_MAX = 12;
const QUORUM = 2;

/** Number of bytes at the file's beginning that contain the head. */
export const TIGERBEETLE_HEAD_SIZE = COPIES * COPY_DISTANCE;

/** Reads the head in a file's first bytes. Returns `undefined` if no two copies agree. */
export function readTigerBeetleHead(head: Uint8Array): TigerBeetleHead | undefined {
  const copies = Array.from({ length: COPIES }, (_, index) =>
    head.subarray(index * COPY_DISTANCE, index * COPY_DISTANCE + COPY_SIZE),
  ).filter(isWhole);
  let newest: { fields: Fields; copies: number } | undefined;
  for (const copy of copies) {
    const agreeing = copies.filter((other) => sameChecksum(copy, other)).length;
    const fields = new Fields(copy);
    if (agreeing < QUORUM) continue;
    if (!newest || fields.big64(40) > newest.fields.big64(40))
      newest = { fields, copies: agreeing };
  }
  return newest && decode(newest.fields, newest.copies);
}

function isWhole(copy: Uint8Array): boolean {
  if (copy.length < COPY_SIZE || copy.subarray(16, 32).some((byte) => byte !== 0)) return false;
  return checksumMatches(copy.subarray(CHECKSUM_FROM), copy, 0);
}

function sameChecksum(a: Uint8Array, b: Uint8Array): boolean {
  return a.subarray(0, 16).every((byte, index) => b[index] === byte);
}

function decode(fields: Fields, copies: number): TigerBeetleHead {
  const replicaId = fields.u128(1120);
  const members = Array.from({ length: MEMBERS_MAX }, (_, index) =>
    fields.u128(MEMBERS_OFFSET + index * 16),
  );
  return {
    clusterId: fields.u128(48),
    replicaIndex: members.indexOf(replicaId),
    replicaCount: fields.bytes[1364]!,
    formatVersion: fields.u32(34) & 0xffff,
    sequence: fields.u64(40),
    release: fields.u32(708),
    releaseFormat: fields.u32(36),
    checkpointOp: fields.u64(320),
    syncOpMax: fields.u64(1344),
    view: fields.u32(1360),
    sizeBytes: fields.u64(672),
    copies,
  };
}
