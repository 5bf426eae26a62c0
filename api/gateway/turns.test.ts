import { expect, test } from '@jest/globals';
import { Turns } from './turns.ts';

/** A queue whose clock the work itself moves, and whose network is looked at when the test says so. */
function newTurns() {
  let nowMs = 0;
  const passes: (() => void)[] = [];
  const turns = new Turns({
    nowMs: () => nowMs,
    afterNetwork: (callback) => void passes.push(callback),
  });
  const done: string[] = [];
  return {
    turns,
    done,
    work: (owner: string, name: string, ms: number) =>
      turns.run(owner, () => {
        nowMs += ms;
        done.push(name);
      }),
    /** Ends a pass. Returns false if none was begun. */
    pass: () => {
      const next = passes.shift();
      next?.();
      return next !== undefined;
    },
  };
}

test('work is done at once while there is time, and in passes after that', () => {
  const { work, done, pass, turns } = newTurns();
  for (const name of ['1', '2', '3', '4', '5', '6']) void work('a', name, 2);
  expect(done).toEqual(['1', '2']);
  expect(turns.waiting).toBe(4);
  pass();
  expect(done).toEqual(['1', '2', '3', '4']);
  pass();
  expect(done).toEqual(['1', '2', '3', '4', '5', '6']);
  expect(turns.waiting).toBe(0);
});

test('one request of an organization waits for one of another, not for all of its hundred', () => {
  const { work, done, pass } = newTurns();
  for (let number = 0; number < 100; number += 1) void work('loud', `loud-${number}`, 10);
  void work('quiet', 'quiet', 1);
  pass();
  expect(done).toEqual(['loud-0', 'quiet', 'loud-1']);
});

test('organizations get the same time, whatever the size of their requests', () => {
  const { work, done, pass } = newTurns();
  for (let number = 0; number < 40; number += 1) {
    void work('large', 'large', 20);
    for (let small = 0; small < 10; small += 1) void work('small', 'small', 2);
  }
  while (done.length < 110) pass();
  const count = (name: string) => done.filter((one) => one === name).length;
  expect(count('small') / count('large')).toBeCloseTo(10, 0);
});

test('an organization that was quiet for long has saved nothing up', () => {
  const { work, done, pass } = newTurns();
  for (let number = 0; number < 60; number += 1) void work('steady', 'steady', 5);
  while (done.length < 20) pass();
  for (let number = 0; number < 20; number += 1) void work('newcomer', 'newcomer', 5);
  done.length = 0;
  while (done.length < 20) pass();
  expect(done.filter((name) => name === 'newcomer').length).toBeGreaterThanOrEqual(9);
  expect(done.filter((name) => name === 'newcomer').length).toBeLessThanOrEqual(11);
});

test('work that throws rejects for its caller alone', async () => {
  const { turns, work, done, pass } = newTurns();
  void work('a', 'long', 10);
  const failing = turns.run('a', () => {
    throw new Error('not this one');
  });
  const next = work('a', 'next', 1);
  while (pass());
  await expect(failing).rejects.toThrow('not this one');
  await next;
  expect(done).toEqual(['long', 'next']);
});

test('a queue at rest asks for no more passes and knows nobody', async () => {
  const { work, pass } = newTurns();
  await work('a', '1', 10);
  let passes = 0;
  while (pass()) passes += 1;
  expect(passes).toBeLessThan(4);
});
