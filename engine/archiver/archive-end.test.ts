import { expect, test } from '@jest/globals';
import { segmentKey } from '../archive/keys.ts';
import { DATABASE } from '../archive/testing/ledger-file.ts';
import { MemoryStore } from '../archive/testing/memory-store.ts';
import { timestampOf, writeChain } from '../archive/testing/written-log.ts';
import {
  findEnd,
  findEndFrom,
  findFirstOp,
  findLaterEnd,
  leftFrom,
  placeAfterEnd,
} from './archive-end.ts';

const run = (firstOp: number, lastOp: number) => ({
  firstOp,
  lastOp,
  lastTimestamp: String(timestampOf(lastOp)),
});

test("the archive's end names the runs before it, whoever found the gap", async () => {
  const store = new MemoryStore();
  await writeChain(store, 1, 50, 'start');
  const first = (await findEnd(store, DATABASE))!;
  expect(first).toMatchObject({ lastOp: 50, chainFirstOp: 1, gaps: 0, earlier: [] });
  const begun = placeAfterEnd(first, { firstOp: 81, begins: 'gap' });
  expect(begun).toEqual({ chainFirstOp: 81, gaps: 1, earlier: [run(1, 50)] });
  await writeChain(store, 81, 100, 'gap');
  // Another archiver wrote it: both ways of finding the end agree.
  expect(await findLaterEnd(store, first)).toMatchObject({ lastOp: 100, ...begun });
  const second = (await findEnd(store, DATABASE))!;
  expect(second).toMatchObject({ lastOp: 100, ...begun });
  expect(placeAfterEnd(second, { firstOp: 101, begins: undefined })).toEqual(begun);
});

test('the end is found from an operation on, also in the middle of its segment, and not behind it', async () => {
  const store = new MemoryStore();
  await writeChain(store, 1, 50, 'start');
  const { lastOp, checksum, sha256 } = (await findEnd(store, DATABASE))!;
  for (const op of [1, 35, 41, 50])
    expect(await findEndFrom(store, DATABASE, op)).toMatchObject({ lastOp, checksum, sha256 });
  expect(await findEndFrom(store, DATABASE, 51)).toBeUndefined();
  expect(await findEndFrom(store, 'db_other', 1)).toBeUndefined();
});

test('a moment that the sweep has deleted is promised no more', async () => {
  const store = new MemoryStore();
  await writeChain(store, 1, 50, 'start');
  await writeChain(store, 81, 100, 'gap');
  const end = (await findEnd(store, DATABASE))!;
  for (const op of [1, 11]) await store.remove(segmentKey(DATABASE, 1, op));
  expect(await findFirstOp(store, end)).toBe(21);
  expect(leftFrom(end, 21)).toMatchObject({ chainFirstOp: 81, earlier: [run(21, 50)] });
  expect(leftFrom(end, 91)).toMatchObject({ chainFirstOp: 91, earlier: [] });
});
