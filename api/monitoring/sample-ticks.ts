/**
 * Times at which samples are taken: every 15 seconds of the store's clock, which all processes share. A machine's own clock may be behind, so
 * that its samples come after their minute was rolled up, or be set back, so that a time comes twice.
 */
import type { Logger } from 'pino';
import { sleep, type Timers } from '../../base/timers.ts';
import { sampleMs } from '../store/metric-samples.ts';
import type { Store } from '../store/store.ts';
import { storeTime } from '../store/time.ts';

interface SampleTicksOptions {
  readonly timers: Timers;
  readonly storeTime: () => Promise<Date>;
  /** Called when the store does not tell its time: it goes on from what was told last. */
  readonly onSilence: (error: unknown) => void;
}

/** The store's clock was set, not corrected, if it is this much before the last tick. Times then come again. */
const setBackMs = 60_000;

export class SampleTicks {
  readonly #options: SampleTicksOptions;
  /** From the monotonic clock to the store's: the machine's own date until the store has told its time. */
  #offsetMs: number;
  #lastMs = -Infinity;

  constructor(options: SampleTicksOptions) {
    this.#options = options;
    const { timers } = options;
    this.#offsetMs = timers.wallMs() - timers.nowMs();
  }

  /** Waits for the next one; `undefined` if the signal aborts meanwhile. */
  async next(signal: AbortSignal): Promise<Date | undefined> {
    const { timers } = this.#options;
    const nowMs = await this.#storeMs();
    const followingMs = Math.floor(nowMs / sampleMs + 1) * sampleMs;
    const isSetBack = nowMs < this.#lastMs - setBackMs;
    const atMs = isSetBack ? followingMs : Math.max(followingMs, this.#lastMs + sampleMs);
    await sleep(timers, atMs - nowMs, signal);
    if (signal.aborted) return undefined;
    this.#lastMs = atMs;
    return new Date(atMs);
  }

  async #storeMs(): Promise<number> {
    const { timers, storeTime, onSilence } = this.#options;
    try {
      const at = await storeTime();
      this.#offsetMs = at.getTime() - timers.nowMs();
    } catch (error) {
      onSilence(error);
    }
    return timers.nowMs() + this.#offsetMs;
  }
}

/** Ticks by the clock of this store. */
export const ticksOfStore = (
  { store, logger }: { readonly store: Store; readonly logger: Logger },
  timers: Timers,
): SampleTicks =>
  new SampleTicks({
    timers,
    storeTime: () => storeTime(store.read),
    onSilence: (error) => logger.debug({ err: error }, 'the store does not tell its time'),
  });
