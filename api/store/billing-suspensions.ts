/** Databases that billing stopped for want of payment. Databases that others stopped have no row here and stay stopped. */
import { sql } from 'kysely';
import { typeIdOfUuid } from '../../domain/type-id.ts';
import type { Change } from './change.ts';
import { uuidOf } from './ids.ts';
import type { Reader } from './tables.ts';

export interface SuspendableDatabase {
  /** TypeID. */
  readonly id: string;
  readonly name: string;
  readonly kubernetesNamespace: string;
  readonly kubernetesUid: string;
}

/** Adds a row for each running database of a suspended organization. Returns their number. */
export async function noteSuspensions(change: Change): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    INSERT INTO billing_suspensions (database_id, organization_id)
    SELECT d.id, d.organization_id FROM databases d
    JOIN billing_accounts a ON a.organization_id = d.organization_id
    WHERE a.status = 'SUSPENDED' AND d.status = 'READY'
    ON CONFLICT DO NOTHING`.execute(change.db);
  return Number(numAffectedRows);
}

const columns = [
  'database.id',
  'database.name',
  'database.kubernetesNamespace',
  'database.kubernetesUid',
] as const;

/** Databases that must be stopped and still run. */
export const databasesToSuspend = (db: Reader): Promise<readonly SuspendableDatabase[]> =>
  suspended(db, 'SUSPENDED', ['READY']);

/** Databases that may run again. */
export const databasesToResume = (db: Reader): Promise<readonly SuspendableDatabase[]> =>
  suspended(db, 'READY', undefined);

async function suspended(
  db: Reader,
  account: string,
  statuses: readonly string[] | undefined,
): Promise<readonly SuspendableDatabase[]> {
  let query = db
    .selectFrom('billingSuspensions as suspension')
    .innerJoin('databases as database', 'database.id', 'suspension.databaseId')
    .innerJoin('billingAccounts as account', 'account.organizationId', 'suspension.organizationId')
    .select(columns)
    .where('account.status', '=', account)
    .orderBy('suspension.since')
    .limit(100);
  if (statuses !== undefined) query = query.where('database.status', 'in', statuses);
  const rows = await query.execute();
  return rows.map(({ id, kubernetesUid, ...row }) => ({
    ...row,
    id: typeIdOfUuid('db', id),
    kubernetesUid: kubernetesUid ?? '',
  }));
}

/** Whether the database must still be stopped. */
export async function isSuspensionDue(db: Reader, databaseId: string): Promise<boolean> {
  const row = await db
    .selectFrom('billingSuspensions')
    .innerJoin(
      'billingAccounts as account',
      'account.organizationId',
      'billingSuspensions.organizationId',
    )
    .select('databaseId')
    .where('databaseId', '=', uuidOf(databaseId))
    .where('account.status', '=', 'SUSPENDED')
    .executeTakeFirst();
  return row !== undefined;
}

/** If its organization is suspended again meanwhile, the row of a database stays: another process may have stopped the database again. */
export async function endSuspension(db: Reader, databaseId: string): Promise<void> {
  await db
    .deleteFrom('billingSuspensions')
    .where('databaseId', '=', uuidOf(databaseId))
    .where('organizationId', 'in', (accounts) =>
      accounts.selectFrom('billingAccounts').select('organizationId').where('status', '=', 'READY'),
    )
    .execute();
}
