import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { inputValid } from './input-valid.ts';
import { batchSizeLimitDevelopment, bodySizeMax } from './limits.ts';
import { decodeMultiBatch, encodeMultiBatch, splitMultiBatch } from './multi-batch.ts';
import { eventMax, Operation, resultMax, shapeOf, type OperationShape } from './operations.ts';

const shape = (operation: number): OperationShape => {
  const found = shapeOf(operation);
  if (found === undefined) throw new Error(`no operation ${operation}`);
  return found;
};

test('one id to look up is 32 bytes: the id, twelve FF, a count of one, one batch', () => {
  const body = encodeMultiBatch([Uint8Array.from({ length: 16 }, () => 7)], 16);
  expect([...body]).toEqual([...Array(16).fill(7), ...Array(12).fill(0xff), 1, 0, 1, 0]);
});

test('counts stand in reverse', () => {
  const body = encodeMultiBatch([new Uint8Array(32), new Uint8Array(16)], 16);
  expect([...body.subarray(48)]).toEqual([...Array(10).fill(0xff), 1, 0, 2, 0, 2, 0]);
});

test('an empty batch is a trailer and nothing else', () => {
  const body = encodeMultiBatch([new Uint8Array(0)], 128);
  expect(body).toHaveLength(128);
  expect(decodeMultiBatch(body, 128)).toEqual([0]);
});

test('all values come out, in batches of any size', () => {
  const batches = fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 1, maxLength: 90 });
  fc.assert(
    fc.property(batches, fc.constantFrom(8, 16, 64, 128), (counts, size) => {
      const given = counts.map((count, i) => new Uint8Array(count * size).fill(i));
      expect(splitMultiBatch(encodeMultiBatch(given, size), size)).toEqual(given);
    }),
  );
});

test('a change to any byte of the trailer is noticed or changes the counts', () => {
  const body = encodeMultiBatch([new Uint8Array(64), new Uint8Array(32)], 16);
  for (let at = 96; at < body.length; at += 1) {
    const changed = body.slice();
    changed[at] = (changed[at] ?? 0) ^ 0x10;
    expect(decodeMultiBatch(changed, 16)).not.toEqual([4, 2]);
  }
});

test.each([
  new Uint8Array(0),
  new Uint8Array(15),
  new Uint8Array(16),
  new Uint8Array(16).fill(0xff),
])('garbage is no multi-batch', (body) => expect(decodeMultiBatch(body, 16)).toBeUndefined());

test.each([
  [Operation.createTransfers, bodySizeMax, 8189, 8189],
  [Operation.createTransfers, batchSizeLimitDevelopment, 253, 253],
  [Operation.lookupAccounts, bodySizeMax, 8189, 8189],
  [Operation.lookupAccounts, batchSizeLimitDevelopment, 2031, 2031],
  [Operation.queryTransfers, batchSizeLimitDevelopment, 507, 8189],
  [Operation.getChangeEvents, bodySizeMax, 2730, 2730],
  [Operation.createAccountsUnbatched, bodySizeMax, 8190, 8190],
  [Operation.createAccountsUnbatched, batchSizeLimitDevelopment, 254, 254],
  [Operation.lookupTransfersUnbatched, batchSizeLimitDevelopment, 2032, 2032],
])(
  'operation %d with a limit of %d takes %d events and gives %d results',
  (operation, limit, events, results) => {
    expect(eventMax(shape(operation), limit)).toBe(events);
    expect(resultMax(shape(operation), limit)).toBe(results);
  },
);

test('a body is valid up to the most events, and not beyond', () => {
  const body = (events: number) => encodeMultiBatch([new Uint8Array(events * 128)], 128);
  expect(inputValid(Operation.createTransfers, body(0), bodySizeMax)).toBe(true);
  expect(inputValid(Operation.createTransfers, body(8189), bodySizeMax)).toBe(true);
  expect(inputValid(Operation.createTransfers, body(254), batchSizeLimitDevelopment)).toBe(false);
  expect(inputValid(Operation.createTransfers, new Uint8Array(127), bodySizeMax)).toBe(false);
  expect(inputValid(99, body(1), bodySizeMax)).toBe(false);
});

test('a filter stands alone, and what several ask for together must fit one reply', () => {
  const filter = (limit: number) => {
    const bytes = new Uint8Array(64);
    new DataView(bytes.buffer).setUint32(56, limit, true);
    return bytes;
  };
  const body = (...limits: number[]) => encodeMultiBatch(limits.map(filter), 64);
  expect(inputValid(Operation.queryAccounts, body(8189), bodySizeMax)).toBe(true);
  // A limit above the maximum is reduced, not refused.
  expect(inputValid(Operation.queryAccounts, body(4_000_000_000), bodySizeMax)).toBe(true);
  expect(inputValid(Operation.queryAccounts, body(4000, 4000), bodySizeMax)).toBe(true);
  expect(inputValid(Operation.queryAccounts, body(8189, 1), bodySizeMax)).toBe(false);
  const two = encodeMultiBatch([new Uint8Array(128)], 64);
  expect(inputValid(Operation.queryAccounts, two, bodySizeMax)).toBe(false);
});
