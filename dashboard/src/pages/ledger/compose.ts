/** A draft of transfers that are sent together, and the request made of it. */
import { readAmount, type AmountLabel } from '../../lib/amounts.ts';
import { readInteger } from '../../lib/digits.ts';

export interface Leg {
  /** Made once for the draft, and kept for all tries. */
  readonly id: string;
  readonly debit: string;
  readonly credit: string;
  readonly amount: string;
}

export interface TransferDraft {
  readonly ledger: string;
  readonly code: string;
  readonly legs: readonly Leg[];
  /** All of them happen, or none. */
  readonly linked: boolean;
  readonly pending: boolean;
  /** Seconds until a pending transfer expires; empty: never. */
  readonly timeout: string;
}

/** A transfer as it is sent. */
export interface Planned {
  readonly id: string;
  readonly debit_account_id: string;
  readonly credit_account_id: string;
  readonly amount: string;
  readonly ledger: string;
  readonly code: string;
  readonly flags: readonly ('linked' | 'pending')[];
  readonly timeout?: string;
}

interface Plan {
  /** `undefined` while something is wrong. */
  readonly transfers: readonly Planned[] | undefined;
  /** By field: `ledger`, `code`, `timeout`, or the leg’s number with `debit`, `credit`, `amount`: `0.debit`. */
  readonly errors: Readonly<Record<string, string>>;
}

export function planTransfers(draft: TransferDraft, label: AmountLabel | undefined): Plan {
  const errors: Record<string, string> = {};
  const integer = (name: string, text: string, bits: 16 | 32 | 128) => {
    const digits = readInteger(text, bits);
    const isRight = digits !== undefined && digits !== '0';
    if (!isRight) errors[name] = `Must be an integer of ${bits} bits, not 0.`;
    return isRight ? digits : '1';
  };
  const ledger = integer('ledger', draft.ledger, 32);
  const code = integer('code', draft.code, 16);
  const hasTimeout = draft.pending && draft.timeout.trim() !== '';
  const timeout = hasTimeout ? integer('timeout', draft.timeout, 32) : undefined;
  const transfers = draft.legs.map((leg, index): Planned => {
    const debit = integer(`${index}.debit`, leg.debit, 128);
    const credit = integer(`${index}.credit`, leg.credit, 128);
    const amount = readAmount(leg.amount, label);
    if (amount === undefined) errors[`${index}.amount`] = amountHelp(label);
    return {
      id: leg.id,
      debit_account_id: debit,
      credit_account_id: credit,
      amount: amount ?? '0',
      ledger,
      code,
      flags: [
        ...(draft.linked && index < draft.legs.length - 1 ? (['linked'] as const) : []),
        ...(draft.pending ? (['pending'] as const) : []),
      ],
      ...(timeout !== undefined && { timeout }),
    };
  });
  return { transfers: Object.keys(errors).length === 0 ? transfers : undefined, errors };
}

const amountHelp = (label: AmountLabel | undefined): string =>
  label === undefined || label.scale === 0
    ? 'Must be an integer.'
    : `An amount with at most ${label.scale} decimals.`;
