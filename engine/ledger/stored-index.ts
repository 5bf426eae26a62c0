/** The indexes of transfers and of accounts as derived tables of checkpoints: one directory names the segments of both. */
import {
  type DerivedTables,
  type Section,
  type SectionHead,
  type StoredBytes,
} from './checkpoint.ts';
import type { KeyedHash } from './keyed-hash.ts';
import type { Segment } from './segments/segment.ts';
import type { GrowingSegment } from './segments/segment-merge.ts';
import { ACCOUNT_ROWS, SegmentTables, type StoredSegment } from './segments/segment-tables.ts';
import type { IndexSizes, RowIndex } from './row-index.ts';

interface StoredIndexOptions {
  readonly transfers: RowIndex;
  readonly accounts: RowIndex;
  /** What both hash with. */
  readonly hash: KeyedHash;
  readonly sizes: IndexSizes;
  /** Whether checkpoints keep the segments. Their hashes' key must be secret then. */
  readonly isStored: boolean;
  /** Returns the bytes of the youngest segments of each index that a start brings into memory. */
  readonly youngBytes: () => number;
  /** Called for each part that cannot be read. It is made from the rows. */
  readonly onDamage: (error: unknown) => void;
}

export class StoredIndex {
  readonly #transfers: RowIndex;
  readonly #accounts: RowIndex;
  readonly #hash: KeyedHash;
  readonly #isStored: boolean;
  readonly #tables: SegmentTables;
  /** Rows of a generation of transfers. */
  readonly sealRows: number;

  constructor({ transfers, accounts, hash, sizes, isStored, ...options }: StoredIndexOptions) {
    this.#transfers = transfers;
    this.#accounts = accounts;
    this.#hash = hash;
    this.#isStored = isStored;
    this.#tables = new SegmentTables({ ...sizes, ...options });
    this.sealRows = sizes.sealRows;
  }

  /** Returns what changed in the tables of a checkpoint since the last call. */
  takeSections(): readonly Section[] {
    if (!this.#isStored) return this.#tables.takeSections([], [], this.#hash.key);
    const [transfers, accounts] = [this.#transfers, this.#accounts];
    const sections = this.#tables.takeSections(...this.#toStore(), this.#hash.key);
    transfers.taken((segment) => this.#tables.has(segment));
    accounts.taken((segment) => this.#tables.has(ofAccounts(segment)));
    return sections;
  }

  /** Whether `takeSections` would return a part of a segment. */
  get hasMore(): boolean {
    return this.#isStored && this.#tables.hasMore(...this.#toStore());
  }

  /** The end of the transfers, from the first on, whose segments are in tables. */
  get transfersEnd(): number {
    return this.#tables.endFrom(0);
  }

  /** The same for accounts. */
  get accountsEnd(): number {
    return this.#tables.endFrom(ACCOUNT_ROWS) - ACCOUNT_ROWS;
  }

  /** Returns the segments that checkpoints are to have, and those whose merge is in progress. */
  #toStore(): [segments: readonly StoredSegment[], growing: readonly StoredSegment[]] {
    const [transfers, accounts] = [this.#transfers, this.#accounts];
    return [
      [...transfers.segments, ...accounts.segments.map(ofAccounts)],
      [...transfers.growing, ...accounts.growing.map(ofAccounts)],
    ];
  }

  /** Call when the last delta is durable. */
  stored(derived: DerivedTables): void {
    const tables = this.#tables;
    tables.stored(derived);
    this.#transfers.stored(derived, {
      tableOf: (segment) => tables.tableOf(segment),
      pagesOf: (segment) => tables.pagesOf(segment),
    });
    this.#accounts.stored(derived, {
      tableOf: (segment) => tables.tableOf(ofAccounts(segment)),
      pagesOf: (segment) => tables.pagesOf(ofAccounts(segment)),
    });
  }

  /**
   * Call before the tables in the newest checkpoint are dropped to make room for rows. Until the next checkpoint is durable, no segment
   * leaves memory. Returns the tables that must stay, because their segments have left.
   */
  keptTables(): ReadonlySet<number> {
    const kept = new Set([...this.#transfers.keptTables(), ...this.#accounts.keptTables()]);
    this.#tables.keep(kept);
    return kept;
  }

  /** Takes a table of a checkpoint. Its bytes are pulled by `load`. */
  loadSection(head: SectionHead, chunks: StoredBytes): void {
    this.#tables.loadSection(head, chunks);
  }

  /** Loads the segments of the checkpoint. Rows after those of each index must then be added to it. Call it before any id is hashed. */
  async load(): Promise<void> {
    await this.#tables.load({
      useKey: (key) => {
        this.#hash.useKey(key);
      },
      take: (data, { table, isCold, isOfAccounts }) => {
        (isOfAccounts ? this.#accounts : this.#transfers).take(data, table, isCold);
      },
      resume: (progress, { isOfAccounts }) =>
        (isOfAccounts ? this.#accounts : this.#transfers).resume(progress),
    });
  }
}

/** Segments of accounts have their rows after those of all transfers. */
function ofAccounts(segment: Segment | GrowingSegment): StoredSegment {
  const { data, firstRow, endRow } = segment;
  const { merge, isComplete } = segment as Partial<GrowingSegment>;
  const rows = { firstRow: firstRow + ACCOUNT_ROWS, endRow: endRow + ACCOUNT_ROWS, data };
  return merge === undefined ? rows : { ...rows, merge, isComplete: isComplete === true };
}
