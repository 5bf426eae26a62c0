/** Failures of the store itself. A rule of the domain that a change would break (a name is taken) is a `Refusal`. */

/**
 * PostgreSQL is away, overwhelmed, or too slow. `not_done`: nothing was changed, trying again is safe. `unknown`: the
 * connection broke while a change was being committed; only looking tells.
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

/** The schema in PostgreSQL is not the one that this program's migrations make; a person must look. */
export class SchemaMismatch extends Error {
  override readonly name = 'SchemaMismatch';
  readonly code = 'schema_mismatch';
}
