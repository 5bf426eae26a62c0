import { expect, test } from '@jest/globals';
import { recentMap } from './recent-map.ts';

test('values are forgotten after their time, and the least recently used when there are too many', () => {
  let nowMs = 1_000;
  const map = recentMap<number>(2, 100, () => nowMs);
  map.set('a', 1);
  nowMs += 99;
  expect(map.get('a')).toBe(1);
  nowMs += 2;
  expect(map.get('a')).toBeUndefined();
  map.set('a', 1);
  map.set('b', 2);
  map.set('a', 3);
  map.set('c', 4);
  expect([map.get('a'), map.get('b'), map.get('c')]).toEqual([3, undefined, 4]);
});
