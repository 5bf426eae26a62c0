/**
 * Events (events.k8s.io/v1) for users of kubectl. Recording never waits and never fails its caller: events that cannot be
 * kept or written are counted. A repeated event within a window turns the first one into a series.
 */
import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import { resources } from '../../domain/kinds.ts';
import { ApiError, type Kube, type KubeObject } from '../../base/kube/kube.ts';
import type { OperatorMetrics } from './operator-metrics.ts';
import { systemTimers, type Timers } from '../../base/timers.ts';
import { TokenBucket } from '../../base/kube/token-bucket.ts';

interface EventFacts {
  readonly type: 'Normal' | 'Warning';
  /** CamelCase, from a closed list. */
  readonly reason: string;
  readonly note: string;
  /** The action that was done or tried. Default: the reason. */
  readonly action?: string;
}

interface EventRecorderOptions {
  readonly kube: Kube;
  readonly logger: Logger;
  readonly metrics: OperatorMetrics;
  /** Identity of this process: the pod name. */
  readonly instance: string;
  /** Window for series. Default 360,000, as in Kubernetes' own recorders. */
  readonly windowMs?: number;
  /** Minimum time between two writes of a series. Default 30,000. */
  readonly seriesPeriodMs?: number;
  readonly timers?: Timers;
}

const controller = 'ledgerhouse.dev/operator';
const fieldManager = 'ledgerhouse-operator';
/** Maximum length of a note; the API server refuses more. */
const noteBytesMax = 1_024;
const shortTextMax = 128;
/** Maximum number of events that wait to be written. */
const waitingMax = 1_000;
/** Maximum number of series and of objects that are remembered; the oldest are forgotten first. */
const rememberedMax = 4_096;
/** Events of one object: 25 at once, then one in 5 minutes. */
const objectBurst = 25;
const objectPerSecond = 1 / 300;

type Event = KubeObject & { readonly [field: string]: unknown };

interface Remembered {
  readonly event: Event;
  /** When the event was last recorded. */
  lastAtMs: number;
  lastAt: string;
  count: number;
  toldAtMs: number;
  state: 'waiting' | 'written' | 'failed';
  cancel: () => void;
}

export class EventRecorder {
  readonly #options: EventRecorderOptions;
  readonly #timers: Timers;
  readonly #windowMs: number;
  readonly #seriesPeriodMs: number;
  readonly #remembered = new Map<string, Remembered>();
  readonly #buckets = new Map<string, TokenBucket>();
  readonly #waiting: (() => Promise<void>)[] = [];
  #writing: Promise<void> | undefined;
  #stopped = false;

  constructor(options: EventRecorderOptions) {
    this.#options = options;
    this.#timers = options.timers ?? systemTimers;
    this.#windowMs = options.windowMs ?? 360_000;
    this.#seriesPeriodMs = options.seriesPeriodMs ?? 30_000;
  }

  record(regarding: KubeObject, facts: EventFacts): void {
    if (this.#stopped) return;
    const nowMs = this.#timers.nowMs();
    const { uid = '' } = regarding.metadata;
    const identity = JSON.stringify([uid, facts.type, facts.reason, facts.action, facts.note]);
    const known = this.#remembered.get(identity);
    if (
      known !== undefined &&
      known.state !== 'failed' &&
      nowMs - known.lastAtMs < this.#windowMs
    ) {
      this.#again(known, nowMs);
      return;
    }
    known?.cancel();
    if (this.#bucketOf(uid, nowMs).reserve(nowMs, 0) === undefined) {
      this.#drop('limited');
      return;
    }
    const lastAt = microTime(this.#timers.wallMs());
    const remembered: Remembered = {
      event: this.#build(regarding, facts, lastAt),
      lastAtMs: nowMs,
      lastAt,
      count: 1,
      toldAtMs: nowMs,
      state: 'waiting',
      cancel: () => {},
    };
    remember(this.#remembered, identity, remembered)?.cancel();
    this.#enqueue(() => this.#create(remembered));
  }

  /** Writes the waiting events, as many as possible within `waitMaxMs`. */
  async stop(waitMaxMs: number): Promise<void> {
    this.#stopped = true;
    for (const { cancel } of this.#remembered.values()) cancel();
    let cancel = () => {};
    const late = new Promise<void>((resolve) => {
      cancel = this.#timers.after(waitMaxMs, resolve);
    });
    await Promise.race([this.#writing, late]);
    cancel();
    this.#waiting.length = 0;
  }

  #again(known: Remembered, nowMs: number): void {
    known.count += 1;
    known.lastAtMs = nowMs;
    known.lastAt = microTime(this.#timers.wallMs());
    const waitMs = Math.max(0, known.toldAtMs + this.#seriesPeriodMs - nowMs);
    known.cancel();
    known.cancel = this.#timers.after(waitMs, () => this.#enqueue(() => this.#tellSeries(known)));
  }

  async #create(remembered: Remembered): Promise<void> {
    try {
      await this.#options.kube.create(resources.event, remembered.event, { fieldManager });
      remembered.state = 'written';
    } catch (error) {
      remembered.state = 'failed';
      throw error;
    }
  }

  async #tellSeries(known: Remembered): Promise<void> {
    if (known.state !== 'written') return;
    const { namespace, name = '' } = known.event.metadata;
    known.toldAtMs = this.#timers.nowMs();
    try {
      await this.#options.kube.mergePatch(
        { resource: resources.event, namespace, name },
        { series: { count: known.count, lastObservedTime: known.lastAt } },
        { fieldManager },
      );
    } catch (error) {
      // The event has expired on the server: the next one begins a new series.
      known.state = 'failed';
      if (!(error instanceof ApiError && error.status === 404)) throw error;
    }
  }

  #enqueue(write: () => Promise<void>): void {
    if (this.#waiting.length >= waitingMax) {
      this.#drop('full');
      return;
    }
    this.#waiting.push(write);
    this.#writing ??= this.#drain().finally(() => {
      this.#writing = undefined;
    });
  }

  async #drain(): Promise<void> {
    // Lets the caller that records go on first.
    await Promise.resolve();
    for (let write = this.#waiting.shift(); write !== undefined; write = this.#waiting.shift()) {
      try {
        await write();
      } catch (error) {
        this.#drop('failed');
        this.#options.logger.warn({ err: error }, 'event not recorded');
      }
    }
  }

  #bucketOf(uid: string, nowMs: number): TokenBucket {
    const found = this.#buckets.get(uid);
    if (found !== undefined) return found;
    const bucket = new TokenBucket({ perSecond: objectPerSecond, burst: objectBurst, nowMs });
    remember(this.#buckets, uid, bucket);
    return bucket;
  }

  #build(regarding: KubeObject, facts: EventFacts, eventTime: string): Event {
    const { namespace, name = '', uid, resourceVersion } = regarding.metadata;
    const { apiVersion, kind } = resources.event;
    return {
      apiVersion,
      kind,
      metadata: {
        // Kubernetes keeps events of cluster-wide objects in `default`.
        namespace: namespace ?? 'default',
        name: `${name.slice(0, 200)}.${randomBytes(8).toString('hex')}`,
      },
      eventTime,
      reportingController: controller,
      reportingInstance: this.#options.instance.slice(0, shortTextMax),
      type: facts.type,
      reason: facts.reason.slice(0, shortTextMax),
      action: (facts.action ?? facts.reason).slice(0, shortTextMax),
      note: cutToBytes(facts.note, noteBytesMax),
      regarding: {
        apiVersion: regarding.apiVersion,
        kind: regarding.kind,
        namespace,
        name,
        uid,
        resourceVersion,
      },
    };
  }

  #drop(why: 'limited' | 'full' | 'failed'): void {
    this.#options.metrics.eventsDropped.inc({ why });
  }
}

/** Sets the entry. If there are too many, removes and returns the oldest one. */
function remember<V>(map: Map<string, V>, key: string, value: V): V | undefined {
  map.delete(key);
  map.set(key, value);
  if (map.size <= rememberedMax) return undefined;
  const [oldest] = map;
  if (oldest === undefined) return undefined;
  map.delete(oldest[0]);
  return oldest[1];
}

/** Cuts the text to `bytesMax` bytes between characters. */
function cutToBytes(text: string, bytesMax: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= bytesMax) return text;
  return new TextDecoder().decode(bytes.subarray(0, bytesMax - 3), { stream: true });
}

const microTime = (ms: number): string => new Date(ms).toISOString().replace('Z', '000Z');
