/** People. An identity provider identifies them by issuer and subject, never by their address. */
import { sql, type Selectable } from 'kysely';
import { newTypeId, typeIdOfUuid } from '../../domain/type-id.ts';
import type { Change } from './change.ts';
import { uuidOf } from './ids.ts';
import type { UsersTable } from './tables.ts';

export interface User {
  /** TypeID `usr_…`. */
  readonly id: string;
  /** In lower case. */
  readonly email: string | null;
  readonly emailVerified: boolean;
  readonly name: string;
}

/** An identity provider's facts about a person. */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
  readonly email: string | null;
  readonly emailVerified: boolean;
  readonly name: string;
}

/** Returns the person with that identity, updated with the current facts; makes the person if there is none. */
export async function ensureUser(change: Change, identity: Identity): Promise<User> {
  const { issuer, subject, name, emailVerified } = identity;
  const facts = { name, emailVerified, email: identity.email?.toLowerCase() ?? null };
  // If one person signs in twice at once for the first time, one call waits here for the other.
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`${issuer} ${subject}`}, 0))`.execute(
    change.db,
  );
  const known = await change.db
    .selectFrom('identities')
    .select('userId')
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .executeTakeFirst();
  if (known !== undefined) {
    const row = await change.db
      .updateTable('users')
      .set({ ...facts, updatedAt: sql<Date>`clock_timestamp()` })
      .where('id', '=', known.userId)
      .returningAll()
      .executeTakeFirstOrThrow();
    return userOf(row);
  }
  const row = await change.db
    .insertInto('users')
    .values({ id: uuidOf(newTypeId('usr')), ...facts })
    .returningAll()
    .executeTakeFirstOrThrow();
  await change.db.insertInto('identities').values({ issuer, subject, userId: row.id }).execute();
  return userOf(row);
}

type UserRow = Pick<Selectable<UsersTable>, 'id' | 'email' | 'emailVerified' | 'name'>;

export const userOf = (row: UserRow): User => ({
  id: typeIdOfUuid('usr', row.id),
  email: row.email,
  emailVerified: row.emailVerified,
  name: row.name,
});
