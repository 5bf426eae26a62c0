/**
 * Queue of pending transfers with a timeout, by (expiry time, transfer). It is a binary heap of rows (expiry's high word,
 * its low word, transfer index, unused). Transfers with equal timeouts come in rising order, so inserting rarely moves
 * anything. A posted or voided transfer stays in the heap until it reaches the top, where its status is checked.
 */
import type { Memory } from './memory.ts';
import { RowTable } from './row-table.ts';

const WORDS = 4;

export class ExpiryQueue {
  readonly #rows: RowTable;

  constructor(memory: Memory) {
    this.#rows = new RowTable(memory, { wordsPerRow: WORDS, rowsShift: 16 });
  }

  get size(): number {
    return this.#rows.count;
  }

  push(expiresAt: Uint32Array, at: number, transfer: number): void {
    const rows = this.#rows;
    let hole = rows.push();
    const low = expiresAt[at]!;
    const high = expiresAt[at + 1]!;
    while (hole > 0) {
      const parent = (hole - 1) >>> 1;
      if (!this.#isBefore(high, low, transfer, parent)) break;
      this.#copy(hole, parent);
      hole = parent;
    }
    const row = rows.chunkOf(hole);
    const offset = rows.offsetOf(hole);
    row[offset] = high;
    row[offset + 1] = low;
    row[offset + 2] = transfer;
  }

  topTransfer(): number {
    return this.#rows.chunks[0]![2]!;
  }

  /** Writes the earliest expiry as a u64. */
  topExpiresAt(to: Uint32Array, at: number): void {
    to[at] = this.#rows.chunks[0]![1]!;
    to[at + 1] = this.#rows.chunks[0]![0]!;
  }

  pop(): void {
    const rows = this.#rows;
    const last = rows.count - 1;
    rows.truncate(last);
    if (last === 0) return;
    const row = rows.chunkOf(last);
    const offset = rows.offsetOf(last);
    const high = row[offset]!;
    const low = row[offset + 1]!;
    const transfer = row[offset + 2]!;
    let hole = 0;
    for (;;) {
      let child = hole * 2 + 1;
      if (child >= last) break;
      if (child + 1 < last && this.#rowIsBefore(child + 1, child)) child += 1;
      if (this.#isBefore(high, low, transfer, child)) break;
      this.#copy(hole, child);
      hole = child;
    }
    const target = rows.chunkOf(hole);
    const at = rows.offsetOf(hole);
    target[at] = high;
    target[at + 1] = low;
    target[at + 2] = transfer;
  }

  clear(): void {
    this.#rows.truncate(0);
  }

  /** Drops the entries of transfers that `isPending` refuses. */
  retain(isPending: (transfer: number) => boolean): void {
    const rows = this.#rows;
    const { count } = rows;
    rows.truncate(0);
    // An entry moves to its place or a lower one, so none is overwritten before it was read.
    for (let index = 0; index < count; index += 1) {
      const row = rows.chunkOf(index);
      const offset = rows.offsetOf(index);
      if (isPending(row[offset + 2]!))
        this.push(Uint32Array.of(row[offset + 1]!, row[offset]!), 0, row[offset + 2]!);
    }
  }

  /** Copies all entries, three words each: expiry time (u64), transfer. */
  copy(to: Uint32Array, at: number): void {
    const rows = this.#rows;
    for (let index = 0; index < rows.count; index += 1) {
      const row = rows.chunkOf(index);
      const offset = rows.offsetOf(index);
      to.set([row[offset + 1]!, row[offset]!, row[offset + 2]!], at + index * 3);
    }
  }

  /** Adds entries that `copy` gave. */
  add(entries: Uint32Array): void {
    for (let at = 0; at < entries.length; at += 3) this.push(entries, at, entries[at + 2]!);
  }

  growthBytes(rows: number): number {
    return this.#rows.growthBytes(rows);
  }

  #isBefore(high: number, low: number, transfer: number, other: number): boolean {
    const row = this.#rows.chunkOf(other);
    const offset = this.#rows.offsetOf(other);
    if (high !== row[offset]) return high < row[offset]!;
    if (low !== row[offset + 1]) return low < row[offset + 1]!;
    return transfer < row[offset + 2]!;
  }

  #rowIsBefore(index: number, other: number): boolean {
    const row = this.#rows.chunkOf(index);
    const offset = this.#rows.offsetOf(index);
    return this.#isBefore(row[offset]!, row[offset + 1]!, row[offset + 2]!, other);
  }

  #copy(to: number, from: number): void {
    const source = this.#rows.chunkOf(from);
    const s = this.#rows.offsetOf(from);
    const target = this.#rows.chunkOf(to);
    const t = this.#rows.offsetOf(to);
    target[t] = source[s]!;
    target[t + 1] = source[s + 1]!;
    target[t + 2] = source[s + 2]!;
  }
}
