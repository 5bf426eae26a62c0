/**
 * Repeats requests after passing failures, with growing waits, until no request has succeeded for a long time. A restart of the service
 * or of a router does not end an upload or an export of hours.
 */
import { backoffMs } from '../base/backoff.ts';
import { sleep, type Timers } from '../base/timers.ts';
import { CliFailure, isPassing } from './failure.ts';

interface PatienceOptions {
  /** Maximum time without a successful request; with 0, the first failure is final. */
  readonly patienceMs: number;
  /** Called once in an outage, after some failures in a row. */
  readonly onTrouble: (failure: CliFailure) => void;
  readonly timers: Timers;
  readonly random: () => number;
}

const backoff = { baseMs: 1_000, maxMs: 10_000 };
/** Failures in a row of one request that are not reported: a busy service refuses now and then. */
const quietFailuresMax = 2;

/** Shared by all requests of one command: the success of any of them ends an outage. */
export class Patience {
  readonly #options: PatienceOptions;
  #succeededMs: number;
  #isOutageTold = false;

  constructor(options: PatienceOptions) {
    this.#options = options;
    this.#succeededMs = options.timers.nowMs();
  }

  /** Rejects with the last failure of `request`, or with the reason of the signal when that aborts. */
  async until(
    signal: AbortSignal,
    request: () => Promise<unknown>,
    onFailure: () => void = () => undefined,
  ): Promise<void> {
    for (let failures = 1; ; failures += 1) {
      try {
        await request();
        this.#succeededMs = this.#options.timers.nowMs();
        this.#isOutageTold = false;
        return;
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof CliFailure) || !isPassing(error)) throw error;
        onFailure();
        await this.#wait(error, failures, signal);
      }
    }
  }

  async #wait(failure: CliFailure, failures: number, signal: AbortSignal): Promise<void> {
    const { patienceMs, onTrouble, timers, random } = this.#options;
    const askedMs = failure.fields.retryAfterMs ?? 0;
    const waitMs = Math.max(askedMs, backoffMs(failures, backoff, random));
    if (timers.nowMs() + waitMs - this.#succeededMs > patienceMs) throw failure;
    if (failures > quietFailuresMax && !this.#isOutageTold) {
      this.#isOutageTold = true;
      onTrouble(failure);
    }
    await sleep(timers, waitMs, signal);
    signal.throwIfAborted();
  }
}
