import { expect, test } from '@jest/globals';
import {
  processorWords,
  forecastTone,
  forecastWords,
  replicaWords,
  stepWords,
  usedWords,
} from './words.ts';

const MiB = 2 ** 20;

test.each([
  [41.9, 'Full in 41 days, at 471\u00a0MiB more a day.', undefined],
  [400, 'Full in more than a year, at 471\u00a0MiB more a day.', undefined],
  [8, 'Full in 8 days, at 471\u00a0MiB more a day.', 'warn'],
  [1.5, 'Full in 1 day, at 471\u00a0MiB more a day.', 'bad'],
  [0.5, 'Full in less than a day, at 471\u00a0MiB more a day.', 'bad'],
])('a forecast of %p days never promises more time than there is', (fullInDays, words, tone) => {
  const forecast = { fullInDays, perDayBytes: 471 * MiB };
  expect(forecastWords(forecast)).toBe(words);
  expect(forecastTone(forecast)).toBe(tone);
});

test('without a forecast nothing is promised', () => {
  expect(forecastWords(null)).toBe(
    'No growth is seen, or there are figures of less than six hours.',
  );
});

const node = (index: number, more: object = {}) => ({
  index,
  up: true,
  leader: false,
  zone: null,
  commitLagOps: 0,
  connections: 1,
  cpuCores: 0.1,
  memory: { usedBytes: 1, limitBytes: 2 },
  storage: { usedBytes: 1, limitBytes: 2 },
  ...more,
});
const usage = (...nodes: readonly ReturnType<typeof node>[]) => ({
  at: '2026-11-22T00:00:00.000Z',
  cpuCores: 1,
  cpuPromisedCores: 2,
  memory: { usedBytes: 1, limitBytes: 2 },
  storage: { usedBytes: 1, limitBytes: 2 },
  nodes,
});

test('processors are told with those that are promised, if they are known', () => {
  expect(processorWords(usage())).toBe('That all replicas use together; 2 are promised.');
  expect(processorWords(null)).toBe('That all replicas use together.');
});

test('silent replicas, the leader and the lag are told', () => {
  expect(replicaWords(usage(node(0, { leader: true }), node(1), node(2)))).toEqual({
    value: '3 of 3 answer',
    about: 'Replica 0 leads.',
  });
  const silent = node(0, { up: false, leader: null, commitLagOps: null });
  expect(replicaWords(usage(silent, node(1, { commitLagOps: 1_200 })))).toEqual({
    value: '1 of 2 answer',
    about: 'None leads, one is 1,200 operations behind.',
  });
});

test('use is told with its limit, or not at all', () => {
  expect(usedWords(MiB, 2 * MiB)).toBe('1\u00a0MiB of 2\u00a0MiB.');
  expect(usedWords(null, 2 * MiB)).toBe('Not known.');
});

test.each([
  [15, '15 seconds'],
  [60, '1 minute'],
  [300, '5 minutes'],
  [10_800, '3 hours'],
])('a step of %p s is %p', (seconds, words) => {
  expect(stepWords(seconds)).toBe(words);
});
