/** Work on databases in the background: the watch, the synchronization of the store with it, and the worker of jobs. */
import { hostname } from 'node:os';
import type { Logger } from 'pino';
import type { Kube } from '../../base/kube/kube.ts';
import type { KubeSource } from '../../base/kube/kube-source.ts';
import type { WatchMetrics } from '../../base/metrics/kube-metrics.ts';
import type { JobHooks } from '../jobs/handler.ts';
import { Worker } from '../jobs/worker.ts';
import { ClusterView } from '../kubernetes/cluster-view.ts';
import type { DatabaseWriter } from '../kubernetes/database-writer.ts';
import type { NamespaceDefaults } from '../kubernetes/namespace-defaults.ts';
import { OrganizationNamespaces } from '../kubernetes/organization-namespaces.ts';
import type { Listener } from '../store/listener.ts';
import type { Store } from '../store/store.ts';
import { databaseJobHandlers } from './job-handlers.ts';
import { DatabaseSync } from './sync.ts';

export interface BackgroundOptions {
  readonly store: Store;
  readonly listener: Listener;
  readonly kube: Kube & KubeSource;
  readonly writer: DatabaseWriter;
  readonly operatorNamespace: string;
  readonly namespaceDefaults: NamespaceDefaults;
  readonly logger: Logger;
  readonly metrics: WatchMetrics;
  readonly hooks: JobHooks;
  readonly identity?: string;
  /** Lease of a job: the time for which a dead process keeps it. */
  readonly leaseMs?: number;
}

export class Background {
  readonly view: ClusterView;
  readonly writer: DatabaseWriter;
  readonly #sync: DatabaseSync;
  readonly #worker: Worker;
  readonly #logger: Logger;

  constructor(options: BackgroundOptions) {
    const { store, listener, kube, writer, logger, metrics, hooks } = options;
    this.#logger = logger;
    this.writer = writer;
    this.view = new ClusterView({
      source: kube,
      operatorNamespace: options.operatorNamespace,
      onDatabase: (change) => this.#sync.changed(change),
      logger,
      metrics,
    });
    this.#sync = new DatabaseSync({ store, writer, view: this.view, logger });
    this.#worker = new Worker({
      store,
      listener,
      logger,
      hooks,
      owner: options.identity ?? `${hostname()}-${process.pid}`,
      handlers: databaseJobHandlers({
        store,
        writer,
        namespaces: new OrganizationNamespaces({
          kube,
          db: () => store.read,
          defaults: options.namespaceDefaults,
        }),
        catalog: () => this.view.catalog?.spec,
        nowMs: Date.now,
      }),
      ...(options.leaseMs !== undefined && { leaseMs: options.leaseMs }),
    });
  }

  /** Starts all background work; it waits while the cluster is unreachable. */
  start(): void {
    this.view.start();
    this.#worker.start();
    void this.view.whenSynced().then(() => {
      this.#logger.info({ databases: this.view.databases().length }, 'the cluster is known');
      this.#sync.startSweeping();
    });
  }

  async stop(withinMs: number): Promise<void> {
    await Promise.all([this.#worker.stop(withinMs), this.#sync.stop(withinMs), this.view.stop()]);
  }
}
