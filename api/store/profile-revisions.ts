/** Revisions of a database's configuration: a change replaces the active revision by a new one. */
import { sql } from 'kysely';
import { newTypeId } from '../../domain/type-id.ts';
import type { Change } from './change.ts';
import { profileOf, type Profile, type ProfileChoice } from './database-record.ts';
import { uuidOf } from './ids.ts';
import { pageOf, type Page } from './page.ts';
import type { Reader } from './tables.ts';

/** Converts `choice` to the columns of `profiles`. */
export const choiceColumns = ({ parameters, price, ...choice }: ProfileChoice) => ({
  ...choice,
  parameters: JSON.stringify(parameters),
  price: price === null ? null : JSON.stringify(price),
});

/** Adds a revision. `before`: the active revision. The caller has locked the database. */
export async function addRevision(
  change: Change,
  before: Profile,
  choice: ProfileChoice,
): Promise<Profile> {
  await change.db
    .updateTable('profiles')
    .set({ active: false, status: 'SUPERSEDED', supersededAt: sql<Date>`clock_timestamp()` })
    .where('id', '=', uuidOf(before.id))
    .execute();
  const row = await change.db
    .insertInto('profiles')
    .values({
      ...choiceColumns(choice),
      id: uuidOf(newTypeId('prf')),
      databaseId: uuidOf(before.databaseId),
      revision: before.revision + 1,
      active: true,
      status: before.status,
      readyAt: before.readyAt,
      actor: JSON.stringify(change.author.actor),
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return profileOf(row);
}

export interface ProfileWithBefore {
  readonly profile: Profile;
  /** The revision before; `undefined` for the first one. */
  readonly before: Profile | undefined;
}

/** Lists the revisions of a database, newest first. `position`: the revision of the last row of the page before. */
export async function listProfiles(
  db: Reader,
  databaseId: string,
  page: { readonly limit: number; readonly position?: readonly [string] },
): Promise<Page<ProfileWithBefore, [string]>> {
  let query = db
    .selectFrom('profiles')
    .selectAll()
    .where('databaseId', '=', uuidOf(databaseId))
    .orderBy('revision', 'desc')
    // One more than the page needs for its last row's predecessor.
    .limit(page.limit + 1);
  if (page.position !== undefined) {
    query = query.where('revision', '<', Number(page.position[0]));
  }
  const rows = (await query.execute()).map(profileOf);
  const pairs = rows.map((profile, index) => ({ profile, before: rows[index + 1] }));
  return pageOf(
    pairs,
    page.limit,
    (pair) => pair,
    ({ profile }) => [String(profile.revision)],
  );
}

/** Returns a revision of a database's configuration. */
export async function findRevision(
  db: Reader,
  databaseId: string,
  revision: number,
): Promise<Profile | undefined> {
  const row = await db
    .selectFrom('profiles')
    .selectAll()
    .where('databaseId', '=', uuidOf(databaseId))
    .where('revision', '=', revision)
    .executeTakeFirst();
  return row && profileOf(row);
}
