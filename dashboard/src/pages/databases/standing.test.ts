import { expect, test } from '@jest/globals';
import { standingOf } from './standing.ts';

test('a database that is READY but not healthy is never shown as good', () => {
  for (const health of ['DEGRADED', 'UNAVAILABLE', 'UNKNOWN'] as const) {
    expect(standingOf({ status: 'READY', health }).tone).not.toBe('good');
  }
  expect(standingOf({ status: 'READY', health: 'HEALTHY' })).toEqual({
    word: 'Healthy',
    tone: 'good',
  });
});

test('a status that this version does not know is shown as it is', () => {
  expect(standingOf({ status: 'HIBERNATED' as 'READY', health: 'UNKNOWN' }).word).toBe(
    'HIBERNATED',
  );
});
