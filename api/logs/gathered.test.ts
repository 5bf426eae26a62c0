import { expect, test } from '@jest/globals';
import { settle, VirtualTimers } from '../../test/support/operator/virtual-timers.ts';
import { Gathered } from './gathered.ts';

function gathered(run: (items: readonly number[]) => Promise<readonly string[]>) {
  const timers = new VirtualTimers();
  const options = { gatherMs: 100, weightMax: 10, weightOf: (item: number) => item, run, timers };
  return { timers, gathering: new Gathered(options) };
}

test('requests that come together are done together, up to a weight, and each gets its own result', async () => {
  const pieces: (readonly number[])[] = [];
  const { timers, gathering } = gathered((items) => {
    pieces.push(items);
    return Promise.resolve(items.map(String));
  });
  const results = Promise.all([4, 5, 3, 30, 1].map((item) => gathering.add(item)));
  await timers.advance(1_000);
  expect(await results).toEqual(['4', '5', '3', '30', '1']);
  expect(pieces).toEqual([[4, 5], [3], [30], [1]]);
});

test('a failure is that of its piece alone, and the next piece waits for its end', async () => {
  let fail = (_error: Error) => {};
  let pieces = 0;
  const { timers, gathering } = gathered(() => {
    pieces += 1;
    if (pieces > 1) return Promise.resolve(['done']);
    return new Promise((_, reject) => (fail = reject));
  });
  const first = gathering.add(1);
  first.catch(() => {});
  await timers.advance(100);
  const second = gathering.add(2);
  await timers.advance(1_000);
  expect(pieces).toBe(1);
  fail(new Error('away'));
  await settle();
  await expect(first).rejects.toThrow('away');
  await timers.advance(100);
  expect(await second).toBe('done');
});
