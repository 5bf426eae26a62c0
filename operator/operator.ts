/**
 * The operator: caches of the kinds that it looks after, and a controller for each kind. It watches from the start, so that a
 * standby knows everything when it takes the lead; it works only while it leads.
 */
import type { Logger } from 'pino';
import { labels, uidOf } from '../domain/names.ts';
import type {
  CatalogObject,
  DatabaseObject,
  ImportObject,
  LedgerBackup,
  LedgerBackupSchedule,
} from '../domain/custom-resources.ts';
import type { BackupEnvironment } from './ledgerbackup/environment.ts';
import { reconcileBackup } from './ledgerbackup/reconcile.ts';
import { letsGo, originInUse } from './ledgerbackup/restores.ts';
import { scheduleOf, stateOf } from './ledgerbackup/states.ts';
import { askForCheckpoint, type AskForCheckpoint } from './ledgerbackup/source.ts';
import { TestTurns } from './ledgerbackup/test-turns.ts';
import { reconcileSchedule } from './ledgerbackupschedule/reconcile.ts';
import type { ImportEnvironment } from './ledgerimport/environment.ts';
import { reconcileImport } from './ledgerimport/reconcile.ts';
import { reconcileCatalog } from './ledgercatalog/reconcile.ts';
import { fetchStatus, type StatusFetch } from '../domain/fetch-status.ts';
import { CapacityWatch } from './capacity/capacity-watch.ts';
import { backupsOf } from './ledgerdatabase/backups-seen.ts';
import { backupRows, testRows } from './ledgerdatabase/backup-rows.ts';
import { belongsTo } from './ledgerdatabase/belongs-to.ts';
import { reconcileDatabase } from './ledgerdatabase/reconcile.ts';
import { StatusPace } from './ledgerdatabase/status-pace.ts';
import type { PlanOptions } from './ledgerdatabase/subject-of.ts';
import { Untouched } from './ledgerdatabase/untouched.ts';
import { turnsOf, type Transitions } from './ledgerdatabase/transitions.ts';
import { certificateRows } from './ledgerdatabase/certificate-rows.ts';
import { conditionRows, startedRows } from './ledgerdatabase/condition-rows.ts';
import { Controller, type Key, type Outcome, type ReconcileContext } from './runtime/controller.ts';
import { EventRecorder } from './runtime/events.ts';
import {
  resources,
  type Claim,
  type ConfigMap,
  type Job,
  type NetworkPolicy,
  type Pod,
  type PodDisruptionBudget,
  type Service,
  type StatefulSet,
} from '../domain/kinds.ts';
import type { Cache, Kube, KubeObject, Resource } from '../base/kube/kube.ts';
import type { KubeSource } from '../base/kube/kube-source.ts';
import { replaceSeries, type Gauge } from '../base/metrics/metrics.ts';
import { sleep, systemTimers } from '../base/timers.ts';
import type { ObjectChange } from '../base/kube/object-cache.ts';
import type { OperatorMetrics } from './runtime/operator-metrics.ts';
import { MergedCache } from '../base/kube/merged-cache.ts';
import { Reflector } from '../base/kube/reflector.ts';
import { NodeZones } from './runtime/node-zones.ts';
import { SweepWatch } from './store/sweep-watch.ts';
import { claimsOf } from './volumes/decide.ts';
import { GoneDatabases } from './volumes/gone-databases.ts';
import { leftRows } from './volumes/left-rows.ts';
import { reconcileVolume } from './volumes/reconcile.ts';

export const reconciledKinds = [
  'LedgerDatabase',
  'PersistentVolumeClaim',
  'LedgerCatalog',
  'LedgerBackup',
  'LedgerBackupSchedule',
  'LedgerImport',
] as const;

export const watchedResources = [
  resources.database,
  resources.catalog,
  resources.backup,
  resources.backupSchedule,
  resources.import,
  resources.service,
  resources.claim,
  resources.job,
  resources.pod,
  resources.statefulSet,
  resources.configMap,
  resources.podDisruptionBudget,
  resources.networkPolicy,
].map((resource) => resource.plural);

interface OperatorOptions {
  /** API for the watches, without the fence. */
  readonly source: KubeSource;
  /** Makes the API for a reconcile, whose calls end with its signal. It writes only while this process leads. */
  readonly kubeFor: (signal: AbortSignal) => Kube;
  /** API for recording events. */
  readonly kube: Kube;
  readonly plan: PlanOptions;
  /** Namespaces to look after. Default: all. */
  readonly namespaces?: readonly string[];
  readonly instance: string;
  readonly concurrency: number;
  readonly logger: Logger;
  readonly metrics: OperatorMetrics;
  readonly onLostLeadership: () => void;
  readonly fetchStatus?: StatusFetch;
  readonly askForCheckpoint?: AskForCheckpoint;
  /** Maximum silence of a watch before the next one. Default 90,000. */
  readonly watchSilenceMaxMs?: number;
  /** Interval at which engines are asked for their usage. Default 60,000. */
  readonly capacityPeriodMs?: number;
  /** Milliseconds since the UNIX epoch. Default: the API server's time. */
  readonly nowMs?: () => number;
  readonly random?: () => number;
}

/** Every object is visited again now and then, at random times: it costs nothing when there is nothing to do. */
const lookAgainMs = { min: 10 * 60_000, max: 15 * 60_000 };

/** Maximum silence of a watch: each restarts after 90 s of silence, and a restart is heard, even by one that is deaf. */
const silenceMaxMs = 5 * 60_000;

/** Whether a single namespace refuses its objects to this process. */
const isLeftOut = ({ namespace, refused }: Reflector<never>): boolean =>
  namespace !== undefined && refused;

export class Operator {
  readonly #options: OperatorOptions;
  readonly #events: EventRecorder;
  readonly #reflectors: Reflector<never>[] = [];
  readonly #caches;
  readonly #capacity: CapacityWatch;
  readonly #sweeps: SweepWatch;
  readonly #controllers: Readonly<Record<(typeof reconciledKinds)[number], Controller>>;
  readonly #conditions: Gauge;
  readonly #certificates: Gauge;
  readonly #backups: Gauge;
  readonly #tests: Gauge;
  readonly #started: Gauge;
  readonly #left: Gauge;
  readonly #failing: Gauge;
  readonly #zones = new NodeZones();
  readonly #pace = new StatusPace();
  readonly #untouched = new Untouched();
  readonly #gone = new GoneDatabases();
  readonly #testTurns = new TestTurns();
  readonly #importTurns = new TestTurns();
  #leads = false;

  constructor(options: OperatorOptions) {
    this.#options = options;
    const { kube, logger, metrics, instance } = options;
    this.#events = new EventRecorder({ kube, logger, metrics, instance });
    this.#caches = this.#watchAll();
    this.#capacity = new CapacityWatch({
      databases: () => this.#caches.databases.list(),
      podsOf: (database) =>
        this.#caches.pods.byIndex(uidOf(database)).filter((pod) => belongsTo(database, pod)),
      fetchStatus: options.fetchStatus ?? fetchStatus,
      onChange: (database) => this.#enqueue('LedgerDatabase', database),
      nowMs: () => this.#nowMs(),
      logger,
      ...(options.capacityPeriodMs === undefined ? {} : { periodMs: options.capacityPeriodMs }),
    });
    this.#sweeps = new SweepWatch({
      kube,
      logger,
      registry: metrics.registry,
      namespace: options.plan.operatorNamespace,
    });
    this.#controllers = this.#control();
    this.#conditions = metrics.registry.labelledGauge(
      'ledgerhouse_database_condition',
      'Conditions of databases: 1 true, 0 false, -1 unknown.',
      [],
      ['namespace', 'name', 'type'],
    );
    this.#started = metrics.registry.labelledGauge(
      'ledgerhouse_database_started',
      '1 once all replicas of a database have run, 0 while it is first made.',
      [],
      ['namespace', 'name'],
    );
    this.#left = metrics.registry.labelledGauge(
      'ledgerhouse_database_volume_left_timestamp_seconds',
      'Time since which a volume (claim) has waited for a database that adopts it.',
      [],
      ['namespace', 'name', 'claim'],
    );
    this.#failing = metrics.registry.labelledGauge(
      'ledgerhouse_database_reconcile_failures',
      'Consecutive failed reconciles of a database.',
      [],
      ['namespace', 'name'],
    );
    this.#certificates = metrics.registry.labelledGauge(
      'ledgerhouse_database_certificate_expiry_timestamp_seconds',
      'Expiry of the certificate that the etcd members of a database show.',
      [],
      ['namespace', 'name'],
    );
    this.#backups = metrics.registry.labelledGauge(
      'ledgerhouse_database_backup_timestamp_seconds',
      'When the newest good backup of a database was made (event="made"), one was last restored for a test (event="verified"), and the archived log was last replayed up to one (event="replayed").',
      [],
      ['namespace', 'name', 'event'],
    );
    this.#tests = metrics.registry.labelledGauge(
      'ledgerhouse_database_backup_test_seconds',
      'Duration of the last test restore of a database that passed (part="restore"), and of the last replay of its log (part="replay").',
      [],
      ['namespace', 'name', 'part'],
    );
  }

  start(): void {
    for (const reflector of this.#reflectors) reflector.start();
  }

  /**
   * Resolves once all caches are filled. A single namespace that refuses its objects, because its role is gone, is left out:
   * it must not keep the operator from the others.
   */
  async whenSynced(): Promise<void> {
    await Promise.all(
      this.#reflectors.map((reflector) =>
        reflector.namespace === undefined ? reflector.whenSynced() : reflector.whenAnswered(),
      ),
    );
  }

  get synced(): boolean {
    return this.#reflectors.every((reflector) => reflector.cache.synced || isLeftOut(reflector));
  }

  /** Begins to work. All caches must be filled: until then an object's absence means nothing. */
  async lead(): Promise<void> {
    await this.whenSynced();
    this.#leads = true;
    this.#enqueueAll();
    for (const namespace of this.#options.namespaces ?? []) {
      if (this.#knows(namespace)) continue;
      const own = this.#reflectors.filter((reflector) => reflector.namespace === namespace);
      void Promise.all(own.map((one) => one.whenSynced())).then(() => this.#enqueueAll());
    }
    this.#capacity.start();
    this.#sweeps.start();
  }

  #enqueueAll(): void {
    const { databases, claims, catalogs, backups, schedules, imports } = this.#caches;
    const all = [
      ['LedgerCatalog', catalogs.list()],
      ['LedgerDatabase', databases.list()],
      ['PersistentVolumeClaim', claims.list()],
      ['LedgerBackup', backups.list()],
      ['LedgerBackupSchedule', schedules.list()],
      ['LedgerImport', imports.list()],
    ] as const;
    for (const [kind, objects] of all) {
      for (const object of objects) this.#enqueue(kind, object);
    }
  }

  /** Whether all objects of a namespace are known. Until then an object's absence means nothing. */
  #knows(namespace: string | undefined): boolean {
    return this.#reflectors.every(
      (reflector) =>
        reflector.namespace === undefined ||
        reflector.namespace !== namespace ||
        reflector.cache.synced,
    );
  }

  /** Returns why the process should restart: a leader with an outdated view keeps another from doing better. */
  stuck(): readonly string[] {
    const controllers = Object.values(this.#controllers).map((controller) => controller.stuck());
    const silent = this.#reflectors
      .filter((reflector) => reflector.cache.synced && reflector.silenceMs > silenceMaxMs)
      // A restart gives no right back.
      .filter((reflector) => !isLeftOut(reflector))
      .map(
        ({ resource, silenceMs }) =>
          `the watch of ${resource.plural} has been silent for ${Math.round(silenceMs / 1_000)} s`,
      );
    const deaf = this.#reflectors
      .filter((reflector) => reflector.deaf)
      .map(
        ({ resource }) =>
          `the watch of ${resource.plural} brings nothing, though lists show changes`,
      );
    return [...controllers.filter((words) => words !== undefined), ...silent, ...deaf];
  }

  measure(): void {
    const databases = this.#caches.databases.list();
    // Only the leader reports metrics of the databases: other operators may be behind.
    const told = this.#leads ? databases : [];
    replaceSeries(this.#conditions, conditionRows(told));
    replaceSeries(this.#started, startedRows(told));
    const { databases: known, claims } = this.#caches;
    const left = leftRows(claims.list(), (uid) => known.byIndex(uid).length > 0);
    replaceSeries(this.#left, this.#leads ? left : []);
    replaceSeries(this.#certificates, certificateRows(told));
    replaceSeries(this.#backups, backupRows(told));
    replaceSeries(this.#tests, testRows(told));
    this.#sweeps.measure();
    replaceSeries(
      this.#failing,
      this.#controllers.LedgerDatabase.failing().map(([{ namespace = '', name }, times]) => [
        { namespace, name },
        times,
      ]),
    );
    for (const controller of Object.values(this.#controllers)) controller.measure();
    // The namespaces of a kind share a row, which reports the most silent one.
    const reflectors = this.#reflectors.toSorted((a, b) => a.silenceMs - b.silenceMs);
    for (const reflector of reflectors) reflector.measure();
  }

  /** Ends work in flight in good order. Returns false if some did not end in time. */
  async stop(waitMaxMs: number): Promise<boolean> {
    this.#leads = false;
    const ended = await Promise.all(
      Object.values(this.#controllers).map((controller) => controller.stop(waitMaxMs)),
    );
    await this.#capacity.stop();
    await this.#sweeps.stop();
    await this.#events.stop(1_000);
    await Promise.all(this.#reflectors.map((reflector) => reflector.stop()));
    return ended.every(Boolean);
  }

  #watchAll() {
    const owned = <T extends KubeObject>(resource: Resource) =>
      this.#watch<T>(resource, (change) => this.#ownedChanged(change), true);
    return {
      databases: this.#watch<DatabaseObject>(resources.database, (change) =>
        this.#databaseChanged(change),
      ),
      catalogs: this.#watch<CatalogObject>(resources.catalog, (change) =>
        this.#catalogChanged(change),
      ),
      backups: this.#watch<LedgerBackup & KubeObject>(resources.backup, (change) =>
        this.#backupChanged(change),
      ),
      schedules: this.#watch<LedgerBackupSchedule & KubeObject>(
        resources.backupSchedule,
        ({ object, previous }) => {
          this.#enqueue('LedgerBackupSchedule', object);
          const { metadata, spec } = object ?? previous ?? {};
          this.#enqueueSiblings(metadata?.namespace, metadata?.name);
          if (spec !== undefined)
            this.#enqueueNamed('LedgerDatabase', metadata?.namespace, spec.database);
        },
      ),
      imports: this.#watch<ImportObject>(resources.import, ({ object }) =>
        this.#enqueue('LedgerImport', object),
      ),
      services: owned<Service>(resources.service),
      claims: this.#watch<Claim>(resources.claim, (change) => this.#claimChanged(change), true),
      jobs: owned<Job>(resources.job),
      pods: this.#watch<Pod>(resources.pod, (change) => this.#podChanged(change), true),
      statefulSets: this.#watch<StatefulSet>(
        resources.statefulSet,
        (change) => this.#statefulSetChanged(change),
        true,
      ),
      configMaps: owned<ConfigMap>(resources.configMap),
      podDisruptionBudgets: owned<PodDisruptionBudget>(resources.podDisruptionBudget),
      networkPolicies: owned<NetworkPolicy>(resources.networkPolicy),
    };
  }

  /** Watches a kind. With `ours`, only objects with the label of a database's uid, by which they are indexed. */
  #watch<T extends KubeObject>(
    resource: Resource,
    onChange: (change: ObjectChange<T>) => void,
    ours = false,
  ): Cache<T> {
    const { source, logger, metrics, namespaces = [], watchSilenceMaxMs } = this.#options;
    const watched = (namespace?: string) => {
      const reflector = new Reflector<T>({
        source,
        resource,
        namespace,
        onChange,
        logger,
        metrics,
        index: ours ? labels.uid : ({ metadata }) => metadata.uid,
        ...(ours ? { labelSelector: labels.uid } : {}),
        ...(watchSilenceMaxMs === undefined ? {} : { silenceMaxMs: watchSilenceMaxMs }),
      });
      this.#reflectors.push(reflector as unknown as Reflector<never>);
      return reflector.cache;
    };
    if (!resource.namespaced || namespaces.length === 0) return watched();
    return new MergedCache(new Map(namespaces.map((one) => [one, watched(one)])));
  }

  #control() {
    const { metrics, logger, concurrency, onLostLeadership } = this.#options;
    const { random = Math.random } = this.#options;
    const nowMs = () => this.#nowMs();
    const controller = (
      kind: (typeof reconciledKinds)[number],
      reconcile: (key: Key, context: ReconcileContext) => Promise<Outcome>,
    ) =>
      new Controller({
        kind,
        logger,
        metrics,
        concurrency,
        onLostLeadership,
        reconcile: async (key, context) => {
          const outcome = await reconcile(key, context);
          const { min, max } = lookAgainMs;
          return { requeueAfterMs: outcome.requeueAfterMs ?? min + random() * (max - min) };
        },
      });
    const caches = this.#caches;
    const kubeOf = ({ signal }: ReconcileContext) => this.#options.kubeFor(signal);
    return {
      LedgerDatabase: controller('LedgerDatabase', (key, context) =>
        reconcileDatabase(
          {
            options: this.#options.plan,
            kube: kubeOf(context),
            caches,
            noteAnswer: (object) => this.#noteAnswer(object),
            fetchStatus: this.#options.fetchStatus ?? fetchStatus,
            nowMs,
            pause: (ms) => sleep(systemTimers, ms),
            zones: this.#zones,
            pace: this.#pace,
            isUntouched: (database) => this.#untouched.has(database),
            capacityOf: (uid) => this.#capacity.of(uid),
            heard: (...answers) => this.#capacity.heard(...answers),
            backupsOf: (database) => backupsOf(caches, database),
            transitions: this.#transitions,
          },
          key,
          context.logger,
        ),
      ),
      PersistentVolumeClaim: controller('PersistentVolumeClaim', (key, context) =>
        reconcileVolume(
          { ...caches, kube: kubeOf(context), events: this.#events, gone: this.#gone },
          key,
          context.logger,
        ),
      ),
      LedgerCatalog: controller('LedgerCatalog', (key, context) =>
        reconcileCatalog({ kube: kubeOf(context), catalogs: caches.catalogs, nowMs }, key),
      ),
      LedgerBackup: controller('LedgerBackup', (key, context) =>
        reconcileBackup(this.#backupEnvironment(kubeOf(context)), key),
      ),
      LedgerBackupSchedule: controller('LedgerBackupSchedule', (key, context) =>
        reconcileSchedule(this.#backupEnvironment(kubeOf(context)), key),
      ),
      LedgerImport: controller('LedgerImport', (key, context) =>
        reconcileImport(this.#importEnvironment(kubeOf(context)), key),
      ),
    };
  }

  #backupEnvironment(kube: Kube): BackupEnvironment {
    const { plan } = this.#options;
    return {
      ...this.#caches,
      kube,
      options: plan,
      askForCheckpoint: this.#options.askForCheckpoint ?? askForCheckpoint,
      testTurns: this.#testTurns,
      nowMs: () => this.#nowMs(),
    };
  }

  #importEnvironment(kube: Kube): ImportEnvironment {
    const { plan } = this.#options;
    const { imports, catalogs, jobs, pods } = this.#caches;
    const nowMs = () => this.#nowMs();
    return {
      imports,
      catalogs,
      jobs,
      pods,
      kube,
      options: plan,
      importTurns: this.#importTurns,
      nowMs,
    };
  }

  /** The API server's time: by it pods are dated, and certificates of replicas on other machines are valid. */
  #nowMs(): number {
    const { nowMs, kube } = this.#options;
    return nowMs?.() ?? kube.serverTimeMs() ?? Date.now();
  }

  readonly #transitions: Transitions = (before, after, logger) => {
    for (const turn of turnsOf(before, after)) {
      this.#events.record(after, turn);
      logger.info({ reason: turn.reason, note: turn.note }, 'condition changed');
    }
  };

  #enqueue(kind: (typeof reconciledKinds)[number], object: KubeObject | undefined): void {
    if (!this.#leads || object === undefined) return;
    const { namespace, name = '' } = object.metadata;
    if (this.#knows(namespace)) this.#controllers[kind].enqueue({ namespace, name });
  }

  #enqueueNamed(
    kind: (typeof reconciledKinds)[number],
    namespace: string | undefined,
    name: string,
  ) {
    if (this.#leads && this.#knows(namespace)) this.#controllers[kind].enqueue({ namespace, name });
  }

  #backupChanged({ object, previous }: ObjectChange<LedgerBackup & KubeObject>): void {
    this.#enqueue('LedgerBackup', object);
    const backup = object ?? previous;
    if (backup === undefined) return;
    const { namespace } = backup.metadata;
    const schedule = scheduleOf(backup);
    if (schedule !== undefined) this.#enqueueNamed('LedgerBackupSchedule', namespace, schedule);
    this.#enqueueNamed('LedgerDatabase', namespace, backup.spec.database);
    // Another good backup may make an older one dispensable.
    const became = object === undefined ? 'gone' : stateOf(object);
    const was = previous === undefined ? 'new' : stateOf(previous);
    if (became !== was) this.#enqueueSiblings(namespace, schedule);
    if (!letsGo(previous, object)) return;
    for (const one of this.#caches.backups.list()) {
      const { metadata, spec } = one;
      const isOfSame = metadata.namespace === namespace && spec.database === backup.spec.database;
      if (isOfSame) this.#enqueue('LedgerBackup', one);
    }
  }

  #enqueueSiblings(namespace: string | undefined, schedule: string | undefined): void {
    if (schedule === undefined) return;
    for (const one of this.#caches.backups.list()) {
      const isSibling = one.metadata.namespace === namespace && scheduleOf(one) === schedule;
      if (isSibling) this.#enqueue('LedgerBackup', one);
    }
  }

  #ownedChanged({ object, previous }: ObjectChange<KubeObject>): void {
    const { metadata } = object ?? previous ?? {};
    const backup = metadata?.labels?.[labels.backup];
    if (backup !== undefined) {
      this.#enqueueNamed('LedgerBackup', metadata?.namespace, backup);
      return;
    }
    const trial = metadata?.labels?.[labels.import];
    if (trial !== undefined) {
      this.#enqueueNamed('LedgerImport', metadata?.namespace, trial);
      return;
    }
    const name = metadata?.labels?.[labels.database];
    if (!this.#leads || name === undefined || !this.#knows(metadata?.namespace)) return;
    this.#controllers.LedgerDatabase.enqueue({ namespace: metadata?.namespace, name });
  }

  #claimChanged(change: ObjectChange<Claim>): void {
    this.#ownedChanged(change);
    this.#enqueue('PersistentVolumeClaim', change.object);
    const databaseId = change.object?.metadata.labels?.[labels.databaseId];
    for (const database of this.#caches.databases.list()) {
      // A database that waits for volumes to adopt.
      if (databaseId === undefined) return;
      const awaits = database.spec.bootstrap?.volumes?.databaseId === databaseId;
      if (awaits) this.#enqueue('LedgerDatabase', database);
    }
  }

  /** The volumes of a deleted pod may have no user any more. */
  #podChanged(change: ObjectChange<Pod>): void {
    this.#ownedChanged(change);
    const { object, previous, namespace } = change;
    if (object !== undefined || previous === undefined) return;
    for (const name of claimsOf(previous)) {
      this.#enqueue('PersistentVolumeClaim', this.#caches.claims.get(namespace, name));
    }
  }

  #statefulSetChanged(change: ObjectChange<StatefulSet>): void {
    this.#ownedChanged(change);
    if (change.object !== undefined) return;
    const uid = change.previous?.metadata.labels?.[labels.uid] ?? '';
    for (const claim of this.#caches.claims.byIndex(uid))
      this.#enqueue('PersistentVolumeClaim', claim);
  }

  #databaseChanged(change: ObjectChange<DatabaseObject>): void {
    const { object, previous } = change;
    this.#untouched.note(change);
    this.#enqueue('LedgerDatabase', object);
    const origin = originInUse(previous);
    if (origin !== undefined && originInUse(object) === undefined) {
      for (const backup of this.#caches.backups.list()) {
        if (backup.status?.databaseId === origin.databaseId) this.#enqueue('LedgerBackup', backup);
      }
    }
    if (object !== undefined && previous !== undefined) return;
    if (object === undefined && previous !== undefined) this.#gone.note(previous);
    // The database appeared or disappeared: that decides about its volumes, and about those that it adopts.
    const database = object ?? previous;
    const uid = database?.metadata.uid ?? '';
    const from = database?.spec.bootstrap?.volumes?.databaseId;
    for (const claim of this.#caches.claims.byIndex(uid))
      this.#enqueue('PersistentVolumeClaim', claim);
    if (from === undefined) return;
    for (const claim of this.#caches.claims.list()) {
      if (claim.metadata.labels?.[labels.databaseId] === from) {
        this.#enqueue('PersistentVolumeClaim', claim);
      }
    }
  }

  #noteAnswer(object: KubeObject): void {
    const { namespace } = object.metadata;
    for (const reflector of this.#reflectors) {
      const ofKind = reflector.resource.kind === object.kind;
      const here = reflector.namespace === undefined || reflector.namespace === namespace;
      if (ofKind && here) reflector.note(object as never);
    }
  }

  #catalogChanged({ object }: ObjectChange<CatalogObject>): void {
    this.#enqueue('LedgerCatalog', object);
    // A refused write may be possible now.
    for (const database of this.#caches.databases.list()) this.#enqueue('LedgerDatabase', database);
  }
}
