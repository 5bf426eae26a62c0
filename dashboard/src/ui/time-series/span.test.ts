import { expect, test } from '@jest/globals';
import { marksNear } from './span.ts';

test('a mark is pointed at within a hundredth of the span', () => {
  const axis = { fromMs: Date.UTC(2026, 10, 22), stepMs: 300_000, count: 288 };
  const marks = [{ at: '2026-11-22T12:00:00.000Z', text: 'Replica 0 was started again.' }];
  const at = (minutes: number) => Date.UTC(2026, 10, 22, 12, minutes);
  expect(marksNear(marks, axis, at(14))).toEqual(marks);
  expect(marksNear(marks, axis, at(-14))).toEqual(marks);
  expect(marksNear(marks, axis, at(15))).toEqual([]);
});
