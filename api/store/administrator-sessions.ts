/** Sessions of the local administrator. The store has hashes only: who reads it can open none. */
import { sql, type Selectable } from 'kysely';
import { newTypeId, typeIdOfUuid } from '../../domain/type-id.ts';
import type { Change } from './change.ts';
import { uuidOf } from './ids.ts';
import type { AdministratorSessionsTable, Reader } from './tables.ts';

export interface AdministratorSession {
  /** TypeID `ses_…`. */
  readonly id: string;
  /** SHA-256 of the CSRF token that goes with it. */
  readonly csrfHash: Buffer;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

export async function openSession(
  change: Change,
  session: { tokenHash: Buffer; csrfHash: Buffer; lifetimeMs: number },
): Promise<AdministratorSession> {
  // Old ones go with the making of new ones: nothing else needs to sweep.
  await change.db
    .deleteFrom('administratorSessions')
    .where('expiresAt', '<', sql<Date>`clock_timestamp() - interval '7 days'`)
    .execute();
  const row = await change.db
    .insertInto('administratorSessions')
    .values({
      id: uuidOf(newTypeId('ses')),
      tokenHash: session.tokenHash,
      csrfHash: session.csrfHash,
      ip: change.author.ip,
      userAgent: change.author.userAgent,
      expiresAt: sql<Date>`clock_timestamp() + ${session.lifetimeMs} * interval '1 millisecond'`,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return sessionOf(row);
}

/**
 * The one with that token, unless it is over. Found by the hash of the token: how long the search takes tells of the hash at
 * most, of which nothing can be turned back into a token.
 */
export async function findSession(
  db: Reader,
  tokenHash: Buffer,
): Promise<AdministratorSession | undefined> {
  const row = await db
    .selectFrom('administratorSessions')
    .selectAll()
    .where('tokenHash', '=', tokenHash)
    .where('endedAt', 'is', null)
    .where('expiresAt', '>', sql<Date>`clock_timestamp()`)
    .executeTakeFirst();
  return row && sessionOf(row);
}

export async function endSession(change: Change, id: string): Promise<void> {
  await change.db
    .updateTable('administratorSessions')
    .set({ endedAt: sql<Date>`clock_timestamp()` })
    .where('id', '=', uuidOf(id))
    .where('endedAt', 'is', null)
    .execute();
}

const sessionOf = (row: Selectable<AdministratorSessionsTable>): AdministratorSession => ({
  id: typeIdOfUuid('ses', row.id),
  csrfHash: row.csrfHash,
  createdAt: row.createdAt,
  expiresAt: row.expiresAt,
});
