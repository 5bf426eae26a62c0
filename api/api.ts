/** Assembly of the API: store, cluster, gateway, and the handlers of all areas behind one server. */
import { createHash } from 'node:crypto';
import type { Express } from 'express';
import type { Logger } from 'pino';
import { programVersion } from '../base/program-version.ts';
import { startHealthServer } from '../base/health-server.ts';
import { measureProcess } from '../base/metrics/process-metrics.ts';
import { systemTimers } from '../base/timers.ts';
import { Authenticator } from './auth/authenticator.ts';
import { BootstrapToken } from './auth/bootstrap-token.ts';
import { Denials } from './auth/denials.ts';
import { backupScheduleHandlers } from './backup-schedules/handlers.ts';
import { ArchiveEnds } from './backups/archive-ends.ts';
import { backupHandlers } from './backups/handlers.ts';
import { recoveryHandlers } from './backups/recovery-handlers.ts';
import { billingHandlers } from './billing/handlers.ts';
import { catalogHandlers } from './catalog/handlers.ts';
import { ConfigError, type Config } from './config.ts';
import { CheckIds } from './connections/check-ids.ts';
import { ClusterLookups } from './connections/cluster-lookups.ts';
import { connectionHandlers } from './connections/handlers.ts';
import { ConnectionWatch, watchHttp } from './connections/watch.ts';
import { changeEventHandlers } from './change-events/handlers.ts';
import { changeStreamHandlers } from './change-streams/handlers.ts';
import { changeHandlers } from './configuration/change-handlers.ts';
import { returnHandlers } from './configuration/return-handlers.ts';
import { configurationHandlers } from './configuration/handlers.ts';
import { maintenanceWindowHandlers } from './configuration/maintenance-window-handlers.ts';
import { openapiDocument, type OpenapiDocument } from './contract/document.ts';
import { readBuiltFiles } from './web/built-files.ts';
import { serveDashboard } from './web/serve-dashboard.ts';
import { noCatalog } from './databases/create.ts';
import { requireMayRun } from './databases/guards.ts';
import { databaseHandlers } from './databases/handlers.ts';
import type { Surroundings } from './databases/present.ts';
import { auditHandlers } from './events/handlers.ts';
import { systemAuthor } from './model/actor.ts';
import { fetchStatus } from '../domain/fetch-status.ts';
import { ledgerHandlers } from './gateway/handlers.ts';
import { recordPersonsWrite } from './gateway/persons-writes.ts';
import { Gateway } from './gateway/gateway.ts';
import { Probes } from './gateway/probes.ts';
import { statusUrlOf } from './gateway/status-url.ts';
import { addressesOf, LedgerTargets } from './gateway/targets.ts';
import { apiPrefix, createApiMetrics } from './http/api-metrics.ts';
import { createApp } from './http/app.ts';
import type { Gate } from './http/gate.ts';
import type { Handlers } from './http/handler.ts';
import { IdempotentRequests } from './http/idempotent.ts';
import { startServer, type ServerOptions } from './http/server.ts';
import { healthHandlers } from './health/handlers.ts';
import { WorkerWatch } from './health/worker-watch.ts';
import { importHandlers } from './imports/handlers.ts';
import { jobHandlers } from './jobs/handlers.ts';
import { apiKeyHandlers } from './keys/handlers.ts';
import { ClusterView } from './kubernetes/cluster-view.ts';
import { logHandlers } from './logs/handlers.ts';
import { memberHandlers } from './members/handlers.ts';
import { invitationHandlers } from './members/invitation-handlers.ts';
import { addUnsubscribePage } from './notifications/unsubscribe-page.ts';
import { UnsubscribeLinks } from './notifications/unsubscribe-links.ts';
import { notificationHandlers } from './notifications/handlers.ts';
import { GatewayRecorder } from './monitoring/gateway-recorder.ts';
import { metricHandlers } from './monitoring/handlers.ts';
import { UnreadablePacks } from './monitoring/unreadable-packs.ts';
import { UsageView } from './monitoring/usage-view.ts';
import { organizationHandlers } from './organizations/handlers.ts';
import { assembleCommon, billingOf } from './parts.ts';
import type { ProcessOptions } from './process.ts';
import { savedQueryHandlers } from './saved-queries/handlers.ts';
import { sessionHandlers } from './session/handlers.ts';
import { IdentityProvider } from './sign-in/identity-provider.ts';
import { addOAuthEndpoints } from './sign-in/oauth-endpoints.ts';
import { addPages } from './sign-in/pages.ts';
import { Cursors } from './store/cursor.ts';
import { findLedgerView } from './store/database-list.ts';
import { findDatabase } from './store/databases.ts';
import { channels, notify } from './store/listener.ts';
import { ensureDefaultOrganization } from './store/organizations.ts';
import { listReady } from './store/ready-databases.ts';
import { StoreUnavailable } from './store/store-errors.ts';
import type { Store } from './store/store.ts';
import { tracingOf } from './tracing.ts';
import { listWorkers } from './store/workers.ts';
import { tunnelHandlers } from './tunnel/handlers.ts';
import { Tunnels } from './tunnel/tunnels.ts';
import { TunnelUsage } from './tunnel/usage.ts';
import { deliveryHandlers } from './webhooks/delivery-handlers.ts';
import { webhookHandlers } from './webhooks/handlers.ts';

export interface Api {
  readonly port: number;
  readonly healthPort: number;
  /** Resolves when the schema is up to date; rejects when PostgreSQL holds another schema. */
  readonly storeReady: Promise<void>;
  /** Finishes the requests under way and closes everything. False: requests outlasted `waitMs`. */
  stop(waitMs: number): Promise<boolean>;
}

/** Takes connections at once. Answers 503 until the store is ready, and has no catalog until the cluster is known. */
export async function startApi(options: ProcessOptions): Promise<Api> {
  const { config, logger } = options;
  if (config.billing.kind === 'stripe' && config.billing.webhookSecret === undefined) {
    throw new ConfigError('LEDGERHOUSE_API_STRIPE_WEBHOOK_SECRET_FILE is missing');
  }
  const parts = assemble(options);
  const { store, metrics, view, stopping } = parts;
  const docsUrl = `${config.publicUrl}/docs`;
  const document = openapiDocument({
    version: programVersion(),
    servers: serversOf(config),
    docsUrl,
  });
  const app = createApp({
    handlers: handlersOf(config, parts, document),
    gate: {
      authenticate: (credential, caller) => {
        if (!store.ready) throw new StoreUnavailable('the store is not ready yet');
        return parts.authenticator.authenticate(credential, caller);
      },
      hasDatabase: async (organizationId, id) =>
        (await findDatabase(store.read, organizationId, id)) !== undefined,
      denied: (denial) => parts.denials.tell(denial),
    },
    limits: config.limits,
    bodyLimits: config.bodyLimits,
    metrics,
    tracer: parts.tracing?.tracer,
    logger,
    document,
    docsUrl,
    origin: originOf(config),
    trustedProxies: config.trustedProxies,
    stopping: stopping.signal,
    addPages: (app, gate) => addBrowserPages(app, gate, options, parts),
  });
  const health = await startHealthServer({
    ...config.healthListen,
    live: () => [],
    ready: () => [
      ...(store.ready ? [] : ['the store is not ready yet']),
      ...(view.synced ? [] : ['the cluster is not known yet']),
      ...(stopping.signal.aborted ? ['stopping'] : []),
    ],
    metrics: () => {
      view.measure();
      return metrics.registry.text();
    },
  });
  const server = await startServer(app, serverOptionsOf(config, app, docsUrl));
  const stopMeasuring = measureProcess(metrics.registry, apiPrefix);
  return {
    port: server.port,
    healthPort: health.port,
    storeReady: begin(parts),
    stop: async (waitMs) => {
      stopping.abort();
      const inTime = await server.stop(waitMs);
      await stopParts(parts);
      await parts.tracing?.stop(spansWaitMs);
      await health.stop();
      stopMeasuring();
      return inTime;
    },
  };
}

/** Time for the last spans to reach the collector when the process ends. */
const spansWaitMs = 2_000;

async function stopParts(parts: Parts): Promise<void> {
  await parts.view.stop();
  await parts.tunnelUsage.stop();
  await parts.denials.stop();
  await parts.recorder.stop();
  await parts.usage.stop();
  await parts.probes.stop();
  parts.gateway.close();
  parts.staging?.close();
  await parts.workers.stop();
  await parts.listener.stop();
  await parts.store.close();
  await parts.kube.close();
}

/** The four server addresses of the OpenAPI document. Addresses that are not configured are this installation's own. */
function serversOf({ servers, publicUrl }: Config): Config['servers'] {
  const own = publicUrl === '' ? '/' : publicUrl;
  return {
    local: publicUrl === '' ? servers.local : publicUrl,
    development: servers.development || own,
    staging: servers.staging || own,
    production: servers.production || own,
  };
}

function addBrowserPages(app: Express, gate: Gate, options: ProcessOptions, parts: Parts): void {
  addSignIn(app, gate, options, parts);
  const { dashboardFolder } = options.config;
  serveDashboard(app, dashboardFolder === undefined ? undefined : readBuiltFiles(dashboardFolder));
}

function addSignIn(
  app: Express,
  gate: Gate,
  { config, logger }: ProcessOptions,
  { store, sealer, bootstrapToken }: Parts,
): void {
  const { publicUrl, identityProvider } = config;
  const provider = identityProvider && new IdentityProvider(identityProvider, sealer, publicUrl);
  const origin = originOf(config);
  addPages(app, gate, { store, logger, provider, bootstrapToken, origin });
  addOAuthEndpoints(app, { store, bootstrapToken, publicUrl });
  const links = new UnsubscribeLinks(config.signingKeys, publicUrl);
  addUnsubscribePage(app, links, { store, logger });
}

function serverOptionsOf(config: Config, app: Express, docsUrl: string): ServerOptions {
  // The function by which Express itself tells proxies from callers.
  const isTrusted = app.get('trust proxy fn') as (address: string, hop: number) => boolean;
  return {
    ...config.listen,
    docsUrl,
    caps: {
      perAddress: config.connectionsPerAddress,
      isProxy: (address) => isTrusted(address, 0),
    },
  };
}

const originOf = ({ publicUrl }: Config): string | undefined =>
  publicUrl === '' ? undefined : new URL(publicUrl).origin;

type Parts = ReturnType<typeof assemble>;

function assemble(options: ProcessOptions) {
  const { config, logger } = options;
  const metrics = createApiMetrics();
  const { registry } = metrics;
  const { signingKeys, bootstrapTokenFile: file } = config;
  const bootstrapToken = new BootstrapToken({ file, signingKeys, logger });
  const common = assembleCommon(options, registry, {
    program: 'ledgerhouse-api',
    prefix: apiPrefix,
  });
  const { store, kube } = common;
  const view = new ClusterView({
    source: kube,
    operatorNamespace: config.namespace,
    // The worker writes the cluster's state into the store.
    onDatabase: () => {},
    logger,
    metrics: common.watched,
  });
  const { services, billing } = billingOf(options, common, view);
  if (billing !== undefined) billing.onChange = () => void wakeBilling(store, logger);
  const recorder = new GatewayRecorder({ store, identity: config.identity, logger });
  const gateway = new Gateway({
    logger,
    registry,
    onWaited: (databaseId, waitedMs) => recorder.waited(databaseId, waitedMs),
  });
  const watch = new ConnectionWatch(new CheckIds(signingKeys), store, logger);
  const tunnelUsage = new TunnelUsage((author, work) => store.change(author, work), logger);
  const workers = new WorkerWatch({ list: () => listWorkers(store.read, workersMax), logger });
  workers.measure(registry, apiPrefix);
  return {
    ...common,
    metrics,
    tracing: tracingOf(config, registry, logger),
    view,
    services,
    billing,
    gateway,
    tunnelUsage,
    unreadablePacks: new UnreadablePacks(logger, registry, apiPrefix),
    tunnels: new Tunnels({ registry, logger, usage: tunnelUsage, watch, gateway }),
    watch,
    workers,
    probes: new Probes({
      timers: systemTimers,
      logger,
      metrics: gateway.metrics,
      list: async () =>
        (await listReady(store.read)).map(({ id, clusterId, addresses }) => ({
          databaseId: id,
          cluster: BigInt(clusterId),
          addresses: addressesOf(addresses),
        })),
      traffic: (databaseId) => gateway.health(databaseId),
    }),
    targets: new LedgerTargets((organizationId, id) =>
      findLedgerView(store.read, organizationId, id),
    ),
    archives: new ArchiveEnds({ fetchStatus, statusUrl: statusUrlOf }),
    bootstrapToken,
    authenticator: new Authenticator({ store, bootstrapToken, logger }),
    denials: new Denials(store, logger),
    cursors: new Cursors(config.signingKeys),
    requests: new IdempotentRequests(store, common.sealer),
    usage: new UsageView(store, logger),
    recorder,
  };
}

/** Maximum number of workers whose heartbeats are read. */
const workersMax = 100;

/** Wakes the workers' billing. If this fails, they find the change with their next look. */
async function wakeBilling({ read }: Store, logger: Logger): Promise<void> {
  try {
    await notify(read, channels.billing);
  } catch (error) {
    logger.warn({ err: error }, 'the workers were not told that billing changed');
  }
}

/** Waits for the store, then starts every part that uses it. */
async function begin(parts: Parts): Promise<void> {
  const { store, listener, view, workers, probes, stopping } = parts;
  try {
    await store.start(stopping.signal);
  } catch (error) {
    if (stopping.signal.aborted) return;
    throw error;
  }
  await store.change(systemAuthor('start'), ensureDefaultOrganization);
  listener.start();
  view.start();
  workers.start();
  probes.start();
  parts.recorder.start();
  parts.usage.start();
}

function handlersOf(config: Config, parts: Parts, document: OpenapiDocument): Handlers {
  const { store, requests, listener, view, workers, gateway, targets, cursors } = parts;
  const catalog = () => view.catalog;
  const surroundings = () => ({
    catalog: view.catalog?.spec,
    observed: view.operatorAlive && workers.working,
    workerStopped: workers.state.status === 'STOPPED',
    gateway: (databaseId: string) => parts.probes.health(databaseId),
    usage: (databaseId: string) => parts.usage.of(databaseId),
    publicUrl: config.publicUrl,
  });
  return {
    ...healthHandlers({ store, view, workers }),
    ...catalogHandlers({
      catalog,
      imports: {
        supported: parts.staging !== undefined,
        bytesMax: config.imports?.bytesMax,
      },
      document,
      documentVersion: createHash('sha256')
        .update(JSON.stringify(document))
        .digest('hex')
        .slice(0, 16),
    }),
    ...databaseHandlers({
      services: parts.services,
      requests,
      writer: parts.writer,
      cursors,
      surroundings,
      backupStore: config.backups,
      staging: parts.staging,
      changed: (organizationId, id) => {
        targets.forget(organizationId, id);
        gateway.forget(id);
      },
    }),
    ...configurationArea(config, parts, surroundings),
    ...backupArea(config, parts, surroundings),
    ...importArea(config, parts),
    ...jobHandlers({
      store,
      requests,
      listener,
      cursors,
      requireMayRun: (organization) => requireMayRun(parts.services, organization),
    }),
    ...ledgerArea(config, parts),
    ...metricArea(parts, surroundings),
    ...connectionHandlers({
      store,
      requests,
      targets,
      ids: parts.watch.ids,
      clusterLookups: new ClusterLookups({ fetchStatus, statusUrl: statusUrlOf }),
      publicUrl: config.publicUrl,
    }),
    ...savedQueryHandlers({ store, requests }),
    ...tunnelHandlers({
      tunnels: parts.tunnels,
      targets,
      denied: (denial) => parts.denials.tell(denial),
      personWrites: (author, write) => recordPersonsWrite(store, author, write),
    }),
    ...peopleHandlers(config, parts),
    ...billingArea(parts),
    ...eventArea(config, parts),
  };
}

const billingArea = ({ store, requests, cursors, billing, services }: Parts) =>
  billingHandlers({ store, requests, cursors, billing, now: services.now });

function importArea(config: Config, parts: Parts) {
  const { store, requests, cursors, view, staging } = parts;
  const catalog = () => {
    const { catalog } = view;
    if (catalog === undefined) throw noCatalog();
    return catalog;
  };
  const now = () => new Date();
  const { bytesMax } = config.imports ?? {};
  const services = { store, staging, catalog, bytesMax, now };
  return importHandlers({ services, requests, cursors });
}

/** The parts that a request to a ledger passes. */
const ledgersOf = ({ gateway, targets, billing }: Parts) => ({
  gateway,
  targets,
  whySuspended: async (databaseId: string) => billing?.whySuspended(databaseId),
});

function metricArea(
  { store, cursors, unreadablePacks }: Parts,
  surroundings: () => Pick<Surroundings, 'observed'>,
) {
  const observed = () => surroundings().observed;
  return metricHandlers({ store, cursors, observed, onUnreadable: unreadablePacks.tell });
}

/** Handlers that ask the ledgers of databases. */
function ledgerArea(config: Config, parts: Parts) {
  const { store, requests, sealer, watch, recorder } = parts;
  const places = ledgersOf(parts);
  return {
    ...changeEventHandlers(places),
    ...changeStreamHandlers({
      store,
      requests,
      sealer,
      ledgers: places,
      ranges: config.webhookRanges,
      now: parts.services.now,
    }),
    ...ledgerHandlers({
      ...places,
      personWrites: (author, write) => recordPersonsWrite(store, author, write),
      lookedUp: (lookup) => watchHttp(watch, lookup),
      finished: (operation) => recorder.record(operation),
    }),
  };
}

/** Handlers for the events of organizations, and for those who get them. */
function eventArea({ webhookRanges: ranges, mails }: Config, parts: Parts) {
  const { store, requests, cursors, sealer } = parts;
  return {
    ...auditHandlers({ store, cursors }),
    ...webhookHandlers({ store, requests, sealer, ranges }),
    ...deliveryHandlers({ store, requests, cursors }),
    ...notificationHandlers({ store, cursors, mails }),
    ...logHandlers({ store, cursors }),
  };
}

/** Handlers for backups and their schedules. */
function backupArea(config: Config, parts: Parts, surroundings: () => Surroundings) {
  const { requests, cursors, services, backups, schedules } = parts;
  const backupStore = config.backups;
  return {
    ...backupHandlers({
      services: { ...services, backups, backupStore },
      requests,
      cursors,
      surroundings,
    }),
    ...recoveryHandlers({
      services: {
        ...services,
        backups,
        backupStore,
        archives: parts.archives,
      },
      ledgers: ledgersOf(parts),
      requests,
      surroundings,
    }),
    ...backupScheduleHandlers({ services: { ...services, schedules, backupStore }, requests }),
  };
}

/** Handlers for the configurations of databases and their changes. */
function configurationArea(config: Config, parts: Parts, surroundings: () => Surroundings) {
  const { store, requests, cursors, services, writer } = parts;
  const ofChanges = { ...services, writer, backupStore: config.backups };
  return {
    ...configurationHandlers({ store, cursors, surroundings }),
    ...changeHandlers({ services: ofChanges, requests, cursors }),
    ...returnHandlers({
      services: { ...ofChanges, archives: parts.archives, backups: parts.backups },
      ledgers: ledgersOf(parts),
      requests,
    }),
    ...maintenanceWindowHandlers({ store }),
  };
}

/** Handlers for people: their sessions, organizations, members and keys. */
function peopleHandlers(config: Config, parts: Parts) {
  const { store, requests, cursors, sealer, authenticator } = parts;
  const forget = (publicId: string) => authenticator.forget(publicId);
  return {
    ...sessionHandlers({
      store,
      requests,
      cursors,
      bootstrapToken: parts.bootstrapToken,
      service: { version: programVersion(), notice: config.notice ?? null },
      limits: {
        maxDatabases: config.databasesMax,
        requestsPerMinute: config.limits.controlPerMinute,
      },
    }),
    ...organizationHandlers({
      store,
      requests,
      cursors,
      forget: (id) => authenticator.forgetOrganization(id),
    }),
    ...memberHandlers({ store, requests, cursors, forget }),
    ...invitationHandlers({
      store,
      requests,
      cursors,
      sealer,
      publicUrl: config.publicUrl,
      mails: config.mails,
    }),
    ...apiKeyHandlers({ store, requests, cursors, forget }),
  };
}
