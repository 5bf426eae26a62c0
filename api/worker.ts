/**
 * Assembly of the worker: everything that works in the background. Jobs, mails and the use that is charged have leases in the store,
 * so that several workers share the work and one that dies loses nothing.
 */
import { startHealthServer } from '../base/health-server.ts';
import { MetricRegistry } from '../base/metrics/metrics.ts';
import { measureProcess } from '../base/metrics/process-metrics.ts';
import { BillingWork } from './billing/billing-work.ts';
import { ConfigError } from './config.ts';
import { Background } from './databases/background.ts';
import { markPurged } from './databases/purge.ts';
import { WorkerHeartbeat } from './health/heartbeat.ts';
import { jobMetrics } from './jobs/job-metrics.ts';
import { tellExpiringKeys } from './keys/expiry-notices.ts';
import { MailSender } from './mail/mail-sender.ts';
import { createMailTransport } from './mail/transport.ts';
import { purgeOrganizations } from './organizations/purge.ts';
import { assembleCommon, billingOf } from './parts.ts';
import type { ProcessOptions } from './process.ts';
import { sweepBillingEvents } from './store/billing-accounts.ts';
import { sweepDeviceRequests } from './store/device-requests.ts';
import { Housekeeping } from './store/housekeeping.ts';
import { sweepIdempotencyKeys } from './store/idempotency.ts';
import { channels } from './store/listener.ts';
import { sweepMails } from './store/mails.ts';
import { sweepSavedCreates } from './store/saved-creates.ts';
import { sweepSessions } from './store/sessions.ts';
import { sweepTokens } from './store/tokens.ts';
import { sweepUsedSignIns } from './store/used-sign-ins.ts';
import { sweepWorkers } from './store/workers.ts';
import { version } from './version.ts';

export const workerPrefix = 'ledgerhouse_worker_';

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
      background.view.measure();
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
      await background.stop(waitMs);
      await parts.billingWork?.stop();
      await parts.housekeeping.stop();
      await parts.mailSender?.stop();
      await parts.heartbeat.stop();
      await parts.listener.stop();
      await store.close();
      await parts.kube.close();
      await health.stop();
      stopMeasuring();
      return true;
    },
  };
}

const clusterUnknown = 'the cluster is not known yet';

type Parts = ReturnType<typeof assemble>;

function assemble(options: ProcessOptions) {
  const { config, logger } = options;
  const registry = new MetricRegistry();
  const common = assembleCommon(options, registry, {
    program: 'ledgerhouse-worker',
    prefix: workerPrefix,
  });
  const { store, listener, kube, writer, sealer } = common;
  const background = new Background({
    store,
    listener,
    kube,
    writer,
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
    billingWork:
      billing &&
      new BillingWork({ billing, services, writer, logger, registry, prefix: workerPrefix }),
    mailSender:
      config.mail &&
      new MailSender({ store, sealer, transport: createMailTransport(config.mail), logger }),
    housekeeping: new Housekeeping(
      {
        expiringKeys: () => tellExpiringKeys({ store, sealer, mails: config.mails }),
        idempotencyKeys: () => sweepIdempotencyKeys(store.read),
        purgedDatabases: () => markPurged(store),
        purgedOrganizations: () => purgeOrganizations(store),
        savedCreates: () => sweepSavedCreates(store.read),
        billingEvents: () => sweepBillingEvents(store.read),
        mails: () => sweepMails(store.read),
        sessions: () => sweepSessions(store.read),
        tokens: () => sweepTokens(store.read),
        deviceRequests: () => sweepDeviceRequests(store.read),
        usedSignIns: () => sweepUsedSignIns(store.read),
        workers: () => sweepWorkers(store.read),
      },
      logger,
    ),
    heartbeat: new WorkerHeartbeat({
      store,
      id: config.identity,
      version,
      problem: () => (background.view.synced ? null : clusterUnknown),
      logger,
    }),
  };
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
  parts.housekeeping.start();
  parts.mailSender?.start();
  if (billingWork === undefined) return;
  billingWork.start();
  listener.subscribe(channels.billing, () => billingWork.wake());
}
