/**
 * Selection of records by filters. An invalid filter selects nothing, which is no error (the protocol's rule). Queries
 * use sorted columns and runs; a timestamp range is a range of record numbers.
 */
import { type Budget, type Cursor, type Page, UnionCursor } from './cursor.ts';
import { Expiry, Transfer } from './layout.ts';
import { Account, AccountFilter, ChangeEventsFilter, QueryFilter } from '../wire/records.ts';
import type { LedgerState } from './ledger-state.ts';
import type { RowTable } from './row-table.ts';
import { Column } from './segments/columns.ts';
import { AccountFilterFlag, AccountFlag, QueryFilterFlag } from '../wire/flags.ts';
import { compare64, isMax128, isTimestamp, isZero128, offset64 } from './words.ts';

const next = new Uint32Array(2);

/** Selection of a filter: a page of a table's records, and the lists that must all contain them. */
export interface Selection {
  readonly page: Page;
  /**
   * Returns cursors over the present lists. They must be read before anything is committed. What they do besides seeking is taken
   * from the budget.
   */
  open(budget: Budget): readonly Cursor[];
  /** The table, and the fields whose values the lists do not prove for rows that have left memory. */
  readonly rows: RowTable;
  readonly hashed: readonly HashedField[];
}

/** A field of a filter that is compared in the row. */
interface HashedField {
  /** Offset in the row, in words. */
  readonly word: number;
  readonly key: Uint32Array;
}

/** Returns whether a row has the values of a filter that its lists give by hash only. */
export function hasValues({ rows, hashed }: Selection, record: number): boolean {
  const row = rows.chunkOf(record);
  const offset = rows.offsetOf(record);
  return hashed.every(({ word, key }) =>
    key.every((value, index) => row[offset + word + index] === value),
  );
}

/**
 * get_account_transfers: selects transfers before the one numbered `end`. Returns `undefined` if the filter can select
 * nothing.
 */
export function selectAccountTransfers(
  state: LedgerState,
  filter: Uint32Array,
  at: number,
  { limitMax, end }: Bounds,
): Selection | undefined {
  if (!isValidAccountFilter(filter, at)) return undefined;
  const account = state.findAccount(filter, at + AccountFilter.accountId);
  if (account === -1) return undefined;
  const flags = filter[at + AccountFilter.flags]!;
  const page = readPage(state, state.transfers, Transfer.timestamp, {
    filter,
    range: at + AccountFilter.timestampMin,
    limit: Math.min(filter[at + AccountFilter.limit]!, limitMax),
    isReversed: (flags & AccountFilterFlag.reversed) !== 0,
    end,
  });
  const { isReversed } = page;
  const open = (budget: Budget): Cursor[] => [
    ownCursor(state, account, flags, { isReversed, budget }),
    ...fieldCursors(transferCursor(state, { isReversed, budget }), {
      filter,
      userData128: at + AccountFilter.userData128,
      code: at + AccountFilter.code,
    }),
  ];
  const hashed = hashedFields(Transfer, filter, at + AccountFilter.userData128);
  return { page, open, rows: state.transfers, hashed };
}

interface Walk {
  readonly isReversed: boolean;
  readonly budget: Budget;
}

/** Returns a cursor over an account's debits, credits or both. */
function ownCursor(state: LedgerState, account: number, flags: number, walk: Walk): Cursor {
  const key = Uint32Array.of(account + 1);
  const open = (column: Column): Cursor => state.transferIndex.cursor(column, key, 0, walk);
  const both = AccountFilterFlag.debits | AccountFilterFlag.credits;
  if ((flags & both) === both)
    return new UnionCursor(open(Column.debitAccount), open(Column.creditAccount), walk.isReversed);
  return open(
    (flags & AccountFilterFlag.debits) === 0 ? Column.creditAccount : Column.debitAccount,
  );
}

/** Fields by which accounts and transfers are queried. */
type QueriedField = 'userData128' | 'userData64' | 'userData32' | 'ledger' | 'code';

/** Opens a cursor over the records with a value of a field. */
type OpenField = (field: QueriedField, key: Uint32Array, at: number) => Cursor;

const transferCursor =
  (state: LedgerState, walk: Walk): OpenField =>
  (field, key, at) =>
    state.transferIndex.cursor(Column[field], key, at, walk);

/** get_account_balances: returns the account if it keeps its history, otherwise -1. */
export function findHistoryAccount(state: LedgerState, filter: Uint32Array, at: number): number {
  const account = state.findAccount(filter, at + AccountFilter.accountId);
  if (account === -1) return -1;
  const offset = state.accounts.offsetOf(account) + Account.codeFlags;
  const flags = state.accounts.chunkOf(account)[offset]! >>> 16;
  return (flags & AccountFlag.history) === 0 ? -1 : account;
}

/** query_accounts: selects accounts before the one numbered `end`. Returns `undefined` if the filter can select nothing. */
export function selectAccounts(
  state: LedgerState,
  filter: Uint32Array,
  at: number,
  bounds: Bounds,
): Selection | undefined {
  const table: QueriedTable = {
    rows: state.accounts,
    timestamp: Account.timestamp,
    opener: (walk) => (field, key, from) =>
      state.accountIndex.cursor(Column[field], key, from, walk),
    layout: Account,
  };
  return select(state, table, filter, at, bounds);
}

/**
 * query_transfers: selects transfers before the one numbered `end`. Returns `undefined` if the filter can select nothing.
 */
export function selectTransfers(
  state: LedgerState,
  filter: Uint32Array,
  at: number,
  bounds: Bounds,
): Selection | undefined {
  const table: QueriedTable = {
    rows: state.transfers,
    timestamp: Transfer.timestamp,
    opener: (walk) => transferCursor(state, walk),
    layout: Transfer,
  };
  return select(state, table, filter, at, bounds);
}

interface Bounds {
  /** Maximum number of records in the reply. */
  readonly limitMax: number;
  /** First record that is newer than the state that the read sees. */
  readonly end: number;
}

interface EventRange {
  readonly limit: number;
  readonly transfers: Page;
  readonly expiries: Page;
}

/**
 * get_change_events: returns the transfers and expiries to merge by timestamp, or `undefined` if the filter is not valid.
 */
export function selectChangeEvents(
  state: LedgerState,
  filter: Uint32Array,
  limitMax: number,
): EventRange | undefined {
  const isValid =
    isZero(filter, ChangeEventsFilter.reserved, ChangeEventsFilter.words) &&
    filter[ChangeEventsFilter.limit] !== 0 &&
    isValidRange(filter, ChangeEventsFilter.timestampMin);
  if (!isValid) return undefined;
  const limit = Math.min(filter[ChangeEventsFilter.limit]!, limitMax);
  const page = { filter, range: ChangeEventsFilter.timestampMin, limit, isReversed: false };
  const { transfers, expiries } = state;
  return {
    limit,
    transfers: readPage(state, transfers, Transfer.timestamp, { ...page, end: transfers.count }),
    expiries: readPage(state, expiries, Expiry.timestamp, { ...page, end: expiries.count }),
  };
}

interface QueriedTable {
  readonly rows: RowTable;
  readonly timestamp: number;
  readonly opener: (walk: Walk) => OpenField;
  readonly layout: { readonly userData128: number; readonly userData64: number };
}

function select(
  state: LedgerState,
  table: QueriedTable,
  filter: Uint32Array,
  at: number,
  { limitMax, end }: Bounds,
): Selection | undefined {
  if (!isValidQueryFilter(filter, at)) return undefined;
  const page = readPage(state, table.rows, table.timestamp, {
    filter,
    range: at + QueryFilter.timestampMin,
    limit: Math.min(filter[at + QueryFilter.limit]!, limitMax),
    isReversed: (filter[at + QueryFilter.flags]! & QueryFilterFlag.reversed) !== 0,
    end,
  });
  const open = (budget: Budget): Cursor[] =>
    fieldCursors(table.opener({ isReversed: page.isReversed, budget }), {
      filter,
      userData128: at + QueryFilter.userData128,
      ledger: at + QueryFilter.ledger,
      code: at + QueryFilter.code,
    });
  const hashed = hashedFields(table.layout, filter, at + QueryFilter.userData128);
  return { page, open, rows: table.rows, hashed };
}

/** Returns the fields of a filter that are indexed by hash. */
function hashedFields(
  layout: { readonly userData128: number; readonly userData64: number },
  filter: Uint32Array,
  userData128: number,
): HashedField[] {
  const fields: HashedField[] = [];
  const add = (word: number, at: number, width: number): void => {
    if (!isZero(filter, at, at + width)) fields.push({ word, key: filter.slice(at, at + width) });
  };
  add(layout.userData128, userData128, 4);
  add(layout.userData64, userData128 + 4, 2);
  return fields;
}

interface FieldsAt {
  readonly filter: Uint32Array;
  /** Offset of user_data_128; _64 and _32 follow it in every filter. */
  readonly userData128: number;
  readonly ledger?: number;
  /** Offset of the word whose lower half is the code; in a valid filter its upper half is zero. */
  readonly code: number;
}

/** Returns a cursor for each field in the filter. */
function fieldCursors(open: OpenField, { filter, userData128, ledger, code }: FieldsAt): Cursor[] {
  const cursors: Cursor[] = [];
  const add = (field: QueriedField, at: number, words: number): void => {
    if (!isZero(filter, at, at + words)) cursors.push(open(field, filter, at));
  };
  add('userData128', userData128, 4);
  add('userData64', userData128 + 4, 2);
  add('userData32', userData128 + 6, 1);
  add('code', code, 1);
  if (ledger !== undefined) add('ledger', ledger, 1);
  return cursors;
}

interface PageAt {
  readonly filter: Uint32Array;
  /** Offset of timestamp_min; timestamp_max follows it in every filter. */
  readonly range: number;
  readonly limit: number;
  readonly isReversed: boolean;
  /** First record that is too new for the read. */
  readonly end: number;
}

function readPage(
  state: LedgerState,
  table: RowTable,
  timestamp: number,
  { filter, range, limit, isReversed, end: last }: PageAt,
): Page {
  const from = isZero(filter, range, range + 2)
    ? 0
    : state.firstNotBefore(table, timestamp, filter, range);
  let end = last;
  if (!isZero(filter, range + 2, range + 4)) {
    offset64(next, 0, filter, range + 2, 1);
    end = Math.min(last, state.firstNotBefore(table, timestamp, next, 0));
  }
  return { from, end, isReversed, limit };
}

function isValidAccountFilter(filter: Uint32Array, at: number): boolean {
  const flags = filter[at + AccountFilter.flags]!;
  return (
    !isZero128(filter, at + AccountFilter.accountId) &&
    !isMax128(filter, at + AccountFilter.accountId) &&
    filter[at + AccountFilter.limit] !== 0 &&
    isValidRange(filter, at + AccountFilter.timestampMin) &&
    (flags & (AccountFilterFlag.debits | AccountFilterFlag.credits)) !== 0 &&
    flags <= 7 &&
    filter[at + AccountFilter.code]! >>> 16 === 0 &&
    isZero(filter, at + AccountFilter.reserved, at + AccountFilter.timestampMin)
  );
}

function isValidQueryFilter(filter: Uint32Array, at: number): boolean {
  return (
    filter[at + QueryFilter.limit] !== 0 &&
    isValidRange(filter, at + QueryFilter.timestampMin) &&
    filter[at + QueryFilter.flags]! <= QueryFilterFlag.reversed &&
    filter[at + QueryFilter.code]! >>> 16 === 0 &&
    filter[at + QueryFilter.reserved] === 0
  );
}

/** Returns whether timestamp_min and timestamp_max are each zero or a timestamp, and in order. */
function isValidRange(filter: Uint32Array, at: number): boolean {
  const hasMin = !isZero(filter, at, at + 2);
  const hasMax = !isZero(filter, at + 2, at + 4);
  if (hasMin && !isTimestamp(filter, at)) return false;
  if (!hasMax) return true;
  return isTimestamp(filter, at + 2) && compare64(filter, at, filter, at + 2) <= 0;
}

function isZero(words: Uint32Array, from: number, to: number): boolean {
  for (let i = from; i < to; i += 1) if (words[i] !== 0) return false;
  return true;
}
