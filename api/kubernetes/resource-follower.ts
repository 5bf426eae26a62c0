/**
 * Takes the resources of one kind over into the store. Each change of the watch is retried until it succeeds. Each minute the
 * rows of the store are compared with the resources, which finds changes that no process watched.
 */
import type { Logger } from 'pino';
import { ApiError, type KubeObject } from '../../base/kube/kube.ts';
import type { ObjectChange } from '../../base/kube/object-cache.ts';
import { systemTimers, type Timers } from '../../base/timers.ts';
import { WorkQueue } from '../../base/work-queue.ts';
import type { PlacedResource } from '../model/placed-resource.ts';
import { StoreUnavailable } from '../store/store-errors.ts';

export interface FollowedKind<T extends KubeObject> {
  /** Noun for messages, such as `backup`. */
  readonly noun: string;
  /** The watch's view. */
  readonly view: {
    find(namespace: string, name: string): T | undefined;
    list(): readonly T[];
  };
  /** Reads from the API server. */
  readonly read: (place: Pick<PlacedResource, 'namespace' | 'name'>) => Promise<T | undefined>;
  /** The resources that exist according to the store. */
  readonly placed: () => Promise<readonly PlacedResource[]>;
  /** Takes a resource over, unless the store already has this version. */
  readonly take: (object: T) => Promise<void>;
  /** Records that a resource is gone, unless the store knows that or never knew the resource. */
  readonly markGone: (place: PlacedResource) => Promise<void>;
}

interface FollowerOptions<T extends KubeObject> {
  readonly kind: FollowedKind<T>;
  /** Maximum number of resources taken over at a time. */
  readonly concurrency: number;
  readonly logger: Logger;
  readonly timers?: Timers;
}

/** Interval of the comparisons. */
const sweepMs = 60_000;

export class ResourceFollower<T extends KubeObject> {
  readonly #kind: FollowedKind<T>;
  readonly #logger: Logger;
  readonly #timers: Timers;
  readonly #queue: WorkQueue;
  /** Places of resources whose deletion was observed, by UID. */
  readonly #gone = new Map<string, string>();
  #cancelSweep = () => {};
  #stopped = false;

  constructor({ kind, concurrency, logger, timers = systemTimers }: FollowerOptions<T>) {
    this.#kind = kind;
    this.#logger = logger;
    this.#timers = timers;
    this.#queue = new WorkQueue({
      work: (key) => this.#work(key),
      concurrency,
      backoff: { baseMs: 100, maxMs: 10_000 },
      timers,
    });
  }

  /** Handles a change that the watch reports. */
  changed({ namespace = '', name, object, previous }: ObjectChange<T>): void {
    const key = `${namespace}/${name}`;
    if (object === undefined && previous?.metadata.uid !== undefined) {
      this.#gone.set(previous.metadata.uid, key);
    }
    this.#queue.add(key);
  }

  /** Starts the comparisons. Call it when the watch has synced. */
  startSweeping(): void {
    if (this.#stopped) return;
    void this.#sweep().finally(() => {
      this.#cancelSweep = this.#timers.after(sweepMs, () => this.startSweeping());
    });
  }

  async stop(waitMaxMs: number): Promise<void> {
    this.#stopped = true;
    this.#cancelSweep();
    await this.#queue.stop(waitMaxMs);
  }

  async #sweep(): Promise<void> {
    const { noun, view, placed, read, markGone } = this.#kind;
    try {
      const living = new Map(view.list().map((object) => [object.metadata.uid, object]));
      for (const place of await placed()) {
        if (living.delete(place.uid)) continue;
        // The watch may be behind a process that has just made the resource.
        const found = await read(place);
        if (found?.metadata.uid !== place.uid) await markGone(place);
      }
      // These have no row: the rows that they need may exist by now.
      for (const { metadata } of living.values()) {
        this.#queue.add(`${metadata.namespace ?? ''}/${metadata.name}`);
      }
    } catch (error) {
      const isAway = error instanceof StoreUnavailable || error instanceof ApiError;
      if (!isAway) throw error;
      this.#logger.warn(
        { reason: error.message },
        `the comparison of each ${noun} with the cluster is postponed`,
      );
    }
  }

  async #work(key: string): Promise<void> {
    const { noun, view, take, markGone } = this.#kind;
    const [namespace = '', name = ''] = key.split('/');
    try {
      for (const [uid, place] of this.#gone) {
        if (place !== key) continue;
        await markGone({ namespace, name, uid });
        this.#gone.delete(uid);
      }
      const object = view.find(namespace, name);
      if (object !== undefined) await take(object);
      this.#queue.forget(key);
    } catch (error) {
      this.#queue.retry(key);
      const failures = this.#queue.failures(key);
      if (error instanceof StoreUnavailable) {
        this.#logger.warn(
          { namespace, name, failures, reason: error.message },
          `a ${noun} could not be written to the store yet; trying again`,
        );
      } else {
        this.#logger.error(
          { err: error, namespace, name, failures },
          `a ${noun} could not be taken over from the cluster`,
        );
      }
    }
  }
}
