/** The eight operations of a ledger, with exact integers. */
import type { paths, Problem } from '../../../gen/api.ts';
import type { Client } from './client.ts';
import { parseExact, stringifyExact, type Exact, type WithBigints } from './exact.ts';
import type { AnswerTo, BodyTo } from './planned-request.ts';

const prefix = '/api/v1/databases/{databaseId}/tb/';
type Prefix = typeof prefix;
type Operation = keyof paths extends infer P
  ? P extends `${Prefix}${infer O}`
    ? O
    : never
  : never;
type PathOf<O extends Operation> = `${Prefix}${O}` & keyof paths;
type Request<O extends Operation> = WithBigints<BodyTo<'post', PathOf<O>>>;
type Answer<O extends Operation> = Exact<AnswerTo<'post', PathOf<O>>>;

/** The service refused a request, or nobody could answer it. */
export class LedgerhouseError extends Error {
  override readonly name = 'LedgerhouseError';
  readonly status: number;
  /** `undefined` when something else than the service answered. */
  readonly problem: Problem | undefined;

  constructor(status: number, problem: Problem | undefined) {
    super(problem?.detail ?? `the answer has status ${status} and is no problem document`);
    this.status = status;
    this.problem = problem;
  }

  /** Stable word for the problem, such as `database_not_ready`. */
  get code(): string | undefined {
    return this.problem?.code;
  }
}

/**
 * A ledger's operations. IDs make repetitions safe: a create that was executed before answers `exists`. Rejects with a
 * `LedgerhouseError` for a refusal, and with the error of `fetch` when nobody answers.
 */
export class Ledger {
  readonly #client: Client;
  readonly #databaseId: string;

  constructor(client: Client, databaseId: string) {
    this.#client = client;
    this.#databaseId = databaseId;
  }

  createAccounts(accounts: Request<'create_accounts'>): Promise<Answer<'create_accounts'>> {
    return this.#ask('create_accounts', accounts);
  }

  createTransfers(transfers: Request<'create_transfers'>): Promise<Answer<'create_transfers'>> {
    return this.#ask('create_transfers', transfers);
  }

  lookupAccounts(ids: readonly bigint[]): Promise<Answer<'lookup_accounts'>> {
    return this.#ask('lookup_accounts', ids);
  }

  lookupTransfers(ids: readonly bigint[]): Promise<Answer<'lookup_transfers'>> {
    return this.#ask('lookup_transfers', ids);
  }

  getAccountTransfers(
    filter: Request<'get_account_transfers'>,
  ): Promise<Answer<'get_account_transfers'>> {
    return this.#ask('get_account_transfers', filter);
  }

  getAccountBalances(
    filter: Request<'get_account_balances'>,
  ): Promise<Answer<'get_account_balances'>> {
    return this.#ask('get_account_balances', filter);
  }

  queryAccounts(filter: Request<'query_accounts'>): Promise<Answer<'query_accounts'>> {
    return this.#ask('query_accounts', filter);
  }

  queryTransfers(filter: Request<'query_transfers'>): Promise<Answer<'query_transfers'>> {
    return this.#ask('query_transfers', filter);
  }

  async #ask<O extends Operation>(operation: O, body: unknown): Promise<Answer<O>> {
    const ask = this.#client.POST as unknown as (
      path: string,
      options: object,
    ) => Promise<{ readonly data?: string; readonly error?: unknown; readonly response: Response }>;
    const { data, error, response } = await ask(`${prefix}${operation}`, {
      params: { path: { databaseId: this.#databaseId } },
      body,
      bodySerializer: stringifyExact,
      parseAs: 'text',
    });
    if (data !== undefined) return parseExact(data);
    const isProblem = typeof error === 'object' && error !== null && 'code' in error;
    throw new LedgerhouseError(response.status, isProblem ? (error as Problem) : undefined);
  }
}
