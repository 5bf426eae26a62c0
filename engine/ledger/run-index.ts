/**
 * Index from a field's value to the records that have it, as sorted runs of (key, record).
 *
 * New entries are appended to a tail. A full tail is sorted and becomes a run of level 0; eight runs of a level are merged into
 * one of the next. Each full tail advances all merges by somewhat more than its own size, so that a merge is over before
 * its level has eight runs again, and no batch waits for a whole merge. An entry is written once for each level, always in
 * order, where a hash table would wait for memory at every entry.
 *
 * Records come in rising order, so an older run has older records, and equal keys within a run are in order of their records.
 * The records with a key are therefore the ones of each run, one run after another, then those of the tail.
 *
 * Keys of 32 bits are the values themselves. Wider ones are keyed hashes, and a reader compares the rows (keyed-hash.ts).
 */
import { type Chunk, CHUNK_BYTES, ENTRIES, sortChunk } from './chunk-sort.ts';
import type { KeyedHash } from './keyed-hash.ts';
import type { Memory } from './memory.ts';
import type { RowTable } from './row-table.ts';
import { ChunkPool, Run } from './run.ts';
import { FAN_IN, RunMerge } from './run-merge.ts';
import { type KeyRecords, type RowKey, Segments } from './run-records.ts';

interface RunIndexOptions {
  readonly rows: RowTable;
  /** Offset of the key in a row, in words. */
  readonly word: number;
  readonly width: 1 | 2 | 4;
  /** Bits of the word that are the key, for keys of one word; all of them by default. */
  readonly mask?: number;
}

interface Level {
  /** Complete runs, the oldest first, fewer than FAN_IN. */
  runs: Run[];
  /** Merge of the FAN_IN runs before these. */
  merge: RunMerge | undefined;
}

/** Entries that each merge advances by when a tail is full. */
const MERGED_PER_TAIL = ENTRIES + ENTRIES / 4;
/** Chunks that a merge holds beyond those of its entries: partly consumed inputs, a partly filled output. */
const CHUNKS_PER_MERGE = FAN_IN + 2;
const KEY_MIN = -(2 ** 31);
const KEY_MAX = 2 ** 31 - 1;

export class RunIndex {
  readonly #hash: KeyedHash;
  readonly #rows: RowTable;
  readonly #word: number;
  readonly #width: number;
  readonly #mask: number;
  readonly #pool: ChunkPool;
  readonly #levels: Level[] = [];
  #tail: Chunk | undefined;
  #tailCount = 0;
  /** Number of rows that were looked at, and of those that have a key. */
  #seen = 0;
  #entries = 0;

  constructor(memory: Memory, hash: KeyedHash, { rows, word, width, mask = -1 }: RunIndexOptions) {
    this.#hash = hash;
    this.#rows = rows;
    this.#word = word;
    this.#width = width;
    this.#mask = mask;
    this.#pool = new ChunkPool(memory);
  }

  /** Adds the rows up to `end` that were not added yet. Zero keys are not indexed. */
  addRows(end: number): void {
    const rows = this.#rows;
    while (this.#seen < end) {
      const first = this.#seen;
      const inChunk = rows.rowsPerChunk - (first % rows.rowsPerChunk);
      const count = Math.min(end - first, inChunk, ENTRIES - this.#tailCount);
      this.#tail ??= this.#pool.take();
      this.#append(this.#tail, rows.chunkOf(first), rows.offsetOf(first) + this.#word, count);
      this.#seen += count;
      if (this.#tailCount === ENTRIES) this.#endTail(this.#tail);
    }
  }

  /** Returns the records that have the key. They are valid until rows are added. */
  find(key: Uint32Array, at: number): KeyRecords {
    const sought = this.#width === 1 ? key[at]! & this.#mask : this.#hashOf(key, at);
    const segments = new Segments();
    for (let level = this.#levels.length - 1; level >= 0; level -= 1) {
      const { merge, runs } = this.#levels[level]!;
      if (merge !== undefined) {
        segments.addRun(merge.output, sought);
        for (const input of merge.inputs) segments.addRun(input, sought);
      }
      for (const run of runs) segments.addRun(run, sought);
    }
    if (this.#tail !== undefined) segments.addTail(this.#tail, this.#tailCount, sought);
    return segments.records(this.#width === 1 ? undefined : this.#rowKey(key, at));
  }

  /** Returns the maximum bytes that adding `records` rows may allocate. */
  growthBytes(records: number): number {
    const chunks = maxChunks(this.#entries + records) - this.#pool.chunks;
    return Math.max(0, chunks) * CHUNK_BYTES;
  }

  #rowKey(key: Uint32Array, at: number): RowKey {
    return { rows: this.#rows, word: this.#word, key: key.slice(at, at + this.#width) };
  }

  #hashOf(key: Uint32Array, at: number): number {
    return this.#width === 2 ? this.#hash.of(key, at, 2) : this.#hash.of128(key, at);
  }

  #append(tail: Chunk, words: Uint32Array, at: number, count: number): void {
    const before = this.#tailCount;
    const { wordsPerRow } = this.#rows;
    const place = { tail, to: before, words, at, count, wordsPerRow, record: this.#seen };
    if (this.#width === 1) this.#tailCount = appendWords(place, this.#mask);
    else if (this.#width === 2) this.#tailCount = append64(place, this.#hash);
    else this.#tailCount = append128(place, this.#hash);
    this.#entries += this.#tailCount - before;
  }

  #endTail(tail: Chunk): void {
    sortChunk(tail, ENTRIES, KEY_MIN, KEY_MAX);
    const run = new Run();
    run.chunks.push(tail);
    run.end = ENTRIES;
    this.#tail = undefined;
    this.#tailCount = 0;
    this.#addRun(0, run);
    for (const level of this.#levels.keys()) this.#advance(level, MERGED_PER_TAIL);
  }

  #addRun(level: number, run: Run): void {
    const here = (this.#levels[level] ??= { runs: [], merge: undefined });
    here.runs.push(run);
    if (here.runs.length < FAN_IN) return;
    this.#advance(level, Infinity);
    here.merge = new RunMerge(here.runs, this.#pool);
    here.runs = [];
  }

  #advance(level: number, entries: number): void {
    const here = this.#levels[level]!;
    if (here.merge === undefined || !here.merge.step(entries)) return;
    const { output } = here.merge;
    here.merge = undefined;
    this.#addRun(level + 1, output);
  }
}

/** Returns the maximum number of chunks that an index of so many entries has ever had. */
function maxChunks(entries: number): number {
  let merges = 0;
  for (let size = ENTRIES * FAN_IN; size <= entries; size *= FAN_IN) merges += 1;
  return Math.ceil(entries / ENTRIES) + 1 + merges * CHUNKS_PER_MERGE;
}

interface Place {
  readonly tail: Chunk;
  readonly to: number;
  readonly words: Uint32Array;
  readonly at: number;
  readonly count: number;
  readonly wordsPerRow: number;
  readonly record: number;
}

function appendWords(
  { tail, to, words, at, count, wordsPerRow, record }: Place,
  mask: number,
): number {
  let end = to;
  for (let i = 0; i < count; i += 1) {
    const key = words[at + i * wordsPerRow]! & mask;
    tail[end] = key;
    tail[ENTRIES + end] = record + i;
    if (key !== 0) end += 1;
  }
  return end;
}

function append64(
  { tail, to, words, at, count, wordsPerRow, record }: Place,
  hash: KeyedHash,
): number {
  let end = to;
  for (let i = 0; i < count; i += 1) {
    const key = at + i * wordsPerRow;
    if ((words[key]! | words[key + 1]!) === 0) continue;
    tail[end] = hash.of(words, key, 2);
    tail[ENTRIES + end] = record + i;
    end += 1;
  }
  return end;
}

function append128(
  { tail, to, words, at, count, wordsPerRow, record }: Place,
  hash: KeyedHash,
): number {
  let end = to;
  for (let i = 0; i < count; i += 1) {
    const key = at + i * wordsPerRow;
    if ((words[key]! | words[key + 1]! | words[key + 2]! | words[key + 3]!) === 0) continue;
    tail[end] = hash.of128(words, key);
    tail[ENTRIES + end] = record + i;
    end += 1;
  }
  return end;
}
