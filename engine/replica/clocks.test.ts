import { expect, test } from '@jest/globals';
import { clocksAgree } from './clocks.ts';

const at = (aheadMs: number, heardAtMs = 5000) => ({ aheadMs, heardAtMs });

test.each([
  ['both others are near', [at(20), at(-300)], true],
  ['one of two is far', [at(20), at(3_600_000)], true],
  ['both are far', [at(3_600_000), at(3_600_050)], false],
  ['both are far, and were heard long ago', [at(3_600_000, 100), at(3_600_050, 100)], true],
  ['one is far and the other is not heard', [at(-3_600_000), at(0, 100)], false],
  ['nobody is heard', [], true],
])('the clock of one of three when %s', (_when, peers, agree) => {
  expect(clocksAgree(peers, 3, 5500)).toBe(agree);
});
