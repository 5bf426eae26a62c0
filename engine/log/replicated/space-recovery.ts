/**
 * When etcd has run out of its quota, it takes no puts before an operator acts; this is what an operator would do, one step
 * at a time. The leader compacts, each engine has its own member give back what is free, and the leader disarms the alarm.
 * Entries are refused long before (FULL_PART), so that this is for what nobody foresaw.
 */
import type { Timers } from '../../../base/timers.ts';
import type { Etcd, MemberStatus } from './etcd.ts';
import { LEAD } from './keys.ts';
import { CALL_TIMEOUT_MS, FULL_PART, SPACE_STEP_MS } from './limits.ts';

/** Rewriting 2 GiB takes some seconds. */
const DEFRAGMENT_TIMEOUT_MS = 60_000;

export class SpaceRecovery {
  readonly #etcd: Etcd;
  readonly #timers: Timers;
  readonly #stopped = new AbortController();
  #notBeforeMs = -Infinity;
  #busy = false;

  constructor(etcd: Etcd, timers: Timers) {
    this.#etcd = etcd;
    this.#timers = timers;
  }

  /** To be called with every status of the local member. */
  look(status: MemberStatus, leading: boolean): void {
    if (!status.noSpace || this.#busy || this.#timers.nowMs() < this.#notBeforeMs) return;
    this.#busy = true;
    void this.#step(status, leading)
      // What failed is taken again with a later status.
      .catch(() => undefined)
      .finally(() => {
        this.#busy = false;
        this.#notBeforeMs = this.#timers.nowMs() + SPACE_STEP_MS;
      });
  }

  stop(): void {
    this.#stopped.abort();
  }

  async #step(status: MemberStatus, leading: boolean): Promise<void> {
    const { signal } = this.#stopped;
    const options = { timeoutMs: CALL_TIMEOUT_MS, signal };
    const level = status.quotaBytes * FULL_PART;
    if (status.fileBytes > level && status.bytesInUse < level) {
      await this.#etcd.defragment({ timeoutMs: DEFRAGMENT_TIMEOUT_MS, signal });
    } else if (leading && status.fileBytes > level) {
      const look = { do: 'range', key: LEAD, keysOnly: true } as const;
      const request = { compare: [], success: [look], failure: [] };
      const { revision } = await this.#etcd.txn(request, options);
      await this.#etcd.compact(revision, options);
    } else if (leading) {
      await this.#etcd.disarmNoSpace(options);
    }
  }
}
