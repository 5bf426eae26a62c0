/** Sign-ins at the identity provider that have opened a session, so that none opens a second one. */
import { sql } from 'kysely';
import type { Change } from './change.ts';
import { sweepRows } from './sweeping.ts';
import type { Reader } from './tables.ts';

/**
 * Records the sign-in in the change that opens its session. `lifetimeSeconds`: the time for which its ticket is accepted. Returns
 * false if it was recorded before.
 */
export async function useSignIn(
  change: Change,
  stateHash: Buffer,
  lifetimeSeconds: number,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await change.db
    .insertInto('usedSignIns')
    .values({
      stateHash,
      // Twice the time, because the clocks of this process and of the store may differ.
      expiresAt: sql<Date>`clock_timestamp() + ${2 * lifetimeSeconds} * interval '1 second'`,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows > 0n;
}

/** Deletes those whose tickets have expired; returns their number. */
export function sweepUsedSignIns(db: Reader): Promise<number> {
  return sweepRows(db, 'usedSignIns', sql`expires_at < clock_timestamp()`);
}
