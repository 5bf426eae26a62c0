/** Failures of the store itself. A change that would break a rule of the domain (a name is taken) gets a `Refusal`. */

/**
 * PostgreSQL is unreachable, overloaded or too slow. `not_done`: nothing was changed, so a retry is safe. `unknown`: the
 * connection broke during a commit; the caller must read to know.
 */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
  readonly code = 'store_unavailable';
  readonly outcome: 'not_done' | 'unknown';

  constructor(
    message: string,
    options: { cause?: unknown; outcome?: 'not_done' | 'unknown' } = {},
  ) {
    super(message, { cause: options.cause });
    this.outcome = options.outcome ?? 'not_done';
  }
}

/** The schema in PostgreSQL is not the one of this program's migrations; a person must act. */
export class SchemaMismatch extends Error {
  override readonly name = 'SchemaMismatch';
  readonly code = 'schema_mismatch';
}
