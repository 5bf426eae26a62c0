/** Databases that stand still because their organization does not pay. The row says whose doing it is: others' stay as they are. */
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

/** Notes all that run and belong to organizations that are suspended. Gives how many. */
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

/** Those that are to stand still and do not yet. */
export const databasesToSuspend = (db: Reader): Promise<readonly SuspendableDatabase[]> =>
  suspended(db, 'SUSPENDED', ['READY']);

/** Those that may go on. */
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

/** Whether it is still to stand still. */
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

export async function endSuspension(db: Reader, databaseId: string): Promise<void> {
  await db.deleteFrom('billingSuspensions').where('databaseId', '=', uuidOf(databaseId)).execute();
}
