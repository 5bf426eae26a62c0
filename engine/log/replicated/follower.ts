/**
 * Reader of the log after a position. It reads the existing blocks page by page as of one revision, then watches from the
 * next revision on. Blocks arrive in the order of their commits; the follower passes on only blocks without a gap before
 * them. It drops a block that does not fit its predecessor and reads again: a later leader cut that block off.
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

interface FollowerOptions {
  readonly etcd: Etcd;
  readonly timers: Timers;
  readonly random: () => number;
  readonly sealKey: KeyObject;
  readonly position: LogPosition;
  /** Receives the blocks in order, each once. */
  readonly onBlock: (block: Block) => void;
  /** Returns whether so many blocks wait to be executed that no more should come now. */
  readonly isBusy: () => boolean;
  /** Called when blocks that this replica needs are deleted; `floor` is the first one kept. The follower has stopped. */
  readonly onBehind: (floor: number) => void;
  readonly onFailure: (error: ReplicatedLogError) => void;
}

/** Number of times a block that does not fit is read again before it counts as damaged. */
const MISFITS_MAX = 3;
/** Bytes taken at a stretch before other work has its turn. */
const YIELD_BYTES = 256 << 10;
const BUSY_LOOK_MS = 50;

export class Follower {
  readonly #options: FollowerOptions;
  readonly #stopped = new AbortController();
  #position: LogPosition;
  /** Encoded blocks beyond a gap, by sequence. */
  readonly #pending = new Map<number, Uint8Array>();
  #misfits = 0;
  #live = false;
  /** Aborted when raft has a new leader: the old one may never answer the request for a page. */
  #election = new AbortController();
  /** Ends the current watch. */
  #again: () => void = () => undefined;

  constructor(options: FollowerOptions) {
    this.#options = options;
    this.#position = options.position;
    void this.#run();
  }

  /** True while committed blocks arrive here within moments. */
  get live(): boolean {
    return this.#live;
  }

  /** Call when raft has a new leader or none: a request that waits for the old one is sent again. */
  raftChanged(): void {
    this.#election.abort();
    this.#election = new AbortController();
  }

  /** Stops the follower. No callback is called afterwards. */
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
        // A quiet log is only read again; the follower stays live.
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
      if (this.#options.isBusy()) await this.#whenTaken();
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

  /** Resolves when more blocks may come, or the follower has stopped. Until then this replica is too far behind to lead. */
  async #whenTaken(): Promise<void> {
    const { timers, isBusy } = this.#options;
    const { signal } = this.#stopped;
    while (isBusy() && !signal.aborted) {
      this.#live = false;
      await sleep(timers, BUSY_LOOK_MS, signal);
    }
  }

  /** Watches the log. Resolves when the log must be read again: no event came for a while, or the watch has ended. */
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
        // A quiet log is read again, too: a broken watch looks the same as a quiet log.
        const patienceMs = this.#pending.size > 0 ? GAP_PATIENCE_MS : QUIET_MS;
        cancelTimer = timers.after(patienceMs, () => endAs('quiet'));
      };
      const onEvents = (events: readonly WatchEvent[]): void => {
        try {
          for (const event of events) {
            if (this.#stopped.signal.aborted) return;
            this.#takeEvent(event);
          }
          // Later entries are read when these are executed.
          if (this.#options.isBusy()) return end();
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

  /**
   * Takes one block and passes on all blocks that now follow without a gap. Throws Misfit when the log must be read again.
   */
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
    if (this.#pending.size > PENDING_BLOCKS_MAX) throw new Misfit('too many entries follow a gap');
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

/** A block that does not fit its predecessor. Reading it again may solve this. */
class Misfit extends Error {}

export function corruptBlock(sequence: number, misfit: string): ReplicatedLogError {
  return new ReplicatedLogError(
    'block_corrupt',
    `Block ${sequence} does not follow the blocks of this replica (${misfit}). Bring this replica back with 'recover'; the others go on.`,
  );
}
