/**
 * Commits a leader's entries: puts waiting entries into blocks, keeps a few blocks in flight, and reports committed blocks
 * in order. Blocks may commit out of order; a block counts only when there is no gap before it.
 *
 * A block is put if the fence stands and its key is free. When the answer is lost (a timeout, a broken connection, an
 * election, no space), the block may be in etcd already, or arrive later. So the appender reads the key. If the block is
 * there while the fence stands, it is ours. If it is absent, the same bytes are put again, and the later of the two tries
 * finds the key taken. A new raft leader or term triggers this at once: blocks that the old leader had not replicated are
 * gone, and etcd would say so only after seconds.
 */
import type { KeyObject } from 'node:crypto';
import { assert } from '../../../base/assert.ts';
import { backoffMs } from '../../../base/backoff.ts';
import { sleep, type Timers } from '../../../base/timers.ts';
import { entrySize } from '../entries.ts';
import type { LogEntry } from '../log.ts';
import { encodeBlock, fitsBlock, positionAfter, type Block, type LogPosition } from './block.ts';
import { ReplicatedLogError } from './errors.ts';
import { EtcdError, type Etcd, type Operation, type Txn, type TxnResult } from './etcd.ts';
import { blockKey, LEAD } from './keys.ts';
import {
  APPEND_TIMEOUT_MS,
  BLOCKS_IN_FLIGHT_MAX,
  CALL_TIMEOUT_MS,
  QUEUED_BYTES_MAX,
  QUEUED_ENTRIES_MAX,
  RETRY,
} from './limits.ts';

interface AppenderOptions {
  readonly etcd: Etcd;
  readonly timers: Timers;
  readonly random: () => number;
  readonly sealKey: KeyObject;
  readonly fence: number;
  readonly view: number;
  /** Position of the last block of the log. Only this appender puts blocks after it. */
  readonly position: LogPosition;
  /** Receives the committed blocks in order, each once. */
  readonly onCommitted: (block: Block) => void;
  /** Called before a call that may prove that the fence stands. `onFenceSeen` gets its result if the call proved it. */
  readonly moment: () => number;
  readonly onFenceSeen: (moment: number) => void;
  /** Called when another replica leads: nothing more commits here. */
  readonly onDeposed: () => void;
  readonly onFailure: (error: ReplicatedLogError) => void;
}

interface Flight {
  readonly block: Block;
  readonly bytes: Uint8Array;
  committed: boolean;
}

type Outcome = 'committed' | 'absent' | 'deposed';

export class Appender {
  readonly #options: AppenderOptions;
  readonly #stopped = new AbortController();
  #queue: LogEntry[] = [];
  #queuedBytes = 0;
  readonly #inFlight = new Map<number, Flight>();
  #proposed: LogPosition;
  #committedSequence: number;
  /** Aborted when raft has a new leader, so that calls that wait for the old one look again. */
  #election = new AbortController();
  #drained: (() => void)[] = [];

  constructor(options: AppenderOptions) {
    this.#options = options;
    this.#proposed = options.position;
    this.#committedSequence = options.position.sequence;
  }

  /** Queues an entry, whose op must follow the last one's. Returns false if the queue is full until something commits. */
  append(entry: LogEntry): boolean {
    if (this.#stopped.signal.aborted) return false;
    const size = entrySize(entry.message);
    if (this.#queue.length >= QUEUED_ENTRIES_MAX) return false;
    if (this.#queuedBytes + size > QUEUED_BYTES_MAX) return false;
    const before = this.#queue.at(-1) ?? this.#proposed;
    assert(entry.op === before.op + 1, 'entries follow one another');
    assert(entry.timestamp > before.timestamp, 'timestamps rise with entries');
    this.#queue.push(entry);
    this.#queuedBytes += size;
    // Blocks are made after the current turn of the event loop, so that entries that arrive together share a block.
    if (this.#queue.length === 1) queueMicrotask(() => this.#pump());
    return true;
  }

  /** Raft has a new leader or none: blocks on their way may have been lost with the old one. */
  raftChanged(): void {
    this.#election.abort();
    this.#election = new AbortController();
  }

  /** Resolves when every appended entry is committed, or nothing more will commit. */
  drained(): Promise<void> {
    if (this.#idle) return Promise.resolve();
    return new Promise((resolve) => this.#drained.push(resolve));
  }

  /** Ends all reports. Blocks in flight may still commit. */
  stop(): void {
    this.#stopped.abort();
    this.#election.abort();
    this.#queue = [];
    this.#queuedBytes = 0;
    for (const resolve of this.#drained.splice(0)) resolve();
  }

  get #idle(): boolean {
    return this.#stopped.signal.aborted || (this.#queue.length === 0 && this.#inFlight.size === 0);
  }

  #pump(): void {
    const { sealKey, fence, view } = this.#options;
    while (this.#queue.length > 0 && this.#inFlight.size < BLOCKS_IN_FLIGHT_MAX) {
      const entries = this.#queue.splice(0, this.#countThatFits());
      const { block, bytes } = encodeBlock(sealKey, this.#proposed, { fence, view, entries });
      for (const { message } of entries) this.#queuedBytes -= entrySize(message);
      this.#proposed = positionAfter(block);
      const flight = { block, bytes, committed: false };
      this.#inFlight.set(block.sequence, flight);
      void this.#commit(flight);
    }
  }

  #countThatFits(): number {
    let [count, size] = [0, 0];
    for (const { message } of this.#queue) {
      if (!fitsBlock(size, message)) break;
      size += entrySize(message);
      count += 1;
    }
    assert(count > 0, 'every message fits a block');
    return count;
  }

  async #commit(flight: Flight): Promise<void> {
    const { onDeposed, onFailure } = this.#options;
    // Last known state of the key. A block that was never sent is absent.
    let seen: Outcome = 'absent';
    for (let failures = 0; !this.#stopped.signal.aborted;) {
      const election = this.#election.signal;
      try {
        seen = seen === 'absent' ? await this.#put(flight, election) : seen;
        if (this.#stopped.signal.aborted) return;
        if (seen === 'committed') return this.#settle(flight);
        this.stop();
        return onDeposed();
      } catch (error) {
        if (!(error instanceof EtcdError)) throw error;
        if (this.#stopped.signal.aborted) return;
        if (error.code === 'refused') {
          this.stop();
          return onFailure(
            new ReplicatedLogError(
              'etcd_refused',
              `etcd refuses a block: ${error.message}. Compare its flags with those that the engine needs (--max-request-bytes).`,
              { cause: error },
            ),
          );
        }
        failures += 1;
      }
      seen = await this.#look(flight, failures);
    }
  }

  /** Makes one try to put the block. Rejects when the outcome is unknown. */
  async #put({ block, bytes }: Flight, signal: AbortSignal): Promise<Outcome> {
    const { etcd, fence, moment, onFenceSeen } = this.#options;
    const key = blockKey(block.sequence);
    const request: Txn = {
      compare: [
        { key: LEAD, target: 'modRevision', is: 'equal', revision: fence },
        { key, target: 'createRevision', is: 'equal', revision: 0 },
      ],
      success: [{ do: 'put', key, value: bytes }],
      failure: lookAt(key),
    };
    const began = moment();
    const result = await etcd.append(request, { timeoutMs: APPEND_TIMEOUT_MS, signal });
    const outcome = result.succeeded ? 'committed' : outcomeOf(result, fence);
    assert(outcome !== 'absent', 'a free key under a standing fence is put');
    if (outcome === 'committed') onFenceSeen(began);
    return outcome;
  }

  /** Reads the key until the block's outcome is known, however long it takes. */
  async #look({ block }: Flight, failedTries: number): Promise<Outcome> {
    const { etcd, timers, random, fence } = this.#options;
    const stopped = this.#stopped.signal;
    const request = { compare: [], success: lookAt(blockKey(block.sequence)), failure: [] };
    for (let failures = failedTries; ; failures += 1) {
      const { signal } = this.#election;
      await sleep(timers, backoffMs(failures, RETRY, random), signal);
      if (stopped.aborted) return 'absent';
      try {
        const result = await etcd.txn(request, { timeoutMs: CALL_TIMEOUT_MS, signal });
        return outcomeOf(result, fence);
      } catch (error) {
        if (!(error instanceof EtcdError)) throw error;
        if (stopped.aborted) return 'absent';
      }
    }
  }

  #settle(flight: Flight): void {
    flight.committed = true;
    for (;;) {
      const next = this.#inFlight.get(this.#committedSequence + 1);
      if (next?.committed !== true) break;
      this.#committedSequence += 1;
      this.#inFlight.delete(this.#committedSequence);
      this.#options.onCommitted(next.block);
      if (this.#stopped.signal.aborted) return;
    }
    this.#pump();
    if (this.#idle) for (const resolve of this.#drained.splice(0)) resolve();
  }
}

const lookAt = (key: Uint8Array): Operation[] => [
  { do: 'range', key: LEAD, keysOnly: true },
  { do: 'range', key, keysOnly: true },
];

function outcomeOf({ results: [lead, block] }: TxnResult, fence: number): Outcome {
  if (lead?.kvs[0]?.modRevision !== fence) return 'deposed';
  return block?.kvs[0] === undefined ? 'absent' : 'committed';
}
