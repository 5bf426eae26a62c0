/** An operation of the log is found by its number and by its time, with few requests. */
import { expect, test } from '@jest/globals';
import type { Target } from '../../domain/recovery.ts';
import { findMoment } from './find-moment.ts';
import { DATABASE } from './testing/ledger-file.ts';
import { MemoryStore } from './testing/memory-store.ts';
import { timestampOf, writeChain } from './testing/written-log.ts';

const never = new AbortController().signal;

const finder = (store: MemoryStore, lastOp: number) => {
  const end = { op: lastOp, timestamp: timestampOf(lastOp) };
  return async (target: Target) =>
    (await findMoment({ store, databaseId: DATABASE, line: 1, end }, target, never))?.op;
};

test('each operation is found by its number, by its time, and by every time until the next one', async () => {
  const store = new MemoryStore();
  await writeChain(store, 1, 230, 'start');
  const find = finder(store, 230);
  for (let op = 1; op <= 230; op += 1) {
    expect(await find({ kind: 'op', op })).toBe(op);
    expect(await find({ kind: 'timestamp', timestamp: timestampOf(op) })).toBe(op);
    if (op < 230)
      expect(await find({ kind: 'timestamp', timestamp: timestampOf(op + 1) - 1n })).toBe(op);
  }
  expect(await find({ kind: 'timestamp', timestamp: timestampOf(1) - 1n })).toBeUndefined();
  expect(await find({ kind: 'op', op: 231 })).toBeUndefined();
  expect(await find({ kind: 'timestamp', timestamp: timestampOf(230) + 1n })).toBeUndefined();
});

test('an operation that the sweep deleted, or that is in a gap, is not found by its number', async () => {
  const store = new MemoryStore();
  await writeChain(store, 101, 200, 'start');
  await writeChain(store, 301, 400, 'gap');
  const find = finder(store, 400);
  expect(await find({ kind: 'op', op: 100 })).toBeUndefined();
  expect(await find({ kind: 'op', op: 101 })).toBe(101);
  expect(await find({ kind: 'op', op: 250 })).toBeUndefined();
  expect(await find({ kind: 'timestamp', timestamp: timestampOf(200) + 5n })).toBe(200);
  expect(await find({ kind: 'op', op: 301 })).toBe(301);
});

test('a search in a thousand segments asks for a few', async () => {
  const store = new MemoryStore();
  await writeChain(store, 1, 10_000, 'start');
  let lists = 0;
  const list = store.list.bind(store);
  store.list = (...args) => {
    lists += 1;
    return list(...args);
  };
  const find = finder(store, 10_000);
  expect(await find({ kind: 'timestamp', timestamp: timestampOf(6_789) })).toBe(6_789);
  expect(lists).toBeLessThan(8);
  lists = 0;
  expect(await find({ kind: 'op', op: 6_789 })).toBe(6_789);
  expect(lists).toBeLessThan(8);
});
