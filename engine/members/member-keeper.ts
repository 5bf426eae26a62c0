/**
 * The leader's care for etcd's membership: it replaces the members of replicas that lost their volumes, and promotes learners
 * to voters once they have the log. The next leader goes on with it, because all of its state is in etcd.
 */
import { sleep, type Timers } from '../../base/timers.ts';
import { EtcdError, type EtcdMembership } from '../log/replicated/etcd.ts';
import type { MemberIds, Question, Replacement } from './questions.ts';
import { lives, replaceMember, SILENT_MIN_MS } from './replace-member.ts';

interface MemberKeeperOptions {
  readonly membership: EtcdMembership;
  readonly timers: Timers;
  readonly leads: () => boolean;
  /** Time when that replica's engine was last heard of, by `timers`; `undefined`: never. */
  readonly heardAtMs: (replica: number) => number | undefined;
  readonly onPromoted: (memberId: bigint) => void;
  readonly onReplaced: (replica: number) => void;
}

const LOOK_MS = 1000;
const CALL_TIMEOUT_MS = 5000;

export class MemberKeeper {
  readonly #options: MemberKeeperOptions;
  readonly #stopped = new AbortController();
  readonly #begunAtMs: number;
  #replacing = false;

  constructor(options: MemberKeeperOptions) {
    this.#options = options;
    this.#begunAtMs = options.timers.nowMs();
    void this.#promoteLearners();
  }

  /** Answers a question of `replica`. Rejects with EtcdError when etcd does not list the members. */
  async answer(replica: number, question: Question): Promise<Replacement | MemberIds> {
    if (question.ask === 'members') {
      const members = await this.#options.membership.members({ timeoutMs: CALL_TIMEOUT_MS });
      return { members: members.map(({ id }) => String(id)) };
    }
    const { membership, timers, leads, heardAtMs, onReplaced } = this.#options;
    if (!leads()) {
      // The replica in question may itself be the leader, and nobody else would say so.
      const silentMs = timers.nowMs() - (heardAtMs(replica) ?? -Infinity);
      return silentMs < SILENT_MIN_MS ? lives(replica, silentMs) : { outcome: 'not_leading' };
    }
    if (this.#replacing) return { outcome: 'wait', reason: 'another request is being answered' };
    this.#replacing = true;
    try {
      // A new leader has not yet heard of the live replicas.
      const silentMs = timers.nowMs() - (heardAtMs(replica) ?? this.#begunAtMs);
      const { peerUrl } = question;
      const answer = await replaceMember({ membership, replica, peerUrl, silentMs });
      if (answer.outcome === 'added') onReplaced(replica);
      return answer;
    } finally {
      this.#replacing = false;
    }
  }

  stop(): void {
    this.#stopped.abort();
  }

  async #promoteLearners(): Promise<void> {
    const { timers, leads } = this.#options;
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      if (leads()) await this.#promoteOnce(signal);
      await sleep(timers, LOOK_MS, signal);
    }
  }

  async #promoteOnce(signal: AbortSignal): Promise<void> {
    const { membership, onPromoted } = this.#options;
    const call = { timeoutMs: CALL_TIMEOUT_MS, signal };
    try {
      for (const { id, name, isLearner } of await membership.members(call)) {
        if (!isLearner || name === '') continue;
        await membership.promoteMember(id, call);
        onPromoted(id);
      }
    } catch (error) {
      // The learner has not caught up, or etcd has other problems: the next look comes soon.
      if (!(error instanceof EtcdError)) throw error;
    }
  }
}
