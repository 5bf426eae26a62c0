/** Turns of searches: one may read all lines that are kept of a database, and take a processor of PostgreSQL meanwhile. */
import type { LogFilter } from '../store/log-lines.ts';
import { ConnectionShares } from '../store/connection-shares.ts';

/** An organization has two thirds of these in each process; its further searches wait. */
const atOnce = 3;
const waitMaxMs = 10_000;

export class Searches {
  readonly #turns = new ConnectionShares(atOnce, waitMaxMs);

  /** Reads at once without a text to search. Rejects with `StoreUnavailable` if the turn does not come. */
  async read<T>({ search }: LogFilter, read: () => Promise<T>): Promise<T> {
    if (search === undefined) return read();
    const done = await this.#turns.take();
    try {
      return await read();
    } finally {
      done();
    }
  }
}
