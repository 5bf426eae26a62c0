/**
 * One request that reads, answered in as many steps as its work needs, so that commits have their turn in between.
 *
 * It sees one state. Transfers, expiries and what they say of balances never change, so that a read of them leaves out what
 * came after its first step. Accounts change: a read of them sees the state at its last step, in which all of its accounts are
 * written at once; accounts that were created on the way are looked at before. (docs/decisions/0047-reads-in-steps.md)
 */
import { assert } from '../../base/assert.ts';
import { bodySizeMax } from '../wire/limits.ts';
import { resultMax } from '../wire/operations.ts';
import { type Budget, firstOf, intersect, type Progress } from './cursor.ts';
import { writeReply } from './execute-read.ts';
import { AccountFilter, QueryFilter } from './layout.ts';
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
/** Accounts may be created in every pause. After so many passes over new ones a last one goes through without a pause. */
const PASSES_MAX = 4;

export class LedgerRead {
  readonly #state: LedgerState;
  readonly #operation: LedgerOperation;
  readonly #events: Uint32Array;
  readonly #counts: readonly number[];
  readonly #limitMax: number;
  /** Records from `#seen` to `#end` are looked at in this pass. */
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
   * Goes on until it is done (true), or has used up `units` of work (false). One that is done is to be finished before
   * anything else is committed.
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
      if (this.#passes > PASSES_MAX) budget.left = Infinity;
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

  /** Goes on with the first filter that is not done; true when that is done. */
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
      // In order of time, what was found before comes first.
      if (!page.isReversed) this.#progress.count = found.put(earlier, 0, page.limit);
    }
    const progress = this.#progress;
    if (!intersect(selection.open(), page, progress, found.room, budget)) return false;
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

/** Other reads take as many steps as their reply has records. */
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
  /** Where the filter that is under way writes. */
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

  /** Adds records that were found before, as far as the limit lets them; gives how many there are then. */
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
