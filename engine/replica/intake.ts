/** Intake of requests from clients and peers, in every role. */
import type { Timers } from '../../base/timers.ts';
import { Header, RequestHeader } from '../wire/header.ts';
import { Operation } from '../wire/operations.ts';
import type { Forwarding } from './forwarding.ts';
import type { LeaderRequests } from './leader-requests.ts';
import type { OwedAnswers } from './owed-answers.ts';
import { sameChecksum, type PendingRequests } from './pending-requests.ts';
import type { ReplySink } from './served-replica.ts';
import type { HeldState } from './held-state.ts';
import type { Session } from './sessions.ts';

interface IntakeParts {
  readonly timers: Timers;
  readonly state: HeldState;
  readonly leader: LeaderRequests;
  readonly forwarding: Forwarding;
  readonly pending: PendingRequests;
  readonly owed: OwedAnswers;
}

export class Intake {
  readonly #parts: IntakeParts;

  constructor(parts: IntakeParts) {
    this.#parts = parts;
  }

  /** Takes a request. It is executed if this replica leads, and kept or passed on otherwise. */
  take(message: Uint8Array, sink: ReplySink, fromPeer: boolean): void {
    const { leader, forwarding, pending, timers } = this.#parts;
    if (!leader.leads && !this.#keeps(message, sink)) return;
    const request = pending.put(message, sink, { nowMs: timers.nowMs(), fromPeer });
    if (request === undefined) return;
    if (leader.leads) leader.take(request);
    else if (forwarding.leaving) forwarding.forwardWaiting();
  }

  /** Returns whether a backup keeps a request. It answers again a request that it has answered before. */
  #keeps(message: Uint8Array, sink: ReplySink): boolean {
    const { state, owed } = this.#parts;
    const request = new RequestHeader(new Header(message));
    if (!request.isWellFormed()) return false;
    const session = state.executor.sessions.get(request.client);
    const isRegister = request.operation === Operation.register;
    if (session === undefined) return isRegister;
    if (!isRegister && session.session !== request.session) return false;
    if (request.number > session.lastRequest) return true;
    // Copies of the present values: the session may advance before the leader has executed as much.
    const { lastOp, reply } = session;
    if (isLast(session, request)) owed.when(lastOp, () => sink.send(reply));
    return false;
  }
}

const isLast = (session: Session, request: RequestHeader): boolean =>
  request.number === session.lastRequest &&
  sameChecksum(session.requestChecksum, request.header.checksum);
