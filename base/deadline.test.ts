import { expect, test } from '@jest/globals';
import { VirtualTimers } from '../test/support/operator/virtual-timers.ts';
import { DeadlineExceeded, startDeadline } from './deadline.ts';

test('aborts when the time is over, later when it was extended, never once disarmed', async () => {
  const timers = new VirtualTimers();
  const [plain, extended, disarmed] = [1, 2, 3].map(() => startDeadline(timers, 1_000));
  disarmed?.disarm();
  await timers.advance(900);
  extended?.extend();
  await timers.advance(500);
  expect(plain?.signal.reason).toBeInstanceOf(DeadlineExceeded);
  expect(extended?.signal.aborted).toBe(false);
  await timers.advance(10_000);
  expect(extended?.signal.reason).toBeInstanceOf(DeadlineExceeded);
  expect(disarmed?.signal.aborted).toBe(false);
});

test('follows any parent, also one that has aborted already, and leaves nothing behind', async () => {
  const timers = new VirtualTimers();
  const parent = new AbortController();
  const deadline = startDeadline(timers, 1_000, undefined, parent.signal);
  const why = new Error('enough');
  parent.abort(why);
  expect(deadline.signal.reason).toBe(why);
  expect(startDeadline(timers, 1_000, parent.signal).signal.reason).toBe(why);
  deadline.clear();
});

test('cleared, it holds no timer', () => {
  const timers = new VirtualTimers();
  const deadline = startDeadline(timers, 1_000);
  deadline.clear();
  expect(timers.pending).toBe(0);
  expect(deadline.signal.reason).not.toBeInstanceOf(DeadlineExceeded);
});
