/** Tables with a partition for each day: partitions are made in advance, and dropped whole when their days are over. */
import { sql } from 'kysely';
import type { Reader } from './tables.ts';

export const dayMs = 86_400_000;
/** Number of the advisory lock that one process holds while it makes and drops partitions. */
const lock = 7_203_450_218_943_135n;

interface DailyTable {
  readonly table: string;
  /** Number of days before today that are kept. */
  readonly keptDays: number;
  /** Number of days before today whose rows may still come. */
  readonly lateDays: number;
}

/** The UTC day of an instant, as `2026-11-23`. */
export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
const partitionOf = (table: string, day: string): string => `${table}_${day.replaceAll('-', '')}`;

/** Makes partitions up to tomorrow's and drops those whose time is over. Returns the number of dropped ones. */
export function keepDays(db: Reader, tables: readonly DailyTable[], now: Date): Promise<number> {
  return db.transaction().execute(async (transaction) => {
    await sql`SELECT pg_advisory_xact_lock(${lock})`.execute(transaction);
    let dropped = 0;
    for (const { table, keptDays, lateDays } of tables) {
      const { rows } = await sql<{ name: string }>`
        SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = ${table}::regclass
      `.execute(transaction);
      const there = new Set(rows.map(({ name }) => name));
      for (let day = -lateDays; day <= 1; day += 1) {
        const from = dayOf(now.getTime() + day * dayMs);
        const to = dayOf(now.getTime() + (day + 1) * dayMs);
        const name = partitionOf(table, from);
        if (there.has(name)) continue;
        await sql`
          CREATE TABLE ${sql.table(name)} PARTITION OF ${sql.table(table)}
          FOR VALUES FROM (${sql.lit(`${from}T00:00:00Z`)}) TO (${sql.lit(`${to}T00:00:00Z`)})
        `.execute(transaction);
      }
      const oldest = partitionOf(table, dayOf(now.getTime() - keptDays * dayMs));
      for (const name of there) {
        if (name >= oldest) continue;
        await sql`DROP TABLE ${sql.table(name)}`.execute(transaction);
        dropped += 1;
      }
    }
    return dropped;
  });
}
