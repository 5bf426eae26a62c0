import { expect, test } from '@jest/globals';
import { failurePlaces } from '../model/metric-figures.ts';
import { eventFailures } from './event-failures.ts';

test('every failure of an event has a place of its own in a row', () => {
  const places = eventFailures.map(({ place }) => place);
  expect(new Set(places).size).toBe(places.length);
  expect(Math.min(...places)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...places)).toBe(failurePlaces - 1);
});
