/**
 * Reads committed entries again from the blocks that the local member has, for an archive, or says where they are. The leader keeps the blocks
 * that the archive lacks (trimmer.ts), as it keeps those of a replica that is behind.
 */
import type { KeyObject } from 'node:crypto';
import type { LogEntry, ReplicaIdentity } from '../log.ts';
import type { PlacedEntries } from '../placed.ts';
import { sealMatches } from '../seal.ts';
import { blockSealKey, decodeBlock, type Block } from './block.ts';
import type { Etcd } from './etcd.ts';
import { blockKey, BLOCKS_END } from './keys.ts';
import { READ_BYTES, readBlocks } from './read-blocks.ts';
import { RecentBlocks } from './recent-blocks.ts';
import { readTail } from './tail.ts';

interface ReadableOptions {
  readonly etcd: Pick<Etcd, 'txn'>;
  readonly identity: ReplicaIdentity;
  readonly incarnation: number;
  /** Sequence of the last block that this replica has executed, and its op. */
  readonly executed: () => { readonly sequence: number; readonly op: number };
}

/** Bytes that a block counts at least, so that an answer does not take a request to the member for each eight of thousands of small blocks. */
const BLOCK_BYTES_MIN = 4_096;

interface Place {
  readonly sequence: number;
  readonly nextOp: number;
}

/** The log changed while it was read: blocks were deleted. The next try sees the new floor. */
class Changed extends Error {}

export class ReplicatedReader {
  readonly form = 'blocks';
  readonly incarnation: number;
  readonly #options: ReadableOptions;
  readonly #key: KeyObject;
  readonly #stopped = new AbortController();
  readonly #recent = new RecentBlocks();
  /** Where the last read of blocks that are not remembered ended. */
  #next: Place | undefined;
  #archivedOp: number | undefined;

  constructor(options: ReadableOptions) {
    this.#options = options;
    this.incarnation = options.incarnation;
    this.#key = blockSealKey(options.identity.clusterId, options.incarnation);
  }

  /** Says how far an archive has the log. */
  archived(op: number): void {
    this.#archivedOp = op;
    this.#recent.dropBefore(op);
  }

  /** Takes note of the next block of the log. Without an archive nobody asks for it. */
  committed(block: Block): void {
    if (this.#archivedOp !== undefined) this.#recent.add(block);
  }

  /**
   * The first block that the archive needs; `undefined` if there is no archive. 0 stands for all: nobody has said yet how far the
   * archive is.
   */
  get neededFrom(): number | undefined {
    const archivedOp = this.#archivedOp;
    if (archivedOp === undefined) return undefined;
    // The block with the archive's last op is kept, too: it shows that the archive is of this history.
    return this.#recent.notAfter(archivedOp) ?? 0;
  }

  /** Says where the entries from `op` on are in the member; `undefined` if that is not remembered. They may be deleted at any time. */
  places(op: number, bytesMax: number): readonly PlacedEntries[] | undefined {
    if (op > this.#options.executed().op) return [];
    const found = this.#recent.from(op, bytesMax);
    return found.length === 0 ? undefined : found;
  }

  /** Reads entries from `op` on; if the first of them is gone, says which op is the first that is left. */
  async read(
    op: number,
    bytesMax: number,
  ): Promise<readonly LogEntry[] | { readonly oldestOp: number }> {
    const { executed } = this.#options;
    const end = executed();
    if (op > end.op) return [];
    try {
      const known = await this.#readKnown(op, Math.min(bytesMax, READ_BYTES));
      if (known.length > 0) return known;
      const start = await this.#find(op, end.sequence);
      if ('oldestOp' in start) return start;
      return await this.#readFrom(start.sequence, op, bytesMax);
    } catch (error) {
      if (error instanceof Changed) return [];
      throw error;
    }
  }

  stop(): void {
    this.#stopped.abort();
  }

  /** Reads remembered blocks. Nothing if they are deleted. */
  async #readKnown(op: number, bytesMax: number): Promise<readonly LogEntry[]> {
    const places = this.#recent.from(op, bytesMax);
    const [first] = places;
    if (first === undefined) return [];
    const range = { from: first.at, count: places.length };
    const found = await readBlocks(this.#options.etcd, range, this.#stopped.signal);
    const entries: LogEntry[] = [];
    for (const [index, place] of places.entries()) {
      const block = found[index] && decodeBlock(this.#key, found[index]);
      if (block === undefined || !sealMatches(block.seal, place.seal)) break;
      entries.push(...block.entries.filter((entry) => entry.op >= op));
    }
    return entries;
  }

  /** Finds the block with an op: where the last read ended, or by a binary search in the log. */
  async #find(
    op: number,
    lastSequence: number,
  ): Promise<{ readonly sequence: number } | { readonly oldestOp: number }> {
    if (this.#next?.nextOp === op) return this.#next;
    const first = await this.#first();
    if (first === undefined) return { oldestOp: this.#options.executed().op + 1 };
    if (op < opOf(first)) return { oldestOp: opOf(first) };
    let [low, high] = [first.sequence, lastSequence];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (opOf(await this.#block(middle)) <= op) low = middle;
      else high = middle - 1;
    }
    return { sequence: low };
  }

  /** The first block that is left. */
  async #first(): Promise<Block | undefined> {
    const range = { key: blockKey(0), rangeEnd: BLOCKS_END, limit: 1 };
    const { results } = await this.#ask(range);
    const bytes = results[0]?.kvs[0]?.value;
    return bytes && decodeBlock(this.#key, bytes);
  }

  async #block(sequence: number): Promise<Block> {
    const { results } = await this.#ask({ key: blockKey(sequence) });
    const bytes = results[0]?.kvs[0]?.value;
    const block = bytes && decodeBlock(this.#key, bytes);
    if (block === undefined) throw new Changed();
    return block;
  }

  #ask(range: {
    readonly key: Uint8Array;
    readonly rangeEnd?: Uint8Array;
    readonly limit?: number;
  }) {
    return this.#options.etcd.txn(
      { compare: [], success: [{ do: 'range', ...range, serializable: true }], failure: [] },
      { timeoutMs: READ_TIMEOUT_MS, signal: this.#stopped.signal },
    );
  }

  async #readFrom(start: number, op: number, bytesMax: number): Promise<readonly LogEntry[]> {
    const entries: LogEntry[] = [];
    let [sequence, bytes] = [start, 0];
    const { signal } = this.#stopped;
    while (bytes < bytesMax) {
      const page = await readTail(this.#options.etcd, sequence, { signal, serializable: true });
      for (const { value } of page.blocks) {
        const block = decodeBlock(this.#key, value);
        if (block?.sequence !== sequence) {
          this.#next = undefined;
          if (entries.length === 0) throw new Changed();
          return entries;
        }
        entries.push(...block.entries.filter((entry) => entry.op >= op));
        bytes += Math.max(block.contentBytes, BLOCK_BYTES_MIN);
        sequence += 1;
        this.#next = { sequence, nextOp: (block.entries.at(-1)?.op ?? 0) + 1 };
      }
      if (!page.more) break;
    }
    return entries;
  }
}

const opOf = (block: Block): number => block.entries[0]?.op ?? 0;

/** A block, or the first of all, from the member beside this process. */
const READ_TIMEOUT_MS = 5_000;
