/**
 * What a start has made of rows, as long as no checkpoint has it: a start point and segments of the index. After a restore that is all of them.
 * Checkpoints come when enough was written, so that in a quiet ledger each start would do the same work again. Until what this one has made
 * is in a checkpoint, another one is due.
 */
import type { StoredIndex } from './stored-index.ts';
import type { StartPoints } from './start-point.ts';

/** Rows that a start has found. */
interface Rows {
  readonly transfers: number;
  readonly accounts: number;
}

const NONE: Rows = { transfers: 0, accounts: 0 };
/** Rows of a few generations take a start some seconds. They are left to the checkpoints that come anyway. */
const GENERATIONS = 4;
/** Ledgers with much memory have large generations: more rows than one of them, and than this, are not left. */
const ROWS_LEFT_MAX = 1 << 20;

export class StartWork {
  readonly #points: StartPoints;
  readonly #index: StoredIndex;
  /** The rows that it is about; none when all is written. */
  #rows = NONE;
  /** Whether the last checkpoint has begun and is not durable with all that it was to have: it is in progress, or there was no room. */
  #isTaken = false;

  constructor(points: StartPoints, index: StoredIndex) {
    this.#points = points;
    this.#index = index;
  }

  /** Call when a start has done its work. */
  begin(rows: Rows): void {
    this.#rows = rows;
    this.stored();
  }

  /** Call when a checkpoint begins. */
  taken(): void {
    this.#isTaken = true;
  }

  /** Call when a checkpoint is durable with all that it was to have. */
  stored(): void {
    this.#isTaken = false;
    if (!this.#lacksPoint && !this.#lacksIndex) this.#rows = NONE;
  }

  /** Whether a checkpoint now would have more of it. */
  get wantsCheckpoint(): boolean {
    return !this.#isTaken && this.#isOwed;
  }

  /** Whether one would if the volume had room by now, which the last checkpoint did not find. Not to be asked while one is in progress. */
  get lacksRoom(): boolean {
    return this.#isTaken && this.#isOwed;
  }

  get #isOwed(): boolean {
    if (this.#rows === NONE) return false;
    return this.#lacksPoint || (this.#lacksIndex && this.#index.hasMore);
  }

  get #lacksPoint(): boolean {
    return this.#points.end < this.#rows.transfers && this.#points.isDue;
  }

  get #lacksIndex(): boolean {
    const { transfers, accounts } = this.#rows;
    const { transfersEnd, accountsEnd, sealRows } = this.#index;
    const spare = Math.max(sealRows, Math.min(GENERATIONS * sealRows, ROWS_LEFT_MAX));
    return transfersEnd + spare < transfers || accountsEnd + spare < accounts;
  }
}
