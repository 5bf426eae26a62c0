/**
 * Index of rows (transfers, or accounts) by id and by field: young rows in memory, and sealed segments (segments/) that take about a third of
 * the room. Those that checkpoints have may leave memory.
 *
 * Young rows are appended in generations. A complete generation is sealed into a segment, and four neighbouring segments of a size
 * are merged into one. A helper may do that in another thread. Without one, and when it does not keep up, each batch does its
 * share. No answer depends on which rows are sealed, or when.
 */
import { assert } from '../../base/assert.ts';
import { DerivedTables } from './checkpoint.ts';
import type { Needs, RowAccess } from './cold-rows.ts';
import type { Budget, Cursor } from './cursor.ts';
import type { KeyedHash } from './keyed-hash.ts';
import { Memory } from './memory.ts';
import type { RowTable } from './row-table.ts';
import { Column, PAGE_BYTES, type SegmentData } from './segments/columns.ts';
import { FieldCursor, type Part } from './segments/field-cursor.ts';
import { Generation, SEALED_ROW_BYTES } from './segments/generation.ts';
import { type IndexJob, type IndexResult, runJob } from './segments/index-jobs.ts';
import { type IndexedRows, keyOf128, keyOf64 } from './segments/indexed-rows.ts';
import type { IdScreen } from './segments/id-screen.ts';
import type { MergeJob } from './segments/merge.ts';
import { type MergeProgress, pagesOf } from './segments/merge-progress.ts';
import { Segment } from './segments/segment.ts';
import {
  type GrowingSegment,
  resultBytes,
  returningBytes,
  SegmentMerge,
  waitingOf,
} from './segments/segment-merge.ts';
import { DELTA_BYTES_MAX } from './segments/segment-tables.ts';
import { CHUNK_ROWS, ChunkPool } from './segments/young-rows.ts';
import { SlotTable } from './slot-table.ts';
import { compare128, equal128 } from './words.ts';
import { WireTransfer } from '../wire/records.ts';

/** Sizes of an index. Answers do not depend on them; tests use small ones. */
export interface IndexSizes {
  /** Rows of a generation: a multiple of `chunkRows`. */
  readonly sealRows: number;
  readonly chunkRows: number;
  readonly pageBytes: number;
  /** Bytes of segments that a checkpoint writes at most, 128 MiB by default. A merge with a larger result waits until checkpoints have its inputs. */
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
  /** Rows of the segments that are being merged from the volume to the volume, and how many of them are merged by now. */
  readonly streamedRows: number;
  readonly streamedDone: number;
  /** Merges that were given up since the start, for lack of memory, room on the volume, or pages. */
  readonly givenUp: number;
  /** Whether the last read of pages to be merged has failed, and a merge still needs pages. For a while then, nothing comes back from the volume. */
  readonly areReadsFailing: boolean;
}

const SMALL_MEMORY = 2 * 2 ** 30;

export function indexSizes(memoryLimitBytes: number): IndexSizes {
  const sealRows = memoryLimitBytes < SMALL_MEMORY ? 1 << 18 : 1 << 20;
  return { sealRows, chunkRows: CHUNK_ROWS, pageBytes: PAGE_BYTES };
}

/** Accounts stay in memory until they are in a segment, and are far fewer. */
export function accountIndexSizes(memoryLimitBytes: number): IndexSizes {
  const { sealRows, pageBytes } = indexSizes(memoryLimitBytes);
  return { sealRows: sealRows / 4, chunkRows: CHUNK_ROWS / 4, pageBytes };
}

/** Segments of a size that are merged into one. */
const FAN_IN = 4;
/** After a merge was given up, another one as large needs this part of it in more room. */
const MORE_ROOM = 1 / 4;
/** Entries that a batch handles of the present job, for each row that it adds: sealing takes up to 36, each merge 8. */
const ENTRIES_PER_ROW = 80;
/** Entries that `advance` handles: some milliseconds of work. */
const ENTRIES_A_TURN = 1 << 18;
/** Rows between two calls of an inner loop: short enough that the compiler does not replace the loop while it runs. */
const ROWS_A_CALL = 512;
/** Segments and ids that are worth a look at all filters in turns: fewer are looked for one by one. */
const SCREENED_SEGMENTS = 4;
const SCREENED_IDS = 256;
/** Complete generations that may wait for another thread. */
const WAITING_MAX = 2;
/** Rows with one hash of 48 bits: more than one is a coincidence of some trillions. */
const SAME_HASH_MAX = 64;

/** Somebody who does jobs elsewhere (engine/replica/index-helper.ts). */
export interface IndexHelper {
  /**
   * Begins a job. Each index may have one of sealing and one of merging in progress. `done` is called later, never during a call into the ledger;
   * without a result if the job failed.
   */
  begin(job: IndexJob, done: (result: IndexResult | undefined) => void): void;
  /** Ends a job in progress and frees its memory. Its `done` is not called any more. */
  giveUp(job: IndexJob): void;
  /** Ends the helper. Jobs in progress are given back. */
  end(): Promise<void>;
}

/**
 * Brings pages of segments from the volume, for each index one call at a time. `done` is called later, never during a call into the ledger; with false if
 * they cannot be brought. Then it is not called again; `useVolume` may give another one.
 */
export type IndexVolume = (needs: Needs, done: (isBrought: boolean) => void) => void;

/** The first `count` events of an operation that creates transfers, and the hashes of their ids. */
export interface HashedEvents {
  readonly events: Uint32Array;
  readonly hashes: Int32Array;
  readonly lowers: Uint16Array;
  readonly count: number;
}

interface RowIndexOptions {
  readonly memory: Memory;
  readonly hash: KeyedHash;
  readonly rows: RowTable;
  readonly indexed: IndexedRows;
  /** Whether `findYoung` finds rows that are in no segment yet. */
  readonly findsYoung: boolean;
  /** Access to pages of segments that have left memory. */
  readonly access: RowAccess;
  readonly sizes: IndexSizes;
  /** Returns the bytes that another merge may take, if everything leaves that may. */
  readonly mergeRoom: () => number;
  /** Called when a merge may have begun between two batches, so that its room is freed. */
  readonly makeRoom: () => void;
  /** Whether checkpoints keep the segments. Their hashes' key must be secret then. */
  readonly isStored: boolean;
}

/** What a durable checkpoint has of segments. */
interface StoredSegments {
  /** Returns the table of a segment. */
  readonly tableOf: (segment: RowsOf) => number | undefined;
  /** Returns the number of pages that are there of a segment that is being merged. */
  readonly pagesOf: (segment: GrowingSegment) => number;
}

type RowsOf = Segment | GrowingSegment;

interface Slices {
  readonly job: IndexJob;
  readonly generator: Generator<number, IndexResult>;
}

export class RowIndex {
  #helper: IndexHelper | undefined;
  #isHelperSealing = false;
  readonly #memory: Memory;
  readonly #hash: KeyedHash;
  readonly #rows: RowTable;
  readonly #indexed: IndexedRows;
  readonly #hashed: ReadonlyMap<Column, HashedField>;
  readonly #findsYoung: boolean;
  readonly #access: RowAccess;
  readonly #sizes: IndexSizes;
  readonly #mergeRoom: () => number;
  readonly #makeRoom: () => void;
  readonly #pool: ChunkPool;
  readonly #isStored: boolean;
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
  /** The merge in memory in progress. It goes before the streamed one: its segments are smaller. */
  #merge: SegmentMerge | undefined;
  /** The merge from the volume to the volume in progress. */
  #streamed: SegmentMerge | undefined;
  /** A merge from the volume to the volume that an earlier process has begun, until there is room to go on with it. */
  #begun: BegunMerge | undefined;
  /**
   * The last merge that was given up for lack of memory: the bytes that it took, the room that it was begun with, and the number of rows after which room may
   * have been short for a moment only.
   */
  #lacked: { readonly bytes: number; readonly room: number; readonly end: number } | undefined;
  #volume: IndexVolume | undefined;
  #givenUp = 0;
  /** Whether the last read has failed; `#volume` is absent then, until it is given again. False as soon as nothing needs to be read. */
  #areReadsFailing = false;
  /** Whether pages may come back to be merged. If there was no room for it, they may after the next checkpoint. */
  #mayBring = true;
  #slices: Slices | undefined;
  /** Cleared table of a sealed generation. */
  #spareIds: SlotTable | undefined;
  /** Greatest id in the segments. */
  readonly #sealedMax = new Uint32Array(4);
  readonly #found = new Uint32Array(SAME_HASH_MAX);
  touched = 0;

  constructor(options: RowIndexOptions) {
    const { memory, hash, rows, indexed, access, sizes, mergeRoom, makeRoom, isStored } = options;
    assert(sizes.sealRows % sizes.chunkRows === 0, 'a generation has whole chunks');
    this.#memory = memory;
    this.#hash = hash;
    this.#rows = rows;
    this.#indexed = indexed;
    this.#hashed = new Map<Column, HashedField>([
      [Column.userData128, { word: indexed.userData128, width: 4 }],
      [Column.userData64, { word: indexed.userData64, width: 2 }],
    ]);
    this.#findsYoung = options.findsYoung;
    this.#access = access;
    this.#sizes = sizes;
    this.#mergeRoom = mergeRoom;
    this.#makeRoom = makeRoom;
    this.#isStored = isStored;
    this.#pool = new ChunkPool(memory, sizes.chunkRows);
    this.#newest = this.#newGeneration(0);
  }

  counts(): IndexCounts {
    return {
      segments: this.#segments.length,
      onVolume: this.#segments.filter(({ isCold }) => isCold).length,
      unsealed: this.#waiting,
      unmerged:
        groupsToMerge(this.#segments, this.#sizes.sealRows, this.#readsVolume, () => false).length *
        FAN_IN,
      streamedRows: this.#streamed?.rows ?? 0,
      streamedDone: this.#streamed?.rowsDone ?? 0,
      givenUp: this.#givenUp,
      areReadsFailing: this.#areReadsFailing,
    };
  }

  get areReadsFailing(): boolean {
    return this.#areReadsFailing;
  }

  /** Whether segments that have left memory are merged, too. */
  get #readsVolume(): boolean {
    return this.#volume !== undefined || this.#areReadsFailing;
  }

  /** Rows before it are in segments. */
  get sealedEnd(): number {
    return this.#generations[0]!.firstRow;
  }

  /** The segments, the oldest first. */
  get segments(): readonly Segment[] {
    return this.#segments;
  }

  /** What the next delta may have of segments that are being merged. */
  get growing(): readonly GrowingSegment[] {
    const begun = this.#begun;
    const waiting = begun === undefined ? undefined : waitingOf(begun.segments, begun.progress);
    return [waiting, this.#streamed?.growing].filter((growing) => growing !== undefined);
  }

  /** Call when a delta was taken. `isWhole` says whether it has a segment that was growing as a whole. */
  taken(isWhole: (segment: GrowingSegment) => boolean): void {
    const growing = this.#streamed?.growing;
    if (growing !== undefined) this.#streamed!.isEnding = isWhole(growing);
  }

  /** Call when the last delta is durable. */
  stored(derived: DerivedTables, { tableOf, pagesOf }: StoredSegments): void {
    this.#hasRoomOnVolume = derived === DerivedTables.new;
    if (this.#hasRoomOnVolume) this.#mayBring = true;
    else this.#forgetBegun();
    for (const segment of this.#segments)
      if (!segment.isCold) segment.table = this.#isStored ? tableOf(segment) : undefined;
    const streamed = this.#streamed;
    if (streamed === undefined) return;
    streamed.isEnding = false;
    const { growing } = streamed;
    // Without room on the volume, it would wait and keep its memory.
    if (!this.#hasRoomOnVolume) this.#giveUp(streamed);
    else if (growing !== undefined) {
      const table = tableOf(growing);
      if (table === undefined) streamed.stored(pagesOf(growing));
      else this.#endStreamed(streamed, table);
    }
  }

  /**
   * Call before the index's tables in the newest checkpoint are dropped to make room for rows. Until the next checkpoint is durable, no
   * segment leaves memory. Returns the tables that must stay, because their segments have left.
   */
  keptTables(): readonly number[] {
    const kept: number[] = [];
    this.#forgetBegun();
    if (this.#streamed !== undefined) this.#giveUp(this.#streamed);
    for (const segment of this.#segments) {
      if (!segment.isCold) segment.table = undefined;
      else kept.push(segment.table!);
    }
    return kept;
  }

  /** Whether any segment has left memory. */
  get hasCold(): boolean {
    return this.#segments.some(({ isCold }) => isCold);
  }

  /** Bytes of segments that may leave memory. */
  get droppableBytes(): number {
    return this.#bytesOf((segment) => this.#mayLeave(segment));
  }

  /** Bytes of segments that may leave memory once checkpoints have written them. */
  get unstoredBytes(): number {
    if (!this.#mayBeStored) return 0;
    const ending = this.#streamed?.isEnding === true ? this.#streamed.bytes : 0;
    return ending + this.#bytesOf((one) => one.table === undefined && !this.#isMerged(one));
  }

  /** The same of segments that are being made: somebody else seals them, or `advance` does. */
  get sealingBytes(): number {
    return this.#mayBeStored ? this.#waiting * this.#sizes.sealRows * SEALED_ROW_BYTES : 0;
  }

  /** Bytes of segments that stay in memory because the volume had no room for them. */
  get withheldBytes(): number {
    if (!this.#isStored || this.#hasRoomOnVolume) return 0;
    return this.#bytesOf((one) => one.table === undefined && !this.#isMerged(one));
  }

  /** Drops the oldest segment that may leave from memory. */
  drop(): void {
    this.#leave(this.#segments.find((segment) => this.#mayLeave(segment))!);
  }

  #bytesOf(isCounted: (segment: Segment) => boolean): number {
    let bytes = 0;
    for (const segment of this.#segments) if (isCounted(segment)) bytes += segment.pageBytes;
    return bytes;
  }

  #mayLeave(segment: Segment): boolean {
    return segment.table !== undefined && !segment.isCold && !this.#isMerged(segment);
  }

  /** Whether a segment is being merged with others, and stays in memory for it. */
  #isMerged(segment: Segment): boolean {
    return this.#merge?.segments.includes(segment) === true;
  }

  #leave(segment: Segment): void {
    this.#memory.free(segment.pageBytes);
    segment.leave(this.#access);
  }

  /** Takes the next segment of the checkpoint. Rows from `sealedEnd` on must be added after the last one. No id is hashed before. */
  take(data: SegmentData, table: number | undefined, isCold: boolean): void {
    const segment = new Segment(data);
    segment.table = this.#isStored ? table : undefined;
    if (isCold) segment.leave(this.#access);
    this.#addSegment(segment);
    this.#spareIds = this.#newest.ids;
    this.#generations.length = 0;
    this.#newest = this.#newGeneration(data.endRow);
    this.#makeRoom();
  }

  /**
   * Takes how far an earlier process has come with a merge, after all segments. Returns what names the merge; `undefined` if its segments are
   * not there.
   */
  resume(progress: MergeProgress): object | undefined {
    const first = this.#segments.findIndex(({ firstRow }) => firstRow === progress.firstRow);
    const segments = first === -1 ? [] : this.#segments.slice(first, first + FAN_IN);
    const areThese =
      segments[FAN_IN - 1]?.endRow === progress.endRow &&
      segments.every(({ table }) => table !== undefined);
    if (!areThese || this.#begun !== undefined) return undefined;
    this.#begun = { segments, progress };
    this.#memory.allocate(placesBytes(progress));
    return progress;
  }

  #forgetBegun(): void {
    if (this.#begun === undefined) return;
    this.#memory.free(placesBytes(this.#begun.progress));
    this.#begun = undefined;
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
    for (const { ids } of this.#generations) ids!.touch(hash);
  }

  /** Loads what `addId` of a new row reads of an id into the processor's cache. */
  touchNewest(hash: number): void {
    this.#newest.ids!.touch(hash);
  }

  /** Loads what `findSealed` reads first of an id into the processor's cache. */
  touchSealed(ids: Uint32Array, at: number, hash: number): void {
    if (!this.mayBeSealed(ids, at)) return;
    for (const segment of this.#segments)
      if (segment.spans(ids, at)) this.touched ^= segment.touch(hash >>> 0);
  }

  /** Returns the row with the id if it is in no segment yet, or -1. */
  findYoung(id: Uint32Array, at: number, hash: number): number {
    const generations = this.#generations;
    for (let i = generations.length - 1; i >= 0; i -= 1) {
      const ids = generations[i]!.ids!;
      ids.seek(hash);
      for (let value = ids.next(); value !== 0; value = ids.next())
        if (this.#isId(value - 1, id, at)) return value - 1;
    }
    return -1;
  }

  /**
   * Looks for the ids of `count` events in the filters of all segments that may have one of them. Returns by event whether a segment may have
   * its id; `undefined` if that is not worth while, because few of the ids or of the segments are concerned.
   */
  screenSealed(
    { events, hashes, lowers, count }: HashedEvents,
    screen: IdScreen,
  ): Uint8Array | undefined {
    if (this.#segments.length < SCREENED_SEGMENTS) return undefined;
    screen.clear();
    let [least, greatest] = [-1, -1];
    for (let i = 0; i < count; i += 1) {
      const at = i * WireTransfer.words;
      if (!this.mayBeSealed(events, at)) continue;
      screen.add(i, hashes[i]! >>> 0, lowers[i]!);
      if (least === -1 || compare128(events, at, events, least) < 0) least = at;
      if (greatest === -1 || compare128(events, at, events, greatest) > 0) greatest = at;
    }
    if (screen.count < SCREENED_IDS) return undefined;
    const concerned = this.#segments.filter((one) => one.overlaps(events, least, greatest));
    if (concerned.length < SCREENED_SEGMENTS) return undefined;
    screen.look(concerned.map(({ data }) => data.filter));
    return screen.found;
  }

  /** Returns the row with the id if it is in a segment, or -1. */
  findSealed(id: Uint32Array, at: number, hash: number, lower: number): number {
    if (!this.mayBeSealed(id, at)) return -1;
    const segments = this.#segments;
    // The youngest first: what is asked for exists there most, as a transfer that is pending.
    for (let index = segments.length - 1; index >= 0; index -= 1) {
      const segment = segments[index]!;
      if (!segment.spans(id, at)) continue;
      const count = segment.rowsOf(hash >>> 0, lower, this.#found);
      const { notes } = this.#access;
      for (let i = 0; i < count; i += 1)
        if (this.#isId(this.#found[i]!, id, at)) return this.#found[i]!;
      // A row is absent. It has the id but for a coincidence, which shows when it is there.
      if (this.#access.notes !== notes) return -1;
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

  /** Adds the fields of the rows up to `end`, whose ids were added. */
  addRows(end: number): void {
    const { sealRows } = this.#sizes;
    const waiting = this.#waiting;
    let added = 0;
    for (const generation of this.#generations) {
      const last = Math.min(end, generation.firstRow + sealRows);
      added += Math.max(0, last - generation.end);
      this.#fill(generation, last);
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
    const hashed = this.#hashed.get(column);
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
      this.#idsGrowthBytes(rows)
    );
  }

  #idsGrowthBytes(rows: number): number {
    if (!this.#findsYoung) return 0;
    return (
      this.#newest.ids!.growthBytes(rows) +
      (this.#spareIds?.growthBytes(rows) ?? EMPTY_IDS.bytes + EMPTY_IDS.growthBytes(rows))
    );
  }

  /** Bytes that merges in progress take, as far as they may be given up. */
  get mergeBytes(): number {
    return this.#yielding().reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Ends a merge in progress without its result, for lack of memory. It starts again when there is room. There may be another one. */
  giveUpMerge(): void {
    const [merge] = this.#yielding();
    if (merge === undefined) return;
    this.#lacked = { bytes: merge.bytes, room: merge.room, end: this.#end + merge.rows };
    this.#giveUp(merge);
  }

  /** Returns the merges that may be given up, the one first that costs less. */
  #yielding(): readonly SegmentMerge[] {
    // If a checkpoint is being written without its inputs, a merge goes on.
    return this.#merges.filter(({ isEnding }) => !isEnding);
  }

  #giveUp(merge: SegmentMerge): void {
    // It would read the same pages again and again.
    if (merge.readsVolume) this.#mayBring = false;
    const { job } = merge;
    if (job !== undefined) {
      if (this.#slices?.job === job) this.#slices = undefined;
      else this.#helper?.giveUp(job);
    }
    this.#endMerge(merge, undefined);
  }

  /** Lets no page come back any more. Call it before the helper ends. */
  endBringing(): void {
    this.#volume = undefined;
    for (const merge of this.#yielding()) if (merge.readsVolume) this.#giveUp(merge);
  }

  /** Gives the jobs to a helper from now on. */
  useHelper(helper: IndexHelper): void {
    this.#helper = helper;
  }

  /** Lets segments that have left memory come back to be merged, from now on or until a read fails. */
  useVolume(volume: IndexVolume): void {
    this.#volume = volume;
    if (!this.#areReadsFailing) return;
    this.#askHelper();
    this.#makeRoom();
  }

  /**
   * Does a part of what batches do of the jobs, when no batch comes: one may need the room that a job makes. Call it every now and then.
   */
  advance(): void {
    if (this.#helper !== undefined && this.#slices === undefined) return;
    if (this.#advance(ENTRIES_A_TURN)) this.#makeRoom();
  }

  #askHelper(): void {
    const helper = this.#helper;
    if (helper === undefined) return;
    const seal = this.#isHelperSealing ? undefined : this.#takeSeal();
    if (seal !== undefined) {
      this.#isHelperSealing = true;
      helper.begin(seal, (result) => {
        this.#isHelperSealing = false;
        this.#helped(seal, result);
      });
    }
    const merge = this.#takeMerge();
    if (merge !== undefined) helper.begin(merge, (result) => this.#helped(merge, result));
  }

  #helped(job: IndexJob, result: IndexResult | undefined): void {
    if (result !== undefined) {
      this.#finish(result);
      this.#askHelper();
      this.#makeRoom();
      return;
    }
    // A helper that has failed would fail again: its work is done here from now on.
    this.#helper = undefined;
    if (job.kind === 'seal') this.#taken.delete(job.firstRow);
    else this.#endMerge(this.#mergeAtWork!, undefined);
  }

  /** The merges in progress: the one in memory goes before the other. */
  get #merges(): readonly SegmentMerge[] {
    return [this.#merge, this.#streamed].filter((merge) => merge !== undefined);
  }

  /** The merge that has a job in progress, or pages on their way: there is one at a time. */
  get #mergeAtWork(): SegmentMerge | undefined {
    return this.#merges.find(({ job, isBringing }) => job !== undefined || isBringing);
  }

  #finish(result: IndexResult): void {
    if (result.kind === 'merge') {
      const merge = this.#mergeAtWork!;
      const merged = merge.take(result);
      if (merged !== undefined) this.#endMerge(merge, merged);
      return;
    }
    const segment = new Segment(result.segment);
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
    const ids = this.#findsYoung ? (this.#spareIds ?? new SlotTable(this.#memory)) : undefined;
    this.#spareIds = undefined;
    const { chunkRows } = this.#sizes;
    const of = { pool: this.#pool, rows: this.#indexed };
    const generation = new Generation({ firstRow, chunkRows, ids, ...of });
    this.#generations.push(generation);
    return generation;
  }

  /** Returns false for an id above all of those in segments, as ids are that rise with time. */
  mayBeSealed(id: Uint32Array, at: number): boolean {
    return compare128(id, at, this.#sealedMax, 0) <= 0;
  }

  #isId(row: number, id: Uint32Array, at: number): boolean {
    const rows = this.#rows;
    return equal128(rows.chunkOf(row), rows.offsetOf(row), id, at);
  }

  #fill(generation: Generation, end: number): void {
    const rows = this.#rows;
    while (generation.end < end) {
      const row = generation.end;
      const from = { words: rows.chunkOf(row), at: rows.offsetOf(row) };
      const inRows = rows.rowsPerChunk - (row % rows.rowsPerChunk);
      generation.add(from, Math.min(end - row, inRows, ROWS_A_CALL));
    }
  }

  /** Does as much of the jobs as `entries`, unless fewer are left. Returns whether a job is over. */
  #advance(entries: number): boolean {
    let left = entries;
    let isAnyOver = false;
    while (left > 0) {
      if (this.#slices === undefined) {
        const seal = this.#takeSeal();
        const job = seal ?? (this.#helper === undefined ? this.#takeMerge() : undefined);
        if (job === undefined) return isAnyOver;
        this.#slices = { job, generator: runJob(job) };
      }
      const { generator } = this.#slices;
      const step = generator.next();
      if (step.done === true) {
        this.#slices = undefined;
        this.#finish(step.value);
        isAnyOver = true;
      } else left -= step.value;
    }
    return isAnyOver;
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

  /** Returns the next job of a merge, once its pages are in memory. */
  #takeMerge(): MergeJob | undefined {
    if (this.#mergeAtWork !== undefined) return undefined;
    if (this.#merge === undefined) this.#chooseMerges();
    for (const merge of this.#merges) {
      if (!merge.mayGoOn) continue;
      const missing = merge.missing();
      if (missing.length === 0) return merge.begin();
      if (this.#volume !== undefined) {
        this.#bring(merge, missing, this.#volume);
        return undefined;
      }
      // A read has failed. What a streamed merge has made stays, until pages can be read again.
      if (!merge.isStreamed) this.#giveUp(merge);
    }
    // The merge whose read failed was given up, and no other one needs a page.
    if (this.#volume !== undefined) this.#areReadsFailing = false;
    return undefined;
  }

  /** Asks for pages of segments that are being merged. */
  #bring(merge: SegmentMerge, pages: Needs['pages'], volume: IndexVolume): void {
    let left = pages.length;
    const arrived: Needs['arrived'] = (name, words) => {
      left -= 1;
      merge.put(name, words);
      return true;
    };
    merge.isBringing = true;
    volume({ pages, arrived }, (isBrought) => {
      if (this.#mergeAtWork !== merge) {
        // It was given up meanwhile. A later read may have failed since.
        if (isBrought && this.#volume !== undefined) this.#areReadsFailing = false;
        return;
      }
      merge.isBringing = false;
      this.#areReadsFailing = !isBrought || left > 0;
      const missing = merge.missing();
      if (this.#areReadsFailing) {
        this.#volume = undefined;
        if (!merge.isStreamed) this.#endMerge(merge, undefined);
      } else if (missing.length > 0) this.#bring(merge, missing, volume);
      // Without a helper, the job is this thread's next one.
      else this.#askHelper();
    });
  }

  /**
   * Reserves room for the merge of the oldest neighbours of one size for which there is enough: one in memory, and a streamed one, if they are
   * not in progress.
   */
  #chooseMerges(): void {
    const mayBring = this.#mayBring && this.#volume !== undefined;
    if (mayBring) this.#goOnWithBegun();
    const groups = groupsToMerge(this.#segments, this.#sizes.sealRows, mayBring, (segment) =>
      [this.#streamed, this.#begun].some((merge) => merge?.segments.includes(segment)),
    );
    if (groups.length === 0) return;
    const room = this.#mergeRoom();
    for (const first of groups) {
      const segments = this.#segments.slice(first, first + FAN_IN);
      const merge = this.#planMerge(segments, room, mayBring);
      if (merge === undefined) continue;
      this.#memory.allocate(merge.bytes);
      if (merge.isStreamed) this.#streamed = merge;
      else this.#merge = merge;
      return;
    }
  }

  /** Goes on with what an earlier process has begun, if there is room for it. */
  #goOnWithBegun(): void {
    const begun = this.#begun;
    if (begun === undefined || this.#streamed !== undefined) return;
    const room = this.#mergeRoom();
    const { segments, progress } = begun;
    const merge = new SegmentMerge(segments, room, { isStreamed: true, progress });
    if (merge.bytes > room || this.#wouldLack(merge.bytes, room)) return;
    this.#forgetBegun();
    this.#memory.allocate(merge.bytes);
    this.#streamed = merge;
  }

  /** Returns the merge of these segments if there is room for it. */
  #planMerge(
    segments: readonly Segment[],
    room: number,
    mayBring: boolean,
  ): SegmentMerge | undefined {
    const result = resultBytes(segments);
    const isLarge = this.#mustBeStored(result);
    const areStored = segments.every(({ table }) => table !== undefined);
    if (isLarge && !areStored) return undefined;
    const cold = segments.filter(({ isCold }) => isCold);
    // Its inputs stay until it is over.
    const own = segments.filter((segment) => this.#mayLeave(segment));
    const ownBytes = own.reduce((sum, { pageBytes }) => sum + pageBytes, 0);
    const back = returningBytes(cold);
    const needed = result + back + ownBytes;
    if (isLarge && mayBring && (cold.length > 0 || needed > room)) {
      if (this.#streamed !== undefined) return undefined;
      const merge = new SegmentMerge(segments, room, { isStreamed: true });
      return merge.bytes > room || this.#wouldLack(merge.bytes, room) ? undefined : merge;
    }
    if (this.#wouldLack(result + back, room)) return undefined;
    if (needed > room) {
      // If they leave now, they come back a column at a time.
      if (!mayBring || result + returningBytes(segments) > room || !areStored) return undefined;
      for (const segment of own) this.#leave(segment);
    }
    return new SegmentMerge(segments, room);
  }

  /**
   * Whether a merge that takes so much would be given up as the last one was: it takes no less, and there is not clearly more room. Smaller
   * ones must not wait for it. After as many new rows as that one had, it is tried again, because something else may have taken the room.
   */
  #wouldLack(bytes: number, room: number): boolean {
    const lacked = this.#lacked;
    if (lacked === undefined || this.#end > lacked.end) return false;
    return bytes >= lacked.bytes && room < lacked.room + lacked.bytes * MORE_ROOM;
  }

  /**
   * Whether a merge with so large a result takes only what checkpoints have. They write the result in parts, and a start makes the entries
   * of its rows anew if they have neither the whole of it nor what it was merged of.
   */
  #mustBeStored(bytes: number): boolean {
    return this.#mayBeStored && bytes > (this.#sizes.deltaBytesMax ?? DELTA_BYTES_MAX);
  }

  /** Whether checkpoints write segments whose pages can be read alone. */
  get #mayBeStored(): boolean {
    return this.#isStored && this.#hasRoomOnVolume && this.#sizes.pageBytes === PAGE_BYTES;
  }

  /** Puts the result of a streamed merge in the place of its inputs. It is durable in a table as a whole. */
  #endStreamed(merge: SegmentMerge, table: number): void {
    const segment = merge.end(table);
    segment.leave(this.#access);
    this.#endMerge(merge, segment);
  }

  /** Ends a merge. `merged` is absent if it failed or was given up. */
  #endMerge(merge: SegmentMerge, merged: Segment | undefined): void {
    if (merge.isStreamed) this.#streamed = undefined;
    else this.#merge = undefined;
    this.#memory.free(merge.bytes);
    if (merged === undefined) {
      this.#givenUp += 1;
      return;
    }
    for (const { bytes } of merge.segments) this.#memory.free(bytes);
    this.#memory.allocate(merged.bytes);
    const first = this.#segments.indexOf(merge.segments[0]!);
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
    const { ids } = generation;
    if (this.#spareIds === undefined) {
      ids?.clear();
      this.#spareIds = ids;
    } else this.#memory.free(ids!.bytes);
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

interface BegunMerge {
  readonly segments: readonly Segment[];
  readonly progress: MergeProgress;
}

/** Returns the bytes of what says where pages are. */
const placesBytes = ({ columns }: MergeProgress): number => pagesOf(columns) * 2 * 4;

const EMPTY_IDS = new SlotTable(new Memory());

/**
 * Returns the places of the neighbours of one size that are to be merged, the oldest first; only of those in memory, or of all. Those of a
 * merge in progress are left out.
 */
function groupsToMerge(
  segments: readonly Segment[],
  sealRows: number,
  ofAll: boolean,
  isTaken: (segment: Segment) => boolean,
): number[] {
  const groups: number[] = [];
  let first = 0;
  for (const [index, segment] of segments.entries()) {
    if ((segment.isCold && !ofAll) || isTaken(segment)) {
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
