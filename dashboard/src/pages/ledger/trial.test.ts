import { expect, test } from '@jest/globals';
import type { Account } from '../../../../gen/api.ts';
import { trialOf } from './trial.ts';

const most = 2n ** 128n - 1n;
const account = (code: number, debits: bigint, credits: bigint, pending = '0') =>
  ({
    code,
    debits_posted: debits.toString(),
    credits_posted: credits.toString(),
    debits_pending: pending,
    credits_pending: '0',
  }) as Account;

test('a trial balance sums each code, and its debits equal its credits', () => {
  const trial = trialOf([account(20, 0n, most), account(10, most, 3n), account(10, 3n, 0n)]);
  expect(trial.rows.map(({ code, accounts }) => [code, accounts])).toEqual([
    [10, 2],
    [20, 1],
  ]);
  expect(trial.total.debits_posted).toBe(most + 3n);
  expect(trial.total.debitBalances).toBe(most);
  expect(trial.total.creditBalances).toBe(most);
  expect(trial.isEven).toBe(true);
});

test('a ledger that is not even is not called so', () => {
  expect(trialOf([account(1, 5n, 0n), account(1, 0n, 4n)]).isEven).toBe(false);
  expect(trialOf([account(1, 5n, 0n, '1'), account(1, 0n, 5n)]).isEven).toBe(false);
});
