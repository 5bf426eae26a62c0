import { expect, test } from '@jest/globals';
import { ClusterClock } from './cluster-clock.ts';

const HOUR = 3_600_000;

/** The cluster clock of one replica. The test sets the replica's own clock and the heartbeats. */
function newClock(replicaCount = 3) {
  const time = { nowMs: 50_000, aheadMs: 0 };
  const heard = new Map<number, { heardAtMs: number; wallMs: number }>();
  const epochMs = 1_700_000_000_000;
  const clock = new ClusterClock({
    replicaCount,
    timers: {
      nowMs: () => time.nowMs,
      wallMs: () => epochMs + time.nowMs + time.aheadMs,
      after: () => () => undefined,
    },
    peers: () => [...heard.values()],
  });
  return {
    time,
    clock,
    /** Adds a heartbeat of a replica whose clock is ahead of the true time by `aheadMs`. */
    hear: (replica: number, aheadMs: number) =>
      void heard.set(replica, { heardAtMs: time.nowMs, wallMs: epochMs + time.nowMs + aheadMs }),
    /** Returns how far the agreed time is ahead of the true time, in ms. */
    ahead: (): number | undefined => {
      const now = clock.nowNs();
      return now === undefined ? undefined : Number(now / 1_000_000n) - epochMs - time.nowMs;
    },
  };
}

test.each([
  ['both others are near', 0, [20, -300], 0],
  ['one of two is an hour ahead', 0, [20, HOUR], 20],
  ['one of two is an hour behind', 0, [20, -HOUR], 0],
  ['only one is heard, and is near', 0, [-400], -400],
  ['only one is heard, and is far', 0, [HOUR], undefined],
  ['its own is an hour ahead', HOUR, [0, 5], undefined],
  ['its own is an hour behind', -HOUR, [0, 5], undefined],
  ['its own is five seconds ahead', 5000, [0, 5], 5],
  ['all three are apart', 0, [HOUR, -HOUR], undefined],
  ['nobody is heard', 0, [], undefined],
] as const)(
  'the time of one of three replicas when %s is what a majority has reached, or none',
  (_when, aheadMs, others, expected) => {
    const { time, clock, hear, ahead } = newClock();
    time.aheadMs = aheadMs;
    clock.standing();
    time.nowMs += 10_000;
    for (const [i, other] of others.entries()) hear(i + 1, other);
    expect(ahead()).toBe(expected);
    expect(clock.standing().agrees).toBe(expected !== undefined);
  },
);

test('four of six clocks make the time, and three are too few', () => {
  const { hear, ahead } = newClock(6);
  hear(1, 100);
  hear(2, 200);
  expect(ahead()).toBeUndefined();
  hear(3, -50);
  expect(ahead()).toBe(-50);
  hear(4, 300);
  hear(5, HOUR);
  expect(ahead()).toBe(100);
});

test('a clock that was heard too long ago counts for nothing', () => {
  const { time, clock, hear, ahead } = newClock();
  hear(1, 0);
  expect(ahead()).toBe(0);
  time.nowMs += 2000;
  expect(ahead()).toBe(0);
  time.nowMs += 2000;
  expect(ahead()).toBeUndefined();
  expect(clock.standing()).toEqual({ agrees: false, offsetMs: undefined });
});

test('a clock that jumps is not trusted for a while, however little it jumps, and moves the time never', () => {
  const { time, hear, ahead, clock } = newClock();
  const beat = (): void => {
    hear(1, 0);
    hear(2, 0);
  };
  beat();
  expect(ahead()).toBe(0);
  time.aheadMs = 5000;
  time.nowMs += 10;
  expect(ahead()).toBeUndefined();
  expect(clock.standing().offsetMs).toBe(5000);
  time.nowMs += 2900;
  beat();
  expect(ahead()).toBeUndefined();
  time.nowMs += 200;
  beat();
  expect(ahead()).toBe(0);
});

test('the only replica of a cluster follows its own clock', () => {
  const { ahead } = newClock(1);
  expect(ahead()).toBe(0);
});
