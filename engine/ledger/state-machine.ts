/**
 * The ledger: executes operations of the client protocol, one after another, on a state in memory.
 *
 * The state is a pure function of the operations and their timestamps: no clock, no randomness, no I/O. Two machines that
 * committed the same operations give the same answers and have the same state hash.
 */
import { assert } from '../../base/assert.ts';
import { Operation, type OperationShape } from '../wire/operations.ts';
import { BroughtAhead } from './brought-ahead.ts';
import {
  type Checkpointed,
  DerivedTables,
  type Section,
  type SectionHead,
  type StoredBytes,
  type StoreDerived,
} from './checkpoint.ts';
import { CheckpointTables, type LoadedRows } from './checkpoint-tables.ts';
import { type EventContext, IdHash, Time } from './event-context.ts';
import { EventKind, executeBatch, RESULT_WORDS } from './execute-batch.ts';
import type { Needs } from './cold-rows.ts';
import { EXPIRIES_MAX, expireTransfers, nameExpired, readNextExpiry } from './expire-transfers.ts';
import { type HashKey, PUBLIC_HASH_KEY } from './keyed-hash.ts';
import { EVENTS_MAX, LedgerState, type StateSizes } from './ledger-state.ts';
import { Action, type LedgerOperation, ledgerOperation } from './operations.ts';
import { LedgerRead } from './ledger-read.ts';
import type { PageName } from './page.ts';
import { touchOperation } from './touch-rows.ts';
import type { RowTable } from './row-table.ts';
import { batchCounts, ReplyWriter } from './reply.ts';
import type { IndexCounts, IndexHelper, IndexVolume } from './row-index.ts';
import type { StartPointSizes } from './start-point.ts';
import { StateHash } from './state-hash.ts';
import { StatusCounts } from './status-counts.ts';
import { UndoLog } from './undo-log.ts';
import { compare64, offset64, readBigint64, wordsOf, writeBigint64 } from './words.ts';

interface LedgerOptions extends StateSizes {
  readonly memoryLimitBytes: number;
  /**
   * Hash key of the indexes. It must be secret wherever clients are served. By default a public one, for tests and tools; then
   * checkpoints do not keep the index. A checkpoint that has an index brings its own key.
   */
  readonly hashKey?: HashKey;
  /** Called for each part of a checkpoint's index that cannot be read, and for a start point. They are made from the rows. */
  readonly onIndexDamage?: (error: unknown) => void;
}

/** Records that operations would create. */
export interface Creations {
  readonly accounts: number;
  readonly transfers: number;
}

/**
 * Resource of which there is too little. A checkpoint makes room for `rows`. There will be room for the `index` when segments of it are made
 * that are on their way, and a checkpoint has them.
 */
export type Shortage = 'memory' | 'numbers' | 'rows' | 'index';

/** Room kept for rows that are in no checkpoint yet: at most this much, and at most an eighth of the limit. */
const NEW_ROWS_BYTES_MAX = 128 << 20;
/** Fewer bytes of rows than this may stay in chunks that hold others, whatever a checkpoint does. */
const ROWS_WORTH_A_CHECKPOINT = 16 << 20;

const none: Creations = { accounts: 0, transfers: 0 };
const EVENT_BYTES = 128;

export class StateMachine implements Checkpointed {
  /** Newest rules that this ledger can execute. */
  readonly rulesMax: number = 2;
  /**
   * Rules to which replicas move by themselves once all know them. Rules 2 only add the pause of writes, and wait until one is asked
   * for: afterwards there is no way back to a release without them.
   */
  readonly rulesSought: number = 1;
  readonly #limitBytes: number;
  /** The state, perhaps with work that the last operation has left (`settle`). */
  readonly #unsettled: LedgerState;
  readonly #hash = new StateHash();
  readonly #reply = new ReplyWriter();
  readonly #context: EventContext;
  /** The last committed operation's timestamp. */
  readonly #committed = new Uint32Array(2);
  readonly #tables: CheckpointTables;
  /** Dense results of one batch. */
  readonly #results = new Uint32Array(EVENTS_MAX * RESULT_WORDS);
  readonly #hashed: readonly RowTable[];
  readonly #ahead = new BroughtAhead();
  readonly #newRowsBytes: number;
  #helper: IndexHelper | undefined;
  /** Not part of the state. */
  readonly statuses = new StatusCounts();

  constructor({ memoryLimitBytes, hashKey, onIndexDamage, ...sizes }: LedgerOptions) {
    this.#limitBytes = memoryLimitBytes;
    const leave = sizes.rowsLeaveAtBytes !== undefined;
    this.#newRowsBytes = leave ? Math.min(NEW_ROWS_BYTES_MAX, memoryLimitBytes / 8) : 0;
    const state = new LedgerState({
      memoryLimitBytes,
      newRowsBytesMax: this.#newRowsBytes,
      hashKey: hashKey ?? PUBLIC_HASH_KEY,
      isIndexStored: hashKey !== undefined,
      onIndexDamage: onIndexDamage ?? (() => undefined),
      ...sizes,
    });
    this.#unsettled = state;
    this.#context = {
      state,
      undo: new UndoLog(state),
      times: new Uint32Array(Time.words),
      hashes: new Int32Array(EVENTS_MAX * IdHash.words),
      areNewest: false,
      knowsAccounts: false,
      hashesAt: 0,
    };
    this.#tables = new CheckpointTables(state, {
      hash: this.#hash.lanes,
      committed: this.#committed,
      points: startPointSizes(memoryLimitBytes, hashKey !== undefined, sizes),
      onDamage: onIndexDamage ?? (() => undefined),
    });
    const { accounts, transfers, wides, expiries, burnedIds } = state;
    this.#hashed = [accounts, transfers, wides, expiries, burnedIds];
  }

  /** The state, with all that the last operation has left done. */
  get #state(): LedgerState {
    this.#unsettled.settle();
    return this.#unsettled;
  }

  /**
   * Does what the last operation has left: its part of the indexes and of the state hash, which no answer shows. Everything that needs them
   * does it first. Call it when the operation's answer has left, so that the next request does not wait for it.
   */
  settle(): void {
    this.#unsettled.settle();
  }

  /** Sets the rules by which later operations are executed. Rules 2 change no operation of the ledger. */
  useRules(rules: number): void {
    assert(rules <= this.rulesMax, 'rules are used that the ledger knows');
  }

  /**
   * Returns the number of timestamps that an operation consumes: one per event for creations, EXPIRIES_MAX for a pulse,
   * otherwise 0.
   */
  timestampDelta(operation: number, body: Uint8Array): number {
    if (operation === Operation.pulse) return EXPIRIES_MAX;
    const { shape } = ledgerOperation(operation);
    return shape.write ? eventCount(shape, body) : 0;
  }

  /**
   * Looks for the rows that the operation needs. Returns `undefined` if it can be committed now, before anything else.
   * Otherwise the pages must be brought, and then it must be prepared again.
   */
  prepare(operation: number, timestamp: bigint, body: Uint8Array): Needs | undefined {
    const state = this.#state;
    if (!state.hasCold) return undefined;
    state.coldAccounts.trim();
    state.begin(this.#ahead.prepared(timestamp), body, true);
    touchOperation(state, operation, timestamp, body);
    return state.access.needs();
  }

  /**
   * Executes a creation (any variant) or a pulse. `body` is a valid request's; `timestamp` is the operation's own, that is
   * after `timestampDelta` was added, in ns. Returns the reply's body. If rows have left memory, `prepare` comes first.
   */
  commit(operation: number, timestamp: bigint, body: Uint8Array): Uint8Array {
    return this.#commit(operation, timestamp, body, false);
  }

  /**
   * Same as `commit`, for rows of another ledger: each is created at its own timestamp, whether it is imported or not.
   * Timestamps must rise, also from call to call; `timestamp` is that of the last row.
   */
  commitRows(operation: number, timestamp: bigint, body: Uint8Array): Uint8Array {
    return this.#commit(operation, timestamp, body, true);
  }

  #commit(operation: number, timestamp: bigint, body: Uint8Array, keepsTimes: boolean): Uint8Array {
    const { times } = this.#context;
    const state = this.#state;
    writeBigint64(times, Time.batch, timestamp);
    assert(compare64(times, Time.batch, this.#committed, 0) > 0, 'timestamps of operations rise');
    const before = this.#hashed.map((table) => table.count);
    state.begin(this.#ahead.of(timestamp), body, false);
    let reply: Uint8Array = new Uint8Array(0);
    if (operation === Operation.pulse) expireTransfers(state, times, Time.batch);
    else {
      this.#reply.begin();
      this.#create(ledgerOperation(operation), timestamp, body, keepsTimes);
      reply = this.#reply.end(ledgerOperation(operation).shape);
    }
    writeBigint64(this.#committed, 0, timestamp);
    state.queueExpiries(state.transfers.count);
    state.settleLater(() => {
      state.indexNew();
      this.#hashOperation(operation, before);
      nameExpired(state, before[3]!);
      this.#assertComplete();
      this.#ahead.executed(timestamp);
      state.makeRoom();
    });
    this.#assertComplete();
    // Nobody waits for the answer of a pulse, and rows of the transfers that have expired may leave memory at any moment.
    if (operation === Operation.pulse) this.settle();
    return reply;
  }

  #assertComplete(): void {
    assert(this.#unsettled.access.isComplete, 'an operation was prepared: it lacks no row');
  }

  /** Executes an operation that changes nothing, on the present state. `body` must be a valid request's. */
  read(operation: number, body: Uint8Array): Uint8Array {
    const read = this.beginRead(operation, body);
    const isDone = read.step(Infinity);
    assert(isDone === true, 'a read without a bound goes through if no row has left memory');
    return read.finish();
  }

  /** Same as `read`, but in steps, between which others may commit. `body` must not change until the read is finished. */
  beginRead(operation: number, body: Uint8Array): LedgerRead {
    return new LedgerRead(this.#state, this.#reply, ledgerOperation(operation), body);
  }

  /** Returns the expiry of the earliest pending transfer, in ns. A pulse is due at that time. */
  nextExpiry(): bigint | undefined {
    const expiry = new Uint32Array(2);
    return readNextExpiry(this.#unsettled, expiry, 0) ? readBigint64(expiry, 0) : undefined;
  }

  /** Returns the state hash: 16 bytes that are equal for equal histories. */
  stateHash(): Uint8Array {
    this.settle();
    return this.#hash.bytes();
  }

  /**
   * Returns whether there is room to execute the request. If not, it must not be logged. `ahead` is logged but not executed
   * yet.
   */
  admits(operation: number, body: Uint8Array, ahead = none): boolean {
    return this.shortage(operation, body, ahead) === undefined;
  }

  /**
   * Returns the resource that executing the request could exhaust: memory up to the limit, or the numbers of rows (2^31).
   */
  shortage(operation: number, body: Uint8Array, ahead = none): Shortage | undefined {
    const { accounts, transfers } = this.creations(operation, body);
    if (accounts + transfers === 0) return undefined;
    const [allAccounts, allTransfers] = [accounts + ahead.accounts, transfers + ahead.transfers];
    const state = this.#state;
    if (!state.fits(allAccounts, allTransfers)) return 'numbers';
    const { now, lasting } = state.roomAfter(allAccounts, allTransfers);
    if (lasting < 0) return 'memory';
    if (now >= 0) return undefined;
    const { unstoredBytes, sealingBytes } = state;
    if (unstoredBytes > ROWS_WORTH_A_CHECKPOINT) return 'rows';
    return unstoredBytes + sealingBytes > ROWS_WORTH_A_CHECKPOINT ? 'index' : 'memory';
  }

  /**
   * Whether a full request lacks memory that the index takes, for which the volume had no room at the last checkpoint: it may have been
   * enlarged.
   */
  get lacksVolume(): boolean {
    const state = this.#state;
    return state.withheldBytes > 0 && state.roomAfter(0, EVENTS_MAX).lasting < 0;
  }

  /**
   * Whether a checkpoint would spare the next start work, for which the volume had no room at the last one. Nobody waits for it. Not to be asked
   * while a checkpoint is in progress.
   */
  get startWorkLacksRoom(): boolean {
    return this.#tables.startWorkLacksRoom;
  }

  /** Does a part of the work on the indexes that no helper does. Call it every now and then. */
  advanceIndexes(): void {
    this.#state.accountIndex.advance();
    this.#state.transferIndex.advance();
  }

  /** Whether a checkpoint is due: for rows that take memory and are in none yet, or for what the start had to do. */
  get wantsCheckpoint(): boolean {
    return this.#tables.owesStartWork || this.#rowsWantCheckpoint;
  }

  get #rowsWantCheckpoint(): boolean {
    const state = this.#unsettled;
    if (this.#newRowsBytes === 0 || state.unstoredBytes < this.#newRowsBytes / 2) return false;
    // A merge of the index that is in progress should not be given up for rows that could make way.
    return state.freeBytes < this.#newRowsBytes;
  }

  /**
   * Whether rows that a checkpoint would let go take the ledger so many bytes beyond its limit. What was brought into memory does not
   * count: the replica that admits requests has brought other rows, or none.
   */
  mustCheckpoint(beyondBytes: number): boolean {
    const state = this.#state;
    if (state.unstoredBytes <= ROWS_WORTH_A_CHECKPOINT) return false;
    return this.heldBytes - state.cacheBytes > this.#limitBytes + beyondBytes;
  }

  /** Returns the maximum number of records that an operation may create: its events. */
  creations(operation: number, body: Uint8Array): Creations {
    if (operation === Operation.pulse) return none;
    const { action, shape } = ledgerOperation(operation);
    if (!shape.write) return none;
    const events = eventCount(shape, body);
    return action === Action.createAccounts
      ? { accounts: events, transfers: 0 }
      : { accounts: 0, transfers: events };
  }

  /**
   * Bytes that the ledger needs, and its limit. Bytes that can be freed at any time do not count. Bytes that are reserved for expiries
   * count as used, because no other records may have them.
   */
  memory(): { usedBytes: number; limitBytes: number } {
    const usedBytes = this.heldBytes + this.#state.promisedBytes;
    return { usedBytes, limitBytes: this.#limitBytes };
  }

  /** Bytes of memory that the ledger holds, without those that can be freed at any time. */
  get heldBytes(): number {
    return this.#state.memory.usedBytes - this.#state.yieldingBytes;
  }

  /** Figures of the pages that were asked for. */
  pages(): { readonly hits: number; readonly read: number; readonly rowsInMemory: number } {
    const { access, transfers } = this.#state;
    return {
      hits: access.cache.hits,
      read: access.pagesRead,
      rowsInMemory: transfers.count - transfers.coldEnd,
    };
  }

  /** Returns a page of rows as checkpoints have it, if its rows are all in memory. */
  pageInMemory(name: PageName): Uint8Array | undefined {
    this.settle();
    return this.#tables.pageInMemory(name);
  }

  counts(): { accounts: number; transfers: number; pendingTransfers: number } {
    const { accounts, transfers, pendingTransfers } = this.#unsettled;
    return { accounts: accounts.count, transfers: transfers.count, pendingTransfers };
  }

  /** Hands work on the indexes to a helper, which does it in another thread. */
  useIndexHelper(helper: IndexHelper): void {
    this.#helper = helper;
    this.#state.transferIndex.useHelper(helper);
    this.#state.accountIndex.useHelper(helper);
  }

  /** Lets parts of the indexes that have left memory come back when they are to be merged. */
  useIndexVolume(volume: IndexVolume): void {
    this.#state.transferIndex.useVolume(volume);
    this.#state.accountIndex.useVolume(volume);
  }

  /** Call when the ledger is used no more: nothing works on its indexes then, and its memory is free. */
  async endIndexHelper(): Promise<void> {
    this.#state.transferIndex.endBringing();
    this.#state.accountIndex.endBringing();
    await this.#helper?.end();
  }

  /** Returns what the start had to do beside reading what checkpoints keep. */
  loaded(): LoadedRows {
    return this.#tables.loaded;
  }

  /** Returns the number of segments of the transfers' index, and of those that are to be made. Reads may fail for that of accounts, too. */
  index(): IndexCounts {
    const { transferIndex, accountIndex } = this.#state;
    const counts = transferIndex.counts();
    return {
      ...counts,
      areReadsFailing: counts.areReadsFailing || accountIndex.areReadsFailing,
    };
  }

  takeDelta(rewrite: ReadonlySet<number>): readonly Section[] {
    this.settle();
    return this.#tables.takeDelta(rewrite);
  }

  stored(
    derived: DerivedTables = DerivedTables.new,
    rewritten: ReadonlySet<number> = new Set(),
  ): void {
    this.settle();
    this.#tables.stored(derived, rewritten);
  }

  /** Call when the stored part of a table is damaged: what is in memory of it stays there until a checkpoint has written all of it anew. */
  mustStay(table: number): void {
    this.#tables.mustStay(table);
  }

  async loadSection(head: SectionHead, chunks: StoredBytes): Promise<void> {
    await this.#tables.loadSection(head, chunks);
  }

  keptTables(): ReadonlySet<number> {
    return this.#state.storedIndex.keptTables();
  }

  async finishLoad(pause: () => Promise<void>, store?: StoreDerived): Promise<void> {
    this.settle();
    await this.#tables.finishLoad(pause, store);
  }

  #create(
    operation: LedgerOperation,
    timestamp: bigint,
    body: Uint8Array,
    keepsTimes: boolean,
  ): void {
    const { shape } = operation;
    const isAccounts = operation.action === Action.createAccounts;
    const kind = isAccounts ? EventKind.account : EventKind.transfer;
    const events = wordsOf(body);
    const operationTime = new Uint32Array(2);
    writeBigint64(operationTime, 0, timestamp);
    let remaining = eventCount(shape, body);
    let at = 0;
    for (const count of batchCounts(shape, body)) {
      remaining -= count;
      // Batches take consecutive ranges of timestamps; the last one ends at the operation's own.
      offset64(this.#context.times, Time.batch, operationTime, 0, -remaining);
      const results = this.#results;
      executeBatch(this.#context, { kind, events, at, count, results, keepsTimes });
      this.statuses.add(kind, results, count);
      at += count * (EVENT_BYTES / 4);
      this.#hash.absorb(this.#results, 0, count * RESULT_WORDS);
      this.#reply.writeResults(this.#results, count, shape);
      this.#reply.endBatch(shape);
    }
  }

  /** Ends an operation's part of the hash with its head and every row that it added. */
  #hashOperation(operation: number, before: readonly number[]): void {
    const head = Uint32Array.of(operation, this.#committed[0]!, this.#committed[1]!, 0);
    this.#hash.absorb(head, 0, 4);
    for (const [i, table] of this.#hashed.entries()) {
      this.#hash.absorbRows(table, before[i]!);
      this.#hash.absorb(Uint32Array.of(i, table.count, 0, 0), 0, 4);
    }
    this.#hash.mix();
  }
}

/** Returns the sizes of start points; `undefined` if rows never leave memory, or others than the replica write its checkpoints. */
function startPointSizes(
  memoryLimitBytes: number,
  hasOwnKey: boolean,
  { rowsLeaveAtBytes, startPointSizes: sizes }: StateSizes,
): StartPointSizes | undefined {
  if (rowsLeaveAtBytes === undefined || !hasOwnKey) return undefined;
  return sizes ?? { rows: 1 << 19, bytes: Math.min(32 << 20, memoryLimitBytes / 32) };
}

function eventCount(shape: OperationShape, body: Uint8Array): number {
  return batchCounts(shape, body).reduce((sum, count) => sum + count, 0);
}
