/** A task that runs again and again, with a pause after each run, until it is stopped. */
import { sleep, systemTimers, type Timers } from './timers.ts';

interface RepeatingTaskOptions {
  /** One run. The signal aborts when the task is stopped. */
  readonly run: (signal: AbortSignal) => Promise<unknown>;
  /** Called when a run fails. The task goes on. */
  readonly onFailure: (error: unknown) => void;
  /** Pause between the end of a run and the start of the next. */
  readonly everyMs: number;
  readonly timers?: Timers;
}

export class RepeatingTask {
  readonly #options: RepeatingTaskOptions;
  readonly #stopping = new AbortController();
  #loop: Promise<void> | undefined;

  constructor(options: RepeatingTaskOptions) {
    this.#options = options;
  }

  /** Starts the first run. A second call does nothing. */
  start(): void {
    this.#loop ??= this.#repeat();
  }

  /** Ends the pause, or waits for the current run. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#loop;
  }

  async #repeat(): Promise<void> {
    const { run, onFailure, everyMs, timers = systemTimers } = this.#options;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        await run(signal);
      } catch (error) {
        onFailure(error);
      }
      await sleep(timers, everyMs, signal);
    }
  }
}
