/**
 * A pause of writes. It begins with an entry of the log (operation `pause`): until a set time of the ledger, no leader accepts a
 * request that changes the ledger; reads go on. Because it is an entry, all replicas and all later leaders agree on it, and the
 * requester knows that no change follows its operation. The pause always ends, because the requester may have died.
 */
import type { LogEntry } from '../log/log.ts';
import { headerSize } from '../wire/limits.ts';

/** The first rules of the ledger that have it. */
export const PAUSE_RULES = 2;

export interface WritePause {
  /** Op of its entry. */
  readonly op: number;
  /** Time of the ledger at which writes are taken again, ns. */
  readonly until: bigint;
}

/** Encodes the body of a `pause` entry: how long after the entry's own time it ends, ns. */
export function encodePauseLength(lengthNs: bigint): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, lengthNs, true);
  return bytes;
}

export function pauseOf({ op, timestamp, message }: LogEntry): WritePause {
  return { op, until: timestamp + viewOf(message.subarray(headerSize)).getBigUint64(0, true) };
}

/** The pause that is in force after another one: a late repetition of a short one must not end a long one. */
export const joined = (before: WritePause | undefined, { op, until }: WritePause): WritePause => ({
  op,
  until: before !== undefined && before.until > until ? before.until : until,
});

export const PAUSE_BYTES = 16;

/** Encodes the table of a checkpoint that holds a pause: op and end, both u64. */
export function encodePause({ op, until }: WritePause): Uint8Array {
  const bytes = new Uint8Array(PAUSE_BYTES);
  viewOf(bytes).setBigUint64(0, BigInt(op), true);
  viewOf(bytes).setBigUint64(8, until, true);
  return bytes;
}

export const decodePause = (bytes: Uint8Array): WritePause => ({
  op: Number(viewOf(bytes).getBigUint64(0, true)),
  until: viewOf(bytes).getBigUint64(8, true),
});

const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array): DataView =>
  new DataView(buffer, byteOffset, byteLength);
