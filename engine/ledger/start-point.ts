/**
 * Start points: what all events up to some row add up to, so that a start reads only the rows after it. That is what no row alone
 * says: the last event of each account and the balances of those that are in memory, statuses of pending transfers, the queue of expiries,
 * and the times at which pages begin.
 *
 * A point is written by several checkpoints, a bounded part each, as the log fills up meanwhile. A later part is younger than the first
 * one, and need not be copied at the same moment: a start goes through every event after the first part, and each says what is so after
 * it. What a part knows of those events already is what they say in the end.
 *
 * A point is derived from rows, like the index (segments/segment-tables.ts): one that is missing, damaged or of another version is told
 * and costs a longer start. There are two tables for points in turn, and a directory that names the one that is whole.
 */
import { Account } from '../wire/records.ts';
import { AccountFlag } from '../wire/flags.ts';
import { DerivedTables, type Section, type SectionHead, SectionKind } from './checkpoint.ts';
import type { LedgerState } from './ledger-state.ts';
import type { RowTable } from './row-table.ts';
import { PendingStatus } from './row-values.ts';
import { setClosed } from './store-transfer.ts';

/** Numbers so high that releases before start points take them for unused tables of the index. */
const DIRECTORY = 2 ** 31;
const TABLES = [DIRECTORY + 1, DIRECTORY + 2] as const;
const ALL_TABLES: readonly number[] = [DIRECTORY, ...TABLES];

export const isStartPoint = (table: number): boolean => ALL_TABLES.includes(table);

/** Version 1 had the balances of all accounts, and no events. */
const VERSION = 2;
/** Version, table, bytes (u64), transfers, expiries, wide values, accounts. */
const DIRECTORY_WORDS = 8;
/** Rows that a start reads at a point's end cost less than the point if these are fewer. */
const BYTES_A_ROW = 32;

/** Coverage of a point: the number of rows of each table when its first part was taken. */
export interface StartPoint {
  readonly transfers: number;
  readonly expiries: number;
  readonly wides: number;
  readonly accounts: number;
  /** First timestamps of the pages of transfers, and of those of expiries. */
  readonly transferTimes: Uint32Array;
  readonly expiryTimes: Uint32Array;
}

type Counts = Omit<StartPoint, 'transferTimes' | 'expiryTimes'>;

export interface StartPointSizes {
  /** Rows of transfers after which a new point is due. */
  readonly rows: number;
  /** Bytes of a point that a checkpoint writes at most, or a little more. */
  readonly bytes: number;
}

interface Whole {
  readonly table: number;
  readonly bytes: number;
  readonly transfers: number;
}

interface Unfinished extends Counts {
  readonly table: number;
  readonly parts: Generator<Uint8Array>;
  bytes: number;
}

export class StartPoints {
  readonly #state: LedgerState;
  readonly #sizes: StartPointSizes | undefined;
  readonly #onDamage: (error: unknown) => void;
  /** The point that the directory names. */
  #whole: Whole | undefined;
  #unfinished: Unfinished | undefined;
  /** The one that was so before the last delta. */
  #wholeBefore: Whole | undefined;
  /** Whether the checkpoint has tables that are of no use. */
  #isStale = false;
  readonly #stored = new Map<number, AsyncIterable<Uint8Array>[]>();

  /** Without sizes there are no points. */
  constructor(
    state: LedgerState,
    sizes: StartPointSizes | undefined,
    onDamage: (error: unknown) => void,
  ) {
    this.#state = state;
    this.#sizes = sizes;
    this.#onDamage = onDamage;
  }

  /** The number of transfers that the newest point is of. */
  get end(): number {
    return this.#whole?.transfers ?? 0;
  }

  /** Whether a checkpoint now would have a part of a point. */
  get isDue(): boolean {
    return this.#unfinished !== undefined || this.#mayBegin();
  }

  /** Returns what changes in the checkpoint: the next part of a point, if one is due. */
  takeSections(): readonly Section[] {
    this.#wholeBefore = this.#whole;
    const stale = this.#isStale ? ALL_TABLES.map(withoutRows) : [];
    if (this.#sizes === undefined) return stale;
    this.#unfinished ??= this.#mayBegin() ? this.#begin() : undefined;
    const point = this.#unfinished;
    if (point === undefined) return stale;
    const before = point.bytes;
    const chunks: Uint8Array[] = [];
    let isOver = false;
    while (point.bytes - before < this.#sizes.bytes && !isOver) {
      const { value, done } = point.parts.next() as IteratorResult<Uint8Array, undefined>;
      isOver = done === true;
      if (value === undefined) continue;
      chunks.push(value);
      point.bytes += value.length;
    }
    const part = sectionOf(point.table, before, chunks);
    return isOver ? [...stale, part, ...this.#finish(point)] : [...stale, part];
  }

  /** Call when the last delta is durable. If a part of a point was omitted, the point starts again. */
  stored(derived: DerivedTables): void {
    if (derived === DerivedTables.new) {
      this.#isStale = false;
      return;
    }
    this.#unfinished = undefined;
    this.#whole = derived === DerivedTables.old ? this.#wholeBefore : undefined;
  }

  /** Takes a table of a point, whose bytes are pulled by `load`. */
  loadSection({ table, kind, rowCount }: SectionHead, chunks: AsyncIterable<Uint8Array>): void {
    if (kind === SectionKind.replace) this.#stored.delete(table);
    if (rowCount > 0) this.#stored.set(table, [...(this.#stored.get(table) ?? []), chunks]);
  }

  /**
   * Puts the checkpoint's point into the state, whose accounts are loaded. Resolves with it, or with `undefined` if there is none that can
   * be used: then the state is as before. `limits` are the rows in the checkpoint.
   */
  async load(limits: Counts): Promise<StartPoint | undefined> {
    if (this.#stored.size === 0) return undefined;
    const point = this.#sizes === undefined ? undefined : await this.#loadWhole(limits);
    this.#stored.clear();
    this.#isStale = point === undefined;
    return point;
  }

  async #loadWhole(limits: Counts): Promise<StartPoint | undefined> {
    try {
      const directory = await wordsOf(this.#stored.get(DIRECTORY) ?? [], DIRECTORY_WORDS);
      if (directory?.[0] !== VERSION) return undefined;
      const [, table, low, high] = directory;
      const bytes = low! + high! * 2 ** 32;
      const counts = countsOf(directory, 4);
      mustFit(isWithin(counts, limits));
      const parts = new PointLoad(this.#state, counts);
      for await (const part of partsOf(this.#stored.get(table!) ?? [], bytes)) parts.take(part);
      const times = parts.finish();
      this.#whole = { table: table!, bytes, transfers: counts.transfers };
      return { ...counts, ...times };
    } catch (error) {
      // The rows are intact, or say so themselves. What else the point has filled is filled anew from all of them.
      this.#state.expiryQueue.clear();
      this.#state.pendingTransfers = 0;
      if (!(error instanceof Outgrown)) this.#onDamage(error);
      return undefined;
    }
  }

  #mayBegin(): boolean {
    if (this.#sizes === undefined) return false;
    const { transfers, expiryQueue } = this.#state;
    const least = Math.max(this.#sizes.rows, (this.#whole?.bytes ?? 0) / BYTES_A_ROW);
    // The queue is copied at once, because its entries change their places.
    return (
      transfers.count - this.end >= least && expiryQueue.size * QUEUE_WORDS * 4 <= this.#sizes.bytes
    );
  }

  #begin(): Unfinished {
    const { transfers, expiries, wides, accounts } = this.#state;
    const counts: Counts = {
      transfers: transfers.count,
      expiries: expiries.count,
      wides: wides.count,
      accounts: accounts.count,
    };
    const table = this.#whole?.table === TABLES[0] ? TABLES[1] : TABLES[0];
    return { ...counts, table, parts: encodePoint(this.#state, counts), bytes: 0 };
  }

  /** Names the point that is whole. The one before is dropped. */
  #finish(point: Unfinished): Section[] {
    const { table, bytes, transfers, expiries, wides, accounts } = point;
    const before = this.#whole;
    this.#whole = { table, bytes, transfers };
    this.#unfinished = undefined;
    const size = [bytes >>> 0, Math.floor(bytes / 2 ** 32)];
    const directory = [VERSION, table, ...size, transfers, expiries, wides, accounts];
    const section = sectionOf(DIRECTORY, 0, [bytesOf(Uint32Array.from(directory))]);
    return before === undefined ? [section] : [section, withoutRows(before.table)];
  }
}

/** Parts of a point: kind, first, count, content. */
const Kind = {
  head: 1,
  queue: 2,
  balances: 3,
  statuses: 4,
  transferTimes: 5,
  expiryTimes: 6,
  events: 7,
  end: 8,
} as const;
const PART_WORDS = 3;
const HEAD_WORDS = 4;
/** Expiry time, transfer. */
const QUEUE_WORDS = 3;
/** Eight u64 of balances, each in full, and whether the account is closed. */
const BALANCE_WORDS = 17;
const TIME_WORDS = 2;

/** Records in a part, so that none is much larger than 256 KiB, but for the queue. */
const ACCOUNTS_A_PART = 4096;
const EVENTS_A_PART = 1 << 16;
const STATUSES_A_PART = 1 << 18;
const TIMES_A_PART = 1 << 15;

function contentWords(kind: number, count: number): number {
  switch (kind) {
    case Kind.head:
      return HEAD_WORDS;
    case Kind.queue:
      return count * QUEUE_WORDS;
    case Kind.balances:
      return count * BALANCE_WORDS;
    case Kind.statuses:
      return Math.ceil(count / 4);
    case Kind.transferTimes:
    case Kind.expiryTimes:
      return count * TIME_WORDS;
    case Kind.events:
      return count;
    default:
      return 0;
  }
}

function newPart(kind: number, first: number, count: number): Uint32Array {
  const part = new Uint32Array(PART_WORDS + contentWords(kind, count));
  part.set([kind, first, count]);
  return part;
}

/** Yields a point's parts, each copied when it is asked for. */
function* encodePoint(state: LedgerState, counts: Counts): Generator<Uint8Array, undefined> {
  const head = newPart(Kind.head, 0, 1);
  head.set(countWords(counts), PART_WORDS);
  const { expiryQueue } = state;
  const queue = newPart(Kind.queue, 0, expiryQueue.size);
  expiryQueue.copy(queue, PART_WORDS);
  yield bytesOf(head);
  yield bytesOf(queue);
  // Those that have left memory have none here. More of them may do so between two parts.
  for (let first = state.accounts.coldEnd; first < counts.accounts;) {
    const count = Math.min(ACCOUNTS_A_PART, counts.accounts - first);
    yield bytesOf(balancesPart(state, first, count));
    first = Math.max(first + count, state.accounts.coldEnd);
  }
  for (let first = 0; first < counts.transfers; first += STATUSES_A_PART) {
    const count = Math.min(STATUSES_A_PART, counts.transfers - first);
    // Most ledgers have long stretches without pending transfers. They have status 0.
    if (state.pendingStatuses.isZero(first, count)) continue;
    const part = newPart(Kind.statuses, first, count);
    state.pendingStatuses.copy(first, new Uint8Array(part.buffer, PART_WORDS * 4, count));
    yield bytesOf(part);
  }
  yield* timesParts(Kind.transferTimes, state.transfers, counts.transfers);
  yield* timesParts(Kind.expiryTimes, state.expiries, counts.expiries);
  for (let first = 0; first < counts.accounts; first += EVENTS_A_PART)
    yield bytesOf(eventsPart(state, first, Math.min(EVENTS_A_PART, counts.accounts - first)));
  yield bytesOf(newPart(Kind.end, 0, 0));
  return undefined;
}

function balancesPart({ accounts }: LedgerState, first: number, count: number): Uint32Array {
  const part = newPart(Kind.balances, first, count);
  let to = PART_WORDS;
  for (let account = first; account < first + count; account += 1, to += BALANCE_WORDS) {
    const row = accounts.chunkOf(account);
    const at = accounts.offsetOf(account);
    for (let i = 0; i < BALANCE_WORDS - 1; i += 1)
      part[to + i] = row[at + Account.debitsPending + i]!;
    const flags = row[at + Account.codeFlags]! >>> 16;
    part[to + BALANCE_WORDS - 1] = (flags & AccountFlag.closed) === 0 ? 0 : 1;
  }
  return part;
}

function eventsPart(state: LedgerState, first: number, count: number): Uint32Array {
  const { accounts, coldAccounts } = state;
  const part = newPart(Kind.events, first, count);
  for (let i = 0; i < count; i += 1) {
    const account = first + i;
    part[PART_WORDS + i] =
      account < accounts.coldEnd
        ? coldAccounts.eventOf(account)
        : accounts.chunkOf(account)[accounts.offsetOf(account) + Account.reserved]!;
  }
  return part;
}

function* timesParts(kind: number, table: RowTable, rows: number): Generator<Uint8Array> {
  const pages = pagesBefore(table, rows);
  for (let first = 0; first < pages; first += TIMES_A_PART) {
    const count = Math.min(TIMES_A_PART, pages - first);
    const part = newPart(kind, first, count);
    table.cold!.copyTimes(table, first, count, part, PART_WORDS);
    yield bytesOf(part);
  }
}

/** Returns the number of pages whose first row is before `rows`. */
const pagesBefore = (table: RowTable, rows: number): number =>
  Math.ceil(rows / table.cold!.perPage);

interface Part {
  readonly kind: number;
  readonly first: number;
  readonly count: number;
  readonly content: Uint32Array;
}

/** Yields the parts of a point of so many bytes. */
async function* partsOf(
  stored: readonly AsyncIterable<Uint8Array>[],
  bytes: number,
): AsyncGenerator<Part> {
  const source = new WordSource(stored);
  for (let left = bytes; left > 0;) {
    const [kind, first, count] = await source.take(PART_WORDS);
    const words = contentWords(kind!, count!);
    left -= (PART_WORDS + words) * 4;
    mustFit(left >= 0);
    yield { kind: kind!, first: first!, count: count!, content: await source.take(words) };
  }
  mustFit(await source.isOver());
}

/** Puts the parts of a point into the state, one after another. */
class PointLoad {
  readonly #state: LedgerState;
  readonly #counts: Counts;
  readonly #times: { readonly transferTimes: Uint32Array; readonly expiryTimes: Uint32Array };
  /** Records of each kind that are done. */
  readonly #done = new Map<number, number>();
  #last = 0;
  /** Accounts before it are not all in the point: they had left memory. */
  #coldEnd = 0;

  constructor(state: LedgerState, counts: Counts) {
    const { transfers, expiries } = state;
    this.#state = state;
    this.#counts = counts;
    this.#times = {
      transferTimes: new Uint32Array(pagesBefore(transfers, counts.transfers) * TIME_WORDS),
      expiryTimes: new Uint32Array(pagesBefore(expiries, counts.expiries) * TIME_WORDS),
    };
    state.pendingStatuses.reserve(counts.transfers);
  }

  take({ kind, first, count, content }: Part): void {
    mustFit(kind >= this.#last && kind <= Kind.end);
    mustFit((this.#last === 0) === (kind === Kind.head));
    this.#last = kind;
    const done = this.#done.get(kind) ?? 0;
    if (kind === Kind.statuses || kind === Kind.balances) mustFit(first >= done);
    else mustFit(first === done);
    this.#done.set(kind, first + count);
    this.#put({ kind, first, count, content }, done);
  }

  #put({ kind, first, count, content }: Part, done: number): void {
    const { expiryQueue, pendingStatuses } = this.#state;
    const { accounts, transfers } = this.#counts;
    if (kind === Kind.head)
      mustFit(countWords(this.#counts).every((number, i) => content[i] === number));
    else if (kind === Kind.queue) expiryQueue.add(content);
    else if (kind === Kind.balances) {
      mustFit(first + count <= accounts);
      if (first > done) this.#lacksBefore(first);
      applyBalances(content, this.#state, first);
    } else if (kind === Kind.statuses) {
      mustFit(first % STATUSES_A_PART === 0 && first + count <= transfers);
      pendingStatuses.put(first, new Uint8Array(content.buffer, content.byteOffset, count));
      this.#state.pendingTransfers += pendingIn(content);
    } else if (kind === Kind.events) {
      mustFit(first + count <= accounts);
      applyEvents(content, this.#state, first);
    } else if (kind !== Kind.end) {
      const times =
        kind === Kind.transferTimes ? this.#times.transferTimes : this.#times.expiryTimes;
      mustFit((first + count) * TIME_WORDS <= times.length);
      times.set(content, first * TIME_WORDS);
    }
  }

  /** Call after the last part. Accounts without balances leave memory, where they have none. */
  finish(): Times {
    const { accounts } = this.#state;
    const { transferTimes, expiryTimes } = this.#times;
    const done = (kind: number): number => this.#done.get(kind) ?? 0;
    mustFit(this.#last === Kind.end);
    mustFit(done(Kind.events) === this.#counts.accounts);
    mustFit(done(Kind.transferTimes) * TIME_WORDS === transferTimes.length);
    mustFit(done(Kind.expiryTimes) * TIME_WORDS === expiryTimes.length);
    if (done(Kind.balances) < this.#counts.accounts) this.#lacksBefore(this.#counts.accounts);
    while (accounts.coldEnd < this.#coldEnd) {
      // Perhaps before a segment of the index has them: a start seals as the ledger did, but later.
      mustFit(accounts.canDrop);
      accounts.drop();
    }
    return this.#times;
  }

  #lacksBefore(end: number): void {
    const { accounts, hasRoomForAccounts } = this.#state;
    if (hasRoomForAccounts && accounts.coldEnd < end) throw new Outgrown();
    this.#coldEnd = end;
  }
}

/** The point has no balances of accounts that have room in memory now: they would never come back to stay. The rows have them. */
class Outgrown extends Error {}

type Times = Pick<StartPoint, 'transferTimes' | 'expiryTimes'>;

/** Returns the number of pending transfers among statuses, four in a word. Most are none, and 0. */
function pendingIn(statuses: Uint32Array): number {
  let pending = 0;
  for (let i = 0; i < statuses.length; i += 1) {
    for (let four = statuses[i]!; four !== 0; four >>>= 8)
      if ((four & 0xff) === PendingStatus.pending) pending += 1;
  }
  return pending;
}

function applyBalances(content: Uint32Array, { accounts }: LedgerState, first: number): void {
  for (let from = 0, account = first; from < content.length; from += BALANCE_WORDS, account += 1) {
    if (account < accounts.coldEnd) continue;
    const row = accounts.chunkOf(account);
    const at = accounts.offsetOf(account);
    row.set(content.subarray(from, from + BALANCE_WORDS - 1), at + Account.debitsPending);
    setClosed(row, at, content[from + BALANCE_WORDS - 1] === 1);
  }
}

function applyEvents(content: Uint32Array, state: LedgerState, first: number): void {
  const { accounts, coldAccounts } = state;
  for (let i = 0; i < content.length; i += 1) {
    const account = first + i;
    if (account < accounts.coldEnd) coldAccounts.setEvent(account, content[i]!);
    else accounts.chunkOf(account)[accounts.offsetOf(account) + Account.reserved] = content[i]!;
  }
}

function mustFit(condition: boolean): void {
  if (!condition) throw new RangeError('the parts of the start point do not fit together');
}

const countWords = ({ transfers, expiries, wides, accounts }: Counts): readonly number[] => [
  transfers,
  expiries,
  wides,
  accounts,
];

function countsOf(words: Uint32Array, at: number): Counts {
  const [transfers, expiries, wides, accounts] = words.subarray(at, at + HEAD_WORDS);
  return { transfers: transfers!, expiries: expiries!, wides: wides!, accounts: accounts! };
}

const isWithin = (counts: Counts, limits: Counts): boolean =>
  counts.transfers <= limits.transfers &&
  counts.expiries <= limits.expiries &&
  counts.wides <= limits.wides &&
  counts.accounts <= limits.accounts;

const bytesOf = (words: Uint32Array): Uint8Array => new Uint8Array(words.buffer);

/** Reads exactly so many words. Resolves with `undefined` if there are others. */
async function wordsOf(
  parts: readonly AsyncIterable<Uint8Array>[],
  count: number,
): Promise<Uint32Array | undefined> {
  const source = new WordSource(parts);
  if (await source.isOver()) return undefined;
  const words = await source.take(count);
  return (await source.isOver()) ? words : undefined;
}

/** Words of stored bytes, in order. */
class WordSource {
  readonly #bytes: AsyncIterator<Uint8Array>;
  #chunk = new Uint8Array(0);
  #at = 0;

  constructor(parts: readonly AsyncIterable<Uint8Array>[]) {
    this.#bytes = bytesIn(parts);
  }

  async take(count: number): Promise<Uint32Array> {
    const bytes = new Uint8Array(count * 4);
    for (let at = 0; at < bytes.length;) {
      mustFit(!(await this.isOver()));
      const part = this.#chunk.subarray(this.#at, this.#at + bytes.length - at);
      bytes.set(part, at);
      at += part.length;
      this.#at += part.length;
    }
    return new Uint32Array(bytes.buffer);
  }

  async isOver(): Promise<boolean> {
    while (this.#at === this.#chunk.length) {
      const { value, done } = await this.#bytes.next();
      if (done === true) return true;
      this.#chunk = value as Uint8Array<ArrayBuffer>;
      this.#at = 0;
    }
    return false;
  }
}

async function* bytesIn(parts: readonly AsyncIterable<Uint8Array>[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield* part;
}

function sectionOf(table: number, firstRow: number, chunks: readonly Uint8Array[]): Section {
  return {
    kind: firstRow === 0 ? SectionKind.replace : SectionKind.append,
    table,
    rowSize: 1,
    firstRow,
    rowCount: chunks.reduce((sum, { length }) => sum + length, 0),
    chunks,
  };
}

const withoutRows = (table: number): Section => sectionOf(table, 0, []);
