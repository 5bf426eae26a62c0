/** The log of several replicas as an archive reads it: by the engine, or from the blocks that the engine names. */
import { expect, test } from '@jest/globals';
import { ArchivedLog, entryOf } from './testing/archived-log.ts';

const SMALL = 288;

/** Reads the log as an engine does for its archiver, and returns the operations. */
async function readAll(log: ArchivedLog): Promise<readonly number[]> {
  const read: number[] = [];
  while (read.length < log.op) {
    const entries = await log.reader.read(read.length + 1, 1 << 20);
    if ('oldestOp' in entries || entries.length === 0) throw new Error('the log has no beginning');
    for (const { op } of entries) read.push(op);
  }
  return read;
}

test('thousands of small blocks take a few requests to the member', async () => {
  const log = new ArchivedLog();
  for (let op = 1; op <= 3_000; op += 1) log.append([SMALL]);
  expect(await readAll(log)).toEqual(Array.from({ length: 3_000 }, (_, index) => index + 1));
  expect(log.requests).toBeLessThan(20);
});

test('blocks that the archive lacks are kept, however many came since', () => {
  const { reader } = new ArchivedLog();
  const seal = new Uint8Array(16);
  const block = { fence: 1, view: 1, seal, parent: seal, sizeBytes: 400, contentBytes: SMALL };
  for (let op = 1; op <= 40_000; op += 1)
    reader.committed({ ...block, sequence: op, entries: [{ ...entryOf(1, 16), op }] });
  // The store is away all the time.
  for (const archived of [0, 1, 100, 5_000, 39_999]) {
    reader.archived(archived);
    const needed = reader.neededFrom ?? Infinity;
    expect(needed).toBeLessThanOrEqual(Math.max(archived, 1));
    expect(needed).toBeGreaterThanOrEqual(archived - 64);
  }
});

test('a log that was deleted meanwhile is gone, and places of blocks from before an archive are not made up', async () => {
  const log = new ArchivedLog({ archived: false });
  for (let op = 1; op <= 10; op += 1) log.append([SMALL]);
  log.reader.archived(0);
  expect(log.reader.neededFrom).toBe(0);
  for (let op = 11; op <= 20; op += 1) log.append([SMALL, 2 * SMALL]);
  expect(log.reader.places(5, 1 << 20)).toBeUndefined();
  const known = log.reader.places(12, 1 << 20);
  expect(known?.map(({ at }) => at)).toEqual([11, 12, 13, 14, 15, 16, 17, 18, 19, 20]);
  expect(log.reader.places(31, 1 << 20)).toEqual([]);
  // Found by a search, and then read on from there.
  const older = [5, 6, 7, 8, 9, 10, 11, 12, 13, 14].map((op) => ({ op }));
  expect(await log.reader.read(5, 1)).toMatchObject(older);
  log.deleteBefore(13);
  expect(await log.reader.read(5, 1 << 20)).toEqual({ oldestOp: 15 });
  expect(await log.reader.read(12, 1 << 20)).toEqual({ oldestOp: 15 });
  expect(await log.reader.read(15, 1)).toMatchObject([entryOf(15, SMALL), entryOf(16, 2 * SMALL)]);
});
