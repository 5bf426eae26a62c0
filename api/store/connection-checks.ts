/** Connection checks in the store. They are no records of the organization: they are swept a day after they expire. */
import { sql, type Selectable } from 'kysely';
import { newTypeId, typeIdOfUuid } from '../../domain/type-id.ts';
import type {
  ConnectionLanguage,
  ConnectionTrouble,
  ObservedLookup,
} from '../model/connection-check.ts';
import type { Change } from './change.ts';
import { uuidOf } from './ids.ts';
import type { ConnectionChecksTable, Reader } from './tables.ts';

export interface ConnectionCheck {
  /** TypeID `chk_…`. */
  readonly id: string;
  readonly databaseId: string;
  readonly language: ConnectionLanguage | null;
  /** u128, decimal. */
  readonly accountId: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly observed: (ObservedLookup & { readonly at: string }) | null;
  readonly troubles: readonly (ConnectionTrouble & { readonly at: string })[];
}

const validMinutes = 15;
/** Maximum number of a database's checks that wait at once. */
const waitingMax = 50;
/** Maximum number of troubles that a check remembers. */
const troublesMax = 10;

export async function createConnectionCheck(
  change: Change,
  check: {
    readonly organizationId: string;
    readonly databaseId: string;
    readonly language: ConnectionLanguage | null;
    readonly accountId: bigint;
  },
): Promise<ConnectionCheck | 'too_many'> {
  const { count } = await change.db
    .selectFrom('connectionChecks')
    .select((select) => select.fn.countAll().as('count'))
    .where('databaseId', '=', uuidOf(check.databaseId))
    .where(isWaiting)
    .executeTakeFirstOrThrow();
  if (Number(count) >= waitingMax) return 'too_many';
  const row = await change.db
    .insertInto('connectionChecks')
    .values({
      id: uuidOf(newTypeId('chk')),
      organizationId: uuidOf(check.organizationId),
      databaseId: uuidOf(check.databaseId),
      language: check.language,
      accountId: String(check.accountId),
      createdBy: JSON.stringify(change.author.actor),
      expiresAt: sql<Date>`clock_timestamp() + ${validMinutes} * interval '1 minute'`,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return checkOf(row);
}

const isWaiting = sql<boolean>`observed IS NULL AND expires_at > clock_timestamp()`;

export async function findConnectionCheck(
  db: Reader,
  databaseId: string,
  id: string,
): Promise<ConnectionCheck | undefined> {
  const row = await db
    .selectFrom('connectionChecks')
    .selectAll()
    .where('id', '=', uuidOf(id))
    .where('databaseId', '=', uuidOf(databaseId))
    .executeTakeFirst();
  return row && checkOf(row);
}

/** Marks the waiting check of this account as verified. The first lookup counts. */
export async function verifyConnectionCheck(
  db: Reader,
  databaseId: string,
  accountId: bigint,
  observed: ObservedLookup,
): Promise<void> {
  await db
    .updateTable('connectionChecks')
    .set({ observed: JSON.stringify({ at: new Date().toISOString(), ...observed }) })
    .where('databaseId', '=', uuidOf(databaseId))
    .where('accountId', '=', String(accountId))
    .where(isWaiting)
    .execute();
}

/** Adds a trouble to the waiting checks of the database, unless they have it. */
export async function addConnectionTrouble(
  db: Reader,
  databaseId: string,
  trouble: ConnectionTrouble,
): Promise<void> {
  const row = JSON.stringify([{ at: new Date().toISOString(), ...trouble }]);
  await db
    .updateTable('connectionChecks')
    .set({ troubles: sql<string>`troubles || ${row}::jsonb` })
    .where('databaseId', '=', uuidOf(databaseId))
    .where(isWaiting)
    .where(sql<boolean>`jsonb_array_length(troubles) < ${troublesMax}`)
    .where(
      sql<boolean>`NOT troubles @> ${JSON.stringify([{ code: trouble.code, detail: trouble.detail }])}::jsonb`,
    )
    .execute();
}

export async function sweepConnectionChecks(db: Reader): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('connectionChecks')
    .where(sql<boolean>`expires_at < clock_timestamp() - interval '1 day'`)
    .executeTakeFirst();
  return Number(numDeletedRows);
}

const checkOf = (row: Selectable<ConnectionChecksTable>): ConnectionCheck => ({
  id: typeIdOfUuid('chk', row.id),
  databaseId: typeIdOfUuid('db', row.databaseId),
  language: row.language as ConnectionLanguage | null,
  accountId: row.accountId,
  createdAt: row.createdAt,
  expiresAt: row.expiresAt,
  observed: row.observed as ConnectionCheck['observed'],
  troubles: row.troubles as ConnectionCheck['troubles'],
});
