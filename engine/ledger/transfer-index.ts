/**
 * Index of transfers by id and by field: young rows in memory, and sealed segments (segments/) that take about a third of the room. Those
 * that checkpoints have may leave memory.
 *
 * Young rows are appended in generations. A complete generation is sealed into a segment, and four neighbouring segments of a size
 * are merged into one. A helper may do that in another thread. Without one, and when it does not keep up, each batch does its
 * share. No answer depends on which rows are sealed, or when.
 */
import { assert } from '../../base/assert.ts';
import { DerivedTables, type Section, type SectionHead, type StoredBytes } from './checkpoint.ts';
import type { Needs, RowAccess } from './cold-rows.ts';
import type { Budget, Cursor } from './cursor.ts';
import type { KeyedHash } from './keyed-hash.ts';
import { Transfer } from './layout.ts';
import { Memory } from './memory.ts';
import type { RowTable } from './row-table.ts';
import { Column, PAGE_BYTES, type SegmentData } from './segments/columns.ts';
import { FieldCursor, type Part } from './segments/field-cursor.ts';
import { Generation, keyOf128, keyOf64, SEALED_ROW_BYTES } from './segments/generation.ts';
import { type IndexJob, runJob } from './segments/index-jobs.ts';
import { ReturningPages } from './segments/returning.ts';
import { Segment } from './segments/segment.ts';
import { SegmentTables } from './segments/segment-tables.ts';
import { CHUNK_ROWS, ChunkPool } from './segments/young-rows.ts';
import { SlotTable } from './slot-table.ts';
import { compare128, equal128 } from './words.ts';

/** Sizes of an index. Answers do not depend on them; tests use small ones. */
export interface IndexSizes {
  /** Rows of a generation: a multiple of `chunkRows`. */
  readonly sealRows: number;
  readonly chunkRows: number;
  readonly pageBytes: number;
  /** Bytes of segments that a checkpoint writes at most; 64 MiB by default. */
  readonly deltaBytesMax?: number;
}

export interface IndexCounts {
  readonly segments: number;
  /** Segments whose pages have left memory. */
  readonly onVolume: number;
  /** Complete generations that are not sealed yet. */
  readonly unsealed: number;
  /** Segments that wait to be merged with their neighbours, or are being merged. */
  readonly unmerged: number;
}

const SMALL_MEMORY = 2 * 2 ** 30;

export function indexSizes(memoryLimitBytes: number): IndexSizes {
  const sealRows = memoryLimitBytes < SMALL_MEMORY ? 1 << 18 : 1 << 20;
  return { sealRows, chunkRows: CHUNK_ROWS, pageBytes: PAGE_BYTES };
}

/** Segments of a size that are merged into one. */
const FAN_IN = 4;
/** Entries that a batch handles of the present job, for each row that it adds: sealing takes up to 36, each merge 8. */
const ENTRIES_PER_ROW = 80;
/** Rows between two calls of an inner loop: short enough that the compiler does not replace the loop while it runs. */
const ROWS_A_CALL = 512;
/** Complete generations that may wait for another thread. */
const WAITING_MAX = 2;
/** Rows with one hash of 48 bits: more than one is a coincidence of some trillions. */
const SAME_HASH_MAX = 64;

/** Somebody who does jobs elsewhere (engine/replica/index-helper.ts). */
export interface IndexHelper {
  /**
   * Begins a job. One of sealing and one of merging may be in progress. `done` is called later, never during a call into the ledger;
   * without a segment if the job failed.
   */
  begin(job: IndexJob, done: (segment: SegmentData | undefined) => void): void;
  /** Ends a job in progress and frees its memory. Its `done` is not called any more. */
  giveUp(job: IndexJob): void;
  /** Ends the helper. Jobs in progress are given back. */
  end(): Promise<void>;
}

/**
 * Brings pages of segments from the volume, one call at a time. `done` is called later, never during a call into the ledger; with false if
 * they cannot be brought.
 */
export type IndexVolume = (needs: Needs, done: (isBrought: boolean) => void) => void;

interface TransferIndexOptions {
  readonly memory: Memory;
  readonly hash: KeyedHash;
  readonly rows: RowTable;
  /** Access to pages of segments that have left memory. */
  readonly access: RowAccess;
  readonly sizes: IndexSizes;
  /** Returns the bytes that a merge may take, if everything leaves that may. It is asked when none is in progress. */
  readonly mergeRoom: () => number;
  /** Called when a merge may have begun between two batches, so that its room is freed. */
  readonly makeRoom: () => void;
  /** Returns the bytes of the youngest segments that a start brings into memory. */
  readonly youngBytes: () => number;
  /** Whether checkpoints keep the segments. Their hashes' key must be secret then. */
  readonly isStored: boolean;
  /** Called for each part of a stored index that cannot be read. It is made from the rows. */
  readonly onDamage: (error: unknown) => void;
}

interface Merge {
  /** Place of its first segment. */
  readonly first: number;
  /** Room that is reserved: for its output, and for pages that must come back before. */
  bytes: number;
  /** Absent until all pages are in memory. */
  job?: IndexJob;
  returning?: ReturningPages;
}

interface Slices {
  readonly job: IndexJob;
  readonly generator: Generator<number, SegmentData>;
}

export class TransferIndex {
  #helper: IndexHelper | undefined;
  #isHelperSealing = false;
  readonly #memory: Memory;
  readonly #hash: KeyedHash;
  readonly #rows: RowTable;
  readonly #access: RowAccess;
  readonly #sizes: IndexSizes;
  readonly #mergeRoom: () => number;
  readonly #makeRoom: () => void;
  readonly #pool: ChunkPool;
  readonly #isStored: boolean;
  readonly #tables: SegmentTables;
  #segments: readonly Segment[] = [];
  /** Whether the last checkpoint had room for the index. */
  #hasRoomOnVolume = true;
  /** The oldest first; rows are added to the last one. */
  readonly #generations: Generation[] = [];
  #newest: Generation;
  /** Number of rows that have entries in all columns. */
  #end = 0;
  /** Segments by their first row, which wait until all older generations are sealed. */
  readonly #sealed = new Map<number, Segment>();
  /** First rows of the generations that are being sealed. */
  readonly #taken = new Set<number>();
  #merge: Merge | undefined;
  #volume: IndexVolume | undefined;
  /** Whether pages may come back to be merged. If there was no room for it, they may after the next checkpoint. */
  #mayBring = true;
  #slices: Slices | undefined;
  /** Cleared table of a sealed generation. */
  #spareIds: SlotTable | undefined;
  /** Greatest id in the segments. */
  readonly #sealedMax = new Uint32Array(4);
  readonly #found = new Uint32Array(SAME_HASH_MAX);
  touched = 0;

  constructor(options: TransferIndexOptions) {
    const { memory, hash, rows, access, sizes, mergeRoom, makeRoom, isStored } = options;
    const { youngBytes, onDamage } = options;
    assert(sizes.sealRows % sizes.chunkRows === 0, 'a generation has whole chunks');
    this.#memory = memory;
    this.#hash = hash;
    this.#rows = rows;
    this.#access = access;
    this.#sizes = sizes;
    this.#mergeRoom = mergeRoom;
    this.#makeRoom = makeRoom;
    this.#isStored = isStored;
    this.#tables = new SegmentTables({ ...sizes, youngBytes, onDamage });
    this.#pool = new ChunkPool(memory, sizes.chunkRows);
    this.#newest = this.#newGeneration(0);
  }

  counts(): IndexCounts {
    return {
      segments: this.#segments.length,
      onVolume: this.#segments.filter(({ isCold }) => isCold).length,
      unsealed: this.#waiting,
      unmerged: groupsToMerge(this.#segments, this.#sizes.sealRows, false).length * FAN_IN,
    };
  }

  /** Rows before it are in segments. */
  get sealedEnd(): number {
    return this.#generations[0]!.firstRow;
  }

  /** Returns what changed in the index's tables of a checkpoint since the last call. */
  takeSections(): readonly Section[] {
    return this.#tables.takeSections(this.#isStored ? this.#segments : [], this.#hash.key);
  }

  /** Call when the last delta is durable. */
  stored(derived: DerivedTables): void {
    this.#tables.stored(derived);
    this.#hasRoomOnVolume = derived === DerivedTables.new;
    if (this.#hasRoomOnVolume) this.#mayBring = true;
    for (const segment of this.#segments)
      if (!segment.isCold)
        segment.table = this.#isStored ? this.#tables.tableOf(segment) : undefined;
  }

  /**
   * Call before the index's tables in the newest checkpoint are dropped to make room for rows. Until the next checkpoint is durable, no
   * segment leaves memory. Returns the tables that must stay, because their segments have left.
   */
  keptTables(): ReadonlySet<number> {
    const kept = new Set<number>();
    for (const segment of this.#segments) {
      if (!segment.isCold) segment.table = undefined;
      else kept.add(segment.table!);
    }
    this.#tables.keep(kept);
    return kept;
  }

  /** Whether any segment has left memory. */
  get hasCold(): boolean {
    return this.#segments.some(({ isCold }) => isCold);
  }

  /** Bytes of segments that may leave memory. */
  get droppableBytes(): number {
    return this.#bytesOf((segment, index) => this.#mayLeave(segment, index));
  }

  /** Bytes of segments that may leave memory once checkpoints have written them. */
  get unstoredBytes(): number {
    if (!this.#isStored || !this.#hasRoomOnVolume || this.#sizes.pageBytes !== PAGE_BYTES) return 0;
    return this.#bytesOf(({ table }, index) => table === undefined && !this.#isMerged(index));
  }

  /** Drops the oldest segment that may leave from memory. */
  drop(): void {
    const oldest = this.#segments.find((segment, index) => this.#mayLeave(segment, index))!;
    this.#memory.free(oldest.pageBytes);
    oldest.leave(this.#access);
  }

  #bytesOf(isCounted: (segment: Segment, index: number) => boolean): number {
    let bytes = 0;
    for (const [index, segment] of this.#segments.entries())
      if (isCounted(segment, index)) bytes += segment.pageBytes;
    return bytes;
  }

  #mayLeave({ table, isCold }: Segment, index: number): boolean {
    return table !== undefined && !isCold && !this.#isMerged(index);
  }

  /** Whether the segment at a place is being merged with others. */
  #isMerged(index: number): boolean {
    const merge = this.#merge;
    return merge !== undefined && index >= merge.first && index < merge.first + FAN_IN;
  }

  /** Takes a table of a checkpoint's index. Its bytes are pulled by `load`. */
  loadSection(head: SectionHead, chunks: StoredBytes): void {
    this.#tables.loadSection(head, chunks);
  }

  /** Loads the segments of the checkpoint. Rows from `sealedEnd` on must then be added. Call it before any id is hashed. */
  async load(): Promise<void> {
    await this.#tables.load({
      useKey: (key) => {
        this.#hash.useKey(key);
      },
      take: (data, { table, isCold }) => {
        const segment = new Segment(data);
        segment.table = this.#isStored ? table : undefined;
        if (isCold) segment.leave(this.#access);
        this.#addSegment(segment);
        this.#makeRoom();
      },
    });
    const last = this.#segments.at(-1);
    if (last === undefined) return;
    this.#spareIds = this.#newest.ids;
    this.#generations.length = 0;
    this.#newest = this.#newGeneration(last.endRow);
  }

  /** Number of complete generations that are not sealed yet. */
  get #waiting(): number {
    const { sealRows } = this.#sizes;
    let waiting = 0;
    for (const { firstRow, end } of this.#generations)
      if (end === firstRow + sealRows) waiting += 1;
    return waiting;
  }

  /** Loads what `findYoung` reads first of an id into the processor's cache. */
  touchYoung(hash: number): void {
    for (const { ids } of this.#generations) ids.touch(hash);
  }

  /** Loads what `findSealed` reads first of an id into the processor's cache. */
  touchSealed(ids: Uint32Array, at: number, hash: number): void {
    if (!this.#mayBeSealed(ids, at)) return;
    for (const segment of this.#segments)
      if (segment.spans(ids, at)) this.touched ^= segment.touch(hash >>> 0);
  }

  /** Returns the row with the id if it is in no segment yet, or -1. */
  findYoung(id: Uint32Array, at: number, hash: number): number {
    const generations = this.#generations;
    for (let i = generations.length - 1; i >= 0; i -= 1) {
      const { ids } = generations[i]!;
      ids.seek(hash);
      for (let value = ids.next(); value !== 0; value = ids.next())
        if (this.#isId(value - 1, id, at)) return value - 1;
    }
    return -1;
  }

  /** Returns the row with the id if it is in a segment, or -1. */
  findSealed(id: Uint32Array, at: number, hash: number, lower: number): number {
    if (!this.#mayBeSealed(id, at)) return -1;
    for (const segment of this.#segments) {
      if (!segment.spans(id, at)) continue;
      const count = segment.rowsOf(hash >>> 0, lower, this.#found);
      for (let i = 0; i < count; i += 1)
        if (this.#isId(this.#found[i]!, id, at)) return this.#found[i]!;
    }
    return -1;
  }

  addId(row: number, hash: number, lower: number): void {
    if (row >= this.#newest.firstRow + this.#sizes.sealRows)
      this.#newest = this.#newGeneration(this.#newest.firstRow + this.#sizes.sealRows);
    this.#generationOf(row).addId(row, hash, lower);
  }

  /** Takes back the id of a row whose fields were not added yet. */
  removeId(row: number, hash: number): void {
    this.#generationOf(row).removeId(row, hash);
  }

  /** Adds the fields of the rows up to `end`, whose ids were added. `ledgerOf` returns an account's ledger. */
  addRows(end: number, ledgerOf: (account: number) => number): void {
    const { sealRows } = this.#sizes;
    const waiting = this.#waiting;
    let added = 0;
    for (const generation of this.#generations) {
      const last = Math.min(end, generation.firstRow + sealRows);
      added += Math.max(0, last - generation.end);
      this.#fill(generation, last, ledgerOf);
    }
    this.#end = end;
    // From here on its segment may come at any time.
    const completed = this.#waiting - waiting;
    this.#memory.allocate(completed * sealRows * SEALED_ROW_BYTES);
    this.#askHelper();
    if (this.#helper === undefined || this.#slices !== undefined || this.#waiting > WAITING_MAX)
      this.#advance(added * ENTRIES_PER_ROW);
  }

  /**
   * Returns a cursor over the rows with a key in a column. `key` is `keys[at …]`: a word, or two or four words that are hashed here
   * and compared with the rows.
   */
  cursor(
    column: Column,
    keys: Uint32Array,
    at: number,
    { isReversed, budget }: { readonly isReversed: boolean; readonly budget: Budget },
  ): Cursor {
    const parts: Part[] = [...this.#segments];
    for (const generation of this.#generations) parts.push(...generation.parts());
    const hashed = HASHED.get(column);
    const key = hashed === undefined ? keys[at]! : this.#keyOf(keys, at, hashed.width);
    const matches =
      hashed === undefined ? undefined : this.#matcher(hashed, keys.slice(at, at + hashed.width));
    return new FieldCursor({ parts, column, key, isReversed, matches, budget });
  }

  /** Returns the maximum bytes that adding `rows` rows may allocate. Sealing them takes no more than that. */
  growthBytes(rows: number): number {
    const { chunkRows, sealRows } = this.#sizes;
    const chunks = Math.ceil(rows / chunkRows) + 1;
    const fresh = Math.max(0, chunks - this.#pool.free);
    return (
      fresh * this.#pool.chunkBytes +
      this.#completedBy(rows) * sealRows * SEALED_ROW_BYTES +
      this.#newest.ids.growthBytes(rows) +
      (this.#spareIds?.growthBytes(rows) ?? EMPTY_IDS.bytes + EMPTY_IDS.growthBytes(rows))
    );
  }

  /** Bytes that a merge in progress takes. They are free after `giveUpMerge`. */
  get mergeBytes(): number {
    return this.#merge?.bytes ?? 0;
  }

  /** Ends a merge in progress without its result. It starts again when there is room. */
  giveUpMerge(): void {
    if (this.#merge === undefined) return;
    const { job } = this.#merge;
    if (job === undefined) this.#mayBring = false;
    else if (this.#slices?.job === job) this.#slices = undefined;
    else this.#helper?.giveUp(job);
    this.#endMerge(undefined);
  }

  /** Ends the helper, if there is one. Jobs in progress are given back. No page comes back any more. */
  async endHelper(): Promise<void> {
    this.#volume = undefined;
    if (this.#merge?.job === undefined) this.giveUpMerge();
    await this.#helper?.end();
  }

  /** Gives the jobs to a helper from now on. */
  useHelper(helper: IndexHelper): void {
    this.#helper = helper;
  }

  /** Lets segments that have left memory come back to be merged, from now on. */
  useVolume(volume: IndexVolume): void {
    this.#volume = volume;
  }

  #askHelper(): void {
    const helper = this.#helper;
    if (helper === undefined) return;
    const seal = this.#isHelperSealing ? undefined : this.#takeSeal();
    if (seal !== undefined) {
      this.#isHelperSealing = true;
      helper.begin(seal, (segment) => {
        this.#isHelperSealing = false;
        this.#helped(seal, segment);
      });
    }
    const merge = this.#takeMerge();
    if (merge !== undefined) helper.begin(merge, (segment) => this.#helped(merge, segment));
  }

  #helped(job: IndexJob, segment: SegmentData | undefined): void {
    if (segment !== undefined) {
      this.#finish(job, segment);
      this.#askHelper();
      this.#makeRoom();
      return;
    }
    // A helper that has failed would fail again: its work is done here from now on.
    this.#helper = undefined;
    if (job.kind === 'seal') this.#taken.delete(job.firstRow);
    else this.#endMerge(undefined);
  }

  #finish(job: IndexJob, data: SegmentData): void {
    const segment = new Segment(data);
    if (job.kind === 'merge') {
      this.#endMerge(segment);
      return;
    }
    this.#sealed.set(segment.firstRow, segment);
    for (;;) {
      const oldest = this.#sealed.get(this.#generations[0]!.firstRow);
      if (oldest === undefined) return;
      this.#install(oldest);
    }
  }

  /** Returns how many generations so many more rows complete. */
  #completedBy(rows: number): number {
    const { sealRows } = this.#sizes;
    const young = this.#end - this.#generations[0]!.firstRow;
    return Math.floor((young + rows) / sealRows) - Math.floor(young / sealRows);
  }

  /** Returns the generation of a row. That is not the newest if a chain was taken back after it had begun the newest. */
  #generationOf(row: number): Generation {
    if (row >= this.#newest.firstRow) return this.#newest;
    return this.#generations.findLast(({ firstRow }) => row >= firstRow)!;
  }

  #newGeneration(firstRow: number): Generation {
    const ids = this.#spareIds ?? new SlotTable(this.#memory);
    this.#spareIds = undefined;
    const { chunkRows } = this.#sizes;
    const generation = new Generation({ firstRow, chunkRows, ids, pool: this.#pool });
    this.#generations.push(generation);
    return generation;
  }

  /** Returns false for an id above all of those in segments, as ids are that rise with time. */
  #mayBeSealed(id: Uint32Array, at: number): boolean {
    return compare128(id, at, this.#sealedMax, 0) <= 0;
  }

  #isId(row: number, id: Uint32Array, at: number): boolean {
    const rows = this.#rows;
    return equal128(rows.chunkOf(row), rows.offsetOf(row) + Transfer.id, id, at);
  }

  #fill(generation: Generation, end: number, ledgerOf: (account: number) => number): void {
    const rows = this.#rows;
    while (generation.end < end) {
      const row = generation.end;
      const from = { words: rows.chunkOf(row), at: rows.offsetOf(row) };
      const inRows = rows.rowsPerChunk - (row % rows.rowsPerChunk);
      generation.add(from, Math.min(end - row, inRows, ROWS_A_CALL), this.#hash, ledgerOf);
    }
  }

  /** Does as much of the jobs as `entries`, unless fewer are left. */
  #advance(entries: number): void {
    let left = entries;
    while (left > 0) {
      if (this.#slices === undefined) {
        const seal = this.#takeSeal();
        const job = seal ?? (this.#helper === undefined ? this.#takeMerge() : undefined);
        if (job === undefined) return;
        this.#slices = { job, generator: runJob(job) };
      }
      const { job, generator } = this.#slices;
      const step = generator.next();
      if (step.done === true) {
        this.#slices = undefined;
        this.#finish(job, step.value);
      } else left -= step.value;
    }
  }

  #takeSeal(): IndexJob | undefined {
    const { sealRows, pageBytes } = this.#sizes;
    const generation = this.#generations.find(
      ({ firstRow, end }) => end === firstRow + sealRows && !this.#taken.has(firstRow),
    );
    if (generation === undefined) return undefined;
    this.#taken.add(generation.firstRow);
    return generation.sealJob(pageBytes);
  }

  /** Returns the merge that is to be done next, once all of its pages are in memory. */
  #takeMerge(): IndexJob | undefined {
    const merge = this.#merge ?? this.#chooseMerge();
    if (merge === undefined || merge.job !== undefined) return undefined;
    const segments = this.#segments.slice(merge.first, merge.first + FAN_IN);
    const away = segments.find(({ isCold }) => isCold);
    if (away === undefined)
      return (merge.job = { kind: 'merge', segments: segments.map(({ data }) => data) });
    if (merge.returning === undefined) {
      merge.returning = new ReturningPages(away);
      this.#bringNext(merge, merge.returning);
    }
    return undefined;
  }

  /** Asks for the next pages of a segment that is to be merged. */
  #bringNext(merge: Merge, returning: ReturningPages): void {
    const pages = returning.next();
    let left = pages.length;
    const arrived: Needs['arrived'] = (name, words) => {
      left -= 1;
      returning.put(name, words);
      return true;
    };
    this.#volume!({ pages, arrived }, (isBrought) => {
      // It may have been given up meanwhile.
      if (this.#merge !== merge) return;
      if (!isBrought || left > 0) {
        this.#volume = undefined;
        this.#endMerge(undefined);
      } else if (returning.next().length > 0) this.#bringNext(merge, returning);
      else this.#broughtAll(merge, returning);
    });
  }

  #broughtAll(merge: Merge, returning: ReturningPages): void {
    returning.finish();
    // Its part of the room that was reserved.
    merge.bytes -= returning.segment.pageBytes;
    delete merge.returning;
    const job = this.#takeMerge();
    const helper = this.#helper;
    if (job === undefined) return;
    if (helper !== undefined) helper.begin(job, (segment) => this.#helped(job, segment));
    // It is this thread's next job.
    else delete merge.job;
  }

  /** Reserves room for the merge of the oldest neighbours of one size for which there is enough. */
  #chooseMerge(): Merge | undefined {
    const mayBring = this.#mayBring && this.#volume !== undefined;
    const groups = groupsToMerge(this.#segments, this.#sizes.sealRows, mayBring);
    if (groups.length === 0) return undefined;
    const room = this.#mergeRoom();
    for (const first of groups) {
      const segments = this.#segments.slice(first, first + FAN_IN);
      const away = segments.reduce((sum, { pagesAway }) => sum + pagesAway, 0) * PAGE_BYTES;
      const output = segments.reduce((sum, segment) => sum + segment.bytes, 0) + away;
      const bytes = output + away;
      // Its inputs stay until it is over.
      const own = this.#bytesOf(
        (segment, index) =>
          index >= first && index < first + FAN_IN && this.#mayLeave(segment, index),
      );
      if (bytes + own > room) continue;
      this.#memory.allocate(bytes);
      this.#merge = { first, bytes };
      return this.#merge;
    }
    return undefined;
  }

  /** Ends a merge. `merged` is absent if it failed or was given up. */
  #endMerge(merged: Segment | undefined): void {
    const { first, bytes } = this.#merge!;
    this.#merge = undefined;
    this.#memory.free(bytes);
    if (merged === undefined) return;
    // The room that was reserved is that of the inputs.
    this.#memory.free(bytes);
    this.#memory.allocate(merged.bytes);
    this.#segments = this.#segments.toSpliced(first, FAN_IN, merged);
  }

  #addSegment(segment: Segment): void {
    this.#segments = [...this.#segments, segment];
    const { idRange } = segment.data;
    if (compare128(idRange, 4, this.#sealedMax, 0) > 0) this.#sealedMax.set(idRange.subarray(4));
    this.#memory.allocate(segment.bytes);
  }

  /** Puts a segment in the place of the oldest generation. */
  #install(segment: Segment): void {
    const generation = this.#generations.shift()!;
    this.#sealed.delete(segment.firstRow);
    this.#taken.delete(segment.firstRow);
    this.#memory.free(segment.rows * SEALED_ROW_BYTES);
    this.#addSegment(segment);
    this.#pool.give(generation.chunks);
    if (this.#spareIds === undefined) {
      generation.ids.clear();
      this.#spareIds = generation.ids;
    } else this.#memory.free(generation.ids.bytes);
    if (generation === this.#newest) this.#newest = this.#newGeneration(segment.endRow);
  }

  #keyOf(keys: Uint32Array, at: number, width: 2 | 4): number {
    return width === 2 ? keyOf64(this.#hash, keys, at) : keyOf128(this.#hash, keys, at);
  }

  #matcher({ word, width }: HashedField, value: Uint32Array): (row: number) => boolean {
    const rows = this.#rows;
    return (row) => {
      // The reader of a row that has left memory compares it (ledger-read.ts).
      if (row < rows.coldEnd) return true;
      const words = rows.chunkOf(row);
      const at = rows.offsetOf(row) + word;
      for (let i = 0; i < width; i += 1) if (words[at + i] !== value[i]) return false;
      return true;
    };
  }
}

interface HashedField {
  /** Place of the value in a row. */
  readonly word: number;
  readonly width: 2 | 4;
}

/** Columns whose keys are hashes. */
const HASHED: ReadonlyMap<Column, HashedField> = new Map([
  [Column.userData128, { word: Transfer.userData128, width: 4 }],
  [Column.userData64, { word: Transfer.userData64, width: 2 }],
]);

const EMPTY_IDS = new SlotTable(new Memory());

/** Returns the places of the neighbours of one size that are to be merged, the oldest first; only of those in memory, or of all. */
function groupsToMerge(segments: readonly Segment[], sealRows: number, ofAll: boolean): number[] {
  const groups: number[] = [];
  let first = 0;
  for (const [index, segment] of segments.entries()) {
    if (segment.isCold && !ofAll) {
      first = index + 1;
      continue;
    }
    if (sizeOf(segment, sealRows) !== sizeOf(segments[first]!, sealRows)) first = index;
    if (index - first + 1 < FAN_IN) continue;
    groups.push(first);
    first = index + 1;
  }
  return groups;
}

/** Returns the number of merges behind a segment. */
function sizeOf({ rows }: Segment, sealRows: number): number {
  return Math.floor(Math.log2(rows / sealRows) / Math.log2(FAN_IN) + 0.01);
}
