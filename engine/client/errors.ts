import type { EvictionReason } from '../wire/header.ts';

/** The cluster ended this client's session; the client cannot be used any more. */
export class ClientEvictedError extends Error {
  override readonly name = 'ClientEvictedError';
  readonly code = 'client_evicted';
  readonly reason: EvictionReason;
  /**
   * The request in flight was not executed and never will be: the eviction can refer to no other request of this session. It
   * is false when anything was sent twice: the eviction may then answer a late copy while the request is being executed.
   */
  readonly notExecuted: boolean;

  constructor(reason: EvictionReason, notExecuted: boolean) {
    super(`the cluster ended the session (${reasonNames[reason] ?? reason}); open a new client`);
    this.reason = reason;
    this.notExecuted = notExecuted;
  }
}

const reasonNames: Readonly<Record<number, string>> = {
  1: 'no session: it was the least recently used of 64',
  2: 'client release too low',
  3: 'client release too high',
  4: 'invalid operation',
  5: 'invalid request body',
  6: 'invalid request body size',
  7: 'session too low',
  8: 'release differs from the session',
};

/** The client was closed while requests waited. Requests that were sent may have been executed. */
export class ClientClosedError extends Error {
  override readonly name = 'ClientClosedError';
  readonly code = 'client_closed';
}

/** The deadline passed. When `outcome` is unknown the request may still be executed: retry it with the same ids. */
export class RequestDeadlineError extends Error {
  override readonly name = 'RequestDeadlineError';
  readonly code = 'request_deadline';
  readonly outcome: 'unknown' | 'not_executed';

  constructor(outcome: 'unknown' | 'not_executed') {
    super(
      outcome === 'unknown'
        ? 'no answer within the deadline; the request may have been executed, repeat it with the same ids'
        : 'the request was not sent within its deadline',
    );
    this.outcome = outcome;
  }
}

/** The caller withdrew the request. It was not executed, and never will be. */
export class RequestWithdrawnError extends Error {
  override readonly name = 'RequestWithdrawnError';
  readonly code = 'request_withdrawn';
}

/** Too many requests wait already; nothing of this request was sent. */
export class QueueFullError extends Error {
  override readonly name = 'QueueFullError';
  readonly code = 'queue_full';
}

/** The server's reply breaks the protocol. The client is closed, because no answer of such a server can be trusted. */
export class WrongReplyError extends Error {
  override readonly name = 'WrongReplyError';
  readonly code = 'wrong_reply';
}
