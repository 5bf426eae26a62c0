import type { Outcome } from '../model/ledger-problems.ts';

/**
 * Why a call has no answer. `ledger_unavailable`: certainly not executed. `ledger_full`: neither, and it will
 * not be before the database has more room. `ledger_timeout`: it may have been, or may still be.
 * `gateway_bad_reply`: the engine answered with something that cannot be relied on. `batch_too_large`: the cluster grants
 * less than the call needs.
 */
export type GatewayFailureCode =
  | 'ledger_unavailable'
  | 'ledger_full'
  | 'ledger_timeout'
  | 'gateway_bad_reply'
  | 'batch_too_large'
  | 'abandoned';

export class GatewayFailure extends Error {
  override readonly name = 'GatewayFailure';
  readonly code: GatewayFailureCode;
  readonly outcome: Outcome;
  /** With `batch_too_large`. */
  readonly eventsMax: number | undefined;

  constructor(code: GatewayFailureCode, outcome: Outcome, detail: string, eventsMax?: number) {
    super(detail);
    this.code = code;
    this.outcome = outcome;
    this.eventsMax = eventsMax;
  }
}

export const sameIds =
  'It may have been executed, or may still be: repeat it with the same ids, which cannot execute it twice.';
