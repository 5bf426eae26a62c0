/**
 * Work on leased things for as long as a process lives: looks for what is due, again and again and whenever it is woken, and ends in
 * order. What is measured of it has a loop of its own, so that a measurement that hangs holds no work up.
 */
import { backoffMs } from './backoff.ts';
import { LeasedRuns, type LeasedRunsOptions } from './leased-runs.ts';
import { RepeatingTask } from './repeating-task.ts';
import { sleep, systemTimers, type Timers } from './timers.ts';

interface LeasedWorkOptions<Leased> extends Omit<LeasedRunsOptions<Leased>, 'onFree'> {
  /** Comes before each look for what is due. */
  readonly prepare?: () => Promise<void>;
  /** Called when due work could not be taken, for the `failures`-th time in a row. */
  readonly onTakeFailure: (error: unknown, failures: number) => void;
  readonly measure: () => Promise<void>;
  readonly onMeasureFailure: (error: unknown) => void;
}

/** Interval between looks for what is due. */
const pollMs = 1_000;
const measureMs = 5_000;
const trouble = { baseMs: 250, maxMs: 10_000 };
/** Time for work under way to end by itself when the process stops. */
const stopMaxMs = 10_000;

export class LeasedWork<Leased> {
  readonly #options: LeasedWorkOptions<Leased>;
  readonly #timers: Timers;
  readonly #runs: LeasedRuns<Leased>;
  readonly #measuring: RepeatingTask;
  readonly #stopping = new AbortController();
  readonly #abandoning = new AbortController();
  #wake = new AbortController();
  #work: Promise<unknown> | undefined;

  constructor(options: LeasedWorkOptions<Leased>) {
    this.#options = options;
    const { timers = systemTimers, measure, onMeasureFailure } = options;
    this.#timers = timers;
    this.#runs = new LeasedRuns({ ...options, onFree: () => this.wake() });
    this.#measuring = new RepeatingTask({
      run: measure,
      onFailure: onMeasureFailure,
      everyMs: measureMs,
      timers,
    });
  }

  /** Things on which this process works now. */
  get size(): number {
    return this.#runs.size;
  }

  /** Whether all places are taken. */
  get full(): boolean {
    return this.#runs.full;
  }

  /** Aborts when nothing is to begin any more. */
  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  /** Aborts when work under way is to be cut off. */
  get abandoning(): AbortSignal {
    return this.#abandoning.signal;
  }

  /** Looks for what is due at once. */
  wake(): void {
    this.#wake.abort();
  }

  start(): void {
    if (this.#work !== undefined) return;
    this.#measuring.start();
    this.#work = Promise.all([this.#look(), this.#runs.keepLeases(this.stopping)]);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.wake();
    const cancel = this.#timers.after(stopMaxMs, () => this.#abandoning.abort());
    await Promise.all([this.#work, this.#measuring.stop()]);
    cancel();
  }

  async #look(): Promise<void> {
    const { prepare, onTakeFailure } = this.#options;
    let failures = 0;
    while (!this.stopping.aborted) {
      this.#wake = new AbortController();
      try {
        await prepare?.();
        await this.#runs.begin();
        failures = 0;
      } catch (error) {
        failures += 1;
        onTakeFailure(error, failures);
        await sleep(this.#timers, backoffMs(failures, trouble, Math.random), this.stopping);
      }
      await sleep(this.#timers, pollMs, this.#wake.signal);
    }
    await this.#runs.ended();
  }
}
