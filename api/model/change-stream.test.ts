import { expect, test } from '@jest/globals';
import { lagSecondsOf } from './change-stream.ts';

const nowMs = 1_795_328_122_000;
const since = BigInt(nowMs - 1_500) * 1_000_000n;

test.each([
  ['RUNNING', null, 0],
  ['RUNNING', since, 1.5],
  ['RETRYING', since, 1.5],
  ['FAILED', since, 1.5],
  // Nobody looks for events.
  ['PAUSED', since, null],
  // The clock of the engine is ahead of ours.
  ['RUNNING', BigInt(nowMs + 10) * 1_000_000n, 0],
] as const)('the lag of %s with an event that waits since %s is %s', (state, pendingFrom, lag) => {
  expect(lagSecondsOf({ state, pendingFrom }, nowMs)).toBe(lag);
});
