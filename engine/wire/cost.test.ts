import { expect, test } from '@jest/globals';
import { costOf } from './cost.ts';
import { encodeMultiBatch } from './multi-batch.ts';
import { Operation, shapeOf } from './operations.ts';

function filterOf(operation: number, limit: number): Uint8Array {
  const { eventSize = 0, limitOffset = 0 } = shapeOf(operation) ?? {};
  const filter = new Uint8Array(eventSize);
  new DataView(filter.buffer).setUint32(limitOffset, limit, true);
  return filter;
}

test('a query costs what its answer may have, at most a full page', () => {
  for (const [operation, size] of [
    [Operation.queryAccounts, 64],
    [Operation.getAccountTransfers, 128],
  ] as const) {
    const of = (...limits: number[]) =>
      costOf(
        operation,
        encodeMultiBatch(
          limits.map((limit) => filterOf(operation, limit)),
          size,
        ),
      );
    expect(of(10)).toBe(10);
    expect(of(10, 20)).toBe(30);
    expect(of(8_189)).toBe(8_189);
    expect(of(2 ** 32 - 1)).toBe(8_189);
    expect(of(0)).toBe(1);
  }
  expect(costOf(Operation.queryTransfersUnbatched, filterOf(Operation.queryTransfers, 500))).toBe(
    500,
  );
});

test('creates and lookups cost their events', () => {
  expect(costOf(Operation.createTransfers, encodeMultiBatch([new Uint8Array(128 * 7)], 128))).toBe(
    7,
  );
  expect(costOf(Operation.lookupAccounts, encodeMultiBatch([new Uint8Array(16 * 5)], 16))).toBe(5);
  expect(costOf(Operation.lookupAccountsUnbatched, new Uint8Array(32))).toBe(2);
});

test('a transfer that the engine will refuse costs one', () => {
  expect(costOf(Operation.register, new Uint8Array(256))).toBe(1);
  expect(costOf(Operation.queryAccounts, new Uint8Array(3))).toBe(1);
  expect(costOf(Operation.queryAccountsUnbatched, new Uint8Array(3))).toBe(1);
});
