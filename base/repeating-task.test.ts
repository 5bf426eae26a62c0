import { expect, test } from '@jest/globals';
import { VirtualTimers } from '../test/support/operator/virtual-timers.ts';
import { RepeatingTask } from './repeating-task.ts';

const everyMs = 1_000;

test('runs at once and again after each pause, also after a failure', async () => {
  const timers = new VirtualTimers();
  const failures: unknown[] = [];
  let runs = 0;
  const task = new RepeatingTask({
    everyMs,
    timers,
    run: async () => {
      runs += 1;
      if (runs === 2) throw new Error('the second run fails');
    },
    onFailure: (error) => failures.push(error),
  });
  task.start();
  task.start();
  await timers.advance(0);
  expect(runs).toBe(1);
  await timers.advance(everyMs);
  await timers.advance(everyMs);
  expect(runs).toBe(3);
  expect(failures).toEqual([new Error('the second run fails')]);
  await task.stop();
  await timers.advance(10 * everyMs);
  expect(runs).toBe(3);
});

test('stopped during a run, it waits for that run and starts no other', async () => {
  const timers = new VirtualTimers();
  let seen: AbortSignal | undefined;
  let end = (): void => {};
  const task = new RepeatingTask({
    everyMs,
    timers,
    run: (signal) => {
      seen = signal;
      return new Promise<void>((resolve) => {
        end = resolve;
      });
    },
    onFailure: () => {},
  });
  task.start();
  let stopped = false;
  const stopping = task.stop().then(() => {
    stopped = true;
  });
  await timers.advance(everyMs);
  expect([seen?.aborted, stopped]).toEqual([true, false]);
  end();
  await stopping;
});

test('a task that was never started stops at once', async () => {
  const run = () => Promise.reject(new Error('it must not run'));
  const task = new RepeatingTask({ everyMs, run, onFailure: () => {} });
  await expect(task.stop()).resolves.toBeUndefined();
});
