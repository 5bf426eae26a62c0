/**
 * Transfers whose fields follow from their number alone, so that whoever knows how many there are can count what a ledger must answer:
 * ids that do not rise, three unique fields of user data, every tenth batch pending and posted later.
 */
import { encodeMultiBatch } from '../../../engine/wire/multi-batch.ts';

export const BATCH = 8189;
/** A batch in which transfers are pending is posted by the batch that comes this much later. */
const POSTED_AFTER = 65;
const PENDING = 2;
const POST = 4;

export const mix = (value: number): number => {
  let x = Math.imul(value ^ (value >>> 16), 0x7feb352d);
  x = Math.imul(x ^ (x >>> 15), 0x846ca68b);
  return (x ^ (x >>> 16)) >>> 0;
};

type Kind = 'plain' | 'pending' | 'post';

export const kindOf = (batch: number): Kind => {
  if (batch % 10 === 5) return 'pending';
  return batch >= POSTED_AFTER && (batch - POSTED_AFTER) % 10 === 5 ? 'post' : 'plain';
};
export const pendingOf = (i: number): number => i - POSTED_AFTER * BATCH;
export const moved = (i: number, accounts: number) => {
  const of = kindOf(Math.floor(i / BATCH)) === 'post' ? pendingOf(i) : i;
  const debit = mix(of * 4 + 1) % accounts;
  const credit = (debit + 1 + (mix(of * 4 + 2) % (accounts - 1))) % accounts;
  return { debit, credit, amount: 1 + (mix(of * 4 + 3) % 1000), userData: mix(of * 4 + 4) };
};

export function putId(view: DataView, at: number, i: number): void {
  view.setUint32(at, i + 1, true);
  view.setUint32(at + 4, mix(i), true);
  view.setUint32(at + 8, mix(i + 7), true);
}

export function batchOf(batch: number, accounts: number): Uint8Array {
  const bytes = new Uint8Array(BATCH * 128);
  const view = new DataView(bytes.buffer);
  const kind = kindOf(batch);
  for (let k = 0; k < BATCH; k += 1) {
    const at = k * 128;
    const i = batch * BATCH + k;
    putId(view, at, i);
    if (kind === 'post') {
      view.setBigUint64(at + 48, 2n ** 64n - 1n, true);
      view.setBigUint64(at + 56, 2n ** 64n - 1n, true);
      putId(view, at + 64, pendingOf(i));
      view.setUint16(at + 118, POST, true);
      continue;
    }
    const { debit, credit, amount, userData } = moved(i, accounts);
    view.setUint32(at + 16, debit + 1, true);
    view.setUint32(at + 32, credit + 1, true);
    view.setUint32(at + 48, amount, true);
    view.setUint32(at + 80, userData, true);
    view.setUint32(at + 84, i, true);
    view.setUint32(at + 96, userData, true);
    view.setUint32(at + 100, 1, true);
    view.setUint32(at + 104, mix(userData), true);
    view.setUint32(at + 112, 1, true);
    view.setUint16(at + 116, 1, true);
    if (kind === 'pending') view.setUint16(at + 118, PENDING, true);
  }
  return encodeMultiBatch([bytes], 128);
}
