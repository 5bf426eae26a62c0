/** Writer of this replica's `ck` record. It writes the newest mark, one write at a time, and retries until it succeeds. */
import { backoffMs } from '../../../base/backoff.ts';
import { sleep, type Timers } from '../../../base/timers.ts';
import { EtcdError, type Etcd } from './etcd.ts';
import { checkpointKey } from './keys.ts';
import { CALL_TIMEOUT_MS, RETRY } from './limits.ts';
import { encodeRecord, type CheckpointMark } from './records.ts';

interface CheckpointMarksOptions {
  readonly etcd: Etcd;
  readonly timers: Timers;
  readonly random: () => number;
  readonly replica: number;
}

export class CheckpointMarks {
  readonly #options: CheckpointMarksOptions;
  readonly #stopped = new AbortController();
  #last: CheckpointMark | undefined;
  #next: CheckpointMark | undefined;
  #writing = false;

  constructor(options: CheckpointMarksOptions) {
    this.#options = options;
  }

  /** Records that the state at `mark` is durable here: this replica needs no block up to there any more. */
  put(mark: CheckpointMark): void {
    this.#last = mark;
    this.#next = mark;
    if (!this.#writing) void this.#write();
  }

  /** Puts the last mark once more, or the mark `found` in etcd if this process has made none yet. */
  again(found: CheckpointMark | undefined): void {
    const mark = this.#last ?? found;
    if (mark !== undefined) this.put(mark);
  }

  stop(): void {
    this.#stopped.abort();
  }

  async #write(): Promise<void> {
    const { etcd, timers, random, replica } = this.#options;
    const { signal } = this.#stopped;
    const key = checkpointKey(replica);
    this.#writing = true;
    for (let failures = 0; this.#next !== undefined && !signal.aborted;) {
      const mark = this.#next;
      const put = { do: 'put', key, value: encodeRecord(mark) } as const;
      try {
        // A lost try that arrives after a newer one only keeps blocks for longer, until the next mark.
        const request = { compare: [], success: [put], failure: [] };
        await etcd.txn(request, { timeoutMs: CALL_TIMEOUT_MS, signal });
        if (this.#next === mark) this.#next = undefined;
        failures = 0;
      } catch (error) {
        if (!(error instanceof EtcdError)) throw error;
        failures += 1;
        await sleep(timers, backoffMs(failures, RETRY, random), signal);
      }
    }
    this.#writing = false;
  }
}
