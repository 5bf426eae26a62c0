/** Advice about a row that the ledger refuses. */
import { AccountStatus, TransferStatus } from '../wire/statuses.ts';
import type { RowKind } from './columns.ts';

const names = {
  accounts: namesOf(AccountStatus),
  transfers: namesOf(TransferStatus),
} as const;

function namesOf(statuses: Readonly<Record<string, number>>): ReadonlyMap<number, string> {
  return new Map(Object.entries(statuses).map(([name, code]) => [code, name]));
}

/** The status as the API names it, and a sentence or two. */
export function adviceFor(
  { name }: RowKind,
  status: number,
): { readonly code: string; readonly detail: string } {
  const code = names[name].get(status | 0) ?? `status_${status}`;
  return { code, detail: adviceByCode(code) };
}

function adviceByCode(code: string): string {
  const known = advice[code];
  if (known !== undefined) return known;
  if (code.startsWith('exists'))
    return 'A row with this id is in an earlier line. Remove one, or give one another id.';
  if (code.startsWith('overflows'))
    return 'The sum does not fit into 128 bits, or the timeout ends after the year 2262. Correct the row.';
  return `The ledger does not take this row: ${code.replaceAll('_', ' ')}. Correct it.`;
}

const advice: Readonly<Record<string, string>> = {
  linked_event_failed: 'Another row of its chain is at fault. Correct that one.',
  linked_event_chain_open:
    'It has the flag linked, and the row after it is missing. Add that row, or remove the flag from this one.',
  debit_account_not_found:
    'The account debit_account_id is in no line of the accounts, or has a later timestamp, or its line is at fault. Add or correct the account.',
  credit_account_not_found:
    'The account credit_account_id is in no line of the accounts, or has a later timestamp, or its line is at fault. Add or correct the account.',
  pending_transfer_not_found:
    'The pending transfer pending_id is in no earlier line, or its line is at fault. Add it before, or correct it.',
  pending_transfer_expired:
    'The pending transfer pending_id had expired by then. Correct the timestamp, or the timeout of the pending transfer.',
  exceeds_credits:
    'The debit account would have more debits than credits, which its flags forbid. A transfer before this one is missing, the order is wrong, or the flag is.',
  exceeds_debits:
    'The credit account would have more credits than debits, which its flags forbid. A transfer before this one is missing, the order is wrong, or the flag is.',
  debit_account_already_closed:
    'The debit account was closed before. Correct the order, or the flags of the account.',
  credit_account_already_closed:
    'The credit account was closed before. Correct the order, or the flags of the account.',
  reserved_flag: 'Its flags have undefined bits. Correct flags.',
  ledger_must_not_be_zero: 'ledger is 0 or empty. Give it the number of its ledger.',
  code_must_not_be_zero: 'code is 0 or empty. Give it a code from 1 to 65535.',
};
