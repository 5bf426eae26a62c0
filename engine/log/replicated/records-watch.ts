/** Copy of the small records, at most a moment old: read once, then watched, and read again when the watch ends. */
import { backoffMs } from '../../../base/backoff.ts';
import { sleep, type Timers } from '../../../base/timers.ts';
import { ReplicatedLogError } from './errors.ts';
import { EtcdError, type Etcd, type KeyValue, type WatchEvent } from './etcd.ts';
import { nameOf, RECORDS } from './keys.ts';
import { CALL_TIMEOUT_MS, QUIET_MS, RETRY } from './limits.ts';
import {
  decodeCheckpoint,
  decodeFloor,
  decodeLead,
  decodeMeta,
  type CheckpointMark,
  type Lead,
  type Meta,
} from './records.ts';

export interface Records {
  readonly meta: Meta | undefined;
  /** Content of `lead` with its mod_revision, the fence. */
  readonly lead: (Lead & { readonly fence: number }) | undefined;
  readonly floor: { readonly sequence: number; readonly modRevision: number };
  /** Checkpoint marks by replica. */
  readonly checkpoints: ReadonlyMap<number, CheckpointMark>;
}

interface RecordsWatchOptions {
  readonly etcd: Etcd;
  readonly timers: Timers;
  readonly random: () => number;
  readonly onChange: (records: Records) => void;
  readonly onFailure: (error: ReplicatedLogError) => void;
}

export class RecordsWatch {
  readonly #options: RecordsWatchOptions;
  readonly #stopped = new AbortController();
  #kvs = new Map<string, KeyValue>();
  #endWatch: () => void = () => undefined;

  constructor(options: RecordsWatchOptions) {
    this.#options = options;
    void this.#run();
  }

  stop(): void {
    this.#stopped.abort();
    this.#endWatch();
  }

  async #run(): Promise<void> {
    const { etcd, timers, random } = this.#options;
    const { signal } = this.#stopped;
    const read = { compare: [], success: [{ do: 'range', ...RECORDS }], failure: [] } as const;
    for (let failures = 0; !signal.aborted;) {
      try {
        const { revision, results } = await etcd.txn(read, { timeoutMs: CALL_TIMEOUT_MS, signal });
        if (signal.aborted) return;
        this.#kvs = new Map((results[0]?.kvs ?? []).map((kv) => [nameOf(kv.key), kv]));
        this.#tell();
        // The callback may have stopped this watch.
        if (signal.aborted) return;
        failures = 0;
        await this.#watch(revision + 1);
      } catch (error) {
        if (!(error instanceof EtcdError)) throw error;
        failures += 1;
      }
      await sleep(timers, backoffMs(Math.max(1, failures), RETRY, random), signal);
    }
  }

  #watch(startRevision: number): Promise<void> {
    const { etcd, timers } = this.#options;
    return new Promise((resolve) => {
      let cancelTimer: () => void = () => undefined;
      const end = (): void => {
        cancelTimer();
        cancelWatch();
        this.#endWatch = () => undefined;
        resolve();
      };
      const wait = (): void => {
        cancelTimer();
        cancelTimer = timers.after(QUIET_MS, end);
      };
      const onEvents = (events: readonly WatchEvent[]): void => {
        wait();
        for (const { deleted, kv } of events) {
          if (deleted) this.#kvs.delete(nameOf(kv.key));
          else this.#kvs.set(nameOf(kv.key), kv);
        }
        this.#tell();
      };
      const cancelWatch = etcd.watch({ ...RECORDS, startRevision }, { onEvents, onEnd: end });
      this.#endWatch = end;
      wait();
    });
  }

  #tell(): void {
    if (this.#stopped.signal.aborted) return;
    let records: Records;
    try {
      records = recordsOf(this.#kvs);
    } catch (error) {
      if (!(error instanceof ReplicatedLogError)) throw error;
      this.stop();
      return this.#options.onFailure(error);
    }
    this.#options.onChange(records);
  }
}

function recordsOf(kvs: ReadonlyMap<string, KeyValue>): Records {
  const [meta, lead, floor] = ['meta', 'lead', 'floor'].map((name) => kvs.get(name));
  const checkpoints = new Map<number, CheckpointMark>();
  for (const [name, { value }] of kvs) {
    const replica = /^ck\/(\d+)$/.exec(name)?.[1];
    if (replica !== undefined) checkpoints.set(Number(replica), decodeCheckpoint(value));
  }
  return {
    meta: meta && decodeMeta(meta.value),
    lead: lead && { ...decodeLead(lead.value), fence: lead.modRevision },
    floor: {
      sequence: floor === undefined ? 0 : decodeFloor(floor.value).sequence,
      modRevision: floor?.modRevision ?? 0,
    },
    checkpoints,
  };
}
