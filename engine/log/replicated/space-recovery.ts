/**
 * Recovery of an etcd that has run out of its quota, which takes no puts until an operator acts. Every engine does the
 * operator's work for its own member: it compacts, defragments, and disarms the alarm, which a member without room raises
 * again. The leading engine alone would not do: if it is gone, no other can claim without puts. Entries are refused long before
 * (FULL_PART), so this is for unforeseen cases.
 *
 * etcd counts the bytes in use again with each commit of its file; bytes freed by a compaction count only from the next commit.
 * A log that takes nothing because too much is in use would never learn that this is over, so it writes a little from time to
 * time.
 */
import type { Timers } from '../../../base/timers.ts';
import { EtcdError, type Etcd, type MemberStatus } from './etcd.ts';
import { LEAD } from './keys.ts';
import { CALL_TIMEOUT_MS, FULL_PART } from './limits.ts';

interface SpaceRecoveryOptions {
  readonly etcd: Etcd;
  readonly timers: Timers;
  /** Puts some small record again. */
  readonly writeALittle: () => void;
}

/** Rewriting 2 GiB takes some seconds. */
const DEFRAGMENT_TIMEOUT_MS = 60_000;
const DEFRAGMENT_AGAIN_MS = 2000;
const STEP_MS = 1000;

/** Returns whether so much is in use that no more entries may be taken. */
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

  /** Takes a recovery step if one is needed. Call it with every status of the local member. */
  look(status: MemberStatus): void {
    const { timers } = this.#options;
    if (!isFull(status) || this.#busy || timers.nowMs() < this.#notBeforeMs) return;
    this.#busy = true;
    void this.#step(status)
      // A later status repeats a step that failed.
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

  /** Makes one step. Returns the time to wait before the next one, in ms. */
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
