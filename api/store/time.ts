import { sql } from 'kysely';
import type { Reader } from './tables.ts';

/** Returns the store's time, for what several processes must agree on: the clocks of their machines differ. */
export async function storeTime(db: Reader): Promise<Date> {
  const { rows } = await sql<{ at: Date }>`SELECT clock_timestamp() AS at`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error('the store has a time');
  return row.at;
}
