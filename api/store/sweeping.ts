/** Deletes expired rows, a bounded number in each statement, so that a sweep after a long pause holds no lock for long. */
import { sql, type RawBuilder } from 'kysely';
import type { Reader, Tables } from './tables.ts';

/** Rows of one statement. */
export const sweptAtOnce = 1_000;

/** Deletes some of the table's rows for which `isOver` is true; returns their number. More may be left. */
export async function sweepRows(
  db: Reader,
  table: keyof Tables,
  isOver: RawBuilder<unknown>,
): Promise<number> {
  const { numAffectedRows } = await sql`
    DELETE FROM ${sql.table(table)}
    WHERE ctid = ANY (ARRAY(SELECT ctid FROM ${sql.table(table)} WHERE ${isOver} LIMIT ${sweptAtOnce}))
  `.execute(db);
  return Number(numAffectedRows ?? 0n);
}
