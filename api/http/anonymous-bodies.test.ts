import { expect, test } from '@jest/globals';
import type { Timers } from '../../base/timers.ts';
import { Refusal } from '../model/refusal.ts';
import { AnonymousBodies } from './anonymous-bodies.ts';

/** Timers of which the test makes one due. */
function timersByHand() {
  const due = new Set<() => void>();
  const timers: Timers = {
    nowMs: () => 0,
    wallMs: () => 0,
    after: (_ms, callback) => {
      due.add(callback);
      return () => due.delete(callback);
    },
  };
  return { timers, due };
}

const limits = { atOnce: 4, ofNetwork: 2, timeoutMs: 10_000 };

test('a network has so many at once, and one more when one is released', () => {
  const bodies = new AnonymousBodies(limits, timersByHand().timers);
  const first = bodies.take('192.0.2.1');
  bodies.take('192.0.2.1');
  expect(() => bodies.take('192.0.2.1')).toThrow(Refusal);
  first.release();
  first.release();
  expect(bodies.take('192.0.2.1').signal.aborted).toBe(false);
  expect(() => bodies.take('192.0.2.1')).toThrow(Refusal);
});

test('networks that hold all places keep nobody else out', () => {
  const bodies = new AnonymousBodies(limits, timersByHand().timers);
  const held = ['192.0.2.1', '192.0.2.2', '192.0.2.1', '192.0.2.2'].map((ip) => bodies.take(ip));
  const other = bodies.take('192.0.2.3');
  expect(other.signal.aborted).toBe(false);
  // The oldest of those with the most.
  expect(held.map(({ signal }) => signal.aborted)).toEqual([true, false, false, false]);
  expect(held[0]?.signal.reason).toMatchObject({ code: 'rate_limited' });
  // The next one ends none of the networks with one place.
  bodies.take('192.0.2.4');
  expect(held.map(({ signal }) => signal.aborted)).toEqual([true, true, false, false]);
  expect(other.signal.aborted).toBe(false);
});

test('a slow body ends, and leaves neither its place nor a timer', () => {
  const { timers, due } = timersByHand();
  const bodies = new AnonymousBodies({ ...limits, ofNetwork: 1 }, timers);
  const { signal } = bodies.take('192.0.2.1');
  for (const expire of due) expire();
  expect(signal.reason).toMatchObject({ code: 'invalid_parameter' });
  bodies.take('192.0.2.1').release();
  expect(due.size).toBe(0);
});
