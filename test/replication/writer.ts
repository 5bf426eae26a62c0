/** An official client that writes one transfer after another and measures its waits. */
import type { Client } from 'tigerbeetle-node';

const created = 0xffff_ffff;

const userData = { user_data_128: 0n, user_data_64: 0n, user_data_32: 0 };
export const accountOf = (id: bigint) => ({
  id,
  debits_pending: 0n,
  debits_posted: 0n,
  credits_pending: 0n,
  credits_posted: 0n,
  ...userData,
  reserved: 0,
  ledger: 1,
  code: 1,
  flags: 0,
  timestamp: 0n,
});
export const transferOf = (id: bigint, amount = 1n) => ({
  id,
  debit_account_id: 1n,
  credit_account_id: 2n,
  amount,
  pending_id: 0n,
  ...userData,
  timeout: 0,
  ledger: 1,
  code: 1,
  flags: 0,
  timestamp: 0n,
});

/** Writes one transfer after another, each answered before the next, and records the times. */
export class Writer {
  acknowledged = 0n;
  readonly #client: Client;
  readonly #answeredAtMs: number[] = [performance.now()];
  #stopped = false;
  readonly done: Promise<void>;

  constructor(client: Client) {
    this.#client = client;
    this.done = this.#run();
  }

  /** The longest time without an answer, ms. */
  get longestGapMs(): number {
    return this.#answeredAtMs.reduce(
      (longest, at, i, all) => Math.max(longest, at - (all[i - 1] ?? at)),
      0,
    );
  }

  /** Resets the measurement. */
  forget(): void {
    this.#answeredAtMs.splice(0, this.#answeredAtMs.length - 1);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.done;
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      const [result] = await this.#client.createTransfers([transferOf(this.acknowledged + 1n)]);
      // The status must be `created`: a request that was executed twice would report that the transfer exists.
      if (Number(result?.status) !== created)
        throw new Error(`transfer ${this.acknowledged + 1n}: status ${result?.status}`);
      this.acknowledged += 1n;
      this.#answeredAtMs.push(performance.now());
    }
  }
}
