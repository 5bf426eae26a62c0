/** The example of `make up` behind fixed answers: the same at every run. */
import { envelopeExample, rowExamples } from '../../../api/contract/schemas/ledger.ts';
import { AccountFlag, TransferFlag } from '../../../engine/wire/flags.ts';
import { exampleOf } from '../../../tools/up/example.ts';
import type { FixedService } from './fixed-service.ts';

const { accounts, transfers } = exampleOf(new Date('2026-11-01T19:00:00Z'));

/** Without `imported`: the pictures are of payments, not of an import. */
const bitsOf = (names: readonly string[], flags: Readonly<Record<string, number>>): number =>
  names.reduce((bits, name) => bits | (name === 'imported' ? 0 : (flags[name] ?? 0)), 0);

const transferRows = transfers.map((one) => ({
  ...rowExamples.transfer,
  ...one,
  flags: bitsOf(one.flags, TransferFlag),
}));

const moves = transferRows.filter(
  ({ flags }) => (flags & (TransferFlag.pending | TransferFlag.void_pending_transfer)) === 0,
);
const sumOf = (side: 'debit_account_id' | 'credit_account_id', id: string): string =>
  moves
    .filter((one) => one[side] === id)
    .reduce((sum, { amount }) => sum + BigInt(amount), 0n)
    .toString();

const accountRows = accounts.map((one) => ({
  ...rowExamples.account,
  ...one,
  flags: bitsOf(one.flags, AccountFlag),
  debits_posted: sumOf('debit_account_id', one.id),
  credits_posted: sumOf('credit_account_id', one.id),
}));

/** The answer of a reading operation with these rows, all on one page. */
export const rowsOf = (operation: string, result: readonly object[]) => ({
  ...envelopeExample(operation, 'read', 1),
  page: { limit: 8_189, hasMore: false, next: null },
  missing: [],
  result,
});

const idsIn = (body: unknown): readonly string[] => (body as { ids: readonly string[] }).ids;

/** The service answers from the example from now on. */
export function answerFromExample(service: FixedService): void {
  service.when('queryAccounts', () => ({ body: rowsOf('query_accounts', accountRows) }));
  service.when('lookupAccounts', ({ body }) => ({
    body: rowsOf(
      'lookup_accounts',
      accountRows.filter(({ id }) => idsIn(body).includes(id)),
    ),
  }));
  service.when('getAccountTransfers', ({ body }) => {
    const { account_id: id } = body as { readonly account_id: string };
    const rows = transferRows.filter(
      (one) => one.debit_account_id === id || one.credit_account_id === id,
    );
    return { body: rowsOf('get_account_transfers', rows) };
  });
}
