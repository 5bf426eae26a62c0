/** Databases that were requested before billing was set up: kept for a day, and made once billing is ready. */
import { sql, type Selectable } from 'kysely';
import { newTypeId, typeIdOfUuid } from '../../domain/type-id.ts';
import type { Author } from '../model/actor.ts';
import type { SavedCreatesTable } from './billing-tables.ts';
import type { Change } from './change.ts';
import { typeIdOrNull, uuidOf } from './ids.ts';
import { sweepRows } from './sweeping.ts';
import type { Reader } from './tables.ts';

const savedCreateStatuses = ['WAITING', 'CREATED', 'FAILED'] as const;

export interface SavedCreate {
  /** TypeID `drf_…`. */
  readonly id: string;
  readonly organizationId: string;
  readonly name: string;
  /** The request's body, checked by the contract. */
  readonly request: object;
  readonly author: Author;
  readonly status: (typeof savedCreateStatuses)[number];
  /** TypeID of the database that was made. */
  readonly databaseId: string | null;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/** Lifetime of a saved create: that of a checkout. Nobody expects a database that was requested a week ago. */
const lifetime = sql<Date>`clock_timestamp() + interval '24 hours'`;
/** Maximum of waiting saved creates of an organization. */
const waitingMax = 20;
/** End of a lease. A lease lasts longer than making a database takes. */
const lease = sql<Date>`clock_timestamp() + interval '60 seconds'`;

/** Saves a create; it replaces an earlier one of the same name. Returns null if the maximum already waits. */
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

/** Leases a saved create whose organization may have the database now. Those of a suspended or deleted organization wait. */
export async function claimSavedCreate(db: Reader): Promise<SavedCreate | undefined> {
  const row = await db
    .updateTable('savedCreates')
    .set({ leaseUntil: lease })
    .where('id', '=', (query) =>
      query
        .selectFrom('savedCreates as saved')
        .innerJoin('billingAccounts as account', 'account.organizationId', 'saved.organizationId')
        .innerJoin('organizations', 'organizations.id', 'saved.organizationId')
        .select('saved.id')
        .where('saved.status', '=', 'WAITING')
        .where('account.status', '=', 'READY')
        .where('organizations.status', '=', 'ACTIVE')
        .where('organizations.deletedAt', 'is', null)
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

/** Another process ended the saved create after this one's lease. The change that throws this is rolled back. */
export class SavedCreateEnded extends Error {
  override readonly name = 'SavedCreateEnded';
}

/** Ends a saved create in the change that makes the database, or gives it up. */
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

/** Leases a saved create whose database is requested again, so that the new request goes first. */
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

/** Ends a saved create in the change in which another request makes the database. */
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

/** Lists saved creates, newest first: those that wait and have not expired, and the results of the others. */
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

/** Deletes saved creates 30 days after they expired; returns their number. */
export function sweepSavedCreates(db: Reader): Promise<number> {
  return sweepRows(db, 'savedCreates', sql`expires_at < clock_timestamp() - interval '30 days'`);
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
