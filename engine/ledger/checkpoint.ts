/**
 * What a checkpoint takes from the state machine and gives back to it.
 *
 * The state is a set of tables. A delta is what changed since the previous delta, as sections; applying the sections of
 * all deltas in order to an empty state machine, then `finishLoad()`, gives the state that the last delta was taken at.
 * The order matters within a table only: the store may move a section to the one of its table before it, and give both back as
 * one. The store that keeps sections (engine/log) knows nothing of their rows.
 */

/**
 * - `append`: rows `firstRow … firstRow + rowCount - 1` in row order. Rows of an append-only table never change again.
 * - `update`: `rowCount` pairs of u32 row index and row, for rows that exist already.
 * - `replace`: the whole content of the table; what earlier sections said of it is void. `firstRow` is 0.
 */
export const SectionKind = { append: 1, update: 2, replace: 3 } as const;
export type SectionKind = (typeof SectionKind)[keyof typeof SectionKind];

export interface SectionHead {
  readonly kind: SectionKind;
  /** Which table, a number that never changes its meaning (listed in engine/log/FORMAT.md). */
  readonly table: number;
  /** Bytes a row; 1 for tables that are one opaque run of bytes. */
  readonly rowSize: number;
  readonly firstRow: number;
  readonly rowCount: number;
}

/**
 * A section with its bytes, given in chunks of at most 1 MiB. The chunks are those of the moment the delta was taken,
 * however late they are pulled: rows that may still change are copied before their next change. A chunk's memory may be
 * reused once the next chunk is pulled.
 */
export interface Section extends SectionHead {
  readonly chunks: Iterable<Uint8Array>;
}

/** Everything whose state a checkpoint holds: the ledger, and the client sessions beside it. */
export interface Checkpointed {
  /**
   * The changes since the previous call (everything, for the first call). Cheap and synchronous; the sections must be
   * read to the end before the next call. `rewrite` names tables to be given anew as a whole, so that the store can drop
   * their older sections.
   */
  takeDelta(rewrite: ReadonlySet<number>): readonly Section[];
  /** Applies one section of a stored delta; bytes come in order, in chunks of any size. */
  loadSection(head: SectionHead, chunks: AsyncIterable<Uint8Array>): Promise<void>;
  /**
   * All sections are applied: builds what is derived from them, which takes about a microsecond a row. `pause` is called every few
   * milliseconds of work, so that the process goes on answering meanwhile. Rejects when the sections do not fit together.
   */
  finishLoad(pause: () => Promise<void>): Promise<void>;
}
