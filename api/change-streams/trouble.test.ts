import { expect, test } from '@jest/globals';
import { retryInMs, verdictOn, type Trouble } from './trouble.ts';

const most = () => 1;

test('attempts are at most a minute apart, unless the sink asks for more', () => {
  expect([1, 2, 3, 7, 1_000].map((failures) => retryInMs(failures, undefined, most))).toEqual([
    1_000, 2_000, 4_000, 60_000, 60_000,
  ]);
  expect(retryInMs(1, 300_000, most)).toBe(300_000);
  expect(retryInMs(7, 1_000, () => 0)).toBe(30_000);
});

const day = 24 * 3_600;
const failing = (more: Partial<Trouble>): Trouble => ({
  part: 'SINK',
  gone: false,
  failingSeconds: 0,
  told: false,
  ...more,
});

test.each([
  ['a first failure is nobody’s concern', {}, false, false],
  ['after five minutes people are told', { failingSeconds: 300 }, false, true],
  ['once', { failingSeconds: 301, told: true }, false, false],
  ['a sink that fails for a day ends it', { failingSeconds: day, told: true }, true, true],
  ['so does one that is gone', { gone: true }, true, true],
  ['a ledger never does', { part: 'LEDGER', failingSeconds: 30 * day, told: true }, false, false],
  ['but people are told of it', { part: 'LEDGER', failingSeconds: 300 }, false, true],
  ['a secret that nobody can open is told at once', { part: 'SERVICE' }, false, true],
  ['and once', { part: 'SERVICE', failingSeconds: day, told: true }, false, false],
] as const)('%s', (_, more, stops, tells) => {
  const { stop, tell } = verdictOn(failing(more));
  expect([stop !== undefined, tell]).toEqual([stops, tells]);
});
