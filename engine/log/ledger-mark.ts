/** Op, state hash and numbers of rows right after an operation: a replay is compared with them. */
import { Fields } from './fields.ts';

export interface LedgerMark {
  readonly op: number;
  /** Timestamp of the op, ns. */
  readonly timestamp: bigint;
  /** 16 bytes. */
  readonly stateHash: Uint8Array;
  /** Rows of each table. */
  readonly accounts: number;
  readonly transfers: number;
}

export const MARK_BYTES = 48;

export function putMark(fields: Fields, at: number, mark: LedgerMark): void {
  fields.putU64(at, mark.op);
  fields.putBig64(at + 8, mark.timestamp);
  fields.put(at + 16, mark.stateHash);
  fields.putU64(at + 32, mark.accounts);
  fields.putU64(at + 40, mark.transfers);
}

/** Call it only for bytes that a digest covers. */
export const readMark = (fields: Fields, at: number): LedgerMark => ({
  op: fields.u64(at),
  timestamp: fields.big64(at + 8),
  // A copy, also of a Buffer, whose own `slice` is none.
  stateHash: new Uint8Array(fields.slice(at + 16, 16)),
  accounts: fields.u64(at + 32),
  transfers: fields.u64(at + 40),
});

export function encodeMarks(marks: readonly LedgerMark[]): Uint8Array {
  const fields = new Fields(new Uint8Array(marks.length * MARK_BYTES));
  for (const [index, mark] of marks.entries()) putMark(fields, index * MARK_BYTES, mark);
  return fields.bytes;
}

export function decodeMarks(bytes: Uint8Array, count: number): readonly LedgerMark[] {
  const fields = new Fields(bytes);
  return Array.from({ length: count }, (_, index) => readMark(fields, index * MARK_BYTES));
}
