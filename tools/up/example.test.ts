import { expect, test } from '@jest/globals';
import { check } from '../../test/support/engine/ledger/scenario.ts';
import { bank, exampleOf } from './example.ts';

const now = new Date(3_900_000_000);

test('the ledger makes every account and transfer of the example, and its debits equal its credits', async () => {
  const { accounts, transfers } = exampleOf(now);
  const common = ({ ledger, code, flags, timestamp }: (typeof accounts)[number]) =>
    `ledger=${ledger} code=${code} flags=${flags.join('|')} timestamp=${timestamp} -> created`;
  const lines = [
    'tick 4000000s',
    'batch',
    ...accounts.map((one) => `account ${one.id} ${common(one)}`),
    'end',
    'batch',
    ...transfers.map(
      (one) =>
        `transfer ${one.id} ${one.debit_account_id} ${one.credit_account_id} ${one.amount} pending_id=${one.pending_id ?? 0} ${common(one)}`,
    ),
    'end',
  ];
  await check(lines.join('\n'));
});

test('the example fits one request, is of the last month, and is the same at every start', () => {
  const { accounts, transfers } = exampleOf(now);
  expect(accounts[0]?.id).toBe(bank);
  expect(transfers.length).toBeGreaterThan(1_000);
  expect(transfers.length).toBeLessThan(8_189);
  const times = transfers.map(({ timestamp }) => BigInt(timestamp));
  expect(times.every((time, index) => index === 0 || time > (times[index - 1] ?? 0n))).toBe(true);
  expect((times.at(-1) ?? 0n) < BigInt(now.getTime()) * 1_000_000n).toBe(true);
  const later = exampleOf(new Date(now.getTime() + 1_000));
  expect(later.transfers.map(({ amount }) => amount)).toEqual(
    transfers.map(({ amount }) => amount),
  );
});
