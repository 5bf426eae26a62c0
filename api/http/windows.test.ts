import { expect, test } from '@jest/globals';
import { Windows } from './windows.ts';

function windows(points: number, seconds: number) {
  let nowMs = 5_000;
  const made = new Windows(points, seconds, { nowMs: () => nowMs });
  return { made, pass: (ms: number) => (nowMs += ms) };
}

test('a name takes its points, then no more until its window is over', () => {
  const { made, pass } = windows(2, 1);
  expect(made.take('a')).toEqual({ within: true, remaining: 1, msLeft: 1_000 });
  pass(400);
  expect(made.take('a')).toEqual({ within: true, remaining: 0, msLeft: 600 });
  expect(made.take('a')).toEqual({ within: false, remaining: 0, msLeft: 600 });
  pass(600);
  expect(made.take('a')).toEqual({ within: true, remaining: 1, msLeft: 1_000 });
});

test('no name takes the points of another', () => {
  const { made } = windows(1, 1);
  made.take('a');
  expect(made.take('b').within).toBe(true);
});

test('a request for more points than the limit is never within it', () => {
  const { made, pass } = windows(10, 1);
  expect(made.take('a', 11).within).toBe(false);
  pass(1_000);
  expect(made.take('a', 11).within).toBe(false);
  pass(1_000);
  expect(made.take('a', 10).within).toBe(true);
});

test('a look takes nothing, and tells when there are points again', () => {
  const { made, pass } = windows(1, 60);
  expect(made.usedUpMs('a')).toBeUndefined();
  made.take('a');
  expect(made.usedUpMs('a')).toBe(60_000);
  pass(59_000);
  expect(made.usedUpMs('a')).toBe(1_000);
  pass(1_000);
  expect(made.usedUpMs('a')).toBeUndefined();
});

test('names whose windows are over take no memory', () => {
  const { made, pass } = windows(1, 1);
  for (let index = 0; index < 1_000; index += 1) made.take(`name ${index}`);
  pass(1_001);
  made.take('another');
  expect(made.size).toBe(1);
});
