/**
 * Gate for reads at a leader. A read may be executed once it is certain that this replica still led after the read had
 * arrived: no other replica had then acknowledged anything unknown to it. One linearizable look at `lead` serves all reads
 * that wait when it begins. A commit that began after a read arrived proves the same.
 */
import { backoffMs } from '../../../base/backoff.ts';
import { sleep, type Timers } from '../../../base/timers.ts';
import { ReadRefused } from './errors.ts';
import { EtcdError, type Etcd } from './etcd.ts';
import { LEAD } from './keys.ts';
import { BARRIERS_MAX, CALL_TIMEOUT_MS, RETRY } from './limits.ts';

interface FenceCheckOptions {
  readonly etcd: Etcd;
  readonly timers: Timers;
  readonly random: () => number;
  readonly fence: number;
  /** Called when the fence was found in place. */
  readonly onProved: () => void;
  /** Called when another replica leads. */
  readonly onDeposed: () => void;
}

/** A logical time in this process: a counter that orders its calls, independent of clocks. */
type Moment = number;

interface Waiting {
  readonly arrived: Moment;
  readonly resolve: () => void;
  readonly reject: (error: ReadRefused) => void;
}

export class FenceCheck {
  readonly #options: FenceCheckOptions;
  readonly #stopped = new AbortController();
  #now: Moment = 0;
  /** Reads that wait, in the order of arrival. */
  #waiting: Waiting[] = [];
  #checking = false;
  /** Aborted when raft has a new leader: the old one may never answer a look. */
  #election = new AbortController();

  constructor(options: FenceCheckOptions) {
    this.#options = options;
  }

  /** Resolves when a read executed from then on sees everything acknowledged before this call. Rejects with ReadRefused. */
  barrier(): Promise<void> {
    if (this.#stopped.signal.aborted) return Promise.reject(new ReadRefused('not_leading'));
    if (this.#waiting.length >= BARRIERS_MAX) return Promise.reject(new ReadRefused('overloaded'));
    return new Promise((resolve, reject) => {
      this.#waiting.push({ arrived: this.moment(), resolve, reject });
      if (!this.#checking) void this.#check();
    });
  }

  /** Returns the current moment. Take it before making a call that will prove the fence. */
  moment(): Moment {
    this.#now += 1;
    return this.#now;
  }

  /** Reports that a call that began at `began` found the fence in place. */
  proved(began: Moment): void {
    this.#options.onProved();
    let count = 0;
    while (count < this.#waiting.length && this.#waiting[count]!.arrived < began) count += 1;
    for (const { resolve } of this.#waiting.splice(0, count)) resolve();
  }

  /** Call when raft has a new leader or none: a look that waits for the old one starts again. */
  raftChanged(): void {
    this.#election.abort();
    this.#election = new AbortController();
  }

  /** Refuses all waiting reads and all later ones. */
  stop(): void {
    this.#stopped.abort();
    this.#election.abort();
    for (const { reject } of this.#waiting.splice(0)) reject(new ReadRefused('not_leading'));
  }

  async #check(): Promise<void> {
    const { etcd, timers, random, fence, onDeposed } = this.#options;
    const { signal } = this.#stopped;
    const lead = { do: 'range', key: LEAD, keysOnly: true } as const;
    this.#checking = true;
    for (let failures = 0; this.#waiting.length > 0 && !signal.aborted;) {
      // The same look serves all reads that arrive in this turn of the event loop.
      await Promise.resolve();
      const began = this.moment();
      try {
        const options = { timeoutMs: CALL_TIMEOUT_MS, signal: this.#election.signal };
        const { results } = await etcd.txn({ compare: [], success: [lead], failure: [] }, options);
        if (signal.aborted) break;
        if (results[0]?.kvs[0]?.modRevision !== fence) {
          this.stop();
          onDeposed();
          break;
        }
        failures = 0;
        this.proved(began);
      } catch (error) {
        if (!(error instanceof EtcdError)) throw error;
        failures += 1;
        await sleep(timers, backoffMs(failures, RETRY, random), signal);
      }
    }
    this.#checking = false;
  }
}
