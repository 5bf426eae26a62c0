/**
 * A read request, answered in as many steps as its work needs, so that commits can run in between.
 *
 * The read sees one state. Transfers, expiries and the balances in them never change, so a read of them leaves out records
 * created after its first step. Accounts change: a read of them sees the state at its last step, which writes all of its
 * accounts at once, after accounts created meanwhile were also checked. (docs/decisions/0047-reads-in-steps.md)
 *
 * Rows and pages of the index that have left memory are brought between steps. What was found before one was lacking counts. The
 * lists prove most of a filter's values; those that they know only by their hash are compared once the row is there.
 */
import { assert } from '../../base/assert.ts';
import { bodySizeMax } from '../wire/limits.ts';
import { resultMax } from '../wire/operations.ts';
import { Brought, type Needs } from './cold-rows.ts';
import { type Budget, firstOf, intersect, type Progress } from './cursor.ts';
import { writeReply } from './execute-read.ts';
import { AccountFilter, QueryFilter } from '../wire/records.ts';
import type { LedgerState } from './ledger-state.ts';
import { Action, type LedgerOperation } from './operations.ts';
import {
  hasValues,
  selectAccounts,
  selectAccountTransfers,
  type Selection,
  selectTransfers,
} from './queries.ts';
import { batchCounts, type ReplyWriter } from './reply.ts';
import { wordsOf } from './words.ts';

/** Units of a budget that a filter takes before its first seek. */
const FILTER_COST = 16;
/** Units that opening one field's cursor takes: a search in each run of its index, and a look through its tail. */
const FIELD_COST = 64;
/** Accounts may be created in every pause. After this many passes over new ones, a short pass runs without a pause. */
const PASSES_MAX = 4;
/** Largest product of filters and new accounts in a pass without a pause: some ten milliseconds. */
const LAST_PASS_MAX = 1 << 17;

/** Pages of the index that a cursor asks for besides the one that it lacks, at most: twice as many with each step that lacked some. */
const AHEAD_MAX = 16;

/** Result of a step: done, not done yet, or to be repeated when pages were brought. */
export type ReadStep = boolean | Needs;

export class LedgerRead {
  readonly #state: LedgerState;
  readonly #reply: ReplyWriter;
  readonly #operation: LedgerOperation;
  readonly #events: Uint32Array;
  readonly #counts: readonly number[];
  readonly #limitMax: number;
  /** This pass looks at the records from `#seen` to `#end`. */
  #seen = 0;
  #end: number;
  #passes = 1;
  /** Records found in earlier passes, and in this one. */
  #earlier = new Found();
  #found = new Found();
  #progress: Progress | undefined;
  /** Rows that were brought for this read. */
  readonly #brought = new Brought();
  #ahead = 0;
  #body: Uint8Array | undefined;

  constructor(
    state: LedgerState,
    reply: ReplyWriter,
    operation: LedgerOperation,
    body: Uint8Array,
  ) {
    this.#state = state;
    this.#reply = reply;
    this.#operation = operation;
    this.#events = wordsOf(body);
    this.#counts = batchCounts(operation.shape, body);
    this.#limitMax = resultMax(operation.shape, bodySizeMax);
    this.#end = this.#records();
  }

  /**
   * Continues until the read is done (returns true), has used up `units` of work (returns false), or lacks pages. When it is
   * done, `finish` must be called before anything else is committed.
   */
  step(units: number): ReadStep {
    this.#state.settle();
    const { access, coldAccounts } = this.#state;
    coldAccounts.trim();
    access.begin(this.#brought);
    const budget = { left: units, ahead: this.#ahead };
    const isFound = !isQuery(this.#operation.action) || this.#search(budget);
    if (isFound) this.#body = this.#write();
    const needs = access.needs();
    if (needs === undefined) return isFound;
    this.#ahead = Math.min(AHEAD_MAX, this.#ahead * 2 + 1);
    return needs;
  }

  /** The reply's body. */
  finish(): Uint8Array {
    assert(this.#body !== undefined, 'a read is finished when it is done');
    return this.#body;
  }

  /** Goes on with the filters. Returns false if there is more to do, or rows are absent. */
  #search(budget: Budget): boolean {
    for (;;) {
      while (this.#found.batches < this.#counts.length) {
        if (budget.left < 0 || !this.#goOn(budget)) return false;
      }
      if (this.#end === this.#records() || !this.#seesLastStep()) return true;
      this.#beginPass();
      if (this.#passes > PASSES_MAX && this.#passIsShort()) budget.left = Infinity;
    }
  }

  #write(): Uint8Array {
    const found = this.#found;
    return writeReply(
      { state: this.#state, reply: this.#reply, events: this.#events, limitMax: this.#limitMax },
      this.#operation,
      this.#counts,
      (batch) => found.of(batch),
    );
  }

  #seesLastStep(): boolean {
    return this.#operation.action === Action.queryAccounts;
  }

  #records(): number {
    const { accounts, transfers } = this.#state;
    return this.#seesLastStep() ? accounts.count : transfers.count;
  }

  #beginPass(): void {
    this.#seen = this.#end;
    this.#end = this.#records();
    this.#passes += 1;
    this.#earlier = this.#found;
    this.#found = new Found();
  }

  #passIsShort(): boolean {
    return this.#counts.length * (this.#end - this.#seen) <= LAST_PASS_MAX;
  }

  /** Continues with the first unfinished filter. Returns true when that filter is done. */
  #goOn(budget: Budget): boolean {
    budget.left -= FILTER_COST;
    const found = this.#found;
    const selection = this.#select(found.batches);
    // Without the rows that bound its range of time, the selection means nothing.
    if (!this.#state.access.isComplete) return false;
    if (selection === undefined) {
      found.endBatch(0);
      return true;
    }
    const page = { ...selection.page, from: Math.max(selection.page.from, this.#seen) };
    const earlier = this.#earlier.of(found.batches);
    if (this.#progress === undefined) {
      this.#progress = { next: firstOf(page), count: 0, proven: 0 };
      found.reserve(page.limit);
      // In order of time, the records found earlier come first.
      if (!page.isReversed) {
        this.#progress.count = found.put(earlier, 0, page.limit);
        this.#progress.proven = this.#progress.count;
      }
    }
    const progress = this.#progress;
    for (;;) {
      const cursors = selection.open(budget);
      const isDone = intersect(cursors, page, progress, found.room, budget);
      // Counted afterwards, so that every step makes progress, however small its budget.
      budget.left -= cursors.length * FIELD_COST;
      const isFull = progress.count === page.limit;
      if (!this.#prove(selection, progress)) return false;
      if (!isDone) return false;
      // Room that records with other values have left is filled.
      if (!isFull || progress.count === page.limit) break;
    }
    if (page.isReversed) progress.count = found.put(earlier, progress.count, page.limit);
    found.endBatch(progress.count);
    this.#progress = undefined;
    return true;
  }

  /**
   * Drops the records found by the hashes of a filter's values that have other values. Returns false if rows are absent.
   */
  #prove(selection: Selection, progress: Progress): boolean {
    const { rows, hashed } = selection;
    const { room } = this.#found;
    if (hashed.length > 0 && rows.coldEnd > 0) {
      for (let i = progress.proven; i < progress.count; i += 1) rows.chunkOf(room[i]!);
      if (!this.#state.access.isComplete) return false;
      let kept = progress.proven;
      for (let i = progress.proven; i < progress.count; i += 1) {
        if (hasValues(selection, room[i]!)) room[kept++] = room[i]!;
      }
      progress.count = kept;
    }
    progress.proven = progress.count;
    return true;
  }

  #select(batch: number): Selection | undefined {
    const state = this.#state;
    const bounds = { limitMax: this.#limitMax, end: this.#end };
    const { action } = this.#operation;
    if (action === Action.queryAccounts)
      return selectAccounts(state, this.#events, batch * QueryFilter.words, bounds);
    if (action === Action.queryTransfers)
      return selectTransfers(state, this.#events, batch * QueryFilter.words, bounds);
    return selectAccountTransfers(state, this.#events, batch * AccountFilter.words, bounds);
  }
}

const queries: ReadonlySet<Action> = new Set([
  Action.queryAccounts,
  Action.queryTransfers,
  Action.getAccountTransfers,
  Action.getAccountBalances,
]);

/** Returns whether the action is a query. The work of other reads is bounded by the records in their reply. */
function isQuery(action: Action): boolean {
  const creates = action === Action.createAccounts || action === Action.createTransfers;
  assert(!creates, 'creations are committed, not read');
  return queries.has(action);
}

/** The numbers of the records that each filter has found, one filter after another. */
class Found {
  #hits = new Uint32Array(0);
  readonly #ends: number[] = [];
  #used = 0;
  /** Buffer to which the current filter writes. */
  room = this.#hits;

  get batches(): number {
    return this.#ends.length;
  }

  of(batch: number): Uint32Array {
    if (batch >= this.#ends.length) return NONE;
    return this.#hits.subarray(batch === 0 ? 0 : this.#ends[batch - 1]!, this.#ends[batch]);
  }

  reserve(count: number): void {
    if (this.#used + count > this.#hits.length) {
      const larger = new Uint32Array(Math.max(this.#used + count, this.#hits.length * 2));
      larger.set(this.#hits);
      this.#hits = larger;
    }
    this.room = this.#hits.subarray(this.#used, this.#used + count);
  }

  /** Adds records found earlier, up to the limit. Returns the new number of records. */
  put(records: Uint32Array, count: number, limit: number): number {
    const fits = Math.min(records.length, limit - count);
    this.room.set(records.subarray(0, fits), count);
    return count + fits;
  }

  endBatch(count: number): void {
    this.#used += count;
    this.#ends.push(this.#used);
  }
}

const NONE = new Uint32Array(0);
