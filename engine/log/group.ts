/**
 * A group: the entries that one durable write puts into the log. Only one group is in flight at a time, so a damaged group
 * with another one after it was durable once. Layout: FORMAT.md, "Log".
 */
import { decodeEntries, encodeEntries, entrySize } from './entries.ts';
import { Fields } from './fields.ts';
import { BLOCK_SIZE, GROUP_SIZE_MAX, roundUp } from './layout.ts';
import type { LogEntry } from './log.ts';
import { seal, SEAL_SIZE, type SealKey, sealMatches } from './seal.ts';

export interface GroupHead {
  /** Number of the group, from 1 in each file. It is never used twice for a group that was durable. */
  readonly sequence: number;
  readonly seal: Uint8Array;
  readonly payloadSeal: Uint8Array;
  /** `seal` of the group before. */
  readonly parent: Uint8Array;
  readonly firstOp: number;
  readonly entryCount: number;
  readonly payloadSize: number;
}

const MAGIC = 0x5052_474c; // "LGRP"
export const GROUP_HEAD_SIZE = 128;

/** Returns the bytes that a group takes in the ring. */
export function groupSize(head: { readonly payloadSize: number }): number {
  return roundUp(GROUP_HEAD_SIZE + head.payloadSize);
}

/** Returns whether a group with `payloadSize` bytes has room for this message. */
export function fitsGroup(payloadSize: number, message: Uint8Array): boolean {
  return GROUP_HEAD_SIZE + payloadSize + entrySize(message) <= GROUP_SIZE_MAX;
}

/** Writes a group into `target` (at least GROUP_SIZE_MAX bytes). Returns its head and its bytes, in whole blocks. */
export function encodeGroup(
  target: Uint8Array,
  key: SealKey,
  group: {
    readonly sequence: number;
    readonly parent: Uint8Array;
    readonly entries: readonly LogEntry[];
  },
): { head: GroupHead; bytes: Uint8Array } {
  const fields = new Fields(target);
  const at = encodeEntries(target, GROUP_HEAD_SIZE, group.entries);
  const bytes = target.subarray(0, roundUp(at));
  bytes.fill(0, at);
  const payload = target.subarray(GROUP_HEAD_SIZE, at);
  bytes.fill(0, 0, GROUP_HEAD_SIZE);
  const payloadSeal = seal(key, payload);
  fields.putU32(0, MAGIC);
  fields.putU64(8, group.sequence);
  fields.put(32, payloadSeal);
  fields.put(48, group.parent);
  fields.putU64(64, group.entries[0]!.op);
  fields.putU32(72, group.entries.length);
  fields.putU32(76, payload.length);
  fields.put(16, headSeal(key, target));
  return { head: decodeHead(bytes), bytes };
}

function headSeal(key: SealKey, block: Uint8Array): Uint8Array {
  return seal(key, block.subarray(0, 16), block.subarray(32, GROUP_HEAD_SIZE));
}

function decodeHead(block: Uint8Array): GroupHead {
  const fields = new Fields(block);
  return {
    sequence: fields.u64(8),
    seal: fields.slice(16, SEAL_SIZE).slice(),
    payloadSeal: fields.slice(32, SEAL_SIZE).slice(),
    parent: fields.slice(48, SEAL_SIZE).slice(),
    firstOp: fields.u64(64),
    entryCount: fields.u32(72),
    payloadSize: fields.u32(76),
  };
}

/** Reads the head of the group that begins with `block`. Returns `undefined` if there is none or it is damaged. */
export function readGroupHead(key: SealKey, block: Uint8Array): GroupHead | undefined {
  const fields = new Fields(block);
  if (block.length < GROUP_HEAD_SIZE || fields.u32(0) !== MAGIC) return undefined;
  if (!sealMatches(headSeal(key, block), fields.slice(16, SEAL_SIZE))) return undefined;
  return decodeHead(block);
}

/** Reads the entries of a group; their messages are views of `bytes`. Returns `undefined` if the payload is damaged. */
export function readGroupEntries(
  key: SealKey,
  head: GroupHead,
  bytes: Uint8Array,
): LogEntry[] | undefined {
  if (bytes.length < GROUP_HEAD_SIZE + head.payloadSize) return undefined;
  const payload = bytes.subarray(GROUP_HEAD_SIZE, GROUP_HEAD_SIZE + head.payloadSize);
  return isWhole(key, head, payload) ? decodeEntries(payload, head.entryCount) : undefined;
}

/** Returns whether a group's payload is the one that its head was written with. */
export const isWhole = (key: SealKey, { payloadSeal }: GroupHead, payload: Uint8Array): boolean =>
  sealMatches(payloadSeal, seal(key, payload));

/** Alignment of groups in the ring, in bytes. */
export const GROUP_ALIGNMENT = BLOCK_SIZE;
