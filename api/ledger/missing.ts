/** The ids of a lookup that have no row: the ledger omits them silently. */
import type { LedgerRequest } from './decode.ts';

const idSize = 16;

/** Returns them in the order of the request; `undefined` if the rows are not an answer to these ids. */
export function missingIds(
  { events }: LedgerRequest,
  rows: Uint8Array,
  rowSize: number,
): readonly string[] | undefined {
  const missing: string[] = [];
  let row = 0;
  for (let at = 0; at < events.length; at += idSize) {
    const found = row < rows.length && isSame(events, at, rows, row);
    if (found) row += rowSize;
    else missing.push(idAt(events, at));
  }
  return row === rows.length ? missing : undefined;
}

function isSame(a: Uint8Array, aAt: number, b: Uint8Array, bAt: number): boolean {
  for (let i = 0; i < idSize; i += 1) {
    if (a[aAt + i] !== b[bAt + i]) return false;
  }
  return true;
}

function idAt(bytes: Uint8Array, at: number): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset + at, idSize);
  return String(view.getBigUint64(0, true) | (view.getBigUint64(8, true) << 64n));
}
