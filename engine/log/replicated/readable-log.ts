/**
 * Reads committed entries again from the blocks that the local member has, for an archive. The leader keeps the blocks that the
 * archive lacks (trimmer.ts), as it keeps those of a replica that is behind.
 */
import type { KeyObject } from 'node:crypto';
import type { LogEntry, ReplicaIdentity } from '../log.ts';
import { blockSealKey, decodeBlock, type Block } from './block.ts';
import type { Etcd } from './etcd.ts';
import { blockKey, BLOCKS_END } from './keys.ts';
import { readTail } from './tail.ts';

interface ReadableOptions {
  readonly etcd: Pick<Etcd, 'txn'>;
  readonly identity: ReplicaIdentity;
  readonly incarnation: number;
  /** Sequence of the last block that this replica has executed, and its op. */
  readonly executed: () => { readonly sequence: number; readonly op: number };
}

/** Places of read blocks that are remembered, so that the archive's op is found without reading. */
const PLACES_MAX = 4_096;

interface Place {
  readonly sequence: number;
  readonly lastOp: number;
}

/** The log changed while it was read: blocks were deleted. The next try sees the new floor. */
class Changed extends Error {}

export class ReplicatedReader {
  readonly #options: ReadableOptions;
  readonly #key: KeyObject;
  readonly #stopped = new AbortController();
  #places: Place[] = [];
  #archivedOp: number | undefined;

  constructor(options: ReadableOptions) {
    this.#options = options;
    this.#key = blockSealKey(options.identity.clusterId, options.incarnation);
  }

  /** Says how far an archive has the log. */
  archived(op: number): void {
    this.#archivedOp = op;
    const keep = this.#places.findIndex(({ lastOp }) => lastOp >= op);
    if (keep > 0) this.#places.splice(0, keep);
  }

  /**
   * The first block that the archive needs; `undefined` if there is no archive. 0 stands for all: nobody has said yet how far the
   * archive is.
   */
  get neededFrom(): number | undefined {
    const archivedOp = this.#archivedOp;
    if (archivedOp === undefined) return undefined;
    // The block with the archive's last op is kept, too: it shows that the archive is of this history.
    return this.#places.find(({ lastOp }) => lastOp >= archivedOp)?.sequence ?? 0;
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

  /** Finds the block with an op: in the remembered places, or by a binary search in the rest of the log. */
  async #find(
    op: number,
    lastSequence: number,
  ): Promise<{ readonly sequence: number } | { readonly oldestOp: number }> {
    const index = this.#places.findIndex(({ lastOp }) => lastOp >= op);
    const place = this.#places[index];
    const before = this.#places[index - 1];
    if (place !== undefined && before !== undefined) return place;
    const newest = this.#places.at(-1);
    if (newest?.lastOp === op - 1) return { sequence: newest.sequence + 1 };
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
    while (bytes < bytesMax) {
      const { signal } = this.#stopped;
      const page = await readTail(this.#options.etcd, sequence, { signal, serializable: true });
      for (const { value } of page.blocks) {
        const block = decodeBlock(this.#key, value);
        if (block?.sequence !== sequence) {
          if (entries.length === 0) throw new Changed();
          return entries;
        }
        this.#remember(block);
        entries.push(...block.entries.filter((entry) => entry.op >= op));
        bytes += block.contentBytes;
        sequence += 1;
      }
      if (!page.more) break;
    }
    return entries;
  }

  #remember(block: Block): void {
    const { sequence } = block;
    const lastOp = block.entries.at(-1)?.op ?? 0;
    if (sequence <= (this.#places.at(-1)?.sequence ?? 0)) return;
    // A break in the remembered places would give an op to the wrong block.
    if (sequence !== (this.#places.at(-1)?.sequence ?? sequence - 1) + 1) this.#places = [];
    this.#places.push({ sequence, lastOp });
    if (this.#places.length > PLACES_MAX) this.#places.shift();
  }
}

const opOf = (block: Block): number => block.entries[0]?.op ?? 0;

/** A page is 10 MiB at most, from the member beside this process. */
const READ_TIMEOUT_MS = 5_000;
