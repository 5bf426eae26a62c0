/**
 * When a replica takes a checkpoint: one at a time, whoever wants it. Some are begun because enough was logged; others because
 * somebody needs what was executed until now to be in one (an export, a replica that fetches the state, the end of the process).
 */

export interface CheckpointsOptions {
  /** Takes one of the state as it is. Resolves with the operation that is durable then; undefined: there is nothing to take. */
  readonly take: () => Promise<number | undefined>;
  readonly nowMs: () => number;
  /** One failed; it is tried again. */
  readonly onError: (error: unknown) => void;
}

const RETRY_MS = 1000;

export class Checkpoints {
  readonly #options: CheckpointsOptions;
  #running: Promise<void> | undefined;
  #notBeforeMs = -Infinity;
  /** What the newest durable one holds. */
  op = 0;
  failures = 0;

  constructor(options: CheckpointsOptions) {
    this.#options = options;
  }

  /** None is under way, and none has failed just now. */
  get mayBegin(): boolean {
    return this.#running === undefined && this.#options.nowMs() >= this.#notBeforeMs;
  }

  begin(): void {
    this.#running ??= this.#take().finally(() => {
      this.#running = undefined;
    });
  }

  /** Resolves when none is under way. */
  async idle(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  /**
   * Until `op` is in a durable one, or two that were begun for it are over: the first may have been of an earlier state that
   * had waited for room.
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

  /** The same; rejects when one has failed. */
  async mustReach(op: number): Promise<void> {
    const { failures } = this;
    await this.reach(op);
    if (this.failures > failures) throw new Error('the checkpoint failed; the log says why');
  }

  async #take(): Promise<void> {
    const { take, nowMs, onError } = this.#options;
    try {
      this.op = (await take()) ?? this.op;
    } catch (error) {
      this.#notBeforeMs = nowMs() + RETRY_MS;
      this.failures += 1;
      onError(error);
    }
  }
}
