/**
 * Keeps a cache of one kind in step with the API server: a list, then a watch from it, for the life of the process.
 *
 * - The server ends each watch after 4 to 5 minutes; the next one begins at once from where it stopped. Bookmarks keep that
 *   position fresh. Only errors cause waits.
 * - A connection on which nothing arrives for 90 s (bookmarks do each minute) is given up as dead, whatever TCP says.
 * - Watches may open and bring nothing, or only bookmarks: the cluster is quiet, or something in between swallows the events. After
 *   two silent watches, or six with bookmarks, the list is read again. If it shows changes time after time, the watch is deaf.
 * - A write of this process comes back as an event before a bookmark goes beyond it: otherwise the watch swallows events, too.
 * - When the position is too old to go on from (410), the list is read again. Changes in it that the watch should have
 *   reported are counted as missed.
 * - A list older than the cache is rejected: it would undo newer changes. Only after it came three times is it accepted,
 *   since a restored etcd does go back.
 */
import type { Logger } from 'pino';
import { failureOfStatus } from './api-failure.ts';
import { backoffMs, type BackoffRange } from '../backoff.ts';
import { DeadlineExceeded, startDeadline } from '../deadline.ts';
import { ApiError, type KubeObject, type Resource } from './kube.ts';
import type { KubeSource, WatchEvent } from './kube-source.ts';
import { ObjectCache, pathOf, type Index, type ObjectChange } from './object-cache.ts';
import type { WatchMetrics } from '../metrics/kube-metrics.ts';
import { isOlder } from './resource-version.ts';
import { sleep, systemTimers, type Timers } from '../timers.ts';

export interface ReflectorOptions<T extends KubeObject> {
  readonly source: KubeSource;
  readonly resource: Resource;
  readonly namespace?: string | undefined;
  /** One label: `KEY=VALUE`, or `KEY` for any value. */
  readonly labelSelector?: string | undefined;
  /** Index functions for `cache.byIndex`. */
  readonly index?: Index<T>;
  /** Puts keys into queues. The cache holds the change before the call. Exceptions are counted and logged. */
  readonly onChange: (change: ObjectChange<T>) => void;
  readonly logger: Logger;
  readonly metrics: WatchMetrics;
  /** Length of a watch. Default 240 to 300. */
  readonly watchSeconds?: { readonly min: number; readonly max: number };
  /** Maximum silence of a watch. Default 90,000. */
  readonly silenceMaxMs?: number;
  /** Waits after errors. Default 200 ms to 30 s. */
  readonly backoff?: BackoffRange;
  readonly timers?: Timers;
  readonly random?: () => number;
}

/** Objects in one page of a list. The lists of all kinds are read side by side, and a page takes some times its text while it is parsed. */
const listPageSize = 100;
/** Number of consecutive older lists after which one is accepted. */
const staleListsMax = 3;
/** Number of consecutive watches that bring nothing, after which the list is read again. */
const silentWatchesMax = 2;
/** Number of consecutive watches that bring only bookmarks, after which the list is read again: that is after half an hour. */
const eventlessWatchesMax = 6;
/** Number of such lists with changes, none of which a watch brought: one change may fall between a watch and the list. */
const unheardListsMax = 2;
/** A shorter watch without an event is a failure, however cleanly it ended. */
const shortWatchMs = 1_000;

export class Reflector<T extends KubeObject> {
  readonly cache: ObjectCache<T>;
  readonly #options: ReflectorOptions<T>;
  readonly #timers: Timers;
  readonly #random: () => number;
  readonly #stopping = new AbortController();
  readonly #labels: { readonly resource: string };
  /** Resource version up to which the cache is complete. */
  #position: string | undefined;
  #mustList = true;
  #failures = 0;
  #staleLists = 0;
  #silentWatches = 0;
  #eventlessWatches = 0;
  #unheardLists = 0;
  /** Versions of answers to writes that the watch has not brought yet, by the paths of the objects. */
  readonly #expected = new Map<string, string>();
  #heardAtMs: number;
  #loop: Promise<void> | undefined;
  #refused = false;
  readonly #synced = Promise.withResolvers<void>();
  readonly #answered = Promise.withResolvers<void>();

  constructor(options: ReflectorOptions<T>) {
    this.#options = options;
    this.cache = new ObjectCache<T>(options.index);
    this.#timers = options.timers ?? systemTimers;
    this.#random = options.random ?? Math.random;
    this.#labels = { resource: options.resource.plural };
    this.#heardAtMs = this.#timers.nowMs();
  }

  start(): void {
    this.#loop ??= this.#run();
  }

  /** Resolves once the first list has been loaded. */
  whenSynced(): Promise<void> {
    return this.#synced.promise;
  }

  /** Resolves once the first list has been loaded or refused. */
  whenAnswered(): Promise<void> {
    return this.#answered.promise;
  }

  /** Whether the API server refuses the list or the watch: this process has no right to it, or no longer. */
  get refused(): boolean {
    return this.#refused;
  }

  /** Ends the watch. The cache stays as it is. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error('the reflector stops'));
    await this.#loop;
  }

  get resource(): Resource {
    return this.#options.resource;
  }

  /**
   * Takes in the API server's answer to a write, which the watch may bring only later. Once the watch has got as far, it
   * knows better: the object may be gone since.
   */
  note(object: T): void {
    const { namespace, name = '', resourceVersion = '' } = object.metadata;
    if (this.#position === undefined || !isOlder(this.#position, resourceVersion)) return;
    const held = this.cache.get(namespace, name)?.metadata.resourceVersion ?? '';
    if (!this.#isWatched(object) || !isOlder(held, resourceVersion)) return;
    this.#expected.set(pathOf(namespace, name), resourceVersion);
    this.#tell(this.cache.put(object));
  }

  #isWatched({ metadata }: T): boolean {
    const { labelSelector } = this.#options;
    if (labelSelector === undefined) return true;
    const [label = '', value] = labelSelector.split('=');
    const has = metadata.labels?.[label];
    return value === undefined ? has !== undefined : has === value;
  }

  /** The only namespace that it watches; `undefined` if it watches all. */
  get namespace(): string | undefined {
    return this.#options.namespace;
  }

  /** Whether lists show changes that the watches, although they open, do not bring. */
  get deaf(): boolean {
    return this.#unheardLists >= unheardListsMax;
  }

  /** Time in ms since anything arrived from the API server. */
  get silenceMs(): number {
    return this.#timers.nowMs() - this.#heardAtMs;
  }

  /** Updates the metrics; called for each scrape. */
  measure(): void {
    this.#options.metrics.watchSilence.set(this.#labels, this.silenceMs / 1_000);
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    const { metrics, logger, resource } = this.#options;
    const backoff = this.#options.backoff ?? { baseMs: 200, maxMs: 30_000 };
    while (!signal.aborted) {
      try {
        if (this.#mustList) await this.#list();
        await this.#watch();
      } catch (error) {
        if (signal.aborted) return;
        this.#failures += 1;
        metrics.watchFailures.inc(this.#labels);
        this.#refused = error instanceof ApiError && error.status === 403;
        if (this.#refused) this.#answered.resolve();
        const expired = error instanceof ApiError && error.status === 410;
        if (expired) this.#mustList = true;
        const told = error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0;
        // The first 410 is not a failure: it only asks for a new list.
        const waitMs =
          expired && this.#failures === 1
            ? 0
            : Math.max(told, backoffMs(this.#failures, backoff, this.#random));
        logger.warn({ err: error, resource: resource.plural, waitMs }, 'watch failed');
        await sleep(this.#timers, waitMs, signal);
      }
    }
  }

  async #list(): Promise<void> {
    const { source, resource, namespace, labelSelector, metrics } = this.#options;
    const { signal } = this.#stopping;
    const held = this.#position;
    if (held !== undefined) metrics.watchRelists.inc(this.#labels);
    // Collected completely before it is used: a list that breaks off half way must not look like deletions.
    const found = new Map<string, T>();
    let continueToken: string | undefined;
    let position = '';
    do {
      const page = await source.listPage<T>(resource, {
        namespace,
        labelSelector,
        continueToken,
        pageSize: listPageSize,
        signal,
      });
      position = page.resourceVersion;
      for (const item of page.items) {
        found.set(pathOf(item.metadata.namespace, item.metadata.name ?? ''), this.cache.kept(item));
      }
      this.#heardAtMs = this.#timers.nowMs();
      continueToken = page.continueToken;
    } while (continueToken !== undefined);
    const wentBack = held !== undefined && isOlder(position, held);
    if (wentBack) {
      this.#staleLists += 1;
      if (this.#staleLists < staleListsMax) {
        throw new Error(
          `a list of ${resource.plural} is older than what is known: ${position} < ${held}`,
        );
      }
      this.#options.logger.warn({ resource: resource.plural, held, position }, 'list went back');
    }
    this.#staleLists = 0;
    const changed = this.#takeIn(found, wentBack ? undefined : { from: held, to: position });
    if (this.#isQuiet() && changed) this.#unheardLists += 1;
    this.#silentWatches = 0;
    this.#eventlessWatches = 0;
    for (const [path, version] of this.#expected) {
      if (wentBack || !isOlder(position, version)) this.#expected.delete(path);
    }
    this.#position = position;
    this.#mustList = false;
    this.cache.synced = true;
    this.#refused = false;
    this.#synced.resolve();
    this.#answered.resolve();
  }

  /**
   * Loads a list. `span.from` is the version up to which the watch should have reported changes, `span.to` that of the list: an
   * answer to a later write, noted while the list was read, stays. Without a span the list counts alone. Returns whether it has changes.
   */
  #takeIn(
    found: ReadonlyMap<string, T>,
    span: { readonly from: string | undefined; readonly to: string } | undefined,
  ): boolean {
    let changed = false;
    const isLater = ({ metadata }: T) =>
      span !== undefined && isOlder(span.to, metadata.resourceVersion ?? '');
    const later = new Set<string>();
    for (const object of this.cache.list()) {
      const { namespace, name = '' } = object.metadata;
      if (isLater(object)) later.add(pathOf(namespace, name));
      if (isLater(object) || found.has(pathOf(namespace, name))) continue;
      changed = true;
      // A list does not show whether the watch missed a deletion or the deletion came later.
      this.#tell(this.cache.remove(namespace, name));
    }
    for (const [path, object] of found) {
      if (later.has(path)) continue;
      const changes = this.cache.put(object);
      changed ||= changes.length > 0;
      const version = object.metadata.resourceVersion ?? '';
      if (changes.length > 0 && span?.from !== undefined && !isOlder(span.from, version)) {
        this.#options.metrics.watchMissed.inc(this.#labels);
      }
      this.#tell(changes);
    }
    return changed;
  }

  async #watch(): Promise<void> {
    const { source, resource, namespace, labelSelector, metrics } = this.#options;
    const { min, max } = this.#options.watchSeconds ?? { min: 240, max: 300 };
    const silenceMaxMs = this.#options.silenceMaxMs ?? 90_000;
    const startedAtMs = this.#timers.nowMs();
    const watchdog = startDeadline(this.#timers, silenceMaxMs, this.#stopping.signal);
    let told = false;
    let brought = false;
    let connected = false;
    try {
      const stream = source.watch(resource, {
        namespace,
        labelSelector,
        resourceVersion: this.#position ?? '',
        timeoutSeconds: Math.round(min + this.#random() * (max - min)),
        signal: watchdog.signal,
      });
      for await (const events of stream) {
        connected = true;
        this.#refused = false;
        watchdog.extend();
        this.#heardAtMs = this.#timers.nowMs();
        metrics.watchConnected.set(this.#labels, 1);
        for (const event of events) this.#apply(event);
        if (events.length > 0) {
          told = true;
          this.#failures = 0;
          this.#silentWatches = 0;
        }
        if (events.some(({ type }) => type !== 'BOOKMARK')) {
          brought = true;
          this.#eventlessWatches = 0;
          this.#unheardLists = 0;
        }
      }
    } catch (error) {
      // The connection may be half open, or the cluster quiet: bookmarks come when the API server sees fit. A new watch tells.
      if (!connected || !(watchdog.signal.reason instanceof DeadlineExceeded)) throw error;
      if (!told) this.#silentWatches += 1;
    } finally {
      watchdog.clear();
      metrics.watchConnected.set(this.#labels, 0);
    }
    if (!brought) this.#eventlessWatches += 1;
    if (this.#isQuiet()) this.#mustList = true;
    if (!told && this.#timers.nowMs() - startedAtMs < shortWatchMs) {
      throw new Error(`a watch of ${resource.plural} ended at once`);
    }
    this.#failures = 0;
    this.#refused = false;
  }

  #isQuiet(): boolean {
    return this.#silentWatches >= silentWatchesMax || this.#eventlessWatches >= eventlessWatchesMax;
  }

  /** All changes up to a bookmark come before it. */
  #requireExpected(bookmark: string): void {
    for (const [path, version] of this.#expected) {
      if (isOlder(bookmark, version)) continue;
      this.#mustList = true;
      this.#unheardLists += 1;
      throw new Error(
        `a watch of ${this.#options.resource.plural} is at ${bookmark} and left out ${path} of ${version}, which this process wrote`,
      );
    }
  }

  #apply({ type, object }: WatchEvent): void {
    if (type === 'ERROR') throw failureOfStatus(`watch ${this.#options.resource.plural}`, object);
    const { namespace, name = '', resourceVersion } = object.metadata;
    if (type === 'BOOKMARK') {
      this.#requireExpected(resourceVersion ?? '');
      this.#position = resourceVersion ?? this.#position;
      return;
    }
    const path = pathOf(namespace, name);
    if (!isOlder(resourceVersion ?? '', this.#expected.get(path) ?? ''))
      this.#expected.delete(path);
    const held = this.cache.get(namespace, name)?.metadata.resourceVersion ?? '';
    // A noted answer may be ahead of the watch, which brings what was before it only now.
    if (isOlder(resourceVersion ?? held, held)) this.#position = resourceVersion;
    else if (type === 'DELETED') this.#tell(this.cache.remove(namespace, name));
    else this.#tell(this.cache.put(object as T), type === 'ADDED');
    this.#position = resourceVersion ?? this.#position;
  }

  #tell(changes: readonly ObjectChange<T>[], isBirth = false): void {
    const { onChange, metrics, logger, resource } = this.#options;
    for (const change of changes) {
      try {
        const isNew = change.object !== undefined && change.previous === undefined;
        onChange(isBirth && isNew ? { ...change, isBirth } : change);
      } catch (error) {
        metrics.handlerFailures.inc(this.#labels);
        const { namespace, name } = change;
        logger.error({ err: error, resource: resource.plural, namespace, name }, 'handler failed');
      }
    }
  }
}
