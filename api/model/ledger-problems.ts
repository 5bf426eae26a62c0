/** Problems (RFC 9457) of ledger requests and their execution, as data. The HTTP layer adds its own members. */

/** Catalogue of the constant parts of each problem. `title` never changes; each occurrence has its own `detail`. */
export const ledgerProblems = {
  malformed_json: { status: 400, title: 'The body is not JSON', retryable: false },
  cdc_enabled: {
    status: 409,
    title: 'Change streams of the database are on',
    retryable: false,
  },
  payload_too_large: { status: 413, title: 'The body is too large', retryable: false },
  validation_failed: { status: 422, title: 'Request validation failed', retryable: false },
  invalid_integer: {
    status: 422,
    title: 'Not an integer within the field’s range',
    retryable: false,
  },
  invalid_filter: {
    status: 422,
    title: 'The filter is not valid',
    retryable: false,
  },
  batch_too_large: { status: 422, title: 'Too many events in one request', retryable: false },
  gateway_bad_reply: { status: 502, title: 'The ledger’s answer was not valid', retryable: true },
  ledger_unavailable: { status: 503, title: 'The ledger is not reachable', retryable: true },
  ledger_full: { status: 503, title: 'The database is full', retryable: false },
  ledger_timeout: { status: 504, title: 'No answer within the deadline', retryable: true },
} as const;
type LedgerProblemCode = keyof typeof ledgerProblems;

/** Whether the ledger may have changed: `not_executed` means no; `unknown` means that it may have. */
export type Outcome = 'not_executed' | 'unknown';

export interface ProblemError {
  /** JSON Pointer into the body, as a URI fragment: `#/3/amount`. */
  readonly pointer: string;
  readonly code: string;
  readonly detail: string;
  readonly meta?: Readonly<Record<string, unknown>>;
}

export interface LedgerProblem {
  readonly status: number;
  readonly code: LedgerProblemCode;
  readonly title: string;
  readonly detail: string;
  readonly retryable: boolean;
  readonly errors?: readonly ProblemError[];
  readonly outcome?: Outcome;
  /** For the Retry-After header. */
  readonly retryAfterSeconds?: number;
  /** Byte offset in the body, with `malformed_json`. */
  readonly offset?: number;
  readonly limitBytes?: number;
  readonly maxEventsPerBatch?: number;
}

type Occasion = Omit<LedgerProblem, 'status' | 'code' | 'title' | 'retryable'>;

export function ledgerProblem(code: LedgerProblemCode, occasion: Occasion): LedgerProblem {
  const { status, title, retryable } = ledgerProblems[code];
  return { status, code, title, retryable, ...occasion };
}
