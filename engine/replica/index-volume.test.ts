import { expect, test } from '@jest/globals';
import type { IndexVolume as Reads } from '../ledger/row-index.ts';
import { IndexVolume } from './index-volume.ts';

const NAMES = [{ table: 70_000, page: 0 }];

test('pages of the index are read again half a minute after a read for a merge has failed, not before, and each failure is told', async () => {
  let [nowMs, offers, isReadable] = [1000, 0, false];
  let reads: Reads | undefined;
  const errors: unknown[] = [];
  const volume = new IndexVolume({
    pages: {
      read: async () => {
        if (!isReadable) throw new Error('no connection to the volume');
      },
    },
    ledger: {
      useIndexVolume: (given) => {
        reads = given;
        offers += 1;
      },
    },
    nowMs: () => nowMs,
    onError: (error) => void errors.push(error),
  });
  const read = (): Promise<boolean> =>
    new Promise((resolve) => reads!({ pages: NAMES, arrived: () => true }, resolve));
  expect(offers).toBe(1);
  for (let round = 2; round < 5; round += 1) {
    expect(await read()).toBe(false);
    nowMs += 29_999;
    volume.tick();
    expect(offers).toBe(round - 1);
    nowMs += 1;
    volume.tick();
    volume.tick();
    expect(offers).toBe(round);
  }
  isReadable = true;
  expect(await read()).toBe(true);
  nowMs += 60_000;
  volume.tick();
  expect(offers).toBe(4);
  expect(errors).toHaveLength(3);
});
