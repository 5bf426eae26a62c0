/** Departure of a leader: it hands the lead over, and before it stops it answers the clients that know no other leader. */
import { sleep, type Timers } from '../../base/timers.ts';
import type { HandOverReason } from '../log/replicated/reasons.ts';
import type { ReplicatedLog } from '../log/replicated/replicated-log.ts';
import type { Forwarding } from './forwarding.ts';
import type { HeldState } from './held-state.ts';
import type { OwedAnswers } from './owed-answers.ts';
import type { PendingRequests } from './pending-requests.ts';

/** Maximum time that a replica stays after handing over, for clients that asked it as the leader. */
const LEAVE_MS = 1000;
const LEAVE_LOOK_MS = 5;

interface DepartureParts {
  readonly timers: Timers;
  readonly log: () => ReplicatedLog | undefined;
  readonly state: HeldState;
  readonly forwarding: Forwarding;
  readonly pending: PendingRequests;
  readonly owed: OwedAnswers;
  /** Aborted when the replica stops. */
  readonly stopped: AbortSignal;
}

export class Departure {
  readonly #parts: DepartureParts;
  #handingOver = false;

  constructor(parts: DepartureParts) {
    this.#parts = parts;
  }

  get isHandingOver(): boolean {
    return this.#handingOver;
  }

  /** Lets another replica lead. Returns true when one does. */
  async handOver(why: HandOverReason): Promise<boolean> {
    if (this.#handingOver) return false;
    this.#handingOver = true;
    try {
      return (await this.#parts.log()?.handOver(why)) ?? true;
    } finally {
      this.#handingOver = false;
    }
  }

  /**
   * Answers the last clients before stopping. Clients that asked this replica as the leader may have reached no other one.
   * The next leader executes requests passed on to it but has no connection to the client. So this replica stays until it
   * has executed them too, and answers.
   */
  async answerTheLast(): Promise<void> {
    const { timers, forwarding, owed, state, stopped } = this.#parts;
    const untilMs = timers.nowMs() + LEAVE_MS;
    forwarding.leaving = true;
    forwarding.forwardWaiting();
    while (this.#isAskedAsLeader() && timers.nowMs() < untilMs)
      await sleep(timers, LEAVE_LOOK_MS, stopped);
    // Executed requests are answered only when the leader is known to be as far.
    const { op } = state.executor;
    while (!owed.maySay(op) && timers.nowMs() < untilMs)
      await sleep(timers, LEAVE_LOOK_MS, stopped);
  }

  /**
   * Returns whether a client waits that does not know the next leader. Other clients ask that leader, and this replica only
   * in addition.
   */
  #isAskedAsLeader(): boolean {
    const { pending, log } = this.#parts;
    const { view } = log()?.lead ?? { view: Infinity };
    return pending.all().some(({ header }) => header.header.view < view);
  }
}
