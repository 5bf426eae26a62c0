import { expect, test } from '@jest/globals';
import { lineOf } from './points.ts';
import type { StatementRow } from './statement.ts';

const row = (timestamp: string, balance: bigint) =>
  ({ transfer: { timestamp }, balance }) as StatementRow;

test('a balance is drawn in steps, debits above and credits below', () => {
  const line = lineOf({ opening: 0n, rows: [row('10', 10n), row('20', -10n), row('30', 0n)] });
  expect(line).toEqual({
    path: 'M0 500H0V0H500V1000H1000V500H1000',
    zero: 500n,
    least: -10n,
    most: 10n,
  });
});

test('balances of 128 bits are drawn by their share of the box', () => {
  const most = 2n ** 128n - 1n;
  const line = lineOf({ opening: 0n, rows: [row('1', most / 2n), row('2', most)] });
  expect(line?.path).toBe('M0 1000H0V500H1000V0H1000');
});

test('a line has no more steps than the eye can see', () => {
  const rows = Array.from({ length: 8_189 }, (_, index) => row(`${index + 1}`, BigInt(index % 7)));
  expect(lineOf({ opening: 0n, rows })?.path.split('H').length).toBeLessThan(600);
});

test('without transfers there is no line', () => {
  expect(lineOf({ opening: 5n, rows: [] })).toBeUndefined();
});
