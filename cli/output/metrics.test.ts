import { expect, test } from '@jest/globals';
import { currentExample } from '../../api/contract/schemas/metrics.ts';
import { currentText, shownFigure, sparkline } from './metrics.ts';

test('figures are shown in the unit that people read', () => {
  expect(shownFigure(1.5 * 2 ** 30, 'bytes')).toBe('1.5 GiB');
  expect(shownFigure(0, 'bytes')).toBe('0 B');
  expect(shownFigure(0.0123, 'seconds')).toBe('12.3 ms');
  expect(shownFigure(2, 'seconds')).toBe('2.00 s');
  expect(shownFigure(12_345.6, 'per_second')).toBe('12,346/s');
  expect(shownFigure(null, 'count')).toBe('-');
});

test('a gap in a line is a blank, not a low bar', () => {
  expect(sparkline([1, null, 8])).toBe('▁ █');
  expect(sparkline([5, 5])).toBe('▁▁');
  expect(sparkline(Array.from({ length: 300 }, (_, index) => index))).toHaveLength(60);
});

test('a database that is not heard of has no forecast of its end', () => {
  const text = currentText({
    ...currentExample,
    usage: null,
    forecast: { memory: null, storage: null },
  });
  expect(text).toMatch(/^storage full +-$/m);
  expect(text).toContain('Nothing was heard');
});
