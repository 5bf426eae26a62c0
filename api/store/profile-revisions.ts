/** Revisions of a database's configuration: a change replaces the active revision by a new one. */
import { sql } from 'kysely';
import { newTypeId } from '../../domain/type-id.ts';
import type { Change } from './change.ts';
import { profileOf, type Profile, type ProfileChoice } from './database-record.ts';
import { uuidOf } from './ids.ts';

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
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return profileOf(row);
}
