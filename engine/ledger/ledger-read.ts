/**
 * A read request, answered in as many steps as its work needs, so that commits can run in between.
 *
 * The read sees one state. Transfers, expiries and the balances in them never change, so a read of them leaves out records
 * created after its first step. Accounts change: a read of them sees the state at its last step, which writes all of its
 * accounts at once, after accounts created meanwhile were also checked. (docs/decisions/0047-reads-in-steps.md)
 */
import { assert } from '../../base/assert.ts';
import { bodySizeMax } from '../wire/limits.ts';
import { resultMax } from '../wire/operations.ts';
import { type Budget, firstOf, intersect, type Progress } from './cursor.ts';
import { writeReply } from './execute-read.ts';
import { AccountFilter, QueryFilter } from '../wire/records.ts';
import type { LedgerState } from './ledger-state.ts';
import { Action, type LedgerOperation } from './operations.ts';
import {
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

export class LedgerRead {
  readonly #state: LedgerState;
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

  constructor(state: LedgerState, operation: LedgerOperation, body: Uint8Array) {
    this.#state = state;
    this.#operation = operation;
    this.#events = wordsOf(body);
    this.#counts = batchCounts(operation.shape, body);
    this.#limitMax = resultMax(operation.shape, bodySizeMax);
    this.#end = this.#records();
  }

  /**
   * Continues until the read is done (returns true) or has used up `units` of work (returns false). When it is done,
   * `finish` must be called before anything else is committed.
   */
  step(units: number): boolean {
    if (!isQuery(this.#operation.action)) return true;
    const budget = { left: units };
    for (;;) {
      while (this.#found.batches < this.#counts.length) {
        if (budget.left < 0 || !this.#goOn(budget)) return false;
      }
      if (this.#end === this.#records() || !this.#seesLastStep()) return true;
      this.#beginPass();
      if (this.#passes > PASSES_MAX && this.#passIsShort()) budget.left = Infinity;
    }
  }

  /** The reply's body. */
  finish(reply: ReplyWriter): Uint8Array {
    const found = this.#found;
    return writeReply(
      { state: this.#state, reply, events: this.#events, limitMax: this.#limitMax },
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
    if (selection === undefined) {
      found.endBatch(0);
      return true;
    }
    const page = { ...selection.page, from: Math.max(selection.page.from, this.#seen) };
    const earlier = this.#earlier.of(found.batches);
    if (this.#progress === undefined) {
      this.#progress = { next: firstOf(page), count: 0 };
      found.reserve(page.limit);
      // In order of time, the records found earlier come first.
      if (!page.isReversed) this.#progress.count = found.put(earlier, 0, page.limit);
    }
    const progress = this.#progress;
    const cursors = selection.open();
    const isDone = intersect(cursors, page, progress, found.room, budget);
    // Counted afterwards, so that every step makes progress, however small its budget.
    budget.left -= cursors.length * FIELD_COST;
    if (!isDone) return false;
    if (page.isReversed) progress.count = found.put(earlier, progress.count, page.limit);
    found.endBatch(progress.count);
    this.#progress = undefined;
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
