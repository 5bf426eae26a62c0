import { expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import type { Account, Transfer } from '../../../../gen/api.ts';
import { readStatement, statementLines, statementOf, type StatementReads } from './statement.ts';

const transferOf = (at: bigint, amount: bigint, more: Partial<Transfer> = {}): Transfer => ({
  id: `${at}`,
  debit_account_id: '1',
  credit_account_id: '2',
  amount: amount.toString(),
  pending_id: '0',
  user_data_128: '0',
  user_data_64: '0',
  user_data_32: 0,
  timeout: 0,
  ledger: 1,
  code: 1,
  flags: 0,
  timestamp: at.toString(),
  ...more,
});

/** The reads of a ledger that holds these transfers; `postedMeanwhile` come between the reads. */
function readsOf(transfers: readonly Transfer[], postedMeanwhile: readonly Transfer[] = []) {
  const all = [...transfers];
  const late = [...postedMeanwhile];
  const sums = (): Account => {
    const { rows } = statementOf('1', 0n, all);
    const sum = (wanted: string) =>
      rows.reduce((total, { side, posted }) => total + (side === wanted ? posted : 0n), 0n);
    return {
      id: '1',
      flags: 0,
      debits_posted: sum('debit').toString(),
      credits_posted: sum('credit').toString(),
    } as Account;
  };
  const within = (from: string | undefined, to: string | undefined) =>
    all.filter(
      ({ timestamp }) =>
        BigInt(timestamp) >= BigInt(from ?? 0) &&
        (to === undefined || BigInt(timestamp) <= BigInt(to)),
    );
  const reads: StatementReads = {
    account: async () => sums(),
    transfers: async ({ from, to }) => {
      const found = within(from, to);
      const next = late.shift();
      if (next !== undefined) all.push(next);
      return found;
    },
    balanceBefore: async (time) => {
      const { rows } = statementOf('1', 0n, within(undefined, (BigInt(time) - 1n).toString()));
      const last = rows.at(-1);
      if (last === undefined) return undefined;
      const [debits, credits] = last.balance > 0n ? [last.balance, 0n] : [0n, -last.balance];
      return { debits_posted: debits.toString(), credits_posted: credits.toString() } as Account;
    },
  };
  return reads;
}

const ids = (rows: readonly { readonly transfer: Transfer }[]) =>
  rows.map(({ transfer }) => transfer.id);

test('a statement has the balance before, after each transfer and behind them; pending and voiding ones move nothing', () => {
  const statement = statementOf('1', 5n, [
    transferOf(10n, 7n),
    transferOf(11n, 100n, { flags: 2 }),
    transferOf(12n, 2n, { debit_account_id: '2', credit_account_id: '1' }),
    transferOf(13n, 100n, { flags: 8 }),
    transferOf(14n, 40n, { flags: 4 }),
  ]);
  expect(statement.rows.map(({ balance }) => balance)).toEqual([12n, 12n, 10n, 10n, 50n]);
  expect(statement.closing).toBe(50n);
});

test('the opening balance is the same from the history and from the balance of now', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.bigInt({ min: 0n, max: 2n ** 100n }), fc.boolean()), { maxLength: 20 }),
      fc.integer({ min: 1, max: 25 }),
      fc.integer({ min: 1, max: 25 }),
      async (amounts, from, to) => {
        const transfers = amounts.map(([amount, isDebit], index) =>
          transferOf(
            BigInt(index) + 1n,
            amount,
            isDebit ? {} : { debit_account_id: '2', credit_account_id: '1' },
          ),
        );
        const span = { from: `${from}`, to: `${to}` };
        const kept = await readStatement({ id: '1', flags: 8 }, readsOf(transfers), span);
        const derived = await readStatement({ id: '1', flags: 0 }, readsOf(transfers), span);
        expect(derived).toEqual(kept);
      },
    ),
  );
});

test('a transfer that is posted between the reads changes no opening balance', async () => {
  const reads = readsOf([transferOf(1n, 5n), transferOf(2n, 6n)], [transferOf(3n, 7n)]);
  const statement = await readStatement({ id: '1', flags: 0 }, reads, { from: '2', to: undefined });
  expect(statement.opening).toBe(5n);
  expect(ids(statement.rows)).toEqual(['2', '3']);
  expect(statement.closing).toBe(18n);
});

test('an account that never rests gets no wrong statement', async () => {
  const late = Array.from({ length: 9 }, (_, index) => transferOf(BigInt(index) + 10n, 1n));
  const reads = readsOf([transferOf(1n, 5n)], late);
  await expect(
    readStatement({ id: '1', flags: 0 }, reads, { from: '1', to: undefined }),
  ).rejects.toThrow(/posted to this account all the time/);
});

test('the file of a statement has every integer as it is stored', () => {
  const most = 2n ** 128n - 1n;
  const lines = statementLines(statementOf('1', 0n, [transferOf(10n, most)]), () => 'T');
  expect(lines.map(({ balance }) => balance)).toEqual(['0', `${most}`, `${most}`]);
  expect(lines[1]).toMatchObject({ time: 'T', debit: `${most}`, other_account_id: '2' });
});
