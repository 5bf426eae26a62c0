/**
 * Follows the log behind a position: reads what is there page by page as of one revision, then watches from the next one
 * on. Blocks come in the order of their commits; only what has no gap before it is told on. What does not fit its
 * predecessor is dropped and read again: it was cut off by a later leader.
 */
import type { KeyObject } from 'node:crypto';
import { backoffMs } from '../../../base/backoff.ts';
import { sleep, type Timers } from '../../../base/timers.ts';
import { decodeBlock, misfitOf, positionAfter, type Block, type LogPosition } from './block.ts';
import { ReplicatedLogError } from './errors.ts';
import { EtcdError, type Etcd, type KeyValue, type WatchEvent } from './etcd.ts';
import { blockKey, BLOCKS_END, sequenceOf } from './keys.ts';
import { GAP_PATIENCE_MS, PENDING_BLOCKS_MAX, QUIET_MS, RETRY } from './limits.ts';
import { readTail } from './tail.ts';

export interface FollowerOptions {
  readonly etcd: Etcd;
  readonly timers: Timers;
  readonly random: () => number;
  readonly sealKey: KeyObject;
  readonly position: LogPosition;
  /** In order, each once. */
  readonly onBlock: (block: Block) => void;
  /** Blocks that are needed here are gone; `floor` is the first that is kept. The follower has stopped. */
  readonly onBehind: (floor: number) => void;
  readonly onFailure: (error: ReplicatedLogError) => void;
}

/** A block that does not fit is read again so often before it counts as damaged. */
const MISFITS_MAX = 3;
/** After so many bytes other work has its turn. */
const YIELD_BYTES = 256 << 10;

export class Follower {
  readonly #options: FollowerOptions;
  readonly #stopped = new AbortController();
  #position: LogPosition;
  /** Bytes of blocks beyond a gap. */
  readonly #pending = new Map<number, Uint8Array>();
  #misfits = 0;
  #live = false;
  /** Aborted when raft has a new leader: a page that was asked of the old one may never come. */
  #election = new AbortController();
  /** Ends the watch that runs. */
  #again: () => void = () => undefined;

  constructor(options: FollowerOptions) {
    this.#options = options;
    this.#position = options.position;
    void this.#run();
  }

  /** True while all that is committed arrives within moments. */
  get live(): boolean {
    return this.#live;
  }

  /** Raft has a new leader or none: what hangs on the old one is asked again. */
  raftChanged(): void {
    this.#election.abort();
    this.#election = new AbortController();
  }

  /** Nothing is told after it. */
  stop(): void {
    this.#live = false;
    this.#stopped.abort();
    this.#election.abort();
    this.#again();
  }

  async #run(): Promise<void> {
    const { timers, random, onBehind, onFailure } = this.#options;
    const { signal } = this.#stopped;
    for (let failures = 0; !signal.aborted;) {
      try {
        const { revision, behind } = await this.#readPages();
        if (signal.aborted) return;
        if (behind !== undefined) {
          this.stop();
          return onBehind(behind);
        }
        failures = 0;
        this.#live = true;
        // One that is only looked after is as live as before.
        if ((await this.#watch(revision + 1)) === 'quiet') continue;
      } catch (error) {
        if (error instanceof ReplicatedLogError) {
          this.stop();
          return onFailure(error);
        }
        if (!(error instanceof EtcdError || error instanceof Misfit)) throw error;
        failures += 1;
      }
      this.#live = false;
      await sleep(timers, backoffMs(Math.max(1, failures), RETRY, random), signal);
    }
  }

  async #readPages(): Promise<{ revision: number; behind?: number }> {
    const { etcd, timers } = this.#options;
    const { signal } = this.#stopped;
    this.#pending.clear();
    let revision: number | undefined;
    let bytes = 0;
    for (let from = this.#position.sequence + 1; ;) {
      const page = await readTail(etcd, from, { revision, signal: this.#election.signal });
      ({ revision } = page);
      if (signal.aborted) return { revision };
      if (page.floor > this.#position.sequence + 1) return { revision, behind: page.floor };
      for (const kv of page.blocks) {
        this.#take(kv);
        from = (sequenceOf(kv.key) ?? from) + 1;
        bytes += kv.value.length;
        if (bytes < YIELD_BYTES) continue;
        bytes = 0;
        await sleep(timers, 0, signal);
        if (signal.aborted) return { revision };
      }
      if (!page.more) return { revision };
    }
  }

  /** Resolves when the log is to be read again: nothing was told for a while, or the watch cannot go on. */
  #watch(startRevision: number): Promise<'quiet' | 'ended'> {
    const { etcd, timers, onFailure } = this.#options;
    return new Promise((resolve) => {
      let cancelTimer: () => void = () => undefined;
      const endAs = (how: 'quiet' | 'ended'): void => {
        cancelTimer();
        cancelWatch();
        this.#again = () => undefined;
        resolve(how);
      };
      const end = (): void => endAs('ended');
      const wait = (): void => {
        cancelTimer();
        // A quiet log is looked at, too: a watch that tells nothing more looks the same.
        const patienceMs = this.#pending.size > 0 ? GAP_PATIENCE_MS : QUIET_MS;
        cancelTimer = timers.after(patienceMs, () => endAs('quiet'));
      };
      const onEvents = (events: readonly WatchEvent[]): void => {
        try {
          for (const event of events) {
            if (this.#stopped.signal.aborted) return;
            this.#takeEvent(event);
          }
          wait();
        } catch (error) {
          if (error instanceof Misfit) return end();
          if (!(error instanceof ReplicatedLogError)) throw error;
          this.stop();
          onFailure(error);
        }
      };
      const watch = { key: blockKey(0), rangeEnd: BLOCKS_END, startRevision };
      const cancelWatch = etcd.watch(watch, { onEvents, onEnd: end });
      this.#again = end;
      wait();
    });
  }

  #takeEvent({ deleted, kv }: WatchEvent): void {
    if (!deleted) return this.#take(kv);
    const sequence = sequenceOf(kv.key);
    if (sequence !== undefined) this.#pending.delete(sequence);
  }

  /** Tells on what follows now. Throws Misfit when the log is to be read again. */
  #take({ key, value }: KeyValue): void {
    const sequence = sequenceOf(key);
    if (sequence === undefined || sequence <= this.#position.sequence) return;
    this.#pending.set(sequence, value);
    for (;;) {
      const next = this.#position.sequence + 1;
      const bytes = this.#pending.get(next);
      if (bytes === undefined) break;
      this.#pending.delete(next);
      const block = this.#fitting(bytes);
      this.#misfits = 0;
      this.#position = positionAfter(block);
      this.#options.onBlock(block);
      if (this.#stopped.signal.aborted) return;
    }
    if (this.#pending.size > PENDING_BLOCKS_MAX) throw new Misfit('too much lies beyond a gap');
  }

  #fitting(bytes: Uint8Array): Block {
    const block = decodeBlock(this.#options.sealKey, bytes);
    const misfit = block === undefined ? 'seal' : misfitOf(this.#position, block);
    if (block !== undefined && misfit === undefined) return block;
    this.#misfits += 1;
    if (this.#misfits < MISFITS_MAX) throw new Misfit(`the next block does not fit: ${misfit}`);
    throw corruptBlock(this.#position.sequence + 1, misfit ?? 'seal');
  }
}

/** What was read does not fit, which a second look may mend. */
class Misfit extends Error {}

export function corruptBlock(sequence: number, misfit: string): ReplicatedLogError {
  return new ReplicatedLogError(
    'block_corrupt',
    `Block ${sequence} does not follow what this replica holds (${misfit}). Bring this replica back with 'recover'; the others go on.`,
  );
}
