/** Queries that people saved: an operation of the ledger that reads, and the fields of its form as text. */
import type { Actor } from './actor.ts';

export const queryOperations = [
  'query_accounts',
  'query_transfers',
  'get_account_transfers',
  'get_account_balances',
  'lookup_accounts',
  'lookup_transfers',
] as const;
type QueryOperation = (typeof queryOperations)[number];

export const filterNames = [
  'ids',
  'account_id',
  'side',
  'ledger',
  'code',
  'user_data_128',
  'user_data_64',
  'user_data_32',
  'from',
  'to',
  'limit',
  'order',
  'body',
] as const;
type QueryFilters = Readonly<Partial<Record<(typeof filterNames)[number], string>>>;

/** Characters of all filters of a query. */
export const filtersMax = 10_000;

export interface QueryContent {
  readonly name: string;
  readonly operation: QueryOperation;
  readonly filters: QueryFilters;
}

export interface SavedQuery extends QueryContent {
  /** TypeID `qry_…`. */
  readonly id: string;
  readonly databaseId: string;
  readonly version: number;
  readonly createdAt: Date;
  readonly createdBy: Actor;
  readonly updatedAt: Date;
}
