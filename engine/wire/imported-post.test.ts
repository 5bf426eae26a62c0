import { expect, test } from '@jest/globals';
import { TransferFlag } from './flags.ts';
import {
  createdTransfers,
  endsByImportedPost,
  importedIn,
  importedPostIn,
} from './imported-post.ts';
import { encodeMultiBatch } from './multi-batch.ts';
import { Operation } from './operations.ts';

const { imported, linked, pending, post_pending_transfer, void_pending_transfer } = TransferFlag;

function transfers(...flags: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(flags.length * 128);
  flags.forEach((flag, i) => new DataView(bytes.buffer).setUint16(i * 128 + 118, flag, true));
  return bytes;
}

test('imported posts and voids are found, whatever other flags they have; other transfers are not', () => {
  expect(importedPostIn(transfers(0, imported, imported | pending))).toBeUndefined();
  expect(importedPostIn(transfers(post_pending_transfer, void_pending_transfer))).toBeUndefined();
  expect(importedPostIn(transfers(0, imported | post_pending_transfer))).toBe(1);
  expect(importedPostIn(transfers(imported | void_pending_transfer | linked))).toBe(0);
});

test.each([Operation.createTransfers, Operation.createTransfersSparse])(
  'the batches of a body are searched, and the padding behind them is not (operation %i)',
  (operation) => {
    const good = [transfers(imported), new Uint8Array(0), transfers(post_pending_transfer)];
    expect(
      importedPostIn(createdTransfers(operation, encodeMultiBatch(good, 128))),
    ).toBeUndefined();
    const bad = [...good, transfers(0, imported | void_pending_transfer)];
    expect(importedPostIn(createdTransfers(operation, encodeMultiBatch(bad, 128)))).toBe(3);
  },
);

test('bodies without batches are searched, and those of other operations are not', () => {
  const body = transfers(imported | post_pending_transfer);
  expect(importedPostIn(createdTransfers(Operation.createTransfersUnbatched, body))).toBe(0);
  expect(
    importedPostIn(createdTransfers(Operation.createAccounts, encodeMultiBatch([body], 128))),
  ).toBe(undefined);
});

test('releases of TigerBeetle up to 0.17.9 are affected, and so is a version that is not a release', () => {
  const affected = ['0.16.78', '0.17.9', 'v0.17.9', '', 'latest', '0.17.10-rc1'];
  const fixed = ['0.17.10', '0.18.0', '1.0.0'];
  expect(affected.filter((version) => !endsByImportedPost('TigerBeetle', version))).toEqual([]);
  expect(fixed.filter((version) => endsByImportedPost('TigerBeetle', version))).toEqual([]);
  expect(endsByImportedPost('Builtin', '0.1.0')).toBe(false);
});

test('an imported transfer of any kind is found', () => {
  expect(importedIn(transfers(0, post_pending_transfer, imported))).toBe(2);
  expect(importedIn(transfers(0, post_pending_transfer))).toBeUndefined();
});
