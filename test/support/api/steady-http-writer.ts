/** A client over HTTP that writes one transfer after another, and how long it waited for answers meanwhile. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { HttpService } from './http-service.ts';

const kind = { ledger: 1, code: 1 };
const sides = { debit_account_id: '3', credit_account_id: '4' };
/** Time until a request that was refused, or has no answer, is sent again with the same ID. */
const againAfterMs = 300;

interface Answered {
  readonly result?: readonly { readonly status: string }[];
}

export class SteadyHttpWriter {
  /** Transfers of 1 that were answered with `created`, or with `exists` when they were sent again. */
  acknowledged = 0;
  /** How often a request was refused, by status and code. */
  readonly refusals = new Map<string, number>();
  readonly #http: HttpService;
  readonly #path: string;
  #longestMs = 0;
  #answeredAtMs = Date.now();
  #stopped = false;
  readonly #done: Promise<void>;

  private constructor(http: HttpService, path: string) {
    this.#http = http;
    this.#path = path;
    this.#done = this.#run();
    // Told by `stop`.
    this.#done.catch(() => {});
  }

  /** `path`: of the database. */
  static async start(http: HttpService, path: string): Promise<SteadyHttpWriter> {
    const body = ['3', '4'].map((id) => ({ id, ...kind }));
    await http.ask(`${path}/tb/create_accounts`, { method: 'POST', body });
    return new SteadyHttpWriter(http, path);
  }

  /** Does something; the longest wait for an answer meanwhile, until one to a request sent after it, seconds. */
  async during(deed: () => Promise<unknown>): Promise<number> {
    this.#longestMs = 0;
    await deed();
    const goal = this.acknowledged + 2;
    while (this.acknowledged < goal) {
      await Promise.race([this.#done, sleep(50)]);
      if (this.#stopped) throw new Error('the writer over HTTP has stopped');
    }
    return Math.round(this.#longestMs / 10) / 100;
  }

  /** Ends it; what the ledger then says that account 4 has got. */
  async stop(): Promise<string | undefined> {
    this.#stopped = true;
    await this.#done;
    const path = `${this.#path}/tb/lookup_accounts`;
    const { result } = await this.#http.ask<{ result: { credits_posted: string }[] }>(path, {
      method: 'POST',
      body: ['4'],
    });
    return result[0]?.credits_posted;
  }

  async #run(): Promise<void> {
    for (let number = 1; !this.#stopped; number += 1) {
      // Beyond the IDs of the official client, which writes beside it.
      await this.#write(String(10n ** 12n + BigInt(number)));
      this.acknowledged += 1;
      const nowMs = Date.now();
      this.#longestMs = Math.max(this.#longestMs, nowMs - this.#answeredAtMs);
      this.#answeredAtMs = nowMs;
      await sleep(20);
    }
  }

  async #write(id: string): Promise<void> {
    const path = `${this.#path}/tb/create_transfers`;
    const body = [{ id, ...sides, amount: '1', ...kind }];
    for (let again = false; ; again = true) {
      const problem = await this.#http
        .send<Answered & { code?: string }>(path, { method: 'POST', body })
        .then(
          ({ status, body: said }) => {
            if (status >= 300) return `${status} ${said.code ?? ''}`;
            const is = said.result?.[0]?.status ?? JSON.stringify(said);
            if (is === 'created' || (again && is === 'exists')) return undefined;
            throw new Error(`transfer ${id} over HTTP was answered with ${is}`);
          },
          (error: unknown) => (error instanceof Error ? error.name : 'no answer'),
        );
      if (problem === undefined) return;
      this.refusals.set(problem, (this.refusals.get(problem) ?? 0) + 1);
      await sleep(againAfterMs);
    }
  }
}
