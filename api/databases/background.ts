/**
 * Background work on databases and their backups: the watches, the synchronization of the store with them, and the worker of
 * jobs.
 */
import { hostname } from 'node:os';
import type { Logger } from 'pino';
import type { Kube, KubeObject } from '../../base/kube/kube.ts';
import type { KubeSource } from '../../base/kube/kube-source.ts';
import { Reflector } from '../../base/kube/reflector.ts';
import type { WatchMetrics } from '../../base/metrics/kube-metrics.ts';
import type {
  DatabaseObject,
  OneBackupObject,
  ScheduleObject,
} from '../../domain/custom-resources.ts';
import { resources } from '../../domain/kinds.ts';
import { followedSchedules } from '../backup-schedules/sync.ts';
import { followedBackups } from '../backups/sync.ts';
import type { JobHooks } from '../jobs/handler.ts';
import { Worker } from '../jobs/worker.ts';
import type { BackupWriter } from '../kubernetes/backup-writer.ts';
import type { ScheduleWriter } from '../kubernetes/schedule-writer.ts';
import { ClusterView } from '../kubernetes/cluster-view.ts';
import type { DatabaseWriter } from '../kubernetes/database-writer.ts';
import type { NamespaceDefaults } from '../kubernetes/namespace-defaults.ts';
import { OrganizationNamespaces } from '../kubernetes/organization-namespaces.ts';
import { ResourceFollower } from '../kubernetes/resource-follower.ts';
import type { Listener } from '../store/listener.ts';
import type { Store } from '../store/store.ts';
import { databaseJobHandlers } from './job-handlers.ts';
import { followedDatabases } from './sync.ts';

interface BackgroundOptions {
  readonly store: Store;
  readonly listener: Listener;
  readonly kube: Kube & KubeSource;
  readonly writer: DatabaseWriter;
  readonly backups: BackupWriter;
  readonly schedules: ScheduleWriter;
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
  readonly #databaseFollower: ResourceFollower<DatabaseObject>;
  readonly #backups: Reflector<OneBackupObject>;
  readonly #backupFollower: ResourceFollower<OneBackupObject>;
  readonly #schedules: Reflector<ScheduleObject>;
  readonly #scheduleFollower: ResourceFollower<ScheduleObject>;
  readonly #worker: Worker;
  readonly #logger: Logger;

  constructor(options: BackgroundOptions) {
    const { store, listener, kube, writer, logger, metrics, hooks } = options;
    this.#logger = logger;
    this.writer = writer;
    this.view = new ClusterView({
      source: kube,
      operatorNamespace: options.operatorNamespace,
      onDatabase: (change) => this.#databaseFollower.changed(change),
      logger,
      metrics,
    });
    this.#databaseFollower = new ResourceFollower({
      kind: followedDatabases({ store, writer, view: this.view, logger }),
      concurrency: 4,
      logger,
    });
    this.#backups = new Reflector<OneBackupObject>({
      source: kube,
      resource: resources.backup,
      onChange: (change) => this.#backupFollower.changed(change),
      logger,
      metrics,
    });
    this.#backupFollower = new ResourceFollower({
      kind: followedBackups({
        store,
        view: viewOf(this.#backups),
        read: (place) => options.backups.read(place),
      }),
      concurrency: 2,
      logger,
    });
    this.#schedules = new Reflector<ScheduleObject>({
      source: kube,
      resource: resources.backupSchedule,
      onChange: (change) => this.#scheduleFollower.changed(change),
      logger,
      metrics,
    });
    this.#scheduleFollower = new ResourceFollower({
      kind: followedSchedules({
        store,
        view: viewOf(this.#schedules),
        read: (place) => options.schedules.read(place),
      }),
      concurrency: 2,
      logger,
    });
    this.#worker = new Worker({
      store,
      listener,
      logger,
      hooks,
      owner: options.identity ?? `${hostname()}-${process.pid}`,
      handlers: databaseJobHandlers({
        store,
        writer,
        backups: options.backups,
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
    this.#backups.start();
    this.#schedules.start();
    this.#worker.start();
    void this.view.whenSynced().then(() => {
      this.#logger.info({ databases: this.view.databases().length }, 'the cluster is known');
      this.#databaseFollower.startSweeping();
    });
    void Promise.all([this.view.whenSynced(), this.#backups.whenSynced()]).then(() =>
      this.#backupFollower.startSweeping(),
    );
    void Promise.all([this.view.whenSynced(), this.#schedules.whenSynced()]).then(() =>
      this.#scheduleFollower.startSweeping(),
    );
  }

  /** Updates the metrics of the watches, for each scrape. */
  measure(): void {
    this.view.measure();
    this.#backups.measure();
    this.#schedules.measure();
  }

  async stop(withinMs: number): Promise<void> {
    await Promise.all([
      this.#worker.stop(withinMs),
      this.#databaseFollower.stop(withinMs),
      this.#backupFollower.stop(withinMs),
      this.#scheduleFollower.stop(withinMs),
      this.#backups.stop(),
      this.#schedules.stop(),
      this.view.stop(),
    ]);
  }
}

const viewOf = <T extends KubeObject>({ cache }: Reflector<T>) => ({
  find: (namespace: string, name: string) => cache.get(namespace, name),
  list: () => cache.list(),
});
