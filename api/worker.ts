/**
 * Assembly of the worker: all background work. Jobs, mails and charged use have leases in the store, so that several workers
 * share the work and one that dies loses nothing.
 */
import type { Logger } from 'pino';
import { programVersion } from '../base/program-version.ts';
import { startHealthServer } from '../base/health-server.ts';
import { MetricRegistry } from '../base/metrics/metrics.ts';
import { measureProcess } from '../base/metrics/process-metrics.ts';
import { resources } from '../domain/kinds.ts';
import { removeBackupsOfPurged } from './backups/remove-of-purged.ts';
import { BillingWork } from './billing/billing-work.ts';
import { changeStreamMetrics } from './change-streams/change-stream-metrics.ts';
import { StreamStatusWriter } from './change-streams/status-writer.ts';
import { ChangeStreams } from './change-streams/dispatcher.ts';
import { ConfigError } from './config.ts';
import { QueuedChanges } from './configuration/start-queued.ts';
import { EngineUpdates } from './engine-updates/engine-updates.ts';
import { Background } from './databases/background.ts';
import { markPurged } from './databases/purge.ts';
import { Gateway } from './gateway/gateway.ts';
import { LedgerTargets } from './gateway/targets.ts';
import { WorkerHeartbeat } from './health/heartbeat.ts';
import { jobMetrics } from './jobs/job-metrics.ts';
import { tellExpiringKeys } from './keys/expiry-notices.ts';
import { watchedResources, type ClusterView } from './kubernetes/cluster-view.ts';
import { MailSender } from './mail/mail-sender.ts';
import { createMailTransport } from './mail/transport.ts';
import { LogFollower } from './logs/follower.ts';
import { logMetrics } from './logs/log-metrics.ts';
import { LogUpkeep } from './logs/upkeep.ts';
import { Collector } from './monitoring/collector.ts';
import { collectorMetrics } from './monitoring/collector-metrics.ts';
import { PodFigureReader } from './monitoring/pod-figures.ts';
import { UnreadablePacks } from './monitoring/unreadable-packs.ts';
import { MetricUpkeep } from './monitoring/upkeep.ts';
import { ImportUpkeep } from './imports/upkeep.ts';
import { ImportWriter } from './kubernetes/import-writer.ts';
import { OrganizationNamespaces } from './kubernetes/organization-namespaces.ts';
import { NotificationMailer } from './notifications/mailer.ts';
import { UnsubscribeLinks } from './notifications/unsubscribe-links.ts';
import { purgeOrganizations } from './organizations/purge.ts';
import { assembleCommon, billingOf, type CommonParts } from './parts.ts';
import type { ProcessOptions } from './process.ts';
import { AuditRetention } from './events/retention.ts';
import { sweepBackups } from './store/backups.ts';
import { sweepBillingEvents } from './store/billing-accounts.ts';
import { findLedgerView } from './store/database-list.ts';
import { sweepDeviceRequests } from './store/device-requests.ts';
import { sweepConnectionChecks } from './store/connection-checks.ts';
import { Housekeeping } from './store/housekeeping.ts';
import { sweepIdempotencyKeys } from './store/idempotency.ts';
import { channels } from './store/listener.ts';
import { sweepImports } from './store/import-work.ts';
import { sweepLogSources } from './store/log-writes.ts';
import { sweepMails } from './store/mails.ts';
import { sweepMarks } from './store/metric-marks.ts';
import { sweepRequests } from './store/remarkable-requests.ts';
import { resealSecrets } from './store/resealing.ts';
import { sweepSavedCreates } from './store/saved-creates.ts';
import { sweepSessions } from './store/sessions.ts';
import type { Store } from './store/store.ts';
import { sweepTokens } from './store/tokens.ts';
import { sweepUsedSignIns } from './store/used-sign-ins.ts';
import { sweepDeliveries } from './store/webhook-deliveries.ts';
import { sweepWorkers } from './store/workers.ts';
import { AddressGuard } from './webhooks/addresses.ts';
import { WebhookDispatcher } from './webhooks/dispatcher.ts';
import { ReceiverNames } from './webhooks/resolver.ts';
import { WebhookSender } from './webhooks/sender.ts';
import { webhookMetrics } from './webhooks/webhook-metrics.ts';

const workerPrefix = 'ledgerhouse_worker_';

export interface WorkerProcess {
  readonly healthPort: number;
  /** Resolves when the schema is up to date; rejects when PostgreSQL holds another schema. */
  readonly storeReady: Promise<void>;
  /** Gives back the jobs and closes everything. Jobs that outlast `waitMs` are taken by others when their leases run out. */
  stop(waitMs: number): Promise<boolean>;
}

/** Waits for the store and for the cluster as long as it takes. */
export async function startWorker(options: ProcessOptions): Promise<WorkerProcess> {
  const { config } = options;
  if (config.mails && config.mail === undefined) {
    // The API would store mails that nobody sends.
    throw new ConfigError('LEDGERHOUSE_API_MAIL_FROM is given without a way to send mail');
  }
  const parts = assemble(options);
  const { store, registry, background, stopping } = parts;
  const health = await startHealthServer({
    ...config.healthListen,
    live: () => [],
    ready: () => [
      ...(store.ready ? [] : ['the store is not ready yet']),
      ...(background.view.synced ? [] : [clusterUnknown]),
      ...(stopping.signal.aborted ? ['stopping'] : []),
    ],
    metrics: () => {
      background.measure();
      return registry.text();
    },
  });
  const stopMeasuring = measureProcess(registry, workerPrefix);
  const begun = begin(parts);
  return {
    healthPort: health.port,
    storeReady: begun,
    stop: async (waitMs) => {
      stopping.abort();
      await stopWork(parts, waitMs);
      await parts.heartbeat.stop();
      await parts.listener.stop();
      await store.close();
      await parts.kube.close();
      await parts.logKube.close();
      await health.stop();
      stopMeasuring();
      return true;
    },
  };
}

/** All beside each other, so that the longest decides how long it takes. */
async function stopWork(parts: Parts, waitMs: number): Promise<void> {
  await Promise.all([
    // Both use the bucket of imports.
    Promise.all([parts.background.stop(waitMs), parts.importUpkeep.stop()]).then(() =>
      parts.staging?.close(),
    ),
    parts.queuedChanges.stop(),
    parts.engineUpdates.stop(),
    parts.billingWork?.stop(),
    parts.webhooks.stop(),
    parts.streamStatuses.stop(),
    parts.changeStreams.stop().then(() => parts.gateway.close()),
    // The collector gives the shards back by which the follower shares the logs.
    parts.logFollower.stop().then(() => parts.collector.stop()),
    parts.logUpkeep.stop(),
    parts.metricUpkeep.stop(),
    parts.housekeeping.stop(),
    parts.notificationMailer?.stop(),
    parts.mailSender?.stop(),
  ]);
}

const workloadIn =
  (view: ClusterView) =>
  (namespace: string, name: string): string | undefined =>
    view.database(namespace, name)?.status?.workload;

const clusterUnknown = 'the cluster is not known yet';

type Parts = ReturnType<typeof assemble>;

function assemble(options: ProcessOptions) {
  const { config, logger } = options;
  const registry = new MetricRegistry();
  const common = assembleCommon(options, registry, {
    program: 'ledgerhouse-worker',
    prefix: workerPrefix,
    watched: [...watchedResources, resources.backup.plural, resources.backupSchedule.plural],
  });
  const { store, listener, kube, writer, sealer } = common;
  const background = new Background({
    store,
    listener,
    kube,
    writer,
    backups: common.backups,
    schedules: common.schedules,
    operatorNamespace: config.namespace,
    namespaceDefaults: config.namespaceDefaults,
    logger,
    metrics: common.watched,
    hooks: jobMetrics(registry, workerPrefix),
    identity: config.identity,
  });
  const { services, billing } = billingOf(options, common, background.view);
  return {
    ...common,
    registry,
    background,
    importUpkeep: importUpkeepOf(common, options),
    queuedChanges: new QueuedChanges({ ...services, writer }, logger),
    engineUpdates: new EngineUpdates({ ...services, writer }, logger),
    billingWork:
      billing &&
      new BillingWork({ billing, services, writer, logger, registry, prefix: workerPrefix }),
    mailSender:
      config.mail &&
      new MailSender({ store, sealer, transport: createMailTransport(config.mail), logger }),
    notificationMailer:
      config.mail &&
      new NotificationMailer({
        store,
        sealer,
        links: new UnsubscribeLinks(config.signingKeys, config.publicUrl),
        publicUrl: config.publicUrl,
        logger,
      }),
    ...pushPartsOf(common, options, registry, billing, background.view),
    collector: new Collector({
      store,
      identity: config.identity,
      logger,
      metrics: collectorMetrics(registry, workerPrefix),
      pods: {
        figures: new PodFigureReader({ kube, logger }),
        workloadOf: workloadIn(background.view),
      },
    }),
    metricUpkeep: metricUpkeepOf(store, logger, registry),
    ...logPartsOf(common, options, registry, background.view),
    housekeeping: housekeepingOf(common, options, registry),
    heartbeat: new WorkerHeartbeat({
      store,
      id: config.identity,
      version: programVersion(),
      problem: () => (background.view.synced ? null : clusterUnknown),
      logger,
    }),
  };
}

const importUpkeepOf = (
  { store, staging, kube }: CommonParts,
  { config, logger }: ProcessOptions,
): ImportUpkeep =>
  new ImportUpkeep({
    store,
    staging,
    imports: new ImportWriter(kube),
    namespaces: new OrganizationNamespaces({
      kube,
      db: () => store.read,
      defaults: config.namespaceDefaults,
    }),
    logger,
  });

/** The parts that push to receivers: events of organizations, and change events of ledgers. */
function pushPartsOf(
  { store, listener, sealer, kube }: CommonParts,
  { config, logger }: ProcessOptions,
  registry: MetricRegistry,
  billing: ReturnType<typeof billingOf>['billing'],
  view: ClusterView,
) {
  const names = new ReceiverNames(new AddressGuard(config.webhookRanges));
  const streamSender = new WebhookSender(names);
  const gateway = new Gateway({ logger, registry });
  return {
    webhooks: new WebhookDispatcher({
      store,
      listener,
      sealer,
      sender: new WebhookSender(names),
      mails: config.mails,
      identity: config.identity,
      logger,
      metrics: (busy) => webhookMetrics(registry, workerPrefix, busy),
    }),
    gateway,
    streamStatuses: new StreamStatusWriter({ store, kube, view, logger }),
    changeStreams: new ChangeStreams({
      store,
      sealer,
      ledgers: {
        gateway,
        targets: new LedgerTargets((organizationId, id) =>
          findLedgerView(store.read, organizationId, id),
        ),
        whySuspended: async (databaseId) => billing?.whySuspended(databaseId),
      },
      sinks: { sender: streamSender, names, close: () => streamSender.close() },
      identity: config.identity,
      logger,
      metrics: (busy) => changeStreamMetrics(registry, workerPrefix, busy),
    }),
  };
}

/** The parts that keep the logs of databases, with their own client: requests never wait for logs, however many there are. */
function logPartsOf(
  { store, anotherKube }: CommonParts,
  { config, logger }: ProcessOptions,
  registry: MetricRegistry,
  view: ClusterView,
) {
  // At the start all logs wait for their turn under the rate limit.
  const logKube = anotherKube({ callTimeoutMs: 60_000 });
  return {
    logKube,
    logFollower: new LogFollower({
      store,
      kube: logKube,
      workloadOf: workloadIn(view),
      identity: config.identity,
      logger,
      metrics: logMetrics(registry, workerPrefix),
    }),
    logUpkeep: new LogUpkeep(store, logger),
  };
}

function metricUpkeepOf(store: Store, logger: Logger, registry: MetricRegistry): MetricUpkeep {
  return new MetricUpkeep(store, logger, new UnreadablePacks(logger, registry, workerPrefix).tell);
}

/** Deletion of expired rows, and notices of upcoming expiries. */
function housekeepingOf(
  { store, sealer }: CommonParts,
  { config, logger }: ProcessOptions,
  registry: MetricRegistry,
) {
  const auditRetention = new AuditRetention({ store, logger, registry, prefix: workerPrefix });
  return new Housekeeping(
    {
      expiringKeys: () => tellExpiringKeys({ store, sealer, mails: config.mails }),
      idempotencyKeys: () => sweepIdempotencyKeys(store.read),
      purgedDatabases: () => markPurged(store),
      purgedOrganizations: () => purgeOrganizations(store),
      backupsOfPurged: () => removeBackupsOfPurged(store),
      savedCreates: () => sweepSavedCreates(store.read),
      backups: () => sweepBackups(store.read),
      imports: () => sweepImports(store.read),
      billingEvents: () => sweepBillingEvents(store.read),
      mails: () => sweepMails(store.read),
      sessions: () => sweepSessions(store.read),
      tokens: () => sweepTokens(store.read),
      deviceRequests: () => sweepDeviceRequests(store.read),
      auditEvents: () => auditRetention.removeOld(),
      usedSignIns: () => sweepUsedSignIns(store.read),
      webhookDeliveries: () => sweepDeliveries(store.read),
      workers: () => sweepWorkers(store.read),
      sealedSecrets: () => resealSecrets(store.read, sealer),
      connectionChecks: () => sweepConnectionChecks(store.read),
      metricMarks: () => sweepMarks(store.read),
      logSources: () => sweepLogSources(store.read),
      remarkableRequests: () => sweepRequests(store.read),
    },
    logger,
  );
}

/** Waits for the store, then starts every part that uses it. */
async function begin(parts: Parts): Promise<void> {
  const { store, listener, background, billingWork, stopping } = parts;
  try {
    await store.start(stopping.signal);
  } catch (error) {
    if (stopping.signal.aborted) return;
    throw error;
  }
  parts.heartbeat.start();
  listener.start();
  background.start();
  parts.queuedChanges.start();
  parts.engineUpdates.start();
  parts.importUpkeep.start();
  parts.metricUpkeep.start();
  parts.collector.start();
  parts.logUpkeep.start();
  parts.logFollower.start();
  parts.housekeeping.start();
  parts.notificationMailer?.start();
  parts.mailSender?.start();
  parts.webhooks.start();
  parts.changeStreams.start();
  parts.streamStatuses.start();
  if (billingWork === undefined) return;
  billingWork.start();
  listener.subscribe(channels.billing, () => billingWork.wake());
}
