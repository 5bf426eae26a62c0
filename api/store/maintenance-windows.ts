/** Maintenance windows in the store: the one that counts for a database, and the changes that wait for one. */
import { sql } from 'kysely';
import { defaultWindow, type MaintenanceWindow } from '../../domain/maintenance-window.ts';
import type { Change } from './change.ts';
import type { Database } from './database-record.ts';
import { uuidOf } from './ids.ts';
import { findOrganization, organizationOf, type Organization } from './organizations.ts';
import type { Reader } from './tables.ts';

export interface EffectiveWindow {
  readonly window: MaintenanceWindow;
  readonly from: 'DATABASE' | 'ORGANIZATION' | 'DEFAULT';
}

export const windowOfOrganization = ({
  maintenanceWindow,
}: Pick<Organization, 'maintenanceWindow'>): EffectiveWindow =>
  maintenanceWindow === null
    ? { window: defaultWindow, from: 'DEFAULT' }
    : { window: maintenanceWindow, from: 'ORGANIZATION' };

/** A database's own window, or that of its organization, or the default. */
export async function windowOfDatabase(
  db: Reader,
  { maintenanceWindow, organizationId }: Database,
): Promise<EffectiveWindow> {
  if (maintenanceWindow !== null) return { window: maintenanceWindow, from: 'DATABASE' };
  const organization = await findOrganization(db, organizationId);
  return windowOfOrganization(organization ?? { maintenanceWindow: null });
}

/** Sets the window of a locked organization; null: the default. */
export async function setOrganizationWindow(
  change: Change,
  id: string,
  window: MaintenanceWindow | null,
): Promise<Organization> {
  const row = await change.db
    .updateTable('organizations')
    .set({
      maintenanceWindow: window === null ? null : JSON.stringify(window),
      version: sql<number>`version + 1`,
      updatedAt: sql<Date>`clock_timestamp()`,
    })
    .where('id', '=', uuidOf(id))
    .returningAll()
    .executeTakeFirstOrThrow();
  return organizationOf(row);
}

/** Changes that wait for the window of one database, or of all databases of an organization that have none of their own. */
type Waiting = { readonly databaseId: string } | { readonly organizationId: string };

/** Makes them wait for the window that begins at this time. Forced versions are checked again. */
export async function moveWaitingChanges(
  change: Change,
  waiting: Waiting,
  beginsAt: Date,
): Promise<void> {
  const databases =
    'databaseId' in waiting
      ? sql`SELECT ${uuidOf(waiting.databaseId)}::uuid`
      : sql`SELECT id FROM databases WHERE organization_id = ${uuidOf(waiting.organizationId)} AND maintenance_window IS NULL`;
  await change.db
    .updateTable('configurationChanges')
    .set({
      applyAfter: beginsAt,
      version: sql<number>`version + 1`,
      updatedAt: sql<Date>`clock_timestamp()`,
    })
    .where('status', '=', 'QUEUED')
    .where('inWindow', '=', true)
    .where(sql<boolean>`database_id IN (${databases})`)
    .execute();
  await change.db
    .updateTable('engineNotices')
    .set({ lookAt: sql<Date>`greatest(not_before, clock_timestamp())` })
    .where('lookAt', 'is not', null)
    .where(sql<boolean>`database_id IN (${databases})`)
    .execute();
}
