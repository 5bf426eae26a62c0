/** Requests to the ledger of one database, with the rows of each operation. */
import type {
  Account,
  AccountBalance,
  EventResult,
  Execution,
  Transfer,
} from '../../../gen/api.ts';
import { ask } from './client.ts';
import { patiently } from './patience.ts';

interface Rows {
  readonly lookup_accounts: Account;
  readonly query_accounts: Account;
  readonly lookup_transfers: Transfer;
  readonly query_transfers: Transfer;
  readonly get_account_transfers: Transfer;
  readonly get_account_balances: AccountBalance;
  readonly create_accounts: EventResult;
  readonly create_transfers: EventResult;
}
export type LedgerOperation = keyof Rows;

/** Most rows of one answer. */
export const rowsMax = 8_189;

export interface LedgerAnswer<Row> {
  readonly execution: Execution;
  readonly result: readonly Row[];
  readonly missing?: readonly string[];
  readonly page?: { readonly hasMore: boolean; readonly next: object | null };
  readonly warnings?: readonly { readonly detail: string }[];
  readonly documentationUrl: string;
}

export interface LedgerAddress {
  readonly organizationId: string;
  readonly databaseId: string;
  readonly signal?: AbortSignal;
}

/** Sends one request. `body`: a document, or JSON that is sent as it is. */
export async function askLedger<Operation extends LedgerOperation>(
  { organizationId, databaseId, signal }: LedgerAddress,
  operation: Operation,
  body: object | string,
): Promise<LedgerAnswer<Rows[Operation]>> {
  const name: LedgerOperation = operation;
  const path = `/api/v1/databases/{databaseId}/tb/${name}` as const;
  const { data } = await ask(
    organizationId,
    'post',
    path,
    {
      params: { databaseId },
      body: new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body)),
    },
    signal === undefined ? {} : { signal },
  );
  return data as unknown as LedgerAnswer<Rows[Operation]>;
}

interface Paging<Row> {
  readonly pagesMax: number;
  /** Called after each page with the number of rows read so far. */
  readonly onRows?: (count: number) => void;
  /** Whether these rows are enough; no further page is read then. */
  readonly isEnough?: (rows: readonly Row[]) => boolean;
}

/** Reads page after page until the last one, or until `pagesMax`: `isWhole` tells which. */
export async function askAllPages<Operation extends LedgerOperation>(
  at: LedgerAddress,
  operation: Operation,
  filter: object,
  { pagesMax, onRows, isEnough }: Paging<Rows[Operation]>,
): Promise<{ readonly rows: readonly Rows[Operation][]; readonly isWhole: boolean }> {
  const rows: Rows[Operation][] = [];
  let next: object | null = { limit: rowsMax, ...filter };
  for (let page = 0; page < pagesMax; page += 1) {
    const filter: object = next;
    const answer = await patiently(() => askLedger(at, operation, filter), { signal: at.signal });
    for (const row of answer.result) rows.push(row);
    onRows?.(rows.length);
    if (isEnough?.(answer.result) === true) return { rows, isWhole: false };
    next = answer.page?.next ?? null;
    if (next === null) return { rows, isWhole: true };
  }
  return { rows, isWhole: false };
}
