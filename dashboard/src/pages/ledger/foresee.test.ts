import { test } from '@jest/globals';
import * as fc from 'fast-check';
import { check } from '../../../../test/support/engine/ledger/scenario.ts';
import { planTransfers } from './compose.ts';
import { foresee } from './foresee.ts';

const flags = { plain: 0, debits_must_not_exceed_credits: 2, credits_must_not_exceed_debits: 4 };
const accounts = [
  { id: '1', ledger: 1, kind: 'plain' },
  { id: '2', ledger: 1, kind: 'debits_must_not_exceed_credits' },
  { id: '3', ledger: 1, kind: 'credits_must_not_exceed_debits' },
  { id: '4', ledger: 2, kind: 'plain' },
] as const;

const leg = fc.record({
  debit: fc.constantFrom('1', '2', '3', '4', '9'),
  credit: fc.constantFrom('1', '2', '3', '4', '9'),
  amount: fc.constantFrom('0', '1', '5', '7', (2n ** 128n - 1n).toString()),
});

test('the foreseen result is the ledger’s answer, for any transfers sent together', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(leg, { minLength: 1, maxLength: 6 }),
      fc.boolean(),
      fc.boolean(),
      async (legs, linked, pending) => {
        const { transfers = [] } = planTransfers(
          {
            ledger: '1',
            code: '1',
            legs: legs.map((one, index) => ({ ...one, id: `${100 + index}` })),
            linked,
            pending,
            timeout: '',
          },
          undefined,
        );
        const zeros = {
          debits_pending: '0',
          debits_posted: '0',
          credits_pending: '0',
          credits_posted: '0',
        };
        const { statuses, after } = foresee(
          transfers,
          accounts.map(({ id, ledger, kind }) => ({ id, ledger, flags: flags[kind], ...zeros })),
        );
        const lines = [
          ...accounts.map(
            ({ id, ledger, kind }) =>
              `account ${id} ledger=${ledger} flags=${flags[kind]} -> created`,
          ),
          'batch',
          ...transfers.map(
            (one, index) =>
              `transfer ${one.id} ${one.debit_account_id} ${one.credit_account_id} ${one.amount} flags=${one.flags.join('|') || 0} -> ${statuses[index]}`,
          ),
          'end',
          ...[...after].map(
            ([id, sums]) =>
              `balance ${id} ${sums.debits_pending} ${sums.debits_posted} ${sums.credits_pending} ${sums.credits_posted}`,
          ),
        ];
        await check(lines.join('\n'));
      },
    ),
    { numRuns: 100 },
  );
});
