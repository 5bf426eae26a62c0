import { expect, test } from '@jest/globals';
import { RefusalPace } from './refusal-pace.ts';

/** Time that stands still: the waits are noted and end at once. */
function stoppedClock() {
  const waited: number[] = [];
  let nowMs = 0;
  const timers = {
    nowMs: () => nowMs,
    wallMs: () => nowMs,
    after: (ms: number, callback: () => void) => {
      waited.push(ms);
      queueMicrotask(callback);
      return () => {};
    },
  };
  return { timers, waited, pass: (ms: number) => void (nowMs += ms) };
}

test('refusals come as often as the limit lets requests pass, and none waits for more than a second', async () => {
  const { timers, waited } = stoppedClock();
  const pace = new RefusalPace(timers);
  await Promise.all(Array.from({ length: 300 }, () => pace.wait('a', 200)));
  expect(waited.slice(0, 3)).toEqual([5, 10, 15]);
  expect(waited.at(-1)).toBe(1_000);
  expect(waited).toHaveLength(299);
});

test('one after the other they are slowed down, too, and another caller is not', async () => {
  const { timers, waited, pass } = stoppedClock();
  const pace = new RefusalPace(timers);
  await pace.wait('a', 200);
  pass(1);
  await pace.wait('a', 200);
  await pace.wait('b', 200);
  expect(waited).toEqual([4]);
  pass(100);
  await pace.wait('a', 200);
  expect(waited).toEqual([4]);
});

test('a low limit lets a hundred refusals a second be answered', async () => {
  const { timers, waited } = stoppedClock();
  const pace = new RefusalPace(timers);
  await Promise.all([pace.wait('a', 1), pace.wait('a', 1)]);
  expect(waited).toEqual([10]);
});
