/** Parts of both API and worker: the store, its notifications, the Kubernetes API, billing, and metrics of all of them. */
import { createKube, type KubeHttpOptions } from '../base/kube/kube-http.ts';
import { requestMetrics, watchMetrics } from '../base/metrics/kube-metrics.ts';
import type { MetricRegistry } from '../base/metrics/metrics.ts';
import { StripeBilling } from './billing/stripe-billing.ts';
import { noBilling } from './databases/billing-guard.ts';
import type { DatabaseServices } from './databases/database-service.ts';
import { protectionIn } from './databases/protection.ts';
import { StagingStore } from './imports/staging-store.ts';
import { watchedResources, type ClusterView } from './kubernetes/cluster-view.ts';
import { BackupWriter } from './kubernetes/backup-writer.ts';
import { ScheduleWriter } from './kubernetes/schedule-writer.ts';
import { DatabaseWriter } from './kubernetes/database-writer.ts';
import type { ProcessOptions } from './process.ts';
import { Listener } from './store/listener.ts';
import { Sealer } from './store/sealing.ts';
import { measureStore } from './store/store-metrics.ts';
import { Store } from './store/store.ts';

/** `program`: name in PostgreSQL's and Kubernetes' records. `prefix`: of the names of metrics. */
export function assembleCommon(
  { config, kubeConfig, logger }: ProcessOptions,
  registry: MetricRegistry,
  {
    program,
    prefix,
    watched = watchedResources,
  }: {
    readonly program: string;
    readonly prefix: string;
    /** Plurals of the kinds that the process watches. */
    readonly watched?: readonly string[];
  },
) {
  const store = new Store({
    url: config.databaseUrl,
    connections: config.databaseConnections,
    applicationName: program,
    logger,
    signingKeys: config.signingKeys,
  });
  const listener = new Listener(store.pool, logger);
  measureStore(registry, prefix, store, listener);
  const kubePrefix = `${prefix}kubernetes_`;
  const onRequest = requestMetrics(registry, kubePrefix, watched).requestMade;
  const kube = createKube(kubeConfig, { userAgent: program, onRequest });
  return {
    store,
    listener,
    kube,
    /** A client with connections and a rate of its own, for work that must not delay anything else. */
    anotherKube: (options: KubeHttpOptions) =>
      createKube(kubeConfig, { userAgent: program, onRequest, ...options }),
    watched: watchMetrics(registry, kubePrefix, watched),
    writer: new DatabaseWriter(kube),
    backups: new BackupWriter(kube),
    schedules: new ScheduleWriter(kube),
    sealer: new Sealer(config.signingKeys),
    staging: config.imports && new StagingStore(config.imports.store),
    stopping: new AbortController(),
  };
}

export type CommonParts = ReturnType<typeof assembleCommon>;

/** Billing, and the services of databases, which depend on it. */
export function billingOf(
  { config, logger }: ProcessOptions,
  { store, writer }: CommonParts,
  view: ClusterView,
) {
  const now = () => new Date();
  const billing =
    config.billing.kind === 'stripe'
      ? new StripeBilling({ store, settings: config.billing, logger, now })
      : undefined;
  const services: DatabaseServices = {
    store,
    billing: billing ?? noBilling,
    catalog: () => view.catalog,
    isProtected: protectionIn(view, writer),
    databasesMax: config.databasesMax,
    now,
  };
  return { services, billing };
}
