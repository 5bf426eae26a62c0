/** Reads the rows of a ledger in the order of their timestamps, one page after the other. */
import { assert } from '../../base/assert.ts';
import { CliFailure } from '../failure.ts';
import { notTheApi, type Answer } from '../http/answer.ts';
import type { Exchange } from '../http/exchange.ts';
import type { ApiRequest } from '../http/request.ts';
import type { LedgerOperation } from '../ledger/operations.ts';
import type { Patience } from '../patience.ts';
import type { Row, RowFormat, Rows } from './rows.ts';

interface LedgerRowsOptions {
  readonly exchange: Exchange;
  readonly databaseId: string;
  readonly operation: LedgerOperation;
  readonly format: RowFormat;
  readonly pageRows: number;
  /** A new one for each page: a reader that takes long for a page uses up nobody's patience. */
  readonly patience: () => Patience;
  readonly signal: AbortSignal;
}

interface Filter {
  readonly timestamp_min?: string;
  readonly timestamp_max?: string;
  readonly limit: number;
  readonly flags: number;
}

const reversed = 1;
/** Timeout of a page: as long as the service waits for a reader of its answer. */
const pageTimeoutMs = 60_000;

export class LedgerRows {
  readonly #options: LedgerRowsOptions;

  constructor(options: LedgerRowsOptions) {
    this.#options = options;
  }

  /** The newest row, if there is any, and the header of all pages. Tried a few times only: the address may be wrong. */
  async newest(): Promise<Rows> {
    const { exchange, signal } = this.#options;
    const request = this.#request({ limit: 1, flags: reversed });
    return this.#read(await exchange.send(request, { signal }));
  }

  /** The first row from `from` to `to`. */
  async first(from: bigint, to: bigint): Promise<Row | undefined> {
    if (from > to) return undefined;
    return (await this.#page(from, to, 1)).rows[0];
  }

  /** Pages of the rows after `after`, up to the row at `until`, which exists. Each page has at least one row. */
  async *pages(header: string, after: bigint, until: bigint): AsyncGenerator<readonly Row[]> {
    for (let last = after; last < until;) {
      const page = await this.#page(last + 1n, until, this.#options.pageRows);
      if (page.header !== header) throw wrongPage('other columns than before');
      if (page.rows.length === 0) throw wrongPage('no rows where there are some');
      for (const { timestamp } of page.rows) {
        // A missing or repeated row of money must not be written quietly.
        if (timestamp <= last || timestamp > until) throw wrongPage('rows in a wrong order');
        last = timestamp;
      }
      yield page.rows;
    }
  }

  async #page(from: bigint, to: bigint, limit: number): Promise<Rows> {
    const { exchange, patience, signal } = this.#options;
    const bounds = { timestamp_min: String(from), timestamp_max: String(to) };
    const request = this.#request({ ...bounds, limit, flags: 0 });
    let answer: Answer | undefined;
    const send = async () => {
      answer = await exchange.send(request, { signal, once: true });
    };
    await patience()
      .until(signal, send)
      .catch((error: unknown) => {
        if (!(error instanceof CliFailure) || error.fields.code !== 'timeout') throw error;
        throw error.withNextSteps('on a slow line, ask for less at a time: --page-rows 500');
      });
    assert(answer !== undefined, 'patience ends with an answer or a failure');
    return this.#read(answer);
  }

  #request(filter: Filter): ApiRequest {
    const { databaseId, operation, format } = this.#options;
    return {
      method: 'POST',
      path: `/api/v1/databases/${encodeURIComponent(databaseId)}/tb/${operation.name}`,
      body: Buffer.from(JSON.stringify(filter)),
      accept: format.accept,
      repeatable: true,
      writes: false,
      timeoutMs: pageTimeoutMs,
    };
  }

  #read(answer: Answer): Rows {
    const { format, operation } = this.#options;
    return format.readAnswer(answer, operation);
  }
}

const wrongPage = (what: string): CliFailure => notTheApi(200, what);
