/** The dashboard's pages and their paths. `api/web/serve-dashboard.ts` knows the same paths. */
import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  notFound,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { sessionQuery } from './data/queries.ts';
import { ProblemError } from './data/problem-error.ts';
import { wholePart } from './lib/missing-part.ts';
import { parseSearch, stringifySearch } from './lib/search.ts';
import { readConnectSearch } from './pages/connect/search.ts';
import { readExplorerSearch } from './pages/explorer/search.ts';
import { readComposeSearch, readSpanSearch, readTrialSearch } from './pages/ledger/search.ts';
import { readLogSearch } from './pages/logs/search.ts';
import { readNotificationSearch } from './pages/notifications/search.ts';
import { readDeliverySearch } from './pages/webhooks/search.ts';
import { ErrorPage } from './shell/ErrorPage.tsx';
import { LoadingPage } from './shell/LoadingPage.tsx';
import { NotFoundPage } from './shell/NotFoundPage.tsx';

interface Context {
  readonly queryClient: QueryClient;
}

/** Reads the session; a person without one goes to sign in and comes back to this address. */
async function sessionOr(queryClient: QueryClient, href: string) {
  try {
    return await queryClient.ensureQueryData({ ...sessionQuery(), revalidateIfStale: true });
  } catch (error) {
    if (!(error instanceof ProblemError) || error.problem.status !== 401) throw error;
    location.replace(`/auth/login?returnTo=${encodeURIComponent(href)}`);
    // The browser leaves this page; nothing of it is shown until then.
    return new Promise<never>(() => {});
  }
}

const root = createRootRouteWithContext<Context>()({
  beforeLoad: async ({ context, location }) => ({
    session: await sessionOr(context.queryClient, location.href),
  }),
  component: Outlet,
  errorComponent: ErrorPage,
  pendingComponent: LoadingPage,
  notFoundComponent: NotFoundPage,
});

const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: ({ context: { session } }) => {
    const slug = session.organization?.slug ?? session.organizations[0]?.slug;
    if (slug !== undefined) throw redirect({ to: '/o/$slug/databases', params: { slug } });
    if (session.user?.administrator === true) throw redirect({ to: '/organizations/new' });
  },
  component: lazyRouteComponent(
    wholePart(() => import('./pages/organization/NoOrganization.tsx')),
    'NoOrganization',
  ),
});

const plain = createRoute({
  getParentRoute: () => root,
  id: 'plain',
  component: lazyRouteComponent(
    wholePart(() => import('./shell/Shell.tsx')),
    'PlainShell',
  ),
});

const account = createRoute({
  getParentRoute: () => plain,
  path: '/account',
  component: lazyRouteComponent(
    wholePart(() => import('./pages/account/Account.tsx')),
    'Account',
  ),
});

const newOrganization = createRoute({
  getParentRoute: () => plain,
  path: '/organizations/new',
  component: lazyRouteComponent(
    wholePart(() => import('./pages/organization/NewOrganization.tsx')),
    'NewOrganization',
  ),
});

const organizations = createRoute({
  getParentRoute: () => plain,
  path: '/organizations',
  component: lazyRouteComponent(
    wholePart(() => import('./pages/organization/OrganizationsPage.tsx')),
    'OrganizationsPage',
  ),
});

const organization = createRoute({
  getParentRoute: () => root,
  path: '/o/$slug',
  beforeLoad: ({ context: { session }, params: { slug } }) => {
    const found = session.organizations.find((one) => one.slug === slug);
    if (found === undefined) throw notFound();
    return { organization: found };
  },
  component: lazyRouteComponent(
    wholePart(() => import('./shell/Shell.tsx')),
    'Shell',
  ),
});

const organizationHome = createRoute({
  getParentRoute: () => organization,
  path: '/',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/o/$slug/databases', params });
  },
});

const databases = createRoute({
  getParentRoute: () => organization,
  path: '/databases',
  component: lazyRouteComponent(
    wholePart(() => import('./pages/databases/Databases.tsx')),
    'Databases',
  ),
});

const newDatabase = createRoute({
  getParentRoute: () => organization,
  path: '/databases/new',
  component: lazyRouteComponent(
    wholePart(() => import('./pages/create/CreateDatabase.tsx')),
    'CreateDatabase',
  ),
});

const database = createRoute({
  getParentRoute: () => organization,
  path: '/databases/$name',
  validateSearch: (search: Record<string, unknown>): { id?: string } =>
    typeof search['id'] === 'string' && search['id'].startsWith('db_') ? { id: search['id'] } : {},
  // Another database has pages of its own: nothing that was read of the one before, or typed for it, stays on them.
  remountDeps: ({ params, search }) => [params.name, search.id],
  component: lazyRouteComponent(
    wholePart(() => import('./pages/database/DatabaseFrame.tsx')),
    'DatabaseFrame',
  ),
});

const overview = createRoute({
  getParentRoute: () => database,
  path: '/',
  component: lazyRouteComponent(
    wholePart(() => import('./pages/database/Overview.tsx')),
    'Overview',
  ),
});

const explorer = createRoute({
  getParentRoute: () => database,
  path: '/explorer',
  validateSearch: readExplorerSearch,
  component: lazyRouteComponent(
    wholePart(() => import('./pages/explorer/Explorer.tsx')),
    'Explorer',
  ),
});

const configuration = createRoute({
  getParentRoute: () => database,
  path: '/configuration',
  component: lazyRouteComponent(
    wholePart(() => import('./pages/configuration/ConfigurationPage.tsx')),
    'ConfigurationPage',
  ),
});

const ledgerAccount = createRoute({
  getParentRoute: () => database,
  path: '/explorer/accounts/$accountId',
  validateSearch: readSpanSearch,
  component: lazyRouteComponent(
    wholePart(() => import('./pages/ledger/AccountPage.tsx')),
    'AccountPage',
  ),
});

const ledgerTransfer = createRoute({
  getParentRoute: () => database,
  path: '/explorer/transfers/$transferId',
  component: lazyRouteComponent(
    wholePart(() => import('./pages/ledger/TransferPage.tsx')),
    'TransferPage',
  ),
});

const newTransfer = createRoute({
  getParentRoute: () => database,
  path: '/explorer/new-transfer',
  validateSearch: readComposeSearch,
  component: lazyRouteComponent(
    wholePart(() => import('./pages/ledger/ComposePage.tsx')),
    'ComposePage',
  ),
});

const newAccount = createRoute({
  getParentRoute: () => database,
  path: '/explorer/new-account',
  component: lazyRouteComponent(
    wholePart(() => import('./pages/ledger/NewAccountPage.tsx')),
    'NewAccountPage',
  ),
});

const trialBalance = createRoute({
  getParentRoute: () => database,
  path: '/explorer/trial-balance',
  validateSearch: readTrialSearch,
  component: lazyRouteComponent(
    wholePart(() => import('./pages/ledger/TrialPage.tsx')),
    'TrialPage',
  ),
});

const ledgers = createRoute({
  getParentRoute: () => database,
  path: '/explorer/ledgers',
  component: lazyRouteComponent(
    wholePart(() => import('./pages/ledger/LedgersPage.tsx')),
    'LedgersPage',
  ),
});

const connect = createRoute({
  getParentRoute: () => database,
  path: '/connect',
  validateSearch: readConnectSearch,
  component: lazyRouteComponent(
    wholePart(() => import('./pages/connect/Connect.tsx')),
    'Connect',
  ),
});

const monitoring = createRoute({
  getParentRoute: () => database,
  path: '/monitoring',
  component: lazyRouteComponent(
    wholePart(() => import('./pages/monitoring/Monitoring.tsx')),
    'Monitoring',
  ),
});

const logs = createRoute({
  getParentRoute: () => database,
  path: '/logs',
  validateSearch: readLogSearch,
  component: lazyRouteComponent(
    wholePart(() => import('./pages/logs/Logs.tsx')),
    'Logs',
  ),
});

const backups = createRoute({
  getParentRoute: () => database,
  path: '/backups',
  component: lazyRouteComponent(
    wholePart(() => import('./pages/backups/Backups.tsx')),
    'Backups',
  ),
});

const restoreBackup = createRoute({
  getParentRoute: () => database,
  path: '/backups/$backupId/restore',
  component: lazyRouteComponent(
    wholePart(() => import('./pages/backups/RestoreBackup.tsx')),
    'RestoreBackup',
  ),
});

const notifications = createRoute({
  getParentRoute: () => organization,
  path: '/notifications',
  validateSearch: readNotificationSearch,
  component: lazyRouteComponent(
    wholePart(() => import('./pages/notifications/Notifications.tsx')),
    'Notifications',
  ),
});

const keys = createRoute({
  getParentRoute: () => organization,
  path: '/settings/keys',
  component: lazyRouteComponent(
    wholePart(() => import('./pages/keys/Keys.tsx')),
    'Keys',
  ),
});

const members = createRoute({
  getParentRoute: () => organization,
  path: '/settings/members',
  component: lazyRouteComponent(
    wholePart(() => import('./pages/members/Members.tsx')),
    'Members',
  ),
});

const audit = createRoute({
  getParentRoute: () => organization,
  path: '/settings/audit',
  component: lazyRouteComponent(
    wholePart(() => import('./pages/audit/Audit.tsx')),
    'Audit',
  ),
});

const webhooks = createRoute({
  getParentRoute: () => organization,
  path: '/settings/webhooks',
  component: lazyRouteComponent(
    wholePart(() => import('./pages/webhooks/Webhooks.tsx')),
    'Webhooks',
  ),
});

const deliveries = createRoute({
  getParentRoute: () => organization,
  path: '/settings/webhooks/deliveries',
  validateSearch: readDeliverySearch,
  component: lazyRouteComponent(
    wholePart(() => import('./pages/webhooks/Deliveries.tsx')),
    'Deliveries',
  ),
});

const settings = createRoute({
  getParentRoute: () => organization,
  path: '/settings/organization',
  component: lazyRouteComponent(
    wholePart(() => import('./pages/organization/OrganizationPage.tsx')),
    'OrganizationPage',
  ),
});

const billing = createRoute({
  getParentRoute: () => organization,
  path: '/settings/billing',
  component: lazyRouteComponent(
    wholePart(() => import('./pages/billing/Billing.tsx')),
    'Billing',
  ),
});

const tree = root.addChildren([
  home,
  plain.addChildren([account, organizations, newOrganization]),
  organization.addChildren([
    organizationHome,
    databases,
    newDatabase,
    database.addChildren([
      overview,
      connect,
      monitoring,
      logs,
      backups,
      restoreBackup,
      explorer,
      ledgerAccount,
      ledgerTransfer,
      newTransfer,
      newAccount,
      trialBalance,
      ledgers,
      configuration,
    ]),
    notifications,
    keys,
    members,
    webhooks,
    deliveries,
    audit,
    billing,
    settings,
  ]),
]);

export const createAppRouter = (queryClient: QueryClient) =>
  createRouter({
    routeTree: tree,
    context: { queryClient },
    defaultPreload: 'intent',
    defaultPreloadStaleTime: 0,
    defaultErrorComponent: ErrorPage,
    defaultNotFoundComponent: NotFoundPage,
    scrollRestoration: true,
    parseSearch,
    stringifySearch,
  });

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}
