/** Changes of an organization by the administrator of the installation, or partly by owners: name, quota, retention, suspension, deletion. */
import { sql, type UpdateObject } from 'kysely';
import { auditRetentionPath } from '../model/audit-retention.ts';
import type { FieldChange } from '../model/event.ts';
import type { EventType } from '../model/event-types.ts';
import { countRetained } from './backups.ts';
import type { Change } from './change.ts';
import { countDatabases } from './databases.ts';
import { uuidOf } from './ids.ts';
import { lockOrganization, organizationOf, type Organization } from './organizations.ts';
import { typeIdOfUuid } from '../../domain/type-id.ts';
import type { Reader, Tables } from './tables.ts';

interface OrganizationPatch {
  readonly name?: string | undefined;
  /** Maximum of databases; null: that of the installation. */
  readonly databasesMax?: number | null | undefined;
  readonly auditRetentionDays?: number | undefined;
}

/** Changes name, quota or retention. Returns `undefined` if there is no such organization. */
export async function changeOrganization(
  change: Change,
  id: string,
  patch: OrganizationPatch,
  check: (before: Organization) => void = () => {},
): Promise<Organization | undefined> {
  const before = await lockLiving(change, id);
  if (before === undefined) return undefined;
  check(before);
  const {
    name = before.name,
    databasesMax = before.databasesMax,
    auditRetentionDays = before.auditRetentionDays,
  } = patch;
  const changes: FieldChange[] = [];
  if (name !== before.name) changes.push({ path: '/name', from: before.name, to: name });
  if (databasesMax !== before.databasesMax) {
    changes.push({ path: '/databasesMax', from: before.databasesMax, to: databasesMax });
  }
  if (auditRetentionDays !== before.auditRetentionDays) {
    const from = before.auditRetentionDays;
    changes.push({ path: auditRetentionPath, from, to: auditRetentionDays });
  }
  if (changes.length === 0) return before;
  const after = await update(change, id, { name, databasesMax, auditRetentionDays });
  tell(change, 'organization.changed', after, changes);
  return after;
}

/** Suspends an organization, or changes the reason of its suspension. Returns `undefined` if there is none. */
export async function suspendOrganization(
  change: Change,
  id: string,
  reason: string,
): Promise<Organization | undefined> {
  const before = await lockLiving(change, id);
  if (before === undefined) return undefined;
  if (before.status === 'SUSPENDED' && before.suspensionReason === reason) return before;
  const after = await update(change, id, {
    status: 'SUSPENDED',
    suspensionReason: reason,
    suspendedAt: before.suspendedAt ?? sql<Date>`clock_timestamp()`,
  });
  tell(change, 'organization.suspended', after);
  return after;
}

export async function resumeOrganization(
  change: Change,
  id: string,
): Promise<Organization | undefined> {
  const before = await lockLiving(change, id);
  if (before === undefined || before.status === 'ACTIVE') return before;
  const after = await update(change, id, {
    status: 'ACTIVE',
    suspensionReason: null,
    suspendedAt: null,
  });
  tell(change, 'organization.resumed', after);
  return after;
}

/** Deletes an organization softly. `not_empty`: it still has databases. Deleted ones that can be restored do not count. */
export async function deleteOrganization(
  change: Change,
  id: string,
  retentionMs: number,
): Promise<Organization | 'not_empty' | undefined> {
  const before = await lockOrganization(change, id);
  if (before === undefined || before.deletedAt !== null) return undefined;
  const living = await change.db
    .selectFrom('databases')
    .select('id')
    .where('organizationId', '=', uuidOf(id))
    // A database that is being deleted still counts.
    .where('status', '!=', 'DELETED')
    .executeTakeFirst();
  if (living !== undefined) return 'not_empty';
  const after = await update(change, id, {
    deletedAt: sql<Date>`clock_timestamp()`,
    purgeAt: sql<Date>`clock_timestamp() + ${retentionMs} * interval '1 millisecond'`,
  });
  tell(change, 'organization.deleted', after);
  return after;
}

/** `not_deleted`, `purged`: it cannot be restored. */
export async function restoreOrganization(
  change: Change,
  id: string,
): Promise<Organization | 'not_deleted' | 'purged' | undefined> {
  const before = await lockOrganization(change, id);
  if (before === undefined) return undefined;
  if (before.deletedAt === null) return 'not_deleted';
  if (before.purgedAt !== null) return 'purged';
  const after = await update(change, id, { deletedAt: null, purgeAt: null });
  tell(change, 'organization.restored', after);
  return after;
}

/** TypeIDs of deleted organizations whose retention is over. */
export async function listOrganizationsToPurge(
  db: Reader,
  limit: number,
): Promise<readonly string[]> {
  const rows = await dueForPurge(db)
    // The data of its databases is kept longer if the catalog says so.
    .where((expression) =>
      expression.not(
        expression.exists(
          expression
            .selectFrom('databases')
            .select('databases.id')
            .whereRef('databases.organizationId', '=', 'organizations.id')
            .where('databases.purgedAt', 'is', null),
        ),
      ),
    )
    .orderBy('purgeAt')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => typeIdOfUuid('org', id));
}

const dueForPurge = (db: Reader) =>
  db
    .selectFrom('organizations')
    .select('id')
    .where('purgeAt', '<', sql<Date>`clock_timestamp()`)
    .where('purgedAt', 'is', null);

/**
 * Removes a deleted organization's access and temporary data. Its row and its records of use stay, its audit log for its retention, and nobody
 * else can have its slug. Returns `undefined` if it is no longer due.
 */
export async function purgeOrganization(
  change: Change,
  id: string,
): Promise<Organization | undefined> {
  await lockOrganization(change, id);
  // It may have been restored and deleted again since it was found to be due.
  const due = await dueForPurge(change.db).where('id', '=', uuidOf(id)).executeTakeFirst();
  if (due === undefined) return undefined;
  const { living, deleted } = await countDatabases(change.db, id);
  if (living + deleted > 0) return undefined;
  for (const table of purgedTables) {
    await change.db.deleteFrom(table).where('organizationId', '=', uuidOf(id)).execute();
  }
  const after = await update(change, id, { purgedAt: sql<Date>`clock_timestamp()` });
  change.emit({
    ...aboutOf(after),
    type: 'organization.purged',
    data: { organization: factOf(after), retainedBackups: await countRetained(change.db, id) },
  });
  return after;
}

const purgedTables = [
  'apiKeys',
  'memberships',
  'invitations',
  'webhookEndpoints',
  'changeStreams',
  'notificationSettings',
  'savedCreates',
] as const;

/** A deleted organization is treated as missing. */
async function lockLiving(change: Change, id: string): Promise<Organization | undefined> {
  const found = await lockOrganization(change, id);
  return found?.deletedAt === null ? found : undefined;
}

async function update(
  change: Change,
  id: string,
  patch: UpdateObject<Tables, 'organizations'>,
): Promise<Organization> {
  const row = await change.db
    .updateTable('organizations')
    .set({ ...patch, version: sql<number>`version + 1`, updatedAt: sql<Date>`clock_timestamp()` })
    .where('id', '=', uuidOf(id))
    .returningAll()
    .executeTakeFirstOrThrow();
  return organizationOf(row);
}

type LifecycleEvent = Extract<EventType, `organization.${string}`>;

function tell(
  change: Change,
  type: Exclude<LifecycleEvent, 'organization.created' | 'organization.purged'>,
  organization: Organization,
  changes?: readonly FieldChange[],
): void {
  const { suspensionReason, purgeAt } = organization;
  change.emit({
    ...aboutOf(organization),
    type,
    data: {
      organization: factOf(organization),
      ...(type === 'organization.suspended' && { reason: suspensionReason }),
      ...(type === 'organization.deleted' && { purgeAt: purgeAt?.toISOString() ?? null }),
    },
    ...(changes && { changes }),
  });
}

const factOf = ({ id, name }: Organization) => ({ id, name });
const aboutOf = ({ id, name }: Organization) => ({
  organizationId: id,
  subject: { type: 'organization' as const, id, display: name },
});
