/**
 * Pool of connections to PostgreSQL: their number is bounded, and each call has a deadline on both sides. After anything but an
 * answer, a connection is never used again. Failures of the server or the network become a `StoreUnavailable`.
 */
import { isNativeError } from 'node:util/types';
import type { PostgresPool, PostgresPoolClient } from 'kysely';
import pg from 'pg';
import type { Logger } from 'pino';
import { ConnectionShares } from './connection-shares.ts';
import { StoreUnavailable } from './store-errors.ts';

export interface PoolOptions {
  /** `postgres://user:password@host:port/database`. */
  readonly url: string;
  /** Maximum of connections. */
  readonly connections: number;
  /** Shown in `pg_stat_activity`. */
  readonly applicationName: string;
  readonly connectTimeoutMs: number;
  /** Timeout of a statement on the server. The client gives up a second later. */
  readonly statementTimeoutMs: number;
}

/** Maximum of calls that wait for a connection; the next one fails at once. */
const waitingMax = 500;

export const poolDefaults = {
  connections: 10,
  connectTimeoutMs: 3_000,
  statementTimeoutMs: 5_000,
} as const;

/** Settings of a single connection, for code that needs one beside the pool. */
export function clientConfig(options: PoolOptions): pg.ClientConfig {
  return {
    connectionString: options.url,
    application_name: options.applicationName,
    connectionTimeoutMillis: options.connectTimeoutMs,
    statement_timeout: options.statementTimeoutMs,
    query_timeout: options.statementTimeoutMs + 1_000,
    // Releases the locks of a process that hangs in the middle of a change.
    idle_in_transaction_session_timeout: 2 * options.statementTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  };
}

export class StorePool implements PostgresPool {
  readonly #pool: pg.Pool;
  readonly #guards = new WeakMap<pg.PoolClient, GuardedClient>();
  readonly #shares: ConnectionShares;
  readonly options: object;

  constructor(options: PoolOptions, logger: Logger) {
    this.#pool = new pg.Pool({
      ...clientConfig(options),
      max: options.connections,
      idleTimeoutMillis: 30_000,
      // Connections are renewed now and then, to find a proxy or a server again after a failover.
      maxLifetimeSeconds: 1_800,
    });
    this.#shares = new ConnectionShares(options.connections, options.connectTimeoutMs);
    this.options = this.#pool.options;
    this.#pool.on('error', (error) => {
      logger.warn({ err: error }, 'an idle connection to the store ended');
    });
    // A connection in use reports errors to its calls; without this listener, Node would end the process.
    this.#pool.on('connect', (client) => client.on('error', () => {}));
  }

  async connect(): Promise<GuardedClient> {
    const giveBack = await this.#shares.take();
    // Checked without a pause before the call joins the queue, so that many at once are counted.
    if (this.#pool.waitingCount >= waitingMax) {
      giveBack();
      throw new StoreUnavailable(`${waitingMax} calls wait for a connection to the store already`);
    }
    let client: pg.PoolClient;
    try {
      client = await this.#pool.connect();
    } catch (error) {
      giveBack();
      throw unavailable(error) ?? error;
    }
    const guard = this.#guards.get(client) ?? new GuardedClient(client);
    this.#guards.set(client, guard);
    guard.onRelease = giveBack;
    return guard;
  }

  async end(): Promise<void> {
    await this.#pool.end();
  }

  /** Numbers of open connections, of idle ones among them, and of calls that wait for one. */
  get figures(): { open: number; idle: number; waiting: number } {
    const { totalCount: open, idleCount: idle, waitingCount: waiting } = this.#pool;
    return { open, idle, waiting };
  }
}

class GuardedClient implements PostgresPoolClient {
  readonly #client: pg.PoolClient;
  #broken = false;
  /** Gives back the share of the connection's current user; runs once, on release. */
  onRelease = () => {};

  constructor(client: pg.PoolClient) {
    this.#client = client;
  }

  // Kysely's interface has a second form, for cursors, which nothing here uses.
  query = (async (text: string, parameters: readonly unknown[]) => {
    try {
      return await this.#client.query(text, [...parameters]);
    } catch (error) {
      // The answer may still come late, so the next call could receive the wrong answer.
      if (!(error instanceof pg.DatabaseError)) this.#broken = true;
      throw unavailable(error) ?? error;
    }
  }) as unknown as PostgresPoolClient['query'];

  release(destroy = false): void {
    this.#client.release(destroy || this.#broken);
    const giveBack = this.onRelease;
    this.onRelease = () => {};
    giveBack();
  }
}

/**
 * SQLSTATE classes (https://www.postgresql.org/docs/15/errcodes-appendix.html) of server failures: connection, credentials, no
 * such database, resources, operator intervention (shutdown, a cancelled statement), internal, and a standby that refuses writes.
 */
const serverTrouble = /^(08|28|3D|53|57|58|XX|25006|25P03|55P03)/;

/** Converts a failure of the server or network. Returns `undefined` if the statement or this program is at fault. */
function unavailable(error: unknown): StoreUnavailable | undefined {
  if (error instanceof StoreUnavailable) return error;
  if (error instanceof pg.DatabaseError) {
    if (!serverTrouble.test(error.code ?? '')) return undefined;
    return new StoreUnavailable(`the store: ${error.message}`, { cause: error });
  }
  // A bug of this program is not a failure of the server.
  if (!isNativeError(error) || error.name === 'TypeError' || error.name === 'RangeError') {
    return undefined;
  }
  // An AggregateError of several addresses has no message of its own.
  const message = error.message || ('code' in error ? String(error.code) : error.name);
  return new StoreUnavailable(`the store: ${message}`, { cause: error });
}
