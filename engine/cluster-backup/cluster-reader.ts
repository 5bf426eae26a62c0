/**
 * Reads a cluster through the protocol, one small page after another. After each answer it rests as long as the answer took, so that
 * it takes at most half of the cluster's time, and clients wait for one page at most.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { ArchiveError } from '../archive/errors.ts';
import { Client, type Address, type Reply } from '../client/client.ts';
import { ClientEvictedError, RequestDeadlineError } from '../client/errors.ts';
import { AccountFilterFlag, QueryFilterFlag } from '../wire/flags.ts';
import { changeEventsFilter, rangeFilter } from '../wire/filters.ts';
import { encodeMultiBatch, splitMultiBatch } from '../wire/multi-batch.ts';
import { Operation } from '../wire/operations.ts';
import { Account, AccountFilter, ChangeEvent } from '../wire/records.ts';

const RECORD_SIZE = Account.words * 4;
const RESULT_SIZE = 16;
export const EVENT_SIZE = ChangeEvent.words * 4;
const ACCOUNTS_A_PAGE = 1_024;
const EVENTS_A_PAGE = 1_024;
const REST_MIN_MS = 1;
/** Time for one answer, failovers of the cluster included. */
const ANSWER_MAX_MS = 120_000;
/** A cluster has few sessions. When it evicts this one, the reader opens another. */
const SESSIONS_MAX = 20;

export interface ClusterReaderOptions {
  readonly cluster: bigint;
  readonly addresses: readonly Address[];
  readonly answerMaxMs?: number;
  readonly accountsAPage?: number;
  readonly eventsAPage?: number;
}

export class ClusterReader {
  readonly #options: ClusterReaderOptions;
  #client: Client;
  #sessions = 1;
  /** Bytes that were read. */
  bytes = 0;

  constructor(options: ClusterReaderOptions) {
    this.#options = options;
    this.#client = this.#open();
  }

  close(): void {
    this.#client.close();
  }

  /** The cluster's time: everything that it executes from now on has a later timestamp. */
  async now(): Promise<bigint> {
    return (await this.#reply(Operation.getChangeEvents, changeEventsFilter({ limit: 1 })))
      .timestamp;
  }

  /** Timestamp of the newest account or transfer; 0 if there is none. */
  async newest(): Promise<bigint> {
    let newest = 0n;
    for (const operation of [Operation.queryAccounts, Operation.queryTransfers]) {
      const [row] = records(
        await this.#query(operation, { limit: 1, flags: QueryFilterFlag.reversed }),
      );
      const timestamp = row === undefined ? 0n : timestampOf(row, Account.timestamp);
      if (timestamp > newest) newest = timestamp;
    }
    return newest;
  }

  /** Accounts up to `until`, in the order of their timestamps. */
  async *accounts(until: bigint): AsyncGenerator<Uint8Array> {
    const limit = this.#options.accountsAPage ?? ACCOUNTS_A_PAGE;
    for (let from = 1n; from <= until;) {
      const page = await this.#query(Operation.queryAccounts, { limit, from, until });
      for (const row of records(page)) {
        from = this.#next(row, Account.timestamp, from, until);
        yield row;
      }
      if (page.length === 0) return;
    }
  }

  /** Pages of change events from `first` up to `until`, in the order of their timestamps. */
  async *events(until: bigint, first = 1n): AsyncGenerator<Uint8Array> {
    for (let from = first; from <= until;) {
      const limit = this.#options.eventsAPage ?? EVENTS_A_PAGE;
      const filter = changeEventsFilter({ from, until, limit });
      const page = await this.#ask(Operation.getChangeEvents, filter);
      if (page.length === 0) return;
      if (page.length % EVENT_SIZE !== 0) throw wrongAnswer('a page has a part of an event');
      for (let at = 0; at < page.length; at += EVENT_SIZE)
        from = this.#next(page.subarray(at, at + EVENT_SIZE), ChangeEvent.timestamp, from, until);
      yield page;
    }
  }

  /** Whether the account has a transfer. */
  async hasTransfers(id: Uint8Array): Promise<boolean> {
    const filter = new Uint8Array(AccountFilter.words * 4);
    filter.set(id, AccountFilter.accountId * 4);
    const view = new DataView(filter.buffer);
    view.setUint32(AccountFilter.limit * 4, 1, true);
    const sides = AccountFilterFlag.debits | AccountFilterFlag.credits;
    view.setUint32(AccountFilter.flags * 4, sides, true);
    return (await this.#askBatch(Operation.getAccountTransfers, filter)).length > 0;
  }

  /** Creates the rows. Returns a result for each. */
  async create(operation: number, rows: readonly Uint8Array[]): Promise<Uint8Array> {
    const body = encodeMultiBatch([Buffer.concat(rows)], RECORD_SIZE);
    const [results] = splitMultiBatch(await this.#ask(operation, body), RESULT_SIZE) ?? [];
    if (results === undefined) throw wrongAnswer('it is not one batch');
    return results;
  }

  /** Maximum number of rows of a request. */
  async rowsMax(): Promise<number> {
    // The session, once it is there, has told it.
    if (this.#client.batchSizeLimit === 0) await this.newest();
    return Math.floor(this.#client.batchSizeLimit / RECORD_SIZE) - 1;
  }

  #query(operation: number, query: Parameters<typeof rangeFilter>[0]): Promise<Uint8Array> {
    return this.#askBatch(operation, rangeFilter(query));
  }

  async #askBatch(operation: number, filter: Uint8Array): Promise<Uint8Array> {
    const reply = await this.#ask(operation, encodeMultiBatch([filter], filter.length));
    const [batch, another] = splitMultiBatch(reply, RECORD_SIZE) ?? [];
    if (batch === undefined || another !== undefined) throw wrongAnswer('it is not one batch');
    return batch;
  }

  async #ask(operation: number, body: Uint8Array): Promise<Uint8Array> {
    return (await this.#reply(operation, body)).body;
  }

  async #reply(operation: number, body: Uint8Array): Promise<Reply> {
    const timeoutMs = this.#options.answerMaxMs ?? ANSWER_MAX_MS;
    for (;;) {
      const began = performance.now();
      try {
        const reply = await this.#client.ask(operation, body, { timeoutMs });
        this.bytes += reply.body.length;
        await sleep(Math.max(REST_MIN_MS, performance.now() - began));
        return reply;
      } catch (error) {
        if (error instanceof ClientEvictedError && this.#sessions < SESSIONS_MAX) {
          this.#sessions += 1;
          this.#client = this.#open();
        } else throw unreachable(error, timeoutMs);
      }
    }
  }

  #open(): Client {
    const { cluster, addresses } = this.#options;
    return new Client({ cluster, addresses });
  }

  /** The lowest timestamp after a row. Throws if timestamps do not rise: such rows would be read for ever, or be lost. */
  #next(row: Uint8Array, word: number, from: bigint, until: bigint): bigint {
    const timestamp = timestampOf(row, word);
    if (timestamp >= from && timestamp <= until) return timestamp + 1n;
    throw wrongAnswer(`a row of ${timestamp} is not between ${from} and ${until}`);
  }
}

export function timestampOf(row: Uint8Array, word: number): bigint {
  return new DataView(row.buffer, row.byteOffset, row.byteLength).getBigUint64(word * 4, true);
}

function* records(page: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < page.length; at += RECORD_SIZE) yield page.subarray(at, at + RECORD_SIZE);
}

const wrongAnswer = (what: string): ArchiveError =>
  new ArchiveError(
    'cluster_differs',
    `The cluster's answer does not fit the request: ${what}. No backup was made.`,
  );

const unreachable = (error: unknown, timeoutMs: number): ArchiveError => {
  const words = error instanceof Error ? error.message : String(error);
  const what =
    error instanceof RequestDeadlineError
      ? `The cluster did not answer within ${timeoutMs / 1_000} s.`
      : `The cluster cannot be read: ${words}.`;
  return new ArchiveError(
    'cluster_unreachable',
    `${what} No backup was made; look whether its replicas are ready, and make another.`,
    { cause: error },
  );
};
