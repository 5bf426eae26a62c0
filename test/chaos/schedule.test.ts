import { expect, test } from '@jest/globals';
import { faultsOf, targetsOf, told, type Fault } from './schedule.ts';

function first(count: number, seed: number): Fault[] {
  const faults: Fault[] = [];
  for (const fault of faultsOf(seed, { long: true })) {
    faults.push(fault);
    if (faults.length === count) break;
  }
  return faults;
}

test('a seed gives the same faults each time, and another one others', () => {
  expect(first(100, 3)).toEqual(first(100, 3));
  expect(first(100, 3)).not.toEqual(first(100, 4));
});

test('every kind of fault comes before any comes again', () => {
  const kinds = new Set(first(46, 5).flatMap(({ plays }) => plays.map(({ kind }) => kind)));
  expect([...kinds].sort()).toEqual([
    'clock',
    'congestion',
    'cut',
    'fall-behind',
    'full-disk',
    'island',
    'kill',
    'lopsided-disks',
    'lose-file',
    'lose-volume',
    'loss',
    'move-leader',
    'narrow',
    'no-space',
    'pause',
    'replay',
    'slow-disk',
    'slow-readers',
    'stop',
  ]);
});

test('a minority leaves enough replicas, a majority does not, and both have the leader', () => {
  const of = (who: 'minority' | 'majority' | 'follower' | 'all', size: number) =>
    targetsOf(who, { size, leader: 1, pick: 0.5 });
  expect(of('minority', 3)).toEqual([1]);
  expect(of('minority', 6)).toHaveLength(2);
  expect(of('majority', 6)).toHaveLength(3);
  expect(of('majority', 6)).toContain(1);
  expect(of('all', 6).toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5]);
  for (const pick of [0, 0.4, 0.99])
    expect(targetsOf('follower', { size: 3, leader: 1, pick })).not.toContain(1);
});

test('a fault is told in one line', () => {
  const plays = [{ kind: 'clock', hours: -1, who: 'leader' }] as const;
  expect(told({ plays, holdMs: 1234, calmMs: 0, picks: [0] })).toBe('clock -1 h leader for 1.2 s');
});
