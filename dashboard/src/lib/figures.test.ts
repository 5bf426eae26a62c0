import { expect, test } from '@jest/globals';
import { mostOf, sumOf, shownFigure, shownShare, type Unit } from './figures.ts';

test.each<[number | null, Unit, string]>([
  [null, 'bytes', '–'],
  [0, 'bytes', '0\u00a0B'],
  [1_023, 'bytes', '1,023\u00a0B'],
  [1_024, 'bytes', '1\u00a0KiB'],
  [1_610_612_736, 'bytes', '1.5\u00a0GiB'],
  [2 ** 60, 'bytes', '1,024\u00a0PiB'],
  [0, 'per_second', '0/s'],
  [0.0625, 'per_second', '0.06/s'],
  [90_412.5, 'per_second', '90,413/s'],
  [0, 'seconds', '0\u00a0ms'],
  [0.000_45, 'seconds', '450\u00a0µs'],
  [0.0091, 'seconds', '9.1\u00a0ms'],
  [2.5, 'seconds', '2.5\u00a0s'],
  [1, 'boolean', 'yes'],
  [0, 'boolean', 'no'],
  [0.423, 'cores', '0.42'],
])('the figure %p of unit %s is shown as %s', (value, unit, shown) => {
  expect(shownFigure(value, unit)).toBe(shown);
});

test('a share is told only of a known limit', () => {
  expect(shownShare(512, 2_048)).toBe('25\u00a0%');
  expect(shownShare(null, 2_048)).toBe('–');
  expect(shownShare(512, 0)).toBe('–');
});

test('a sum is of what is known', () => {
  expect(sumOf([null, 2, 3])).toBe(5);
  expect(sumOf([null])).toBeNull();
  expect(sumOf([])).toBeNull();
});

test('the greatest figure is one that is known', () => {
  expect(mostOf([null, -3, null, -5])).toBe(-3);
  expect(mostOf([null, null])).toBeNull();
});
