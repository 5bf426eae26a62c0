/** Databases that were asked for before billing was set up: kept for a day, and made as soon as it is. */
import { sql, type Selectable } from 'kysely';
import { newTypeId, typeIdOfUuid } from '../../domain/type-id.ts';
import type { Author } from '../model/actor.ts';
import type { SavedCreatesTable } from './billing-tables.ts';
import type { Change } from './change.ts';
import { typeIdOrNull, uuidOf } from './ids.ts';
import type { Reader } from './tables.ts';

export const savedCreateStatuses = ['WAITING', 'CREATED', 'FAILED'] as const;

export interface SavedCreate {
  /** TypeID `drf_…`. */
  readonly id: string;
  readonly organizationId: string;
  readonly name: string;
  /** The request's body, as the contract has checked it. */
  readonly request: object;
  readonly author: Author;
  readonly status: (typeof savedCreateStatuses)[number];
  /** TypeID of what was made of it. */
  readonly databaseId: string | null;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/** As long as a checkout may be open: what was asked for a week ago is no longer expected. */
const lifetime = sql<Date>`clock_timestamp() + interval '24 hours'`;
/** Of an organization at a time. */
const waitingMax = 20;
/** Longer than making one takes. */
const lease = sql<Date>`clock_timestamp() + interval '60 seconds'`;

/** Takes the place of an earlier one of that name. Null: as many wait as may. */
export async function saveCreate(
  change: Change,
  organizationId: string,
  request: { readonly name: string },
): Promise<string | null> {
  const organization = uuidOf(organizationId);
  const { count } = await change.db
    .selectFrom('savedCreates')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where('organizationId', '=', organization)
    .where('status', '=', 'WAITING')
    .where('name', '!=', request.name)
    .where('expiresAt', '>', sql<Date>`clock_timestamp()`)
    .executeTakeFirstOrThrow();
  if (Number(count) >= waitingMax) return null;
  const asked = {
    request: JSON.stringify(request),
    author: JSON.stringify(change.author),
    expiresAt: lifetime,
  };
  const { id } = await change.db
    .insertInto('savedCreates')
    .values({
      ...asked,
      id: uuidOf(newTypeId('drf')),
      organizationId: organization,
      name: request.name,
      status: 'WAITING',
    })
    .onConflict((conflict) =>
      conflict
        .columns(['organizationId', 'name'])
        .where('status', '=', 'WAITING')
        .doUpdateSet({ ...asked, leaseUntil: null, createdAt: sql<Date>`clock_timestamp()` }),
    )
    .returning('id')
    .executeTakeFirstOrThrow();
  return typeIdOfUuid('drf', id);
}

/** One whose organization may have it now, under a lease. */
export async function claimSavedCreate(db: Reader): Promise<SavedCreate | undefined> {
  const row = await db
    .updateTable('savedCreates')
    .set({ leaseUntil: lease })
    .where('id', '=', (query) =>
      query
        .selectFrom('savedCreates as saved')
        .innerJoin('billingAccounts as account', 'account.organizationId', 'saved.organizationId')
        .select('saved.id')
        .where('saved.status', '=', 'WAITING')
        .where('account.status', '=', 'READY')
        .where('saved.expiresAt', '>', sql<Date>`clock_timestamp()`)
        .where((where) =>
          where.or([
            where('saved.leaseUntil', 'is', null),
            where('saved.leaseUntil', '<', sql<Date>`clock_timestamp()`),
          ]),
        )
        .orderBy('saved.createdAt')
        .limit(1)
        .forUpdate('saved')
        .skipLocked(),
    )
    .returningAll()
    .executeTakeFirst();
  return row && savedCreateOf(row);
}

/** It was ended by whoever took it over after this one's lease. The change that met this is rolled back. */
export class SavedCreateEnded extends Error {
  override readonly name = 'SavedCreateEnded';
}

/** In the change that makes the database, or gives it up. */
export async function endSavedCreate(
  change: Change,
  id: string,
  end: { readonly databaseId: string } | { readonly error: NonNullable<SavedCreate['error']> },
): Promise<void> {
  const made = 'databaseId' in end;
  const { numUpdatedRows } = await change.db
    .updateTable('savedCreates')
    .set({
      status: made ? 'CREATED' : 'FAILED',
      databaseId: made ? uuidOf(end.databaseId) : null,
      error: made ? null : JSON.stringify(end.error),
      leaseUntil: null,
      endedAt: sql<Date>`clock_timestamp()`,
    })
    .where('id', '=', uuidOf(id))
    .where('status', '=', 'WAITING')
    .executeTakeFirst();
  if (numUpdatedRows === 0n) throw new SavedCreateEnded(`${id} was ended meanwhile`);
}

/** It is asked for again: what comes of that is waited for. */
export async function holdSavedCreate(
  db: Reader,
  organizationId: string,
  name: string,
): Promise<void> {
  await db
    .updateTable('savedCreates')
    .set({ leaseUntil: lease })
    .where('organizationId', '=', uuidOf(organizationId))
    .where('name', '=', name)
    .where('status', '=', 'WAITING')
    .execute();
}

/** It was asked for again and is made by that: in the change that makes it. */
export async function settleSavedCreate(
  change: Change,
  { organizationId, name, id }: { organizationId: string; name: string; id: string },
): Promise<void> {
  await change.db
    .updateTable('savedCreates')
    .set({
      status: 'CREATED',
      databaseId: uuidOf(id),
      leaseUntil: null,
      endedAt: sql<Date>`clock_timestamp()`,
    })
    .where('organizationId', '=', uuidOf(organizationId))
    .where('name', '=', name)
    .where('status', '=', 'WAITING')
    .execute();
}

/** The newest first; those that wait and may still be made, and what became of the others. */
export async function listSavedCreates(
  db: Reader,
  organizationId: string,
): Promise<readonly SavedCreate[]> {
  const rows = await db
    .selectFrom('savedCreates')
    .selectAll()
    .where('organizationId', '=', uuidOf(organizationId))
    .where((where) =>
      where.or([
        where('status', '!=', 'WAITING'),
        where('expiresAt', '>', sql<Date>`clock_timestamp()`),
      ]),
    )
    .orderBy('createdAt', 'desc')
    .limit(waitingMax)
    .execute();
  return rows.map(savedCreateOf);
}

/** Those that nobody waits for any more. Gives how many. */
export async function sweepSavedCreates(db: Reader): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('savedCreates')
    .where('expiresAt', '<', sql<Date>`clock_timestamp() - interval '30 days'`)
    .executeTakeFirst();
  return Number(numDeletedRows);
}

const savedCreateOf = (row: Selectable<SavedCreatesTable>): SavedCreate => ({
  ...row,
  id: typeIdOfUuid('drf', row.id),
  organizationId: typeIdOfUuid('org', row.organizationId),
  author: row.author as Author,
  status: row.status as SavedCreate['status'],
  databaseId: typeIdOrNull('db', row.databaseId),
  error: row.error as SavedCreate['error'],
});
