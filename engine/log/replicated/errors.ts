/**
 * Reason why a replica stops for good: its state and the log do not belong together. Codes are stable; messages say what to
 * do.
 * - `log_foreign`: etcd holds another database's log, or another incarnation's.
 * - `log_gone`: the replica has taken part in the log, but etcd is empty.
 * - `state_differs`: the replica began the incarnation with another state than the others.
 * - `block_corrupt`: a block is damaged on this member's disk, or its place does not fit.
 * - `etcd_refused`: etcd refuses a request that it must serve.
 */
type LogErrorCode = 'log_foreign' | 'log_gone' | 'state_differs' | 'block_corrupt' | 'etcd_refused';

export class ReplicatedLogError extends Error {
  override readonly name = 'ReplicatedLogError';
  readonly code: LogErrorCode;

  constructor(code: LogErrorCode, message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options);
    this.code = code;
  }
}

/**
 * A read that was not let through. The read itself is valid; the caller must send it to another replica or try again.
 * - `not_leading`: this replica does not lead, or leads no longer.
 * - `overloaded`: too many reads are waiting already.
 */
export class ReadRefused extends Error {
  override readonly name = 'ReadRefused';
  readonly code: 'not_leading' | 'overloaded';

  constructor(code: 'not_leading' | 'overloaded') {
    super(code === 'not_leading' ? 'this replica does not lead' : 'too many reads wait');
    this.code = code;
  }
}
