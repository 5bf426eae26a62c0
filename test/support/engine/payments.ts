/**
 * The payments ledger of test/fixtures/payments, as events for the ledger, and what its books must come to: added up here from
 * the rows, by nothing that the product has a part in.
 */
import { readFileSync } from 'node:fs';
import { assert } from '../../../base/assert.ts';

interface PaymentAccount {
  readonly id: string;
  readonly ledger: number;
  readonly kind: string;
}

export interface PaymentRow {
  readonly id: string;
  readonly date: string;
  readonly type: string;
  readonly debit: string;
  readonly credit: string;
  readonly cents: bigint;
  readonly pending: string;
  readonly linked: boolean;
  /** `created`, or why the ledger refuses it. */
  readonly expected: string;
  readonly ledger: number;
}

export interface Balance {
  debits_posted: bigint;
  credits_posted: bigint;
  debits_pending: bigint;
  credits_pending: bigint;
}

/** Names of the ledger's statuses and of its flags and codes, in JSON as the HTTP API takes it. */
type LedgerEvent = Readonly<Record<string, string | number>>;

export const codes = { account: { bank: 1, fees: 2, merchant: 3, customer: 4 }, fee: 30 } as const;
const flags = { linked: 1, pending: 2, post: 4, void: 8, noOverdraft: 2, history: 8 } as const;
const kinds: Readonly<Record<string, { readonly code: number; readonly flags: number }>> = {
  deposit: { code: 10, flags: 0 },
  payment: { code: 20, flags: 0 },
  remittance: { code: 21, flags: 0 },
  fee: { code: codes.fee, flags: 0 },
  authorization: { code: 40, flags: flags.pending },
  settlement: { code: 40, flags: flags.post },
  reversal: { code: 40, flags: flags.void },
};

const rowsOf = (name: string): readonly string[][] =>
  readFileSync(`test/fixtures/payments/${name}`, 'utf8')
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => line.split(','));

export const accounts: readonly PaymentAccount[] = rowsOf('accounts.csv').map(
  ([id = '', currency = '', kind = '']) => ({ id, ledger: Number(currency), kind }),
);
const ledgerOf = new Map(accounts.map(({ id, ledger }) => [id, ledger]));

export const rows: readonly PaymentRow[] = rowsOf('transfers.csv').map((cells) => {
  const [id = '', date = '', type = '', debit = '', credit = '', amount = ''] = cells;
  const [pending = '', linked = '', expected = ''] = cells.slice(6);
  return {
    id,
    date,
    type,
    debit,
    credit,
    pending,
    cents: BigInt(amount.replace('.', '')),
    linked: linked === '1',
    expected: expected === '' ? 'created' : expected,
    ledger: ledgerOf.get(debit) ?? 0,
  };
});

export const accountEvents: readonly LedgerEvent[] = accounts.map(({ id, ledger, kind }) => ({
  id,
  ledger,
  code: codes.account[kind as keyof typeof codes.account],
  flags: kind === 'customer' ? flags.noOverdraft + flags.history : 0,
}));

export const dayOf = (date: string): number => Number(date.replaceAll('-', ''));

export function transferEvent(row: PaymentRow): LedgerEvent {
  const kind = kinds[row.type];
  assert(kind !== undefined, `no transfer is of type ${row.type}`);
  return {
    id: row.id,
    debit_account_id: row.debit,
    credit_account_id: row.credit,
    amount: String(row.cents),
    pending_id: row.pending === '' ? '0' : row.pending,
    user_data_32: dayOf(row.date),
    ledger: row.ledger,
    code: kind.code,
    flags: kind.flags + (row.linked ? flags.linked : 0),
  };
}

/** Batches of about `size` rows in the file's order; what is linked stays together. */
export function batches(ledger: number, size: number): readonly (readonly PaymentRow[])[] {
  const found: PaymentRow[][] = [];
  let current: PaymentRow[] = [];
  for (const row of rows.filter((one) => one.ledger === ledger)) {
    current.push(row);
    if (current.length < size || row.linked) continue;
    found.push(current);
    current = [];
  }
  return current.length > 0 ? [...found, current] : found;
}

/** The expected balance of each account, to the cent. */
export function books(): ReadonlyMap<string, Balance> {
  const all = new Map<string, Balance>(
    accounts.map(({ id }) => [
      id,
      { debits_posted: 0n, credits_posted: 0n, debits_pending: 0n, credits_pending: 0n },
    ]),
  );
  const of = (id: string) => all.get(id) as Balance;
  const created = rows.filter((row) => row.expected === 'created');
  const reserved = new Map(created.map((row) => [row.id, row.cents]));
  for (const { type, debit, credit, cents, pending } of created) {
    const released = reserved.get(pending) ?? 0n;
    of(debit).debits_pending -= released;
    of(credit).credits_pending -= released;
    if (type === 'reversal') continue;
    const kind = type === 'authorization' ? 'pending' : 'posted';
    of(debit)[`debits_${kind}`] += cents;
    of(credit)[`credits_${kind}`] += cents;
  }
  return all;
}
