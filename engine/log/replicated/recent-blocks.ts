/**
 * The newest blocks that this replica has taken up, for an archive: where each is, its size, and the proof of it. 48 bytes a block, so that those
 * of many seconds are here however small the requests are. Beyond that, one place for each 64 blocks.
 */
import { CHECKSUM_BYTES, checksumOf } from '../entries.ts';
import type { PlacedEntries } from '../placed.ts';
import { SEAL_SIZE } from '../seal.ts';
import type { Block } from './block.ts';

/** Blocks of which everything is remembered. A member commits some thousands of small ones a second at most. */
const BLOCKS_MAX = 1 << 14;
const MILE = 64;
/** Miles that are remembered: blocks of 600 bytes would need so many for the 256 MiB that etcd keeps. Beyond that, each second one goes. */
const MILES_MAX = 8_192;
const PROOF_BYTES = SEAL_SIZE + CHECKSUM_BYTES;

interface Mile {
  readonly sequence: number;
  readonly lastOp: number;
}

export class RecentBlocks {
  /** Rings: a block has the place of its sequence. */
  readonly #lastOps = new Float64Array(BLOCKS_MAX);
  readonly #sizes = new Uint32Array(BLOCKS_MAX);
  readonly #contents = new Uint32Array(BLOCKS_MAX);
  readonly #proofs = new Uint8Array(BLOCKS_MAX * PROOF_BYTES);
  /** First sequence that is remembered, and the one after the last. */
  #first = 0;
  #end = 0;
  #firstOp = 0;
  #miles: Mile[] = [];

  add({ sequence, entries, sizeBytes, contentBytes, seal }: Block): void {
    const [first, last] = [entries[0], entries.at(-1)];
    if (first === undefined || last === undefined) return;
    // The log goes on elsewhere: another replica's state has taken the place of this one's.
    if (sequence !== this.#end) {
      [this.#first, this.#firstOp] = [sequence, first.op];
      this.#miles = [];
    }
    this.#end = sequence + 1;
    if (this.#end - this.#first > BLOCKS_MAX) {
      this.#firstOp = this.#lastOps[this.#first % BLOCKS_MAX]! + 1;
      this.#first += 1;
    }
    const slot = sequence % BLOCKS_MAX;
    this.#lastOps[slot] = last.op;
    this.#sizes[slot] = sizeBytes;
    this.#contents[slot] = contentBytes;
    this.#proofs.set(seal, slot * PROOF_BYTES);
    this.#proofs.set(checksumOf(last), slot * PROOF_BYTES + SEAL_SIZE);
    if (sequence % MILE !== 0) return;
    this.#miles.push({ sequence, lastOp: last.op });
    if (this.#miles.length > MILES_MAX) this.#miles = this.#miles.filter((_, at) => at % 2 === 1);
  }

  /** The blocks from the one with `op` on, until their entries have `bytesMax` or more, with their zeros; none if that one is not remembered. */
  from(op: number, bytesMax: number): readonly PlacedEntries[] {
    if (op < this.#firstOp) return [];
    const found: PlacedEntries[] = [];
    let bytes = 0;
    for (let at = this.#sequenceOf(op); at < this.#end && bytes < bytesMax; at += 1) {
      found.push(this.#at(at));
      bytes += this.#contents[at % BLOCKS_MAX]!;
    }
    return found;
  }

  /** A sequence that is not after the block with `op`; `undefined` if nothing is known of it. */
  notAfter(op: number): number | undefined {
    if (op >= this.#firstOp && this.#first < this.#end) return this.#sequenceOf(op);
    const mile = this.#miles.findLast(({ lastOp }) => lastOp < op);
    return mile && mile.sequence + 1;
  }

  /** Forgets the miles that only ops before this one needed. */
  dropBefore(op: number): void {
    const keep = this.#miles.findLastIndex(({ lastOp }) => lastOp < op);
    if (keep > 0) this.#miles.splice(0, keep);
  }

  /** The first block that ends with `op` or later; the one after the last if none does. */
  #sequenceOf(op: number): number {
    let [low, high] = [this.#first, this.#end];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (this.#lastOps[middle % BLOCKS_MAX]! < op) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #at(sequence: number): PlacedEntries {
    const slot = sequence % BLOCKS_MAX;
    const start = slot * PROOF_BYTES;
    return {
      at: sequence,
      bytes: this.#sizes[slot]!,
      seal: this.#proofs.slice(start, start + SEAL_SIZE),
      lastOp: this.#lastOps[slot]!,
      lastChecksum: this.#proofs.slice(start + SEAL_SIZE, start + PROOF_BYTES),
    };
  }
}
