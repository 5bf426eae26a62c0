/**
 * The route table: the one source of validation, of the handlers' types, and of the OpenAPI document. The key is the operationId.
 * Areas hold the handlers: `api/<area>/handlers.ts` returns a `Pick<Handlers, …>` and `api/api.ts` joins them.
 */
import type { RouteSpec } from './route.ts';
import { apiKeyRoutes } from './routes/api-keys.ts';
import { backupScheduleRoutes } from './routes/backup-schedules.ts';
import { backupRoutes } from './routes/backups.ts';
import { recoveryRoutes } from './routes/recovery.ts';
import { billingRoutes } from './routes/billing.ts';
import { catalogRoutes } from './routes/catalog.ts';
import { changeEventRoutes } from './routes/change-events.ts';
import { changeStreamRoutes } from './routes/change-streams.ts';
import { connectionRoutes } from './routes/connections.ts';
import { changeRoutes } from './routes/changes.ts';
import { configurationRoutes } from './routes/configuration.ts';
import { databaseRoutes } from './routes/databases.ts';
import { auditRoutes } from './routes/events.ts';
import { healthRoutes } from './routes/health.ts';
import { importRoutes } from './routes/imports.ts';
import { inPlaceRestoreRoutes } from './routes/in-place-restore.ts';
import { jobRoutes } from './routes/jobs.ts';
import { ledgerRoutes } from './routes/ledger.ts';
import { logRoutes } from './routes/logs.ts';
import { invitationRoutes, memberRoutes } from './routes/members.ts';
import { maintenanceWindowRoutes } from './routes/maintenance-windows.ts';
import { notificationRoutes } from './routes/notifications.ts';
import { metricRoutes } from './routes/metrics.ts';
import { organizationRoutes } from './routes/organizations.ts';
import { savedQueryRoutes } from './routes/saved-queries.ts';
import { sessionRoutes } from './routes/session.ts';
import { deliveryRoutes, webhookRoutes } from './routes/webhooks.ts';
import { tunnelRoutes } from './routes/tunnel.ts';

export const routes = {
  ...healthRoutes,
  ...catalogRoutes,
  ...databaseRoutes,
  ...configurationRoutes,
  ...changeRoutes,
  ...maintenanceWindowRoutes,
  ...backupRoutes,
  ...recoveryRoutes,
  ...inPlaceRestoreRoutes,
  ...backupScheduleRoutes,
  ...importRoutes,
  ...jobRoutes,
  ...metricRoutes,
  ...logRoutes,
  ...ledgerRoutes,
  ...savedQueryRoutes,
  ...changeEventRoutes,
  ...changeStreamRoutes,
  ...tunnelRoutes,
  ...connectionRoutes,
  ...sessionRoutes,
  ...organizationRoutes,
  ...memberRoutes,
  ...invitationRoutes,
  ...apiKeyRoutes,
  ...auditRoutes,
  ...webhookRoutes,
  ...deliveryRoutes,
  ...notificationRoutes,
  ...billingRoutes,
} as const satisfies Record<string, RouteSpec>;

export type Routes = typeof routes;
export type OperationId = keyof Routes;

export const routeEntries = Object.entries(routes) as readonly (readonly [
  OperationId,
  RouteSpec,
])[];
