/** The ledger route's answer, as far as the tool reads it. Absent members stay absent. */
import { notTheApi, type Answer } from '../http/answer.ts';
import type { LedgerOperation } from './operations.ts';

export type Row = Readonly<Record<string, unknown>>;

export interface LedgerReply {
  readonly operation?: string;
  readonly execution?: Readonly<Record<string, unknown>>;
  readonly documentationUrl?: string;
  readonly summary?: Readonly<Record<string, unknown>>;
  readonly result: readonly Row[];
  readonly missing?: readonly string[];
  readonly page?: { readonly hasMore?: boolean; readonly next?: Row | null };
  readonly warnings?: readonly { readonly code?: string; readonly detail?: string }[];
}

export function readLedgerReply(answer: Answer, operation: LedgerOperation): LedgerReply {
  const reply = answer.document();
  const { result } = reply;
  const isList = Array.isArray(result) && result.every((row) => typeof row === 'object' && row);
  if (!isList) throw notTheApi(answer.status, `no result of ${operation.name}`);
  return reply as unknown as LedgerReply;
}

/** Number of events that the ledger rejected. `exists` does not count: the event is there, as it should be. */
export function countFailed({ summary, result }: LedgerReply): number {
  const failed = summary?.['failed'];
  return typeof failed === 'number' ? failed : result.filter(isFailed).length;
}

export const isFailed = ({ status }: Row): boolean =>
  typeof status === 'string' && status !== 'created' && status !== 'exists';

/** Failures that may pass with time. They still use up the transfer's ID (`id_already_failed`). */
const transient = new Set([
  'debit_account_not_found',
  'credit_account_not_found',
  'pending_transfer_not_found',
  'exceeds_credits',
  'exceeds_debits',
  'debit_account_already_closed',
  'credit_account_already_closed',
  'id_already_failed',
]);

export const usesUpItsId = ({ status }: Row): boolean =>
  typeof status === 'string' && transient.has(status);
