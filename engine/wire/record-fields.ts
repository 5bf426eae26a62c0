/** Fields of accounts and transfers: their names in JSON and CSV, and where a record holds them. Their order is that of output. */
import { Account, WireTransfer } from './records.ts';

export interface RecordField {
  readonly name: string;
  /** In bytes, from the start of the record. */
  readonly offset: number;
  /** In bytes. */
  readonly width: 2 | 4 | 8 | 16;
}

/** `word` is an offset in u32 words. */
const field = (name: string, word: number, width: RecordField['width']): RecordField => ({
  name,
  offset: word * 4,
  width,
});

/** `code` is the lower half of a word, and `flags` the upper one. */
const codeAndFlags = (word: number): readonly RecordField[] => [
  field('code', word, 2),
  { name: 'flags', offset: word * 4 + 2, width: 2 },
];

export const accountFields: readonly RecordField[] = [
  field('id', Account.id, 16),
  field('debits_pending', Account.debitsPending, 16),
  field('debits_posted', Account.debitsPosted, 16),
  field('credits_pending', Account.creditsPending, 16),
  field('credits_posted', Account.creditsPosted, 16),
  field('user_data_128', Account.userData128, 16),
  field('user_data_64', Account.userData64, 8),
  field('user_data_32', Account.userData32, 4),
  field('ledger', Account.ledger, 4),
  ...codeAndFlags(Account.codeFlags),
  field('timestamp', Account.timestamp, 8),
];

export const transferFields: readonly RecordField[] = [
  field('id', WireTransfer.id, 16),
  field('debit_account_id', WireTransfer.debitAccountId, 16),
  field('credit_account_id', WireTransfer.creditAccountId, 16),
  field('amount', WireTransfer.amount, 16),
  field('pending_id', WireTransfer.pendingId, 16),
  field('user_data_128', WireTransfer.userData128, 16),
  field('user_data_64', WireTransfer.userData64, 8),
  field('user_data_32', WireTransfer.userData32, 4),
  field('timeout', WireTransfer.timeout, 4),
  field('ledger', WireTransfer.ledger, 4),
  ...codeAndFlags(WireTransfer.codeFlags),
  field('timestamp', WireTransfer.timestamp, 8),
];
