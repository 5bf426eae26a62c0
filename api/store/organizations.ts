/** Organizations: the owners of databases, keys and events. Each has one Kubernetes namespace. */
import type { Selectable } from 'kysely';
import type { MaintenanceWindow } from '../../domain/maintenance-window.ts';
import { newTypeId, typeIdOfUuid } from '../../domain/type-id.ts';
import type { Actor } from '../model/actor.ts';
import type { Change } from './change.ts';
import { uuidOf } from './ids.ts';
import { beyond, pageOf, type Page } from './page.ts';
import type { OrganizationsTable, Reader } from './tables.ts';

const organizationStatuses = ['ACTIVE', 'SUSPENDED'] as const;
type OrganizationStatus = (typeof organizationStatuses)[number];

export interface Organization {
  /** TypeID `org_…`. */
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly namespace: string;
  readonly status: OrganizationStatus;
  /** Its own maximum of databases; null: that of the installation. */
  readonly databasesMax: number | null;
  /** For how long its audit events are kept. */
  readonly auditRetentionDays: number;
  /** Null: the default. */
  readonly maintenanceWindow: MaintenanceWindow | null;
  readonly suspendedAt: Date | null;
  /** Reason of the suspension, for the organization's members. */
  readonly suspensionReason: string | null;
  readonly version: number;
  readonly createdBy: Actor;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly deletedAt: Date | null;
  /** Until then a deleted organization can be restored. */
  readonly purgeAt: Date | null;
  readonly purgedAt: Date | null;
}

/** The organization that the local administrator has from the start. */
export const defaultSlug = 'default';

/** Name of the organization's namespace. Database names are unique in a namespace, which belongs to one organization. */
const namespaceOf = (slug: string): string => `org-${slug}`;

/** Makes an organization. Returns `slug_taken` if another one has the slug. */
export async function createOrganization(
  change: Change,
  { slug, name }: { slug: string; name: string },
): Promise<Organization | 'slug_taken'> {
  const id = newTypeId('org');
  const row = await change.db
    .insertInto('organizations')
    .values({
      id: uuidOf(id),
      slug,
      name,
      namespace: namespaceOf(slug),
      status: 'ACTIVE',
      createdBy: JSON.stringify(change.author.actor),
    })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) return 'slug_taken';
  change.emit({
    organizationId: id,
    type: 'organization.created',
    subject: { type: 'organization', id, display: name },
    data: { organization: { id, name } },
  });
  return organizationOf(row);
}

/** Returns the default organization; makes it if there is none. Two processes that start at once make only one. */
export async function ensureDefaultOrganization(change: Change): Promise<Organization> {
  const made = await createOrganization(change, { slug: defaultSlug, name: 'Default' });
  if (made !== 'slug_taken') return made;
  const row = await change.db
    .selectFrom('organizations')
    .selectAll()
    .where('slug', '=', defaultSlug)
    .executeTakeFirstOrThrow();
  return organizationOf(row);
}

/** Locks an organization until the commit; rows that refer to it can still be made. Returns `undefined` if there is none. */
export async function lockOrganization(
  change: Change,
  id: string,
): Promise<Organization | undefined> {
  const row = await change.db
    .selectFrom('organizations')
    .selectAll()
    .where('id', '=', uuidOf(id))
    .forNoKeyUpdate()
    .executeTakeFirst();
  return row && organizationOf(row);
}

export async function findOrganization(db: Reader, id: string): Promise<Organization | undefined> {
  const row = await db
    .selectFrom('organizations')
    .selectAll()
    .where('id', '=', uuidOf(id))
    .executeTakeFirst();
  return row && organizationOf(row);
}

export async function findOrganizationBySlug(
  db: Reader,
  slug: string,
): Promise<Organization | undefined> {
  const row = await db
    .selectFrom('organizations')
    .selectAll()
    .where('slug', '=', slug)
    .executeTakeFirst();
  return row && organizationOf(row);
}

/** Finds an organization that is not deleted. */
export async function findOrganizationByNamespace(
  db: Reader,
  namespace: string,
): Promise<Organization | undefined> {
  const row = await db
    .selectFrom('organizations')
    .selectAll()
    .where('namespace', '=', namespace)
    .where('deletedAt', 'is', null)
    .executeTakeFirst();
  return row && organizationOf(row);
}

/** Lists organizations in the order of their creation. `includeDeleted`: also those that can be restored. */
export async function listOrganizations(
  db: Reader,
  page: {
    limit: number;
    position?: readonly [createdAt: string, id: string];
    includeDeleted?: boolean;
  },
): Promise<Page<Organization, [string, string]>> {
  let query = db
    .selectFrom('organizations')
    .selectAll()
    .orderBy('createdAt')
    .orderBy('id')
    .limit(page.limit + 1)
    .where(page.includeDeleted === true ? 'purgedAt' : 'deletedAt', 'is', null);
  if (page.position !== undefined) {
    query = query.where(beyond(['createdAt', 'id'], '>', page.position));
  }
  return pageOf(await query.execute(), page.limit, organizationOf, (row) => [
    row.createdAt.toISOString(),
    row.id,
  ]);
}

export const organizationOf = (row: Selectable<OrganizationsTable>): Organization => ({
  ...row,
  id: typeIdOfUuid('org', row.id),
  status: row.status as OrganizationStatus,
  maintenanceWindow: row.maintenanceWindow as MaintenanceWindow | null,
  createdBy: row.createdBy as Actor,
});
