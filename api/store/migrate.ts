/** Forward migrations: runs all that are due in one transaction, under a lock that one process can hold. */
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Logger } from 'pino';
import { assert } from '../../base/assert.ts';
import type { Migration } from './migrations/migration.ts';
import type { PoolOptions } from './pool.ts';
import { SchemaMismatch } from './store-errors.ts';
import type { Reader } from './tables.ts';

/** Number of the advisory lock: any number that nothing else on the server uses. */
const lock = 7_203_450_218_943_112n;
/**
 * Timeout of a statement that waits for a lock: another process's migrations, or a table in use. While a statement waits for a
 * table, all others wait behind it, so it gives up soon and `Store.start` tries again.
 */
const lockDeadline = '2s';
/** Timeout of one statement, in milliseconds; an index on a large table takes long. */
const statementMs = 60 * 60_000;

/** Settings of the connection that runs migrations. It is not from the pool, whose timeouts are for requests. */
export const migrationPool = (pool: PoolOptions): PoolOptions => ({
  ...pool,
  connections: 1,
  statementTimeoutMs: statementMs,
});

const checksumOf = ({ sql: text }: Migration): string =>
  createHash('sha256').update(text).digest('hex');

export async function migrate(
  db: Reader,
  migrations: readonly Migration[],
  logger: Logger,
): Promise<void> {
  assert(
    migrations.every(({ number }, index) => number > (migrations[index - 1]?.number ?? 0)),
    'migrations are in the order of their numbers',
  );
  await db.transaction().execute(async (transaction) => {
    await sql`SELECT set_config('lock_timeout', ${lockDeadline}, true)`.execute(transaction);
    await sql`SELECT pg_advisory_xact_lock(${lock})`.execute(transaction);
    await sql`
      CREATE TABLE IF NOT EXISTS schema_migrations (
        number integer PRIMARY KEY,
        name text NOT NULL,
        checksum text NOT NULL,
        applied_at timestamptz(3) NOT NULL DEFAULT clock_timestamp()
      )`.execute(transaction);
    const { rows } = await sql<{ number: number; name: string; checksum: string }>`
      SELECT number, name, checksum FROM schema_migrations ORDER BY number`.execute(transaction);
    const applied = new Map(rows.map((row) => [row.number, row]));
    for (const migration of migrations) {
      const before = applied.get(migration.number);
      if (before === undefined) {
        await apply(transaction, migration);
        logger.info({ migration: migration.number, name: migration.name }, 'migrated');
      } else if (before.checksum !== checksumOf(migration)) {
        throw new SchemaMismatch(
          `migration ${migration.number} (${before.name}) is not the one that was applied to this store; run the release that made the store, or restore a backup made by this one`,
        );
      }
    }
    const newest = rows.at(-1)?.number ?? 0;
    // A release was rolled back. Migrations only add, so the older release still runs on the newer schema.
    const known = migrations.at(-1)?.number ?? 0;
    if (newest > known) {
      logger.warn({ newest, known }, 'the store was migrated by a later release');
    }
  });
}

async function apply(transaction: Reader, migration: Migration): Promise<void> {
  await sql.raw(migration.sql).execute(transaction);
  await sql`
    INSERT INTO schema_migrations (number, name, checksum)
    VALUES (${migration.number}, ${migration.name}, ${checksumOf(migration)})`.execute(transaction);
}
