import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { sameStatus, setConditions, type NextCondition } from './conditions.ts';

const ready: NextCondition = { type: 'Ready', status: 'True', reason: 'AllWell', message: 'fine' };
const at = (nowMs: number, observedGeneration = 1) => ({ nowMs, observedGeneration });

test('the time of the last transition moves with the status alone', () => {
  const first = setConditions([], [ready], at(0));
  expect(first[0]?.lastTransitionTime).toBe('1970-01-01T00:00:00Z');
  const reworded = setConditions(
    first,
    [{ ...ready, reason: 'Other', message: 'x' }],
    at(5_000, 2),
  );
  expect(reworded[0]).toMatchObject({
    reason: 'Other',
    message: 'x',
    observedGeneration: 2,
    lastTransitionTime: '1970-01-01T00:00:00Z',
  });
  const turned = setConditions(reworded, [{ ...ready, status: 'False' }], at(5_999));
  expect(turned[0]?.lastTransitionTime).toBe('1970-01-01T00:00:05Z');
});

test('the set and its order are the new one', () => {
  const stalled: NextCondition = { ...ready, type: 'Stalled', status: 'False' };
  const before = setConditions([], [ready, stalled], at(0));
  expect(setConditions(before, [stalled], at(1)).map((row) => row.type)).toEqual(['Stalled']);
  const swapped = setConditions(before, [stalled, ready], at(1));
  expect(swapped.map((row) => row.type)).toEqual(['Stalled', 'Ready']);
});

test('while nothing happens, time passing changes nothing', () => {
  const before = setConditions([], [ready], at(0));
  expect(sameStatus(before, setConditions(before, [ready], at(1e9)))).toBe(true);
});

test('a status is the same as itself after a journey through JSON, and differs from any other', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
      const [left, right] = [JSON.stringify(a), JSON.stringify(b)];
      expect(sameStatus(a, JSON.parse(left))).toBe(true);
      if (sameStatus(a, b)) expect(sorted(left)).toEqual(sorted(right));
      else expect(left).not.toBe(right);
    }),
  );
  expect(sameStatus({ a: 1, b: undefined }, { a: 1 })).toBe(true);
  expect(sameStatus({ a: 1, b: null }, { a: 1 })).toBe(false);
  expect(sameStatus({ a: 1, b: 2 }, { b: 2, a: 1 })).toBe(true);
  expect(sameStatus([1, 2], [2, 1])).toBe(false);
  expect(sameStatus([], {})).toBe(false);
  expect(sameStatus({ a: [] }, {})).toBe(false);
});

/** The characters of a JSON text, sorted, so that the order of keys does not matter. */
const sorted = (json: string) => json.split('').sort();
