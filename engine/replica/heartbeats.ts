/** Heartbeats of one replica to the others. They go out even while it loads or fetches a state. */
import type { Heartbeat } from '../log/replicated/peers.ts';
import type { ReplicatedLog } from '../log/replicated/replicated-log.ts';
import type { ClusterClock } from './cluster-clock.ts';
import type { HeldState } from './held-state.ts';
import type { ReplicatedReplicaOptions } from './replicated-options.ts';

const BEAT_MS = 50;
/**
 * Time for which a replica's operations wait for damaged pages before it says that it cannot lead: less than a leader waits, which
 * so knows whether another one is better.
 */
const LACKS_MS = 500;

interface HeartbeatsParts {
  readonly state: HeldState;
  readonly clock: ClusterClock;
  readonly log: () => ReplicatedLog | undefined;
  /** Returns true once this replica has stopped serving: it falls silent. */
  readonly isOver: () => boolean;
  /** Returns for how long the next operation has waited for damaged pages. */
  readonly lacksPagesMs: () => number;
  /** Called with each regular heartbeat. */
  readonly onBeat: () => void;
}

export class Heartbeats {
  readonly #options: ReplicatedReplicaOptions;
  readonly #parts: HeartbeatsParts;
  readonly #startedMs: number;

  constructor(options: ReplicatedReplicaOptions, parts: HeartbeatsParts) {
    this.#options = options;
    this.#parts = parts;
    this.#startedMs = options.timers.wallMs();
  }

  /** Sends heartbeats from now on. */
  begin(): void {
    if (this.#parts.isOver()) return;
    this.send();
    this.#parts.onBeat();
    this.#options.timers.after(BEAT_MS, () => this.begin());
  }

  /** Sends one heartbeat now. */
  send(): void {
    const { peers, timers } = this.#options;
    const { state, clock } = this.#parts;
    peers.beat({
      ...this.#heartbeat(),
      clockAgrees: clock.standing().agrees,
      stateHash: state.hash,
      wallMs: timers.wallMs(),
      rules: state.executor.ledger.rulesMax,
      startedMs: this.#startedMs,
      sendsMissing: true,
    });
  }

  #heartbeat(): Heartbeat {
    const { state } = this.#parts;
    const log = this.#parts.log();
    // Op and hash must belong together, whether the replica executes blocks later than they come, still holds an old state, or
    // none yet.
    const { op } = state.executor;
    if (log !== undefined && state.isWhole) {
      const beat = log.heartbeat();
      return { ...beat, op, canLead: beat.canLead && this.#parts.lacksPagesMs() <= LACKS_MS };
    }
    const { replicaIndex: replica } = this.#options.identity;
    return { replica, memberId: undefined, op, fence: undefined, canLead: false, loading: true };
  }
}
