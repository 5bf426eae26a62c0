type HaltedCode =
  | 'state_differs'
  | 'incarnation_differs'
  | 'member_removed'
  | 'unknown_rules'
  | 'rows_damaged';

/**
 * Reason why one of several replicas has stopped serving although its log is in order. Codes are stable; messages say what
 * to do.
 * - `state_differs`: at the same operation its state differs from so many others that it cannot be right.
 * - `incarnation_differs`: its data file belongs to another incarnation of the database.
 * - `member_removed`: the replica was replaced, and this is the volume that it had before.
 * - `rows_damaged`: rows of its data file that an operation needs cannot be read.
 * - `unknown_rules`: the log continues with rules of the ledger that this release does not know.
 */
export class HaltedError extends Error {
  override readonly name = 'HaltedError';
  readonly code: HaltedCode;

  constructor(code: HaltedCode, message: string) {
    super(message);
    this.code = code;
  }
}
