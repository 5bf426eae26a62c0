/**
 * The store: PostgreSQL behind typed SQL. Reads go through `read`. Writes go through `change`: one transaction commits them and
 * the events that describe them, or neither.
 */
import { CamelCasePlugin, Kysely, PostgresDialect, type ControlledTransaction } from 'kysely';
import pg from 'pg';
import type { Logger } from 'pino';
import { backoffMs } from '../../base/backoff.ts';
import { sleep, systemTimers } from '../../base/timers.ts';
import type { Author } from '../model/actor.ts';
import { AuditChain } from './audit-chain.ts';
import { Change } from './change.ts';
import { migrate, migrationPool } from './migrate.ts';
import { migrations as allMigrations } from './migrations/all.ts';
import type { Migration } from './migrations/migration.ts';
import { poolDefaults, StorePool, type PoolOptions } from './pool.ts';
import type { SigningKeys } from './signing-keys.ts';
import { StoreUnavailable } from './store-errors.ts';
import type { Reader, Tables } from './tables.ts';

export interface StoreOptions extends Partial<PoolOptions> {
  readonly url: string;
  readonly logger: Logger;
  /** Keys for the chain of events. */
  readonly signingKeys: SigningKeys;
  /** Replaces the migrations, in tests. */
  readonly migrations?: readonly Migration[];
}

/** Backoff between tries to reach the server at the start. */
const startBackoff = { baseMs: 200, maxMs: 5_000 };
/** Maximum of tries of a change that collides with another (deadlock, serialization). Each try starts over, with fresh reads. */
const triesMax = 4;
const collisions = new Set(['40001', '40P01']);

export class Store {
  readonly pool: PoolOptions;
  readonly chain: AuditChain;
  readonly #pool: StorePool;
  readonly #db: Reader;
  readonly #logger: Logger;
  readonly #migrations: readonly Migration[];
  #ready = false;

  constructor({ logger, signingKeys, migrations = allMigrations, ...options }: StoreOptions) {
    this.pool = { ...poolDefaults, applicationName: 'ledgerhouse-api', ...options };
    this.#pool = new StorePool(this.pool, logger);
    this.#db = databaseOver(this.#pool);
    this.#logger = logger;
    this.chain = new AuditChain(signingKeys);
    this.#migrations = migrations;
  }

  /**
   * Waits for the server as long as it takes and brings the schema up to date. Throws `SchemaMismatch` if PostgreSQL holds
   * another schema, and `StoreUnavailable` if the signal ends the wait.
   */
  async start(signal?: AbortSignal): Promise<void> {
    for (let failures = 1; ; failures += 1) {
      try {
        await this.#migrate();
        this.#ready = true;
        this.#logger.info({ failures: failures - 1 }, 'the store is ready');
        return;
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) throw error;
        const retryInMs = Math.round(backoffMs(failures, startBackoff, Math.random));
        this.#logger.warn(
          { failures, retryInMs, reason: error.message },
          'the store cannot be reached; trying again',
        );
        await sleep(systemTimers, retryInMs, signal);
        if (signal?.aborted === true) throw error;
      }
    }
  }

  /** Whether the schema is up to date. Before that, the store must not be used. */
  get ready(): boolean {
    return this.#ready;
  }

  /** Figures of the connection pool, for the metrics. */
  get figures(): StorePool['figures'] {
    return this.#pool.figures;
  }

  /** Reader for single statements; each sees its own moment. */
  get read(): Reader {
    return this.#db;
  }

  /**
   * Runs `work` and commits it with the events that it emitted. `work` may run several times, so it must have no effects outside
   * the store. If it throws, nothing is changed.
   */
  async change<T>(author: Author, work: (change: Change) => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#changeOnce(author, work);
      } catch (error) {
        const collided = error instanceof pg.DatabaseError && collisions.has(error.code ?? '');
        if (!collided) throw error;
        if (tries === triesMax) {
          throw new StoreUnavailable('the change conflicted with others on every attempt', {
            cause: error,
          });
        }
        await sleep(systemTimers, backoffMs(tries, { baseMs: 10, maxMs: 200 }, Math.random));
      }
    }
  }

  async close(): Promise<void> {
    this.#ready = false;
    await this.#db.destroy();
  }

  async #migrate(): Promise<void> {
    const db = databaseOver(new StorePool(migrationPool(this.pool), this.#logger));
    try {
      await migrate(db, this.#migrations, this.#logger);
    } finally {
      await db.destroy();
    }
  }

  async #changeOnce<T>(author: Author, work: (change: Change) => Promise<T>): Promise<T> {
    const transaction = await this.#db.startTransaction().execute();
    let result: T;
    try {
      const change = new Change(transaction, author, this.chain);
      result = await work(change);
      await change.writeEvents();
    } catch (error) {
      await rollback(transaction);
      throw error;
    }
    try {
      await transaction.commit().execute();
    } catch (error) {
      // Gives the connection back; a failed commit does not.
      await rollback(transaction);
      if (!(error instanceof StoreUnavailable)) throw error;
      throw new StoreUnavailable('the connection to the store broke during a commit', {
        cause: error,
        outcome: 'unknown',
      });
    }
    return result;
  }
}

const databaseOver = (pool: StorePool): Kysely<Tables> =>
  new Kysely<Tables>({
    dialect: new PostgresDialect({ pool }),
    // Properties of JSON values are data, not columns.
    plugins: [new CamelCasePlugin({ maintainNestedObjectKeys: true })],
  });

/** Rolls back. Its own failure is ignored: the first one matters, and a broken connection is closed, which rolls back too. */
async function rollback(transaction: ControlledTransaction<Tables>): Promise<void> {
  try {
    await transaction.rollback().execute();
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
  }
}
