import { expect, test } from '@jest/globals';
import { lagWords, nextStep, rotationOf } from './words.ts';

test.each<[number, string]>([
  [0, 'nothing waits'],
  [0.2, 'under 1 s'],
  [59.6, '1 min 0 s'],
  [90_061, '25 h 1 min'],
])('a lag of %p seconds is told as “%s”', (lag, words) => {
  expect(lagWords({ lagSeconds: lag, lagUnknown: null })).toBe(words);
});

test('an unknown number of waiting events comes with the reason', () => {
  expect(lagWords({ lagSeconds: null, lagUnknown: 'PAUSED' })).toBe('not known while it is paused');
  expect(lagWords({ lagSeconds: null, lagUnknown: null })).toBe('not known');
});

test('a running stream can be paused, also while it tries again; a stopped one can be resumed', () => {
  expect((['RUNNING', 'RETRYING', 'PAUSED', 'FAILED'] as const).map(nextStep)).toEqual([
    { verb: 'Pause', state: 'PAUSED' },
    { verb: 'Pause', state: 'PAUSED' },
    { verb: 'Resume', state: 'RUNNING' },
    { verb: 'Resume', state: 'RUNNING' },
  ]);
});

test('a secret that cannot be read has no grace: with it the stream could not go on', () => {
  const lastError = { code: 'secret_unreadable', message: 'm', at: '2026-11-22T14:00:00Z' };
  const failingSince = '2026-11-22T14:00:00Z';
  expect(rotationOf({ failingSince, lastError }).body).toEqual({ gracePeriodSeconds: 0 });
  expect(rotationOf({ failingSince: null, lastError }).body).toEqual({});
  const other = { ...lastError, code: 'TIMEOUT' };
  expect(rotationOf({ failingSince, lastError: other }).body).toEqual({});
  expect(rotationOf({ failingSince: null, lastError: null }).about).toContain('both secrets');
});
