/**
 * Interface between checkpoints and the state machine.
 *
 * The state is a set of tables. A delta is the changes since the previous delta, as sections. Applying the sections of all
 * deltas in order to an empty state machine, then `finishLoad()`, gives the state at the last delta. The order matters only
 * within a table: the store may join a section to the previous one of its table. The store that keeps sections (engine/log)
 * knows nothing of their rows.
 */

/** Table of the index's directory, and the first of those of its segments (segments/segment-tables.ts). */
export const INDEX_TABLE = 20;
export const FIRST_SEGMENT_TABLE = 1 << 16;

/**
 * Returns whether a table is derived from others and belongs to one replica: no copy of a checkpoint for others has it, and a state
 * without it is whole.
 */
export const isDerived = (table: number): boolean =>
  table === INDEX_TABLE || table >= FIRST_SEGMENT_TABLE;

/**
 * - `append`: rows `firstRow … firstRow + rowCount - 1` in row order. Rows of an append-only table never change again.
 * - `update`: `rowCount` pairs of u32 row index and row, for rows that exist already.
 * - `replace`: the whole content of the table; it voids the table's earlier sections. `firstRow` is the number of rows that
 *   another table has before these, mostly 0. Without rows, the table is gone.
 */
export const SectionKind = { append: 1, update: 2, replace: 3 } as const;
export type SectionKind = (typeof SectionKind)[keyof typeof SectionKind];

export interface SectionHead {
  readonly kind: SectionKind;
  /** Table number, which never changes its meaning (listed in engine/log/FORMAT.md). */
  readonly table: number;
  /** Bytes per row; 1 for tables that are one opaque run of bytes. */
  readonly rowSize: number;
  readonly firstRow: number;
  readonly rowCount: number;
}

/**
 * A section with its bytes, in chunks of at most 1 MiB. The chunks hold the state when the delta was taken, however late
 * they are pulled: rows that may still change are copied before their next change. A chunk's memory may be reused once the
 * next chunk is pulled.
 */
export interface Section extends SectionHead {
  readonly chunks: Iterable<Uint8Array>;
}

/** Bytes of a stored section, in order. */
export interface StoredBytes extends AsyncIterable<Uint8Array> {
  /** Returns the bytes from `at` on, which is `least` or somewhat before it. Earlier bytes are not read. */
  from?(least: number): { readonly at: number; readonly chunks: AsyncIterable<Uint8Array> };
}

/**
 * Derived tables of a checkpoint: `new`, those of the delta; `old`, those of the checkpoint before, because there was no room for more;
 * or `none`, because the other tables needed their room.
 */
export const DerivedTables = { new: 'new', old: 'old', none: 'none' } as const;
export type DerivedTables = (typeof DerivedTables)[keyof typeof DerivedTables];

/** State that a checkpoint holds: the ledger, and the client sessions beside it. */
export interface Checkpointed {
  /**
   * Returns the changes since the previous call (everything, for the first call). It is cheap and synchronous; the sections
   * must be read to the end before the next call. `rewrite` names tables to return as a whole, so that the store can drop
   * their older sections.
   */
  takeDelta(rewrite: ReadonlySet<number>): readonly Section[];
  /** Called when the last delta is durable. `rewritten` are the tables of `rewrite` that it holds as a whole: there was room for them. */
  stored(derived: DerivedTables, rewritten: ReadonlySet<number>): void;
  /**
   * Called before the derived tables of the newest checkpoint are dropped to make room for others. Returns those that must stay, because
   * the state does not hold their content. Until a delta is durable, the state then keeps everything that it holds now.
   */
  keptTables?(): ReadonlySet<number>;
  /**
   * Applies one section of a stored delta; bytes come in order, in chunks of any size, those of pages in whole pages. They may
   * be pulled as late as in `finishLoad`.
   */
  loadSection(head: SectionHead, chunks: StoredBytes): Promise<void>;
  /**
   * Builds the derived state after all sections are applied, which takes about a microsecond per row that it reads. `pause` is called
   * every few milliseconds of work, so that the process can answer meanwhile. Rejects if the sections do not fit together. `store` adds
   * derived tables to the loaded checkpoint, so that the state need not hold their content.
   */
  finishLoad(pause: () => Promise<void>, store?: StoreDerived): Promise<void>;
}

/** Adds derived tables to the newest checkpoint. Resolves with false if the volume has no room for them. */
export type StoreDerived = (state: Pick<Checkpointed, 'takeDelta' | 'stored'>) => Promise<boolean>;
