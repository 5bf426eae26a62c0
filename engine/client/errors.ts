import type { EvictionReason } from '../wire/header.ts';

/** The cluster ended this client's session; the client is of no more use. */
export class ClientEvictedError extends Error {
  override readonly name = 'ClientEvictedError';
  readonly code = 'client_evicted';
  readonly reason: EvictionReason;
  /**
   * The request in flight was not executed and never will be: nothing else that this session sent can have been refused. When
   * anything was sent twice, the refusal may be of a copy that came late, while the request in flight is being executed.
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

/** The client was closed while requests waited. What was sent may have been executed. */
export class ClientClosedError extends Error {
  override readonly name = 'ClientClosedError';
  readonly code = 'client_closed';
}

/** The deadline passed. When `outcome` is unknown the request may still be executed: ask again with the same ids. */
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

/** Too many requests wait already; nothing of this one was sent. */
export class QueueFullError extends Error {
  override readonly name = 'QueueFullError';
  readonly code = 'queue_full';
}

/** The server's reply breaks the protocol. The client is closed: nothing that such a server says can be relied on. */
export class WrongReplyError extends Error {
  override readonly name = 'WrongReplyError';
  readonly code = 'wrong_reply';
}
