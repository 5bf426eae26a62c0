/** Assembly of the API: store, cluster, worker, gateway, and the handlers of all areas behind one server. */
import { createHash } from 'node:crypto';
import type { KubeConfig } from '@kubernetes/client-node';
import type { Express } from 'express';
import type { Logger } from 'pino';
import { startHealthServer } from '../base/health-server.ts';
import { createKube } from '../base/kube/kube-http.ts';
import { requestMetrics, watchMetrics } from '../base/metrics/kube-metrics.ts';
import type { MetricRegistry } from '../base/metrics/metrics.ts';
import { measureProcess } from '../base/metrics/process-metrics.ts';
import { systemTimers } from '../base/timers.ts';
import { Authenticator } from './auth/authenticator.ts';
import { BootstrapToken } from './auth/bootstrap-token.ts';
import { Denials } from './auth/denials.ts';
import { BillingWork } from './billing/billing-work.ts';
import { noBilling } from './databases/billing-guard.ts';
import { billingHandlers } from './billing/handlers.ts';
import { StripeBilling } from './billing/stripe-billing.ts';
import { catalogHandlers } from './catalog/handlers.ts';
import type { Config } from './config.ts';
import { openapiDocument, type OpenapiDocument } from './contract/document.ts';
import { readBuiltFiles } from './web/built-files.ts';
import { serveDashboard } from './web/serve-dashboard.ts';
import { Background } from './databases/background.ts';
import type { DatabaseServices } from './databases/database-service.ts';
import { requireMayRun } from './databases/guards.ts';
import { databaseHandlers } from './databases/handlers.ts';
import { protectionIn } from './databases/protection.ts';
import { markPurged } from './databases/purge.ts';
import { auditHandlers } from './events/handlers.ts';
import { systemAuthor } from './model/actor.ts';
import { ledgerHandlers } from './gateway/handlers.ts';
import { Gateway } from './gateway/gateway.ts';
import { Probes } from './gateway/probes.ts';
import { addressesOf, LedgerTargets } from './gateway/targets.ts';
import { apiPrefix, createApiMetrics } from './http/api-metrics.ts';
import { createApp } from './http/app.ts';
import type { Gate } from './http/gate.ts';
import type { Handlers } from './http/handler.ts';
import { IdempotentRequests } from './http/idempotent.ts';
import { startServer, type ServerOptions } from './http/server.ts';
import { jobHandlers } from './jobs/handlers.ts';
import { jobMetrics } from './jobs/job-metrics.ts';
import { tellExpiringKeys, type NoticeServices } from './keys/expiry-notices.ts';
import { apiKeyHandlers } from './keys/handlers.ts';
import { watchedResources } from './kubernetes/cluster-view.ts';
import { MailSender } from './mail/mail-sender.ts';
import { createMailTransport } from './mail/transport.ts';
import { memberHandlers } from './members/handlers.ts';
import { invitationHandlers } from './members/invitation-handlers.ts';
import { organizationHandlers } from './organizations/handlers.ts';
import { sessionHandlers } from './session/handlers.ts';
import { sweepBillingEvents } from './store/billing-accounts.ts';
import { IdentityProvider } from './sign-in/identity-provider.ts';
import { addOAuthEndpoints } from './sign-in/oauth-endpoints.ts';
import { addPages } from './sign-in/pages.ts';
import { Cursors } from './store/cursor.ts';
import { findDatabaseView } from './store/database-list.ts';
import { findDatabase } from './store/databases.ts';
import { Housekeeping } from './store/housekeeping.ts';
import { sweepIdempotencyKeys } from './store/idempotency.ts';
import { Listener } from './store/listener.ts';
import { sweepMails } from './store/mails.ts';
import { ensureDefaultOrganization } from './store/organizations.ts';
import { listReady } from './store/ready-databases.ts';
import { sweepSavedCreates } from './store/saved-creates.ts';
import { Sealer } from './store/sealing.ts';
import { sweepDeviceRequests } from './store/device-requests.ts';
import { sweepSessions } from './store/sessions.ts';
import { sweepTokens } from './store/tokens.ts';
import { sweepUsedSignIns } from './store/used-sign-ins.ts';
import { StoreUnavailable } from './store/store-errors.ts';
import { measureStore } from './store/store-metrics.ts';
import { Store } from './store/store.ts';
import { version } from './version.ts';
import { webhookHandlers } from './webhooks/handlers.ts';

export interface ApiOptions {
  readonly config: Config;
  readonly kubeConfig: KubeConfig;
  readonly logger: Logger;
}

export interface Api {
  readonly port: number;
  readonly healthPort: number;
  /** Resolves when the schema is up to date; rejects when PostgreSQL holds another schema. */
  readonly storeReady: Promise<void>;
  /** Finishes the requests under way, gives back the jobs and closes everything. False: requests outlasted `waitMs`. */
  stop(waitMs: number): Promise<boolean>;
}

/** Takes connections at once. Answers 503 until the store is ready, and has no catalog until the cluster is known. */
export async function startApi(options: ApiOptions): Promise<Api> {
  const { config, logger } = options;
  const parts = assemble(options);
  const { store, metrics, background, stopping } = parts;
  const docsUrl = `${config.publicUrl}/docs`;
  const document = openapiDocument({
    version,
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
      ...(background.view.synced ? [] : ['the cluster is not known yet']),
      ...(stopping.signal.aborted ? ['stopping'] : []),
    ],
    metrics: () => {
      background.view.measure();
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
      const [inTime] = await Promise.all([server.stop(waitMs), background.stop(waitMs)]);
      await parts.probes.stop();
      parts.gateway.close();
      await parts.billingWork?.stop();
      await parts.housekeeping.stop();
      await parts.mailSender?.stop();
      await parts.listener.stop();
      await store.close();
      await parts.kube.close();
      await health.stop();
      stopMeasuring();
      return inTime;
    },
  };
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

function addBrowserPages(app: Express, gate: Gate, options: ApiOptions, parts: Parts): void {
  addSignIn(app, gate, options, parts);
  const { dashboardFolder } = options.config;
  serveDashboard(app, dashboardFolder === undefined ? undefined : readBuiltFiles(dashboardFolder));
}

function addSignIn(
  app: Express,
  gate: Gate,
  { config, logger }: ApiOptions,
  { store, sealer, bootstrapToken }: Parts,
): void {
  const { publicUrl, identityProvider } = config;
  const provider = identityProvider && new IdentityProvider(identityProvider, sealer, publicUrl);
  const origin = originOf(config);
  addPages(app, gate, { store, logger, provider, bootstrapToken, origin });
  addOAuthEndpoints(app, { store, bootstrapToken, publicUrl });
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

const storeOf = (
  { databaseUrl: url, databaseConnections: connections, signingKeys }: Config,
  logger: Logger,
): Store => new Store({ url, connections, logger, signingKeys });

function assemble({ config, kubeConfig, logger }: ApiOptions) {
  const metrics = createApiMetrics();
  const { registry } = metrics;
  const { signingKeys, bootstrapTokenFile: file } = config;
  const sealer = new Sealer(signingKeys);
  const bootstrapToken = new BootstrapToken({ file, signingKeys, logger });
  const store = storeOf(config, logger);
  const listener = new Listener(store.pool, logger);
  measureStore(registry, apiPrefix, store, listener);
  const kubePrefix = `${apiPrefix}kubernetes_`;
  const kube = createKube(kubeConfig, {
    userAgent: 'ledgerhouse-api',
    onRequest: requestMetrics(registry, kubePrefix, watchedResources).requestMade,
  });
  const background = new Background({
    store,
    listener,
    kube,
    operatorNamespace: config.namespace,
    namespaceDefaults: config.namespaceDefaults,
    logger,
    metrics: watchMetrics(registry, kubePrefix, watchedResources),
    hooks: jobMetrics(registry, apiPrefix),
    identity: config.identity,
  });
  const gateway = new Gateway({ logger, registry });
  return {
    metrics,
    store,
    listener,
    kube,
    background,
    ...billingOf(config, { store, background, logger, registry }),
    housekeeping: housekeepingOf({ store, sealer, mails: config.mail !== undefined }, logger),
    gateway,
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
      findDatabaseView(store.read, organizationId, id),
    ),
    bootstrapToken,
    authenticator: new Authenticator({ store, bootstrapToken, logger }),
    denials: new Denials(store, logger),
    cursors: new Cursors(config.signingKeys),
    sealer,
    requests: new IdempotentRequests(store, sealer),
    mailSender:
      config.mail &&
      new MailSender({ store, sealer, transport: createMailTransport(config.mail), logger }),
    stopping: new AbortController(),
  };
}

const housekeepingOf = (services: NoticeServices, logger: Logger): Housekeeping => {
  const { store } = services;
  return new Housekeeping(
    {
      expiringKeys: () => tellExpiringKeys(services),
      idempotencyKeys: () => sweepIdempotencyKeys(store.read),
      purgedDatabases: () => markPurged(store),
      savedCreates: () => sweepSavedCreates(store.read),
      billingEvents: () => sweepBillingEvents(store.read),
      mails: () => sweepMails(store.read),
      sessions: () => sweepSessions(store.read),
      tokens: () => sweepTokens(store.read),
      deviceRequests: () => sweepDeviceRequests(store.read),
      usedSignIns: () => sweepUsedSignIns(store.read),
    },
    logger,
  );
};

interface BillingSurroundings {
  readonly store: Store;
  readonly background: Background;
  readonly logger: Logger;
  readonly registry: MetricRegistry;
}

/** Billing: the guard for creating databases, and the background work that charges for them. */
function billingOf(config: Config, { store, background, logger, registry }: BillingSurroundings) {
  const now = () => new Date();
  const billing =
    config.billing.kind === 'stripe'
      ? new StripeBilling({ store, settings: config.billing, logger, now })
      : undefined;
  const services: DatabaseServices = {
    store,
    billing: billing ?? noBilling,
    catalog: () => background.view.catalog,
    isProtected: protectionIn(background.view, background.writer),
    databasesMax: config.databasesMax,
    now,
  };
  const { writer } = background;
  const billingWork =
    billing && new BillingWork({ billing, services, writer, logger, registry, prefix: apiPrefix });
  return { services, billing, billingWork };
}

/** Waits for the store, then starts every part that uses it. */
async function begin({
  store,
  listener,
  background,
  housekeeping,
  probes,
  billingWork,
  mailSender,
  stopping,
}: Parts): Promise<void> {
  try {
    await store.start(stopping.signal);
  } catch (error) {
    if (stopping.signal.aborted) return;
    throw error;
  }
  await store.change(systemAuthor('start'), ensureDefaultOrganization);
  listener.start();
  background.start();
  housekeeping.start();
  mailSender?.start();
  probes.start();
  billingWork?.start();
}

function handlersOf(config: Config, parts: Parts, document: OpenapiDocument): Handlers {
  const { store, requests, listener, background, gateway, targets, cursors, sealer } = parts;
  const catalog = () => background.view.catalog;
  return {
    ...catalogHandlers({
      catalog,
      document,
      documentVersion: createHash('sha256')
        .update(JSON.stringify(document))
        .digest('hex')
        .slice(0, 16),
    }),
    ...databaseHandlers({
      services: parts.services,
      requests,
      writer: background.writer,
      cursors,
      surroundings: () => ({
        catalog: background.view.catalog?.spec,
        operatorAlive: background.view.operatorAlive,
        gateway: (databaseId) => parts.probes.health(databaseId),
        publicUrl: config.publicUrl,
      }),
      changed: (organizationId, id) => {
        targets.forget(organizationId, id);
        gateway.forget(id);
      },
    }),
    ...jobHandlers({
      store,
      requests,
      listener,
      cursors,
      requireMayRun: (organization) => requireMayRun(parts.services, organization),
    }),
    ...ledgerHandlers({
      gateway,
      targets,
      whySuspended: async (databaseId) => parts.billing?.whySuspended(databaseId),
    }),
    ...peopleHandlers(config, parts),
    ...billingHandlers({ store, requests, billing: parts.billing, now: parts.services.now }),
    ...auditHandlers({ store, cursors }),
    ...webhookHandlers({ store, requests, sealer }),
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
      limits: {
        maxDatabases: config.databasesMax,
        requestsPerMinute: config.limits.controlPerMinute,
      },
    }),
    ...organizationHandlers({ store, requests, cursors }),
    ...memberHandlers({ store, requests, cursors, forget }),
    ...invitationHandlers({
      store,
      requests,
      cursors,
      sealer,
      publicUrl: config.publicUrl,
      mails: config.mail !== undefined,
    }),
    ...apiKeyHandlers({ store, requests, cursors, forget }),
  };
}
