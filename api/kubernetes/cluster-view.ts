/**
 * View of the cluster that needs no requests: databases, the catalog, and whether the operator is alive. Watches keep it up to
 * date; while the API server is unreachable, it holds the last observation.
 */
import type { Logger } from 'pino';
import type { KubeSource } from '../../base/kube/kube-source.ts';
import type { ObjectChange } from '../../base/kube/object-cache.ts';
import { Reflector } from '../../base/kube/reflector.ts';
import type { WatchMetrics } from '../../base/metrics/kube-metrics.ts';
import type { CatalogObject, CatalogSpec, DatabaseObject } from '../../domain/custom-resources.ts';
import { catalogAt, datesPassed } from '../../domain/catalog/versions.ts';
import { resources } from '../../domain/kinds.ts';
import { catalogName, operatorName } from '../../domain/names.ts';
import { OperatorHeartbeat, type Lease } from './operator-heartbeat.ts';

export const watchedResources = [resources.database, resources.catalog, resources.lease].map(
  (resource) => resource.plural,
);

interface ClusterViewOptions {
  readonly source: KubeSource;
  /** Namespace of the operator and of its Lease. */
  readonly operatorNamespace: string;
  /** Called from the watch. Must not throw and must queue slow work. */
  readonly onDatabase: (change: ObjectChange<DatabaseObject>) => void;
  readonly logger: Logger;
  readonly metrics: WatchMetrics;
}

export interface CatalogView {
  /** Present content of the catalog. */
  readonly spec: CatalogSpec;
  /** Version of the catalog; it changes with each change of the catalog, and when a date of an engine's version comes. */
  readonly version: string;
}

export class ClusterView {
  readonly #databases: Reflector<DatabaseObject>;
  readonly #catalogs: Reflector<CatalogObject>;
  readonly #leases: Reflector<Lease>;
  readonly #heartbeat = new OperatorHeartbeat();

  constructor(options: ClusterViewOptions) {
    const { source, logger, metrics } = options;
    this.#databases = new Reflector<DatabaseObject>({
      source,
      logger,
      metrics,
      resource: resources.database,
      onChange: options.onDatabase,
    });
    this.#catalogs = new Reflector<CatalogObject>({
      source,
      logger,
      metrics,
      resource: resources.catalog,
      onChange: () => {},
    });
    this.#leases = new Reflector<Lease>({
      source,
      logger,
      metrics,
      resource: resources.lease,
      namespace: options.operatorNamespace,
      onChange: ({ name, object }) => {
        if (name === operatorName) this.#heartbeat.see(object);
      },
    });
  }

  start(): void {
    for (const reflector of this.#all()) reflector.start();
  }

  async whenSynced(): Promise<void> {
    await Promise.all(this.#all().map((reflector) => reflector.whenSynced()));
  }

  async stop(): Promise<void> {
    await Promise.all(this.#all().map((reflector) => reflector.stop()));
  }

  get synced(): boolean {
    return this.#all().every(({ cache }) => cache.synced);
  }

  /** `undefined`: the administrator has applied none, or it is not known yet. */
  get catalog(): CatalogView | undefined {
    const catalog = this.#catalogs.cache.get(undefined, catalogName);
    if (catalog === undefined) return undefined;
    const { uid = '', generation = 0 } = catalog.metadata;
    const now = Date.now();
    const passed = datesPassed(catalog.spec, now);
    const version = `${uid.slice(0, 8)}.${generation}${passed === 0 ? '' : `.${passed}`}`;
    return { spec: catalogAt(catalog.spec, now), version };
  }

  database(namespace: string, name: string): DatabaseObject | undefined {
    return this.#databases.cache.get(namespace, name);
  }

  databases(): readonly DatabaseObject[] {
    return this.#databases.cache.list();
  }

  /** While false, conditions may be outdated. */
  get operatorAlive(): boolean {
    return this.#heartbeat.alive;
  }

  /** Updates the metrics, for each scrape. */
  measure(): void {
    for (const reflector of this.#all()) reflector.measure();
  }

  #all() {
    return [this.#databases, this.#catalogs, this.#leases] as const;
  }
}
