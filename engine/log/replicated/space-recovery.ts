/**
 * When etcd has run out of its quota, it takes no puts before an operator acts; this is what an operator would do, by every
 * engine for its own member: compact, have the member give back what is free, disarm the alarm, which a member that has no
 * room yet raises again. Not by the leading engine alone: without puts nobody can claim, should that one be gone. Entries
 * are refused long before (FULL_PART), so that this is for what nobody foresaw.
 *
 * How much is in use etcd counts anew with each commit of its file, and what a compaction freed counts from the one after
 * it. A log that takes nothing because too much is in use would never hear that this is over; so a little is written from
 * time to time.
 */
import type { Timers } from '../../../base/timers.ts';
import { EtcdError, type Etcd, type MemberStatus } from './etcd.ts';
import { LEAD } from './keys.ts';
import { CALL_TIMEOUT_MS, FULL_PART } from './limits.ts';

export interface SpaceRecoveryOptions {
  readonly etcd: Etcd;
  readonly timers: Timers;
  /** Puts some small record once more. */
  readonly writeALittle: () => void;
}

/** Rewriting 2 GiB takes some seconds. */
const DEFRAGMENT_TIMEOUT_MS = 60_000;
const DEFRAGMENT_AGAIN_MS = 2000;
const STEP_MS = 1000;

/** Whether so much is in use that no more entries are to be taken. */
export const isFull = ({ noSpace, bytesInUse, quotaBytes }: MemberStatus): boolean =>
  noSpace || bytesInUse > quotaBytes * FULL_PART;

export class SpaceRecovery {
  readonly #options: SpaceRecoveryOptions;
  readonly #stopped = new AbortController();
  #notBeforeMs = -Infinity;
  #busy = false;

  constructor(options: SpaceRecoveryOptions) {
    this.#options = options;
  }

  /** To be called with every status of the local member. */
  look(status: MemberStatus): void {
    const { timers } = this.#options;
    if (!isFull(status) || this.#busy || timers.nowMs() < this.#notBeforeMs) return;
    this.#busy = true;
    void this.#step(status)
      // What failed is taken again with a later status.
      .catch((error: unknown) => {
        if (!(error instanceof EtcdError)) throw error;
        return STEP_MS;
      })
      .then((waitMs) => {
        this.#busy = false;
        this.#notBeforeMs = timers.nowMs() + waitMs;
      });
  }

  stop(): void {
    this.#stopped.abort();
  }

  /** Returns how long to wait before the next one. */
  async #step(status: MemberStatus): Promise<number> {
    const { etcd, writeALittle } = this.#options;
    const { signal } = this.#stopped;
    const options = { timeoutMs: CALL_TIMEOUT_MS, signal };
    if (!status.noSpace) {
      writeALittle();
      return STEP_MS;
    }
    if (status.fileBytes <= status.quotaBytes * FULL_PART) {
      await etcd.disarmNoSpace(options);
      return STEP_MS;
    }
    const look = { do: 'range', key: LEAD, keysOnly: true } as const;
    const { revision } = await etcd.txn({ compare: [], success: [look], failure: [] }, options);
    await etcd.compact(revision, options);
    await etcd.defragment({ timeoutMs: DEFRAGMENT_TIMEOUT_MS, signal });
    return DEFRAGMENT_AGAIN_MS;
  }
}
