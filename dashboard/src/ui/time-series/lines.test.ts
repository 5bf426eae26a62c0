import { expect, test } from '@jest/globals';
import { gapsOf, pathOf, runsOf } from './lines.ts';

test('a line breaks at a gap, and a value between two gaps is a dot', () => {
  expect(pathOf([0, 5, null, 10, null], 10)).toBe('M100 1000L300 500M700 0h0');
  expect(pathOf([null, null], 10)).toBe('');
});

test('a value above the top is at the top', () => {
  expect(pathOf([20, 5], 10)).toBe('M250 0L750 500');
});

test('a gap is where no line has a value', () => {
  const lines = [{ values: [1, null, null, null] }, { values: [null, null, 3, null] }];
  expect(gapsOf(lines, 4)).toEqual([
    { begin: 1, end: 2, value: true },
    { begin: 3, end: 4, value: true },
  ]);
  expect(gapsOf([], 2)).toEqual([{ begin: 0, end: 2, value: true }]);
});

test('runs hold every step once', () => {
  expect(runsOf(['up', 'up', 'down'])).toEqual([
    { begin: 0, end: 2, value: 'up' },
    { begin: 2, end: 3, value: 'down' },
  ]);
});
