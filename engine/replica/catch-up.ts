/** Catching up: fetches the state of another replica when the log no longer has the blocks that this replica needs. */
import { sleep } from '../../base/timers.ts';
import { DataFileError, StorageFullError } from '../log/errors.ts';
import type { CheckpointPosition } from '../log/log.ts';
import type { HeardPeer } from '../peers/peer-link.ts';
import type { HeldState } from './held-state.ts';
import type { ReplicatedReplicaOptions } from './replicated-options.ts';
import { type StateBytes, StateFetch, type StateTransfer } from './state-transfer.ts';

const RETRY_MS = 250;
/** Time between tries while the volume has no room; it does not grow in a moment. */
const WITHOUT_ROOM_RETRY_MS = 10_000;
/** Maximum age of the last heartbeat of a peer that is asked for its state. */
const HEARD_MS = 1000;

export class CatchUp {
  readonly #options: ReplicatedReplicaOptions;
  readonly #state: HeldState;
  readonly #stopped: AbortSignal;
  /** Since the start. */
  readonly bytes: { -readonly [Figure in keyof StateBytes]: number } = { received: 0, kept: 0 };

  constructor(options: ReplicatedReplicaOptions, state: HeldState, stopped: AbortSignal) {
    this.#options = options;
    this.#state = state;
    this.#stopped = stopped;
  }

  /**
   * Replaces this replica's state by another replica's that contains the block before `floor`. Retries until one sends it.
   * Resolves with `undefined` if this replica stops first, or nobody has sent it in that time.
   */
  async fetch(floor: number, withinMs = Infinity): Promise<CheckpointPosition | undefined> {
    const state = this.#state;
    // A replica that has lost its state takes any state, even one without operations.
    const least = floor > 1 ? state.executor.op + 1 : 0;
    state.replacing = true;
    await state.checkpoints.idle();
    const endMs = this.#options.timers.nowMs() + withinMs;
    const count = (bytes: number): void => void (this.bytes.received += bytes);
    const fetch = new StateFetch(this.#options, state, { floor, count });
    let position: CheckpointPosition | undefined;
    while (position === undefined) {
      const taken = await this.#replaceFile(fetch, least, endMs);
      if (taken === undefined || this.#stopped.aborted) return undefined;
      position = await this.#load(fetch, taken);
    }
    if (this.#stopped.aborted) return undefined;
    state.replacing = false;
    return position;
  }

  /** Loads the state that was taken. Resolves with `undefined` if it does not fit together with what was kept: the whole state does. */
  async #load(fetch: StateFetch, taken: StateTransfer): Promise<CheckpointPosition | undefined> {
    try {
      return await this.#state.load();
    } catch (error) {
      const isUnfit = error instanceof DataFileError && error.code !== 'unknown_rules';
      if (!isUnfit || taken.keptBytes === 0) throw error;
      fetch.takeWhole(error);
      return undefined;
    }
  }

  async #replaceFile(
    fetch: StateFetch,
    least: number,
    endMs: number,
  ): Promise<StateTransfer | undefined> {
    const { timers, onCheckpointError, onStateTaken } = this.#options;
    /** Peers whose state did not come: the others are asked before them. */
    const failed = new Set<number>();
    while (!this.#stopped.aborted && timers.nowMs() < endMs) {
      let retryMs = RETRY_MS;
      const source = this.#source(least, failed);
      try {
        if (source !== undefined) {
          const taken = await fetch.from(source);
          this.bytes.kept += taken.keptBytes;
          onStateTaken?.(taken);
          return taken;
        }
      } catch (error) {
        onCheckpointError(error);
        if (error instanceof StorageFullError) retryMs = WITHOUT_ROOM_RETRY_MS;
        else if (source !== undefined) failed.add(source.replica);
      }
      await sleep(timers, retryMs, this.#stopped);
    }
    return undefined;
  }

  /** Returns the peer to fetch from: one that has not failed, a follower before the leader, then the highest op. */
  #source(least: number, failed: Set<number>): HeardPeer | undefined {
    const { peers, timers } = this.#options;
    const there = peers.all().filter(({ op, heardAtMs, loading }) => {
      const isThere = timers.nowMs() - heardAtMs < HEARD_MS;
      return isThere && op >= least && loading !== true;
    });
    // Then each has its turn again.
    if (there.every(({ replica }) => failed.has(replica))) failed.clear();
    const [source] = there
      .filter(({ replica }) => !failed.has(replica))
      .sort((a, b) => Number(a.fence !== undefined) - Number(b.fence !== undefined) || b.op - a.op);
    return source;
  }
}
