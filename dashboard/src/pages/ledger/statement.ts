/**
 * The statement of an account: its transfers in a span of time, with the posted balance before them, after each, and after all.
 */
import type { Account, AccountBalance, Transfer } from '../../../../gen/api.ts';
import { balanceOf, isAccount, isTransfer } from '../../lib/records.ts';

export interface StatementRow {
  readonly transfer: Transfer;
  readonly side: 'debit' | 'credit';
  /** Posted amount: 0 for a pending transfer and for one that voids another. */
  readonly posted: bigint;
  /** The balance after it: debits minus credits. */
  readonly balance: bigint;
}

export interface Statement {
  readonly opening: bigint;
  readonly rows: readonly StatementRow[];
  readonly closing: bigint;
}

/** Amount that a transfer posted: pending and voiding ones move nothing. */
const postedBy = ({ flags, amount }: Pick<Transfer, 'flags' | 'amount'>): bigint =>
  isTransfer(flags, 'pending') || isTransfer(flags, 'void_pending_transfer') ? 0n : BigInt(amount);

/** `transfers`: those of the account in the span, in order of time. */
export function statementOf(
  accountId: string,
  opening: bigint,
  transfers: readonly Transfer[],
): Statement {
  let balance = opening;
  const rows = transfers.map((transfer): StatementRow => {
    const side = transfer.debit_account_id === accountId ? 'debit' : 'credit';
    const posted = postedBy(transfer);
    balance += side === 'debit' ? posted : -posted;
    return { transfer, side, posted, balance };
  });
  return { opening, rows, closing: balance };
}

/** The reads that a statement needs. */
export interface StatementReads {
  readonly account: () => Promise<Account>;
  /** Transfers of the account within the bounds (nanoseconds, both included), in order of time. */
  readonly transfers: (bounds: {
    readonly from: string | undefined;
    readonly to: string | undefined;
  }) => Promise<readonly Transfer[]>;
  /** The last balance before that time; only for accounts that keep their history. */
  readonly balanceBefore: (nanoseconds: string) => Promise<AccountBalance | undefined>;
}

interface Span {
  /** Nanoseconds, included; `undefined`: from the account's beginning. */
  readonly from: string | undefined;
  readonly to: string | undefined;
}

const triesMax = 5;

/**
 * Reads a statement. The balance before the span comes from the account's history, if it keeps one; otherwise it is the current
 * balance minus everything posted since. Throws if so much is posted meanwhile that no balance belongs to the transfers.
 */
export async function readStatement(
  account: Pick<Account, 'id' | 'flags'>,
  reads: StatementReads,
  { from, to }: Span,
): Promise<Statement> {
  if (from === undefined) return statementOf(account.id, 0n, await reads.transfers({ from, to }));
  if (isAccount(account.flags, 'history')) {
    const before = await reads.balanceBefore(from);
    const opening = before === undefined ? 0n : balanceOf(before);
    return statementOf(account.id, opening, await reads.transfers({ from, to }));
  }
  return backwards(account.id, reads, from, to);
}

/**
 * The sums of an account only grow: if they are the same before and after a read of its transfers, nothing was posted
 * meanwhile.
 */
async function backwards(
  accountId: string,
  reads: StatementReads,
  from: string,
  to: string | undefined,
): Promise<Statement> {
  for (let tries = 0; tries < triesMax; tries += 1) {
    const before = await reads.account();
    const transfers = await reads.transfers({ from, to: undefined });
    const after = await reads.account();
    const isSame =
      before.debits_posted === after.debits_posted &&
      before.credits_posted === after.credits_posted;
    if (!isSame) continue;
    const since = statementOf(accountId, 0n, transfers).closing;
    const within =
      to === undefined
        ? transfers
        : transfers.filter(({ timestamp }) => BigInt(timestamp) <= BigInt(to));
    return statementOf(accountId, balanceOf(after) - since, within);
  }
  throw new Error(
    'Transfers are posted to this account all the time, so its balance before them could not be read. Try again, or take the statement from its beginning.',
  );
}

export const statementColumns = [
  'time',
  'timestamp',
  'transfer_id',
  'other_account_id',
  'code',
  'flags',
  'debit',
  'credit',
  'balance',
] as const;

/** The lines of a statement for a file: all integers as stored; a credit balance is negative. */
export const statementLines = (
  { opening, rows, closing }: Statement,
  timeOf: (nanoseconds: string) => string,
): readonly Readonly<Partial<Record<(typeof statementColumns)[number], string>>>[] => [
  { time: 'opening', balance: opening.toString() },
  ...rows.map(({ transfer, side, posted, balance }) => ({
    time: timeOf(transfer.timestamp),
    timestamp: transfer.timestamp,
    transfer_id: transfer.id,
    other_account_id: side === 'debit' ? transfer.credit_account_id : transfer.debit_account_id,
    code: transfer.code.toString(),
    flags: transfer.flags.toString(),
    [side]: posted.toString(),
    balance: balance.toString(),
  })),
  { time: 'closing', balance: closing.toString() },
];
