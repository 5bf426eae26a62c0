import type { Outcome } from '../model/ledger-problems.ts';

/**
 * Reason why a call has no answer. `ledger_unavailable`: it was certainly not executed. `ledger_full`: it was not executed
 * either, and cannot be before the database has more room. `ledger_timeout`: it may have been executed, or may still be.
 * `gateway_bad_reply`: the engine's answer is invalid. `batch_too_large`: the call needs a larger batch than the cluster grants.
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
  /** Set with `batch_too_large` only. */
  readonly eventsMax: number | undefined;

  constructor(code: GatewayFailureCode, outcome: Outcome, detail: string, eventsMax?: number) {
    super(detail);
    this.code = code;
    this.outcome = outcome;
    this.eventsMax = eventsMax;
  }
}

export const sameIds =
  'The request may have been executed, or may still be. Repeat it with the same ids: nothing is executed twice.';
