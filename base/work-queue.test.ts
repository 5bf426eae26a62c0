import { expect, test } from '@jest/globals';
import { settle, VirtualTimers } from '../test/support/operator/virtual-timers.ts';
import { WorkQueue } from './work-queue.ts';

/** Work that goes on until the test ends it. */
function manual(options: { concurrency?: number } = {}) {
  const timers = new VirtualTimers();
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const queue = new WorkQueue({
    work: (key) =>
      new Promise((resolve) => {
        started.push(key);
        ends.set(key, resolve);
      }),
    timers,
    random: () => 1,
    ...options,
  });
  const end = async (key: string) => {
    ends.get(key)?.();
    await settle();
  };
  return { timers, started, queue, end };
}

test('a key runs once however often it is added before it starts', async () => {
  const { queue, started, end } = manual({ concurrency: 1 });
  queue.add('first');
  for (let times = 0; times < 5; times += 1) queue.add('second');
  await settle();
  expect(started).toEqual(['first']);
  expect(queue.depth).toBe(1);
  await end('first');
  await end('second');
  expect(started).toEqual(['first', 'second']);
});

test('a key has one worker; asked for meanwhile it runs once more afterwards', async () => {
  const { queue, started, end } = manual();
  queue.add('a');
  await settle();
  for (let times = 0; times < 5; times += 1) queue.add('a');
  await settle();
  expect(started).toEqual(['a']);
  await end('a');
  expect(started).toEqual(['a', 'a']);
  await end('a');
  expect(started).toEqual(['a', 'a']);
  expect([queue.depth, queue.inFlight]).toEqual([0, 0]);
});

test('no more keys are in flight than there are workers, and the others keep their order', async () => {
  const { queue, started, end } = manual({ concurrency: 2 });
  for (const key of ['a', 'b', 'c', 'd']) queue.add(key);
  await settle();
  expect(started).toEqual(['a', 'b']);
  await end('b');
  expect(started).toEqual(['a', 'b', 'c']);
});

test('the soonest of several planned visits counts, and a run cancels them', async () => {
  const { queue, started, end, timers } = manual();
  queue.addAfter('a', 500);
  queue.addAfter('a', 100);
  queue.addAfter('a', 300);
  await timers.advance(99);
  expect(started).toEqual([]);
  await timers.advance(1);
  expect(started).toEqual(['a']);
  await end('a');
  await timers.advance(1_000);
  expect(started).toEqual(['a']);
  queue.addAfter('a', 500);
  queue.add('a');
  await settle();
  await end('a');
  await timers.advance(1_000);
  expect(started).toEqual(['a', 'a']);
});

test('a visit planned by the run itself stays', async () => {
  const { queue, started, end, timers } = manual();
  queue.add('a');
  await settle();
  queue.addAfter('a', 100);
  await end('a');
  await timers.advance(100);
  expect(started).toEqual(['a', 'a']);
});

test('retries wait 5 ms, then twice as long each time, up to a minute, until forgotten', async () => {
  const timers = new VirtualTimers();
  const at: number[] = [];
  const queue = new WorkQueue({
    work: (key) => {
      at.push(timers.nowMs());
      queue.retry(key);
      return Promise.resolve();
    },
    timers,
    random: () => 1,
  });
  queue.add('a');
  await timers.advance(300_000);
  const waits = at.slice(1).map((time, index) => time - (at[index] ?? 0));
  expect(waits.slice(0, 5)).toEqual([5, 10, 20, 40, 80]);
  expect(waits.at(-1)).toBe(60_000);
  expect(queue.retries).toBe(at.length);
  const runs = at.length;
  queue.forget('a');
  queue.add('a');
  await timers.advance(5);
  expect(at.length).toBe(runs + 2);
});

test('age and depth tell how long keys have been due', async () => {
  const { queue, end, timers } = manual({ concurrency: 1 });
  expect(queue.oldestAgeMs).toBe(0);
  queue.add('a');
  await timers.advance(1_000);
  queue.add('b');
  queue.add('a');
  await timers.advance(500);
  expect([queue.depth, queue.oldestAgeMs, queue.longestRunMs]).toEqual([2, 500, 1_500]);
  await end('a');
  await end('b');
  await end('a');
  expect([queue.depth, queue.oldestAgeMs, queue.longestRunMs]).toEqual([0, 0, 0]);
});

test('stopping starts nothing more and waits for running work, but not for ever', async () => {
  const { queue, started, end, timers } = manual({ concurrency: 1 });
  queue.add('a');
  queue.add('b');
  queue.addAfter('c', 10);
  await settle();
  const late = queue.stop(1_000);
  await timers.advance(1_000);
  expect(await late).toBe(false);
  const inTime = queue.stop(1_000);
  await end('a');
  expect(await inTime).toBe(true);
  queue.add('d');
  queue.retry('d');
  await timers.advance(100_000);
  expect(started).toEqual(['a']);
  expect(timers.pending).toBe(0);
});
