/** A sorted run of index entries, in chunks that are all full except the last. */
import {
  type Chunk,
  CHUNK_BYTES,
  ENTRIES,
  ENTRIES_MASK,
  ENTRIES_SHIFT,
  newChunk,
} from './chunk-sort.ts';
import type { Memory } from './memory.ts';

/** Chunks that are used again, so that merging does not allocate. */
export class ChunkPool {
  readonly #memory: Memory;
  readonly #free: Chunk[] = [];
  /** Number of chunks in use or free. */
  chunks = 0;

  constructor(memory: Memory) {
    this.#memory = memory;
  }

  take(): Chunk {
    const free = this.#free.pop();
    if (free !== undefined) return free;
    this.chunks += 1;
    this.#memory.allocate(CHUNK_BYTES);
    return newChunk();
  }

  give(chunk: Chunk): void {
    this.#free.push(chunk);
  }
}

const RELEASED = new Int32Array(0);

export class Run {
  readonly chunks: Chunk[] = [];
  /** Entries are at the positions from `from` (inclusive) to `end` (exclusive). A merge consumes a run from its beginning. */
  from = 0;
  end = 0;

  keyAt(position: number): number {
    return this.chunks[position >>> ENTRIES_SHIFT]![position & ENTRIES_MASK]!;
  }

  /** Returns the first position whose key is not below `key`, between `low` and `high`. */
  lowerBound(key: number, low: number, high: number): number {
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.keyAt(middle) < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Returns the position after the entries with this key, the first of which is at `start`. Near ones are found fast. */
  endOf(key: number, start: number): number {
    let step = 1;
    let low = start;
    while (low + step < this.end && this.keyAt(low + step) === key) {
      low += step;
      step *= 2;
    }
    let high = Math.min(this.end, low + step);
    low = Math.min(low, high);
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.keyAt(middle) === key) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Appends `count` entries of a chunk. */
  append(source: Chunk, start: number, count: number, pool: ChunkPool): void {
    let done = 0;
    while (done < count) {
      const offset = this.end & ENTRIES_MASK;
      if (offset === 0) this.chunks.push(pool.take());
      const target = this.chunks[this.end >>> ENTRIES_SHIFT]!;
      const part = Math.min(count - done, ENTRIES - offset);
      const at = start + done;
      target.set(source.subarray(at, at + part), offset);
      target.set(source.subarray(ENTRIES + at, ENTRIES + at + part), ENTRIES + offset);
      this.end += part;
      done += part;
    }
  }

  /** Copies the entries up to position `end` to a chunk, from its entry `to` on. */
  copyTo(target: Chunk, to: number, end: number): void {
    for (let at = this.from; at < end;) {
      const offset = at & ENTRIES_MASK;
      const part = Math.min(end - at, ENTRIES - offset);
      const source = this.chunks[at >>> ENTRIES_SHIFT]!;
      target.set(source.subarray(offset, offset + part), to);
      target.set(source.subarray(ENTRIES + offset, ENTRIES + offset + part), ENTRIES + to);
      to += part;
      at += part;
    }
  }

  /** Drops the entries before position `to`. Chunks without entries go back to the pool. */
  consume(to: number, pool: ChunkPool): void {
    for (let chunk = this.from >>> ENTRIES_SHIFT; (chunk + 1) * ENTRIES <= to; chunk += 1) {
      pool.give(this.chunks[chunk]!);
      this.chunks[chunk] = RELEASED;
    }
    this.from = to;
  }
}
