/**
 * Scheduler of a replica's checkpoints, one at a time. Some begin because enough was logged; others because everything
 * executed until now must be in a checkpoint (for an export, a replica that fetches the state, or the end of the process).
 */

import type { StateMachine } from '../ledger/state-machine.ts';

interface CheckpointsOptions {
  /**
   * Takes a checkpoint of the present state. Resolves with the op that is durable then, or `undefined` if there is nothing
   * to take.
   */
  readonly take: () => Promise<number | undefined>;
  readonly nowMs: () => number;
  /** Called when a checkpoint failed; it is tried again. */
  readonly onError: (error: unknown) => void;
  /** Called when a checkpoint is over, also when it failed. */
  readonly onEnd?: () => void;
}

const RETRY_MS = 1000;
const LOOK_FOR_ROOM_MS = 30_000;
const START_PAUSE_MAX_MS = 60 * 60_000;

export class Checkpoints {
  readonly #options: CheckpointsOptions;
  #running: Promise<void> | undefined;
  #notBeforeMs = -Infinity;
  #endedMs = -Infinity;
  /** Pause before the next one that only looks for room for what a start has made. */
  #startPauseMs = LOOK_FOR_ROOM_MS;
  /** Whether the last one has failed. */
  #hasFailed = false;
  /** Last op in the newest durable checkpoint. */
  op = 0;
  failures = 0;

  constructor(options: CheckpointsOptions) {
    this.#options = options;
  }

  /** True if no checkpoint is in progress and none has failed just now. */
  get mayBegin(): boolean {
    return this.#running === undefined && this.#options.nowMs() >= this.#notBeforeMs;
  }

  /**
   * Whether one is to be tried because the volume may have been enlarged. If requests need its room, that is half a minute after the last
   * one. If only the next start does, each pause is twice as long as the one before, up to an hour. Call it every now and then.
   */
  looksForRoom(ledger: Pick<StateMachine, 'lacksVolume' | 'startWorkLacksRoom'>): boolean {
    if (!this.mayBegin) return false;
    const isTime = this.#options.nowMs() >= this.#endedMs + LOOK_FOR_ROOM_MS;
    return this.#looksForStart(ledger.startWorkLacksRoom) || (isTime && ledger.lacksVolume);
  }

  #looksForStart(lacksRoom: boolean): boolean {
    if (!lacksRoom) {
      this.#startPauseMs = LOOK_FOR_ROOM_MS;
      return false;
    }
    if (this.#options.nowMs() < this.#endedMs + this.#startPauseMs) return false;
    this.#startPauseMs = Math.min(2 * this.#startPauseMs, START_PAUSE_MAX_MS);
    return true;
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  begin(): void {
    this.#running ??= this.#take().finally(() => {
      this.#running = undefined;
      this.#endedMs = this.#options.nowMs();
      this.#options.onEnd?.();
    });
  }

  /** Resolves when no checkpoint is in progress. */
  async idle(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  /**
   * Resolves when a durable checkpoint contains `op`, or when two that were begun for it are over: the first may be of an
   * earlier state that had waited for room.
   */
  async reach(op: number): Promise<void> {
    for (let begun = 0; op > this.op && (begun < 2 || this.#running !== undefined);) {
      if (this.#running === undefined) {
        begun += 1;
        this.begin();
      }
      await this.#running;
    }
  }

  /** Same as `reach`, but rejects if a checkpoint has failed. */
  async mustReach(op: number): Promise<void> {
    const { failures } = this;
    await this.reach(op);
    if (this.failures > failures) throw new Error('the checkpoint failed; the log says why');
  }

  async #take(): Promise<void> {
    const { take, nowMs, onError } = this.#options;
    try {
      this.op = (await take()) ?? this.op;
      // There is room again. This one may have had only what had waited for it, so that the next one is not to wait for an hour.
      if (this.#hasFailed) this.#startPauseMs = LOOK_FOR_ROOM_MS;
      this.#hasFailed = false;
    } catch (error) {
      this.#hasFailed = true;
      this.#notBeforeMs = nowMs() + RETRY_MS;
      this.failures += 1;
      onError(error);
    }
  }
}
