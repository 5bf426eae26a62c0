/**
 * Reads single pages of a checkpoint's tables. Pages that follow one another are read together. Each is verified by its own
 * name and checksum. Accounts have no pages of their own, but rows in order, which may begin anywhere and go on in the next piece: so many of
 * them are read as a page, and whoever asked verifies it.
 *
 * A merge may move a page, and a later checkpoint may use its old place, while it is being read. Then its bytes do not fit, and
 * it is read again from where it is now. A damaged page is mended first, if somebody has it (mender.ts).
 */
import { isDerived } from '../ledger/checkpoint.ts';
import type { Needs } from '../ledger/cold-rows.ts';
import { ACCOUNTS_TABLE } from '../ledger/layout.ts';
import { isPage, PAGE_BYTES, PAGE_WORDS, type PageName } from '../ledger/page.ts';
import { CORRUPTION_ADVICE, DataFileError } from './errors.ts';
import type { Extent } from './extents.ts';
import type { Piece, StoredSection } from './manifest.ts';
import { isUnreadable, type ReadableFile } from './storage.ts';

export interface PageSource {
  /**
   * Reads pages, in any order. `arrived` gets the words of each one; their memory is used again. Rejects with DataFileError
   * `checkpoint_corrupt` if one of them is damaged, or `index_damaged` if that is one of the index.
   */
  read(pages: readonly PageName[], arrived: Arrived): Promise<void>;
}

type Arrived = Needs['arrived'];

/** Maximum number of pages read by one call of the system. */
const RUN_PAGES_MAX = 128;
/** Pages that are read in vain rather than with a second call. */
const GAP_PAGES_MAX = 3;
/** Calls of the system at a time: the log's writes share their threads. */
const CALLS_MAX = 3;
/** Times that pages are mended for one call. The disk may lose them again. */
const MENDS_MAX = 3;

interface PlacedPiece {
  /** Its first byte in its table. */
  readonly from: number;
  readonly piece: Piece;
}

interface Place {
  readonly name: PageName;
  readonly offset: number;
  readonly piece: Piece;
  /** Where the page goes on that begins at the end of a piece. */
  readonly rest: readonly Extent[];
}

interface PageReaderOptions {
  readonly file: ReadableFile;
  /** Returns the sections of the newest durable checkpoint. */
  readonly sections: () => readonly StoredSection[];
  /** Called for a damaged page of the index; afterwards the request for the page fails. */
  readonly onIndexDamage?: (error: DataFileError) => Promise<void>;
  /** Mends a damaged piece of a table of rows. Resolves with true if its pages can be read then. */
  readonly mend?: (piece: Piece, error: DataFileError) => Promise<boolean>;
}

export class PageReader implements PageSource {
  readonly #options: PageReaderOptions;
  #placed: readonly StoredSection[] | undefined;
  #pieces = new Map<number, readonly PlacedPiece[]>();

  constructor(options: PageReaderOptions) {
    this.#options = options;
  }

  async read(pages: readonly PageName[], arrived: Arrived): Promise<void> {
    let mends = 0;
    for (let wanted = pages; wanted.length > 0;) {
      const sections = this.#options.sections();
      const isAgain = wanted !== pages;
      // If a segment of the index was merged meanwhile, its content is in another table, where the caller looks next.
      const here = isAgain ? wanted.filter((name) => !this.#isGone(name)) : wanted;
      const misfits = await this.#readPlaces(
        here.map((name) => this.#placeOf(name)),
        arrived,
      );
      const [first] = misfits;
      // Only a checkpoint that came meanwhile explains a misfit.
      if (first !== undefined && sections === this.#options.sections()) {
        mends += 1;
        if (mends > MENDS_MAX || !(await this.#mended(misfits))) throw await this.#damaged(first);
      }
      wanted = misfits.map(({ name }) => name);
    }
  }

  /** Reads those of the pages that are in the checkpoint and whole. */
  async readWhole(pages: readonly PageName[], arrived: Arrived): Promise<void> {
    const places = pages.flatMap((name) =>
      name.table === ACCOUNTS_TABLE ? [] : (this.#find(name) ?? []),
    );
    await this.#readPlaces(places, arrived);
  }

  /** Mends the pieces of damaged pages. Resolves with true if all of them can be read then. */
  async #mended(places: readonly Place[]): Promise<boolean> {
    const { mend } = this.#options;
    if (mend === undefined || places.some(({ name }) => isDerived(name.table))) return false;
    for (const place of new Map(places.map((one) => [one.piece, one])).values())
      if (!(await mend(place.piece, damaged(place)))) return false;
    return true;
  }

  async #damaged(place: Place): Promise<DataFileError> {
    const error = damaged(place);
    if (error.code === 'index_damaged') await this.#options.onIndexDamage?.(error);
    return error;
  }

  /** Returns the places whose bytes are other pages. */
  async #readPlaces(places: Place[], arrived: Arrived): Promise<readonly Place[]> {
    const runs = runsOf(places.sort((a, b) => a.offset - b.offset));
    const misfits: Place[] = [];
    let next = 0;
    const readRuns = async (): Promise<void> => {
      while (next < runs.length) {
        const run = runs[next]!;
        next += 1;
        await this.#readRun(run, arrived, misfits);
      }
    };
    await Promise.all(Array.from({ length: CALLS_MAX }, readRuns));
    return misfits;
  }

  async #readRun(run: readonly Place[], arrived: Arrived, misfits: Place[]): Promise<void> {
    const from = run[0]!.offset;
    const bytes = new Uint8Array(run.at(-1)!.offset + PAGE_BYTES - from);
    let length = 0;
    try {
      length = await this.#options.file.read(
        bytes.subarray(0, bytes.length - restBytes(run)),
        from,
      );
      for (const { offset, size } of run.at(-1)!.rest)
        length += await this.#options.file.read(bytes.subarray(length, length + size), offset);
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      if (run.length === 1) misfits.push(run[0]!);
      // One page that the disk cannot read keeps none of the others from being read.
      else for (const place of run) await this.#readRun([place], arrived, misfits);
      return;
    }
    const words = new Uint32Array(bytes.buffer);
    for (const place of run) {
      const at = place.offset - from;
      const isRead = at + PAGE_BYTES <= length;
      const isThere =
        isRead && (place.name.table === ACCOUNTS_TABLE || isPage(words, at / 4, place.name));
      const page = words.subarray(at / 4, at / 4 + PAGE_WORDS);
      if (!isThere || !arrived(place.name, page)) misfits.push(place);
    }
  }

  #isGone({ table }: PageName): boolean {
    this.#place();
    return isDerived(table) && !this.#pieces.has(table);
  }

  #placeOf(name: PageName): Place {
    const place = this.#find(name);
    if (place !== undefined) return place;
    throw new DataFileError(
      'checkpoint_corrupt',
      `Page ${name.page} of table ${name.table} is not in the checkpoint. ${CORRUPTION_ADVICE}`,
    );
  }

  #find(name: PageName): Place | undefined {
    const { table, page } = name;
    this.#place();
    const pieces = this.#pieces.get(table) ?? [];
    const from = page * PAGE_BYTES;
    let low = 0;
    let high = pieces.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (endOf(pieces[middle]!) <= from) low = middle + 1;
      else high = middle;
    }
    const found = pieces[low];
    if (found === undefined || from < found.from) return undefined;
    const { piece } = found;
    const rest: Extent[] = [];
    for (let at = endOf(found), next = low + 1; at < from + PAGE_BYTES; next += 1) {
      const following = pieces[next];
      if (following?.from !== at) return undefined;
      const size = Math.min(from + PAGE_BYTES - at, following.piece.size);
      rest.push({ offset: following.piece.offset, size });
      at += size;
    }
    return { name, piece, offset: piece.offset + from - found.from, rest };
  }

  #place(): void {
    const sections = this.#options.sections();
    if (sections === this.#placed) return;
    this.#placed = sections;
    const tables = new Map<number, PlacedPiece[]>();
    for (const { table, rowSize, firstRow, pieces } of sections) {
      if (rowSize !== PAGE_BYTES && table !== ACCOUNTS_TABLE) continue;
      const placed = tables.get(table) ?? [];
      let from = firstRow * rowSize;
      for (const piece of pieces) {
        placed.push({ from, piece });
        from += piece.size;
      }
      tables.set(table, placed);
    }
    this.#pieces = tables;
  }
}

const endOf = ({ from, piece }: PlacedPiece): number => from + piece.size;

/** Returns the bytes of a run that are elsewhere: only its last page may go on there. */
const restBytes = (run: readonly Place[]): number =>
  run.at(-1)!.rest.reduce((sum, { size }) => sum + size, 0);

/** Groups places, in order of their offsets, into runs that one call reads. */
function runsOf(places: readonly Place[]): readonly (readonly Place[])[] {
  const runs: Place[][] = [];
  let run: Place[] = [];
  for (const place of places) {
    const [first, last] = [run[0], run.at(-1)];
    const isNear =
      first !== undefined &&
      last !== undefined &&
      last.rest.length === 0 &&
      place.offset - last.offset <= (GAP_PAGES_MAX + 1) * PAGE_BYTES &&
      place.offset - first.offset < RUN_PAGES_MAX * PAGE_BYTES;
    if (isNear) run.push(place);
    else runs.push((run = [place]));
  }
  return runs;
}

function damaged({ name, offset }: Place): DataFileError {
  const where = `in the ${PAGE_BYTES} bytes from byte ${offset} on (page ${name.page} of table ${name.table})`;
  if (isDerived(name.table))
    return new DataFileError(
      'index_damaged',
      `The stored index is damaged ${where}. No record is lost: a start of the replica makes the index from the records.`,
      { offset },
    );
  return new DataFileError(
    'checkpoint_corrupt',
    `The checkpoint is damaged ${where}. ${CORRUPTION_ADVICE}`,
    { offset },
  );
}
