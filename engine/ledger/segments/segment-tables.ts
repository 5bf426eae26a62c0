/**
 * Segments as tables of a checkpoint, so that a start need not make them again: one table for each segment, whose number is never used
 * again, and a directory (layouts in tables.md). They are derived from rows. So a segment that is missing, damaged, or of another version
 * is ignored and made from the rows. Copies of a checkpoint for others do not have them: the hashes' key is in the directory.
 *
 * A checkpoint writes a bounded part of what there is to write, because the log fills up meanwhile: a large segment takes several. The
 * directory names it when it is whole. Until then it names the smaller ones that were merged into it. Rows that are in no table come
 * first, also while a large segment is unfinished: a start makes their entries anew. Then the smallest of those that were merged come, because
 * larger merges wait for them. A segment whose merge is in progress (segment-merge.ts) comes like others, as far as its columns are there, and
 * with what lets a later process go on with it (merge-progress.ts).
 */
import {
  DerivedTables,
  FIRST_SEGMENT_TABLE,
  INDEX_TABLE,
  type Section,
  type SectionHead,
  SectionKind,
  type StoredBytes,
} from '../checkpoint.ts';
import type { HashKey } from '../keyed-hash.ts';
import { isPage, PAGE_BYTES, PAGE_WORDS, sealPage } from '../page.ts';
import { TABLES } from '../page-cache.ts';
import {
  COLUMNS,
  type ColumnPages,
  pagesPerPiece,
  type SegmentData,
  sharedBytes,
  sharedWords,
} from './columns.ts';
import { type MergeProgress, pagesOf, progressOf, progressWords } from './merge-progress.ts';
import type { GrowingSegment } from './segment-merge.ts';

const VERSION = 1;
const HEAD_WORDS = 6;
/** Words of an entry: table, first row, end, two ids, words of the filter, pages of each column. */
const ENTRY_WORDS = 3 + 8 + 1 + 1 + COLUMNS;
const CHUNK_BYTES_MAX = 1 << 20;
/** Size of a row in tables that say how far a merge is, and in no others. */
const WORD_BYTES = 4;
/**
 * Words at the end of a segment's table whose pages have names: the first one, the table, pages of all columns, words of the filter. The
 * room was there, zero, or is a page more, at which older releases do not look.
 */
const FOOT_WORDS = 4;
const FOOT = 0x544f_4f46; // "FOOT"
/** Bytes of segments that a checkpoint writes at most: it has the time in which 128 MiB of log are filled. */
export const DELTA_BYTES_MAX = 128 << 20;

/** Rows of transfers, or of accounts from ACCOUNT_ROWS on: tables of rows have fewer than 2^31. */
interface Rows {
  readonly firstRow: number;
  readonly endRow: number;
}

/** What is added to the numbers of accounts. */
export const ACCOUNT_ROWS = 2 ** 31;

/** A segment that a checkpoint is to have, or one of which it may have what is there of it. */
export interface StoredSegment extends Rows, Pick<Partial<GrowingSegment>, 'merge' | 'isComplete'> {
  readonly data: SegmentData;
}

/** A segment whose table is complete. */
interface Entry extends Rows {
  readonly table: number;
  /** Whether its pages can be read alone. Those that an older release wrote cannot. */
  readonly isPaged: boolean;
  readonly words: readonly number[];
}

/** A segment of which some pages are written. */
interface Unfinished extends Rows {
  readonly table: number;
  readonly pages: number;
  /** As in GrowingSegment. */
  readonly merge: object | undefined;
  /** The table that says how far the merge is, and the number of columns that it has. */
  readonly progress: { readonly table: number; readonly columns: number } | undefined;
}

/** A table of the checkpoint that is loaded. */
interface StoredTable {
  readonly rowSize: number;
  rows: number;
  /** Whether the parts follow one another. */
  isWhole: boolean;
  readonly parts: StoredPart[];
}

interface StoredPart {
  /** Bytes of the table before the part. */
  readonly from: number;
  readonly chunks: StoredBytes;
}

interface Bytes {
  readonly pieces: readonly Uint8Array[];
  readonly length: number;
}

/** The tables of a checkpoint. */
interface Standing {
  readonly entries: readonly Entry[];
  readonly unfinished: readonly Unfinished[];
  readonly stale: readonly number[];
}

const NO_TABLES: Standing = { entries: [], unfinished: [], stale: [] };

interface SegmentTablesOptions {
  readonly pageBytes: number;
  readonly deltaBytesMax?: number | undefined;
  /** Returns the bytes of pages of the youngest segments that a start brings into memory. */
  readonly youngBytes: () => number;
  /** Called for each table that cannot be read. */
  readonly onDamage: (error: unknown) => void;
}

export class SegmentTables {
  readonly #pageBytes: number;
  readonly #deltaBytesMax: number;
  readonly #youngBytes: () => number;
  readonly #onDamage: (error: unknown) => void;
  #next = FIRST_SEGMENT_TABLE;
  /** Entries of the directory, in the order of rows. Segments themselves are not held here. */
  #entries: readonly Entry[] = [];
  #unfinished: readonly Unfinished[] = [];
  /** Tables of the checkpoint that are of no use any more. */
  readonly #stale = new Set<number>();
  readonly #stored = new Map<number, StoredTable>();
  /** The tables before the last delta. */
  #before = NO_TABLES;
  /** Tables that stay when the others are dropped for lack of room: their segments have left memory. */
  #kept: ReadonlySet<number> = new Set();

  constructor(options: SegmentTablesOptions) {
    const { pageBytes, deltaBytesMax = DELTA_BYTES_MAX, youngBytes, onDamage } = options;
    this.#pageBytes = pageBytes;
    this.#deltaBytesMax = deltaBytesMax;
    this.#youngBytes = youngBytes;
    this.#onDamage = onDamage;
  }

  /**
   * Returns what changes in the checkpoint. Each call writes a part of the segments that it lacks, and of the `growing` ones, which take the
   * place of their inputs when they are whole.
   */
  takeSections(
    segments: readonly StoredSegment[],
    growing: readonly StoredSegment[],
    key: HashKey,
  ): Section[] {
    const sections: Section[] = [];
    const before = this.#entries;
    this.#before = { entries: before, unfinished: this.#unfinished, stale: [...this.#stale] };
    this.#forgetMissing(segments, growing);
    for (let left = this.#deltaBytesMax; left > 0;) {
      const next = this.#nextOf(segments, growing);
      if (next === undefined) break;
      const section = this.#takePages(next, left);
      left -= section.rowCount * this.#pageBytes;
      sections.push(section);
    }
    sections.push(...this.#progressSections(growing));
    for (const table of this.#stale) sections.push(withoutRows(table, this.#pageBytes));
    this.#stale.clear();
    if (this.#entries !== before) sections.push(this.#directorySection(key));
    return sections;
  }

  /** Returns whether a call of `takeSections` would write a part of a segment. */
  hasMore(segments: readonly StoredSegment[], growing: readonly StoredSegment[]): boolean {
    return this.#nextOf(segments, growing) !== undefined;
  }

  /** Returns the end of the rows, from `first` on without a gap, whose segments are in tables. */
  endFrom(first: number): number {
    let end = first;
    for (const { firstRow, endRow } of this.#entries) if (firstRow === end) end = endRow;
    return end;
  }

  /** Call when the last delta is durable. What it went without is in the next one again. */
  stored(derived: DerivedTables): void {
    if (derived === DerivedTables.new) return;
    const kept = this.#before.entries.filter(({ table }) => this.#kept.has(table));
    const standing = { ...NO_TABLES, entries: kept };
    const { entries, unfinished, stale } = derived === DerivedTables.old ? this.#before : standing;
    this.#entries = entries;
    this.#unfinished = unfinished;
    this.#stale.clear();
    for (const table of stale) this.#stale.add(table);
  }

  /** Returns the table in which a segment is whole with pages that can be read alone. Call it right after `stored`. */
  tableOf(segment: Rows): number | undefined {
    const entry = this.#entries.find((one) => isSame(one, segment));
    return entry?.isPaged === true ? entry.table : undefined;
  }

  /** Returns the number of pages that are written of a segment that is not whole. Call it right after `stored`. */
  pagesOf(segment: StoredSegment): number {
    return this.#begunOf(segment)?.pages ?? 0;
  }

  /** Whether the checkpoint that is being written, or the last one, has a segment as a whole. */
  has(segment: Rows): boolean {
    return this.#entries.some((entry) => isSame(entry, segment));
  }

  /** Sets the tables that stay if all others of the index are dropped to make room for rows. */
  keep(tables: ReadonlySet<number>): void {
    this.#kept = tables;
  }

  /** Takes a table of the index, whose bytes are pulled later. */
  loadSection(
    { table, kind, rowSize, firstRow, rowCount }: SectionHead,
    chunks: StoredBytes,
  ): void {
    if (kind === SectionKind.replace) this.#stored.delete(table);
    if (rowCount === 0) return;
    const stored = this.#stored.get(table) ?? { rowSize, rows: 0, isWhole: true, parts: [] };
    this.#stored.set(table, stored);
    stored.isWhole &&= firstRow === stored.rows && rowSize === stored.rowSize;
    stored.parts.push({ from: stored.rows * rowSize, chunks });
    stored.rows += rowCount;
  }

  /**
   * Reads the segments of a checkpoint, from the first row of each index on without a gap, one after another: `take` gets each, and the
   * table in which its pages can be read alone. Of all but the youngest it reads only what stays in memory, if their tables say that this is
   * enough. `useKey` gets the key of their hashes before. Call it once, after all sections.
   */
  async load(taker: SegmentTaker): Promise<void> {
    const directory = (await this.#read(INDEX_TABLE, 1))?.words(0);
    for (const table of this.#stored.keys()) {
      if (table === INDEX_TABLE) continue;
      this.#stale.add(table);
      this.#next = Math.max(this.#next, table + 1);
    }
    if (directory?.[0] === VERSION && directory[1] === this.#pageBytes) {
      this.#next = Math.max(this.#next, directory[4]!);
      const named: Uint32Array[] = [];
      for (let at = HEAD_WORDS; at + ENTRY_WORDS <= directory.length; at += ENTRY_WORDS)
        named.push(directory.subarray(at, at + ENTRY_WORDS));
      taker.useKey({ low: directory[2]!, high: directory[3]! });
      const accountsFrom = named.findIndex((words) => words[1]! >= ACCOUNT_ROWS);
      const transfersEnd = accountsFrom === -1 ? named.length : accountsFrom;
      this.#entries = [
        ...(await this.#loadEntries(named.slice(0, transfersEnd), 0, taker)),
        ...(await this.#loadEntries(named.slice(transfersEnd), ACCOUNT_ROWS, taker)),
      ];
      for (const [table, { rowSize }] of this.#stored)
        if (rowSize === WORD_BYTES) await this.#loadProgress(table, taker);
    }
    this.#stored.clear();
  }

  /** Reads the segments of one index, whose first row is `first`. Returns the entries of those that it could read. */
  async #loadEntries(
    named: readonly Uint32Array[],
    first: number,
    { take }: SegmentTaker,
  ): Promise<Entry[]> {
    const entries: Entry[] = [];
    const oldEnd = this.#oldEnd(named);
    for (const [index, words] of named.entries()) {
      const [table, firstRow, endRow] = words as unknown as [number, number, number];
      if (firstRow !== (entries.at(-1)?.endRow ?? first)) break;
      const without = index < oldEnd ? await this.#readWithoutPages(words) : undefined;
      const data = without ?? (await this.#readSegment(words));
      if (data === undefined) break;
      const isPaged = without !== undefined || (table < TABLES && this.#isPaged(data, table));
      if (isPaged === undefined) break;
      entries.push({ table, firstRow, endRow, isPaged, words: [...words] });
      this.#stale.delete(table);
      const stored = isPaged ? table : undefined;
      take(data, { table: stored, isCold: without !== undefined, isOfAccounts: first > 0 });
    }
    return entries;
  }

  /** Reads how far a merge is. Its tables stay if somebody goes on with it. */
  async #loadProgress(own: number, { resume }: SegmentTaker): Promise<void> {
    const words = (await this.#read(own, WORD_BYTES))?.words(0);
    const progress = words === undefined ? undefined : progressOf(words);
    const stored = progress === undefined ? undefined : this.#stored.get(progress.table);
    if (progress === undefined || stored === undefined) return;
    const { table, firstRow, endRow, columns } = progress;
    const areNamed = this.#pageBytes === PAGE_BYTES && stored.rowSize === PAGE_BYTES;
    if (!stored.isWhole || !areNamed || stored.rows < pagesOf(columns)) return;
    // After damage, a start verifies all of the index, and makes no use of what it does not read.
    if (stored.parts.some(({ chunks }) => chunks.from === undefined)) return;
    const first = firstRow < ACCOUNT_ROWS ? 0 : ACCOUNT_ROWS;
    const rows = { firstRow: firstRow - first, endRow: endRow - first };
    const merge = resume({ ...progress, ...rows }, { isOfAccounts: first > 0 });
    if (merge === undefined) return;
    const at = { table: own, columns: columns.length };
    this.#unfinished = [
      ...this.#unfinished,
      { table, firstRow, endRow, pages: stored.rows, merge, progress: at },
    ];
    for (const one of [own, table]) this.#stale.delete(one);
  }

  /** Returns the number of segments before the youngest ones, whose pages are brought. */
  #oldEnd(entries: readonly Uint32Array[]): number {
    let left = this.#youngBytes();
    let end = entries.length;
    for (; end > 0; end -= 1) {
      left -= pagesIn(entries[end - 1]!) * this.#pageBytes;
      if (left < 0) break;
    }
    return end;
  }

  /** Forgets what was written of segments that have been merged meanwhile, or whose merge was given up. */
  #forgetMissing(segments: readonly StoredSegment[], growing: readonly StoredSegment[]): void {
    const isThere = (one: Unfinished): boolean =>
      [...segments, ...growing].some((segment) => isPartOf(one, segment));
    for (const { table, progress } of this.#unfinished.filter((one) => !isThere(one))) {
      this.#stale.add(table);
      if (progress !== undefined) this.#stale.add(progress.table);
    }
    this.#unfinished = this.#unfinished.filter(isThere);
    const kept = this.#entries.filter((entry) => segments.some((one) => isWithin(entry, one)));
    if (kept.length === this.#entries.length) return;
    for (const { table } of this.#entries.filter((entry) => !kept.includes(entry)))
      this.#stale.add(table);
    this.#entries = kept;
  }

  /**
   * Returns the segment to be written next: the oldest with rows that are in no table, then the smallest of those that were merged of others, or
   * are being merged.
   */
  #nextOf(
    segments: readonly StoredSegment[],
    growing: readonly StoredSegment[],
  ): StoredSegment | undefined {
    const covered = (segment: Rows): number =>
      this.#entries
        .filter((entry) => isWithin(entry, segment))
        .reduce((sum, entry) => sum + entry.endRow - entry.firstRow, 0);
    const lacking = [
      ...segments.filter((segment) => this.#lacks(segment)),
      ...growing.filter((segment) => this.#lacksPartOf(segment)),
    ];
    return (
      lacking.find((one) => one.merge === undefined && covered(one) < rowsOf(one)) ??
      lacking.toSorted((a, b) => rowsOf(a) - rowsOf(b))[0]
    );
  }

  /** Whether a segment is to be written: no entry has it, or one that has taken the place of its neighbours as well. */
  #lacks(segment: StoredSegment): boolean {
    return !this.#entries.some((entry) =>
      isSame(entry, segment) ? this.#isDone(entry) : isWithin(segment, entry),
    );
  }

  /** Whether pages of a growing segment are there that are not written. Without numbers for tables it could never be read. */
  #lacksPartOf(segment: StoredSegment): boolean {
    if (this.has(segment)) return false;
    const begun = this.#begunOf(segment);
    if ((begun?.table ?? this.#next) >= TABLES) return false;
    return segment.isComplete === true || (begun?.pages ?? 0) < pagesOf(columnsOf(segment.data));
  }

  #begunOf(segment: StoredSegment): Unfinished | undefined {
    return this.#unfinished.find((one) => isPartOf(one, segment));
  }

  /** Returns whether the pages of a segment that was loaded can be read alone; `undefined` if some can and others cannot. */
  #isPaged(data: SegmentData, table: number): boolean | undefined {
    try {
      return hasNamedPages(data, table);
    } catch (error) {
      this.#onDamage(error);
      return undefined;
    }
  }

  /** Whether nothing is left to be done for a segment that is in a table. */
  #isDone({ isPaged }: Entry): boolean {
    return isPaged || this.#pageBytes !== PAGE_BYTES || this.#next >= TABLES;
  }

  /** Returns the next pages of a segment, of about so many bytes at most. */
  #takePages(segment: StoredSegment, bytes: number): Section {
    const { firstRow, endRow, data, merge, isComplete = true } = segment;
    const begun = this.#begunOf(segment);
    const { table, pages } = begun ?? { table: this.#next, pages: 0 };
    if (begun === undefined) this.#next += 1;
    const inColumns = pagesOf(columnsOf(data));
    const all = inColumns + tailPages(data);
    // The pages that stay in memory begin a piece, because a start reads nothing else of an old segment.
    const end = pages < inColumns ? inColumns : all;
    const rowCount = Math.min(end - pages, Math.max(1, Math.floor(bytes / this.#pageBytes)));
    const others = this.#unfinished.filter((one) => one !== begun);
    const isWhole = isComplete && pages + rowCount === all;
    const progress = begun?.progress;
    const unfinished = { table, firstRow, endRow, pages: pages + rowCount, merge, progress };
    this.#unfinished = isWhole ? others : [...others, unfinished];
    if (isWhole) {
      this.#finish(entryOf(table, segment));
      if (progress !== undefined) this.#stale.add(progress.table);
    }
    return {
      kind: pages === 0 ? SectionKind.replace : SectionKind.append,
      table,
      rowSize: this.#pageBytes,
      firstRow: pages,
      rowCount,
      chunks: encode(data, table, pages, pages + rowCount),
    };
  }

  /** Returns what says how far merges are, of which pages are written for the first time, or a column more as a whole. */
  #progressSections(growing: readonly StoredSegment[]): Section[] {
    const sections: Section[] = [];
    this.#unfinished = this.#unfinished.map((one) => {
      const segment = growing.find((other) => isPartOf(one, other));
      if (segment === undefined) return one;
      const { table, firstRow, endRow } = one;
      const columns = wholeColumns(segment.data, one.pages);
      if (one.progress?.columns === columns.length) return one;
      const own = one.progress?.table ?? this.#next;
      if (own === this.#next) this.#next += 1;
      const words = progressWords({ table, firstRow, endRow, columns });
      const chunks = slices(new Uint8Array(words.buffer));
      const rows = { rowSize: WORD_BYTES, firstRow: 0, rowCount: words.length, chunks };
      sections.push({ kind: SectionKind.replace, table: own, ...rows });
      return { ...one, progress: { table: own, columns: columns.length } };
    });
    return sections;
  }

  /** Adds a completely written segment to the directory. Segments that were merged into it are dropped. */
  #finish(entry: Entry): void {
    for (const old of this.#entries) if (isWithin(old, entry)) this.#stale.add(old.table);
    this.#entries = [...this.#entries.filter((old) => !isWithin(old, entry)), entry].toSorted(
      (a, b) => a.firstRow - b.firstRow,
    );
  }

  #directorySection({ low, high }: HashKey): Section {
    const entries = this.#entries.flatMap(({ words }) => words);
    const head = [VERSION, this.#pageBytes, low, high, this.#next, this.#entries.length];
    const bytes = new Uint8Array(Uint32Array.from([...head, ...entries]).buffer);
    const rows = { firstRow: 0, rowCount: bytes.length, chunks: slices(bytes) };
    return { kind: SectionKind.replace, table: INDEX_TABLE, rowSize: 1, ...rows };
  }

  /** Reads a table of rows of some size. Resolves with `undefined` if it is not there or cannot be read. */
  async #read(table: number, rowSize: number): Promise<TableBytes | undefined> {
    const stored = this.#stored.get(table);
    if (stored === undefined || !stored.isWhole || stored.rowSize !== rowSize) return undefined;
    const pieceBytes = pagesPerPiece(this.#pageBytes) * this.#pageBytes;
    const length = stored.rows * rowSize;
    try {
      return new TableBytes({ pieces: await readPieces(stored.parts, length, pieceBytes), length });
    } catch (error) {
      // The rows are intact, or say so themselves.
      this.#onDamage(error);
      return undefined;
    }
  }

  /** Reads the segment of a directory's entry. Resolves with `undefined` if its table is not as the entry says. */
  async #readSegment(entry: Uint32Array): Promise<SegmentData | undefined> {
    const bytes = await this.#read(entry[0]!, this.#pageBytes);
    const pagesEnd = pagesIn(entry) * this.#pageBytes;
    const words = bytes?.words(pagesEnd);
    if (words === undefined || words.length < tailWords(entry)) return undefined;
    return this.#segmentOf(entry, words, bytes!.before(pagesEnd));
  }

  /**
   * Reads what stays of a segment when it leaves memory. Resolves with `undefined` if its pages may have no names, the store wants all of
   * it to be verified, or this cannot be read.
   */
  async #readWithoutPages(entry: Uint32Array): Promise<SegmentData | undefined> {
    const table = entry[0]!;
    const stored = this.#stored.get(table);
    const pages = pagesIn(entry);
    const from = pages * PAGE_BYTES;
    if (stored === undefined || !stored.isWhole || stored.rowSize !== PAGE_BYTES) return undefined;
    const length = stored.rows * PAGE_BYTES - from;
    if (table >= TABLES || length < (tailWords(entry) + FOOT_WORDS) * 4) return undefined;
    const words = await readEnd(stored.parts, from, length);
    if (words === undefined) return undefined;
    const foot = footOf(table, pages, entry[11]!);
    if (!foot.every((word, i) => words[words.length - FOOT_WORDS + i] === word)) return undefined;
    return this.#segmentOf(entry, words, []);
  }

  /** Makes a segment of what follows its pages in the table, and of those. */
  #segmentOf(entry: Uint32Array, words: Uint32Array, pieces: readonly Uint8Array[]): SegmentData {
    const filterWords = entry[11]!;
    let firstPage = 0;
    let at = filterWords;
    const [ids, ...fields] = Array.from(entry.subarray(12), (count): ColumnPages => {
      const firstKeys = copied(words, at, count);
      const firstRows = copied(words, at + count, count);
      at += count * 2;
      firstPage += count;
      return { pieces, firstPage: firstPage - count, firstKeys, firstRows };
    });
    return {
      pageBytes: this.#pageBytes,
      firstRow: entry[1]! % ACCOUNT_ROWS,
      endRow: entry[2]! % ACCOUNT_ROWS,
      idRange: copied(entry, 3, 8),
      ids: ids!,
      filter: copied(words, 0, filterWords),
      fields,
    };
  }
}

/** Returns the pages of all columns of a directory's entry. */
const pagesIn = (entry: Uint32Array): number =>
  entry.subarray(12).reduce((sum, count) => sum + count, 0);

/** Returns the words of an entry's filter, first keys and first rows. */
const tailWords = (entry: Uint32Array): number => entry[11]! + pagesIn(entry) * 2;

const footOf = (table: number, pages: number, filterWords: number): readonly number[] => [
  FOOT,
  table,
  pages,
  filterWords,
];

/** Receives loaded segments and their hash key. */
interface SegmentTaker {
  readonly useKey: (key: HashKey) => void;
  readonly take: (
    data: SegmentData,
    at: {
      readonly table: number | undefined;
      readonly isCold: boolean;
      readonly isOfAccounts: boolean;
    },
  ) => void;
  /** Takes how far a merge is, after all segments. Returns what names the merge from now on; `undefined` if nobody can go on with it. */
  readonly resume: (
    progress: MergeProgress,
    of: { readonly isOfAccounts: boolean },
  ) => object | undefined;
}

const isSame = (a: Rows, b: Rows): boolean => a.firstRow === b.firstRow && a.endRow === b.endRow;

const isPartOf = (one: Unfinished, segment: StoredSegment): boolean =>
  isSame(one, segment) && one.merge === segment.merge;

const rowsOf = ({ firstRow, endRow }: Rows): number => endRow - firstRow;

const isWithin = (a: Rows, b: Rows): boolean => a.firstRow >= b.firstRow && a.endRow <= b.endRow;

function entryOf(table: number, { firstRow, endRow, data }: StoredSegment): Entry {
  const { idRange, filter } = data;
  const pages = columnsOf(data).map(({ firstKeys }) => firstKeys.length);
  const words = [table, firstRow, endRow, ...idRange, filter.length, ...pages];
  const isPaged = data.pageBytes === PAGE_BYTES && table < TABLES;
  return { table, firstRow, endRow, isPaged, words };
}

/**
 * Returns whether the pages of a segment have names: all of a table do, or none if an older release wrote it. Throws RangeError if that is
 * not so.
 */
function hasNamedPages(data: SegmentData, table: number): boolean {
  if (data.pageBytes !== PAGE_BYTES) return false;
  const pages = pagesOf(columnsOf(data));
  const perPiece = pagesPerPiece(PAGE_BYTES);
  let named = 0;
  for (let page = 0; page < pages; page += 1) {
    const piece = data.ids.pieces[Math.floor(page / perPiece)]!;
    const words = new Uint32Array(piece.buffer, piece.byteOffset, piece.length / 4);
    if (isPage(words, (page % perPiece) * PAGE_WORDS, { table, page })) named += 1;
    else if (named > 0) break;
    else return false;
  }
  if (named < pages) throw new RangeError(`page ${named} of table ${table} is damaged`);
  return true;
}

const withoutRows = (table: number, rowSize: number): Section => ({
  kind: SectionKind.replace,
  table,
  rowSize,
  firstRow: 0,
  rowCount: 0,
  chunks: [],
});

const columnsOf = ({ ids, fields }: SegmentData): readonly ColumnPages[] => [ids, ...fields];

/** Returns the first columns of a segment that are among so many pages of it as a whole. */
function wholeColumns(data: SegmentData, pages: number): readonly ColumnPages[] {
  let end = 0;
  return columnsOf(data).filter(({ firstKeys }) => (end += firstKeys.length) <= pages);
}

/** Returns the pages that a segment's filter, the directories of its columns and its foot take. */
const tailPages = (data: SegmentData): number =>
  Math.ceil(
    ((data.filter.length + pagesOf(columnsOf(data)) * 2 + (isNamed(data) ? FOOT_WORDS : 0)) * 4) /
      data.pageBytes,
  );

/** Pages of another size, which only tests have, stay without names. */
const isNamed = ({ pageBytes }: Pick<SegmentData, 'pageBytes'>): boolean =>
  pageBytes === PAGE_BYTES;

/**
 * Yields pages of a segment's table: pages of ids, pages of each field, then filter, first keys and first rows of each column, and the foot. Pages of
 * columns have a name and a checksum, so that each can be read alone. The yielded memory is used again.
 */
function* encode(
  data: SegmentData,
  table: number,
  from: number,
  end: number,
): Generator<Uint8Array> {
  const { pageBytes } = data;
  const buffer = new Uint8Array(
    Math.max(pageBytes, CHUNK_BYTES_MAX - (CHUNK_BYTES_MAX % pageBytes)),
  );
  let first = 0;
  for (const column of columnsOf(data)) {
    const count = column.firstKeys.length;
    const [low, high] = [Math.max(from, first) - first, Math.min(end, first + count) - first];
    let page = first + low;
    if (low < high) {
      for (const bytes of columnBytes(column, low, high, { pageBytes, buffer })) {
        sealPages(bytes, table, page, pageBytes);
        page += bytes.length / pageBytes;
        yield bytes;
      }
    }
    first += count;
  }
  if (end <= first) return;
  const tail = tailOf(data, table);
  yield* slices(
    tail.subarray((Math.max(from, first) - first) * pageBytes, (end - first) * pageBytes),
  );
}

/** Yields copies of a column's pages `from` to `end`, as many at a time as fit the buffer. */
function* columnBytes(
  { pieces, firstPage }: ColumnPages,
  from: number,
  end: number,
  { pageBytes, buffer }: { readonly pageBytes: number; readonly buffer: Uint8Array },
): Generator<Uint8Array> {
  const perPiece = pagesPerPiece(pageBytes);
  const last = firstPage + end;
  for (let page = firstPage + from; page < last;) {
    const inPiece = page % perPiece;
    const count = Math.min(perPiece - inPiece, last - page, buffer.length / pageBytes);
    const piece = pieces[Math.floor(page / perPiece)]!;
    buffer.set(piece.subarray(inPiece * pageBytes, (inPiece + count) * pageBytes));
    yield buffer.subarray(0, count * pageBytes);
    page += count;
  }
}

function sealPages(bytes: Uint8Array, table: number, first: number, pageBytes: number): void {
  if (!isNamed({ pageBytes })) return;
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  for (let i = 0; i * PAGE_WORDS < words.length; i += 1)
    sealPage(words, i * PAGE_WORDS, { table, page: first + i }, 0);
}

function tailOf(data: SegmentData, table: number): Uint8Array {
  const words = new Uint32Array((tailPages(data) * data.pageBytes) / 4);
  words.set(data.filter);
  let to = data.filter.length;
  for (const { firstKeys, firstRows } of columnsOf(data)) {
    words.set(firstKeys, to);
    words.set(firstRows, to + firstKeys.length);
    to += firstKeys.length * 2;
  }
  if (isNamed(data))
    words.set(
      footOf(table, pagesOf(columnsOf(data)), data.filter.length),
      words.length - FOOT_WORDS,
    );
  return new Uint8Array(words.buffer);
}

function* slices(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES_MAX)
    yield bytes.subarray(at, at + CHUNK_BYTES_MAX);
}

/** Reads exactly so many bytes into pieces of one size, which threads can share. */
async function readPieces(
  parts: readonly StoredPart[],
  bytes: number,
  pieceBytes: number,
): Promise<Uint8Array[]> {
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < bytes; at += pieceBytes)
    pieces.push(sharedBytes(Math.min(pieceBytes, bytes - at)));
  let at = 0;
  for await (const chunk of joined(parts)) {
    for (let from = 0; from < chunk.length;) {
      const piece = pieces[Math.floor(at / pieceBytes)];
      if (piece === undefined || at === bytes)
        throw new RangeError('a section is longer than it says');
      const part = chunk.subarray(from, from + piece.length - (at % pieceBytes));
      piece.set(part, at % pieceBytes);
      from += part.length;
      at += part.length;
    }
  }
  if (at !== bytes) throw new RangeError('a section is shorter than it says');
  return pieces;
}

async function* joined(parts: readonly StoredPart[]): AsyncGenerator<Uint8Array> {
  for (const { chunks } of parts) yield* chunks;
}

/**
 * Reads the last `length` bytes of a table, which begin at `from`, and little before them. Resolves with `undefined` if the store lets
 * nothing be left out, or they cannot be read.
 */
async function readEnd(
  parts: readonly StoredPart[],
  from: number,
  length: number,
): Promise<Uint32Array | undefined> {
  const bytes = new Uint8Array(length);
  let filled = 0;
  for (const [index, { from: first, chunks }] of parts.entries()) {
    const next = parts[index + 1]?.from;
    if (next !== undefined && next <= from) continue;
    const begun = chunks.from?.(Math.max(0, from - first));
    if (begun === undefined) return undefined;
    let at = first + begun.at;
    try {
      for await (const chunk of begun.chunks) {
        const part = chunk.subarray(Math.max(0, Math.min(chunk.length, from - at)));
        if (filled + part.length > length) return undefined;
        bytes.set(part, filled);
        filled += part.length;
        at += chunk.length;
      }
    } catch {
      // The reader of the whole table reports the damage.
      return undefined;
    }
  }
  return filled === length ? new Uint32Array(bytes.buffer) : undefined;
}

/** The bytes of a table, in pieces of one size. */
class TableBytes {
  readonly #pieces: readonly Uint8Array[];
  readonly #length: number;

  constructor({ pieces, length }: Bytes) {
    this.#pieces = pieces;
    this.#length = length;
  }

  /** Returns the whole words from byte `from` on; `undefined` if there are fewer bytes. */
  words(from: number): Uint32Array | undefined {
    if (from > this.#length) return undefined;
    const rest = new Uint8Array((this.#length - from) & ~3);
    let at = 0;
    for (const piece of this.#pieces) {
      const part = piece.subarray(Math.max(0, Math.min(piece.length, from - at)));
      const to = Math.max(0, at - from);
      if (part.length > 0 && to < rest.length) rest.set(part.subarray(0, rest.length - to), to);
      at += piece.length;
    }
    return new Uint32Array(rest.buffer);
  }

  /** Returns the first bytes in pieces, without the memory of what follows them. */
  before(bytes: number): readonly Uint8Array[] {
    const before: Uint8Array[] = [];
    let left = bytes;
    for (const piece of this.#pieces) {
      if (left === 0) break;
      const part = Math.min(left, piece.length);
      left -= part;
      if (part === piece.length) before.push(piece);
      else {
        const cut = sharedBytes(part);
        cut.set(piece.subarray(0, part));
        before.push(cut);
      }
    }
    return before;
  }
}

function copied(words: Uint32Array, at: number, count: number): Uint32Array {
  const copy = sharedWords(count);
  copy.set(words.subarray(at, at + count));
  return copy;
}
