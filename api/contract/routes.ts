/**
 * The route table: the one source of validation, of the handlers' types, and of the OpenAPI document. The key is the operationId.
 * Areas hold the handlers: `api/<area>/handlers.ts` returns a `Pick<Handlers, …>` and `api/api.ts` joins them.
 */
import type { RouteSpec } from './route.ts';
import { apiKeyRoutes } from './routes/api-keys.ts';
import { billingRoutes } from './routes/billing.ts';
import { catalogRoutes } from './routes/catalog.ts';
import { databaseRoutes } from './routes/databases.ts';
import { auditRoutes, webhookRoutes } from './routes/events.ts';
import { healthRoutes } from './routes/health.ts';
import { jobRoutes } from './routes/jobs.ts';
import { ledgerRoutes } from './routes/ledger.ts';
import { invitationRoutes, memberRoutes } from './routes/members.ts';
import { organizationRoutes } from './routes/organizations.ts';
import { sessionRoutes } from './routes/session.ts';

export const routes = {
  ...healthRoutes,
  ...catalogRoutes,
  ...databaseRoutes,
  ...jobRoutes,
  ...ledgerRoutes,
  ...sessionRoutes,
  ...organizationRoutes,
  ...memberRoutes,
  ...invitationRoutes,
  ...apiKeyRoutes,
  ...auditRoutes,
  ...webhookRoutes,
  ...billingRoutes,
} as const satisfies Record<string, RouteSpec>;

export type Routes = typeof routes;
export type OperationId = keyof Routes;

export const routeEntries = Object.entries(routes) as readonly (readonly [
  OperationId,
  RouteSpec,
])[];
