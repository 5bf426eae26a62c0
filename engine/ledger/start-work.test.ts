import { expect, test } from '@jest/globals';
import { indexSizes } from './row-index.ts';
import type { StartPoints } from './start-point.ts';
import { StartWork } from './start-work.ts';
import type { StoredIndex } from './stored-index.ts';

const GIB = 2 ** 30;

/** Returns whether a checkpoint is due after a start that has made the index of so many transfers after those in tables. */
function isDue(memoryLimitBytes: number, indexed: number): boolean {
  const { sealRows } = indexSizes(memoryLimitBytes);
  const index = { sealRows, transfersEnd: 0, accountsEnd: 0, hasMore: true };
  const work = new StartWork(
    { end: 0, isDue: false } as StartPoints,
    index as Partial<StoredIndex> as StoredIndex,
  );
  work.begin({ transfers: indexed, accounts: 0 });
  return work.wantsCheckpoint;
}

test('a start leaves the index of a million rows at most to the next one, with little memory and with much', () => {
  for (const memory of [GIB / 4, GIB, 4 * GIB, 64 * GIB]) {
    expect([memory, isDue(memory, (1 << 20) + 1)]).toEqual([memory, true]);
    expect([memory, isDue(memory, 1 << 20)]).toEqual([memory, false]);
  }
});
