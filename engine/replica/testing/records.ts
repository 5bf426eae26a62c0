/** Bodies of the requests that simulated clients send: accounts and transfers of ledger 1, code 1. */
import { TransferFlag } from '../../wire/flags.ts';
import { encodeMultiBatch } from '../../wire/multi-batch.ts';

function record(fill: (view: DataView) => void): Uint8Array {
  const bytes = new Uint8Array(128);
  fill(new DataView(bytes.buffer));
  return bytes;
}

export const accountsBody = (...ids: readonly number[]): Uint8Array =>
  encodeMultiBatch(
    [
      Buffer.concat(
        ids.map((id) =>
          record((view) => {
            view.setUint32(0, id, true);
            view.setUint32(112, 1, true);
            view.setUint16(116, 1, true);
          }),
        ),
      ),
    ],
    128,
  );

/** Body of a transfer of one unit from account 1 to account 2. With a timeout (seconds) it is pending and expires. */
export const transferBody = (id: number, timeout = 0): Uint8Array =>
  moveBody({ id, debit: 1, credit: 2, timeout });

interface Move {
  readonly id: number;
  readonly debit: number;
  readonly credit: number;
  readonly timeout?: number;
}

/** Body of a transfer of one unit between any two accounts. */
export const moveBody = (move: Move): Uint8Array => movesBody([move]);

export const movesBody = (moves: readonly Move[]): Uint8Array =>
  encodeMultiBatch(
    [
      Buffer.concat(
        moves.map(({ id, debit, credit, timeout = 0 }) =>
          record((view) => {
            view.setUint32(0, id, true);
            view.setUint8(16, debit);
            view.setUint8(32, credit);
            view.setUint8(48, 1);
            view.setUint32(108, timeout, true);
            view.setUint32(112, 1, true);
            view.setUint16(116, 1, true);
            view.setUint16(118, timeout > 0 ? 2 : 0, true);
          }),
        ),
      ),
    ],
    128,
  );

/** Body of transfers of one unit from account 1 to account 2, whose ids rise. */
export const transfersBody = (first: number, count: number): Uint8Array =>
  movesBody(Array.from({ length: count }, (_, i) => ({ id: first + i, debit: 1, credit: 2 })));

/** Body of imported transfers of one unit from account 1 to account 2, one at each time. */
export const importedBody = (times: readonly bigint[]): Uint8Array =>
  encodeMultiBatch(
    [
      Buffer.concat(
        times.map((time, i) =>
          record((view) => {
            view.setUint32(0, 1000 + i, true);
            view.setUint8(16, 1);
            view.setUint8(32, 2);
            view.setUint8(48, 1);
            view.setUint32(112, 1, true);
            view.setUint16(116, 1, true);
            view.setUint16(118, TransferFlag.imported, true);
            view.setBigUint64(120, time, true);
          }),
        ),
      ),
    ],
    128,
  );

/** Body of a transfer that posts the whole pending transfer. */
export const postBody = (id: number, pendingId: number): Uint8Array =>
  encodeMultiBatch(
    [
      record((view) => {
        view.setUint32(0, id, true);
        view.setBigUint64(48, 2n ** 64n - 1n, true);
        view.setBigUint64(56, 2n ** 64n - 1n, true);
        view.setUint32(64, pendingId, true);
        view.setUint16(118, 4, true);
      }),
    ],
    128,
  );

export const lookupBody = (id: number): Uint8Array =>
  encodeMultiBatch([Uint8Array.from({ length: 16 }, (_, i) => (i === 0 ? id : 0))], 16);
