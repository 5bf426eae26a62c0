/** The databases: makes them, and notes by a watch when each got its first status and when it became Ready. */
import type { Logger } from 'pino';
import { watchMetrics } from '../../base/metrics/kube-metrics.ts';
import { MetricRegistry } from '../../base/metrics/metrics.ts';
import { Reflector } from '../../base/kube/reflector.ts';
import type { KubeHttp } from '../../base/kube/kube-http.ts';
import type { DatabaseObject } from '../../domain/custom-resources.ts';
import { resources } from '../../domain/kinds.ts';
import { waitFor } from '../../tools/cluster/run.ts';

/** By `performance.now()`. */
interface Times {
  /** Right before the request was sent. */
  readonly createdAtMs: number;
  firstStatusAtMs?: number;
  readyAtMs?: number;
}

/** Milliseconds from the creation. */
interface Durations {
  readonly firstStatus: readonly number[];
  readonly ready: readonly number[];
}

interface FleetOptions {
  readonly kube: KubeHttp;
  readonly namespaces: readonly string[];
  readonly topology: string;
  readonly logger: Logger;
}

export class Fleet {
  readonly #options: FleetOptions;
  readonly #times = new Map<string, Times>();
  readonly #reflector: Reflector<DatabaseObject>;
  #ready = 0;
  #relapses = 0;

  constructor(options: FleetOptions) {
    this.#options = options;
    this.#reflector = new Reflector<DatabaseObject>({
      source: options.kube,
      resource: resources.database,
      onChange: ({ name, object, previous }) => this.#note(name, object, previous),
      logger: options.logger,
      metrics: watchMetrics(new MetricRegistry(), 'bench_', [resources.database.plural]),
    });
    this.#reflector.start();
  }

  get ready(): number {
    return this.#ready;
  }

  /** How often a database that was Ready was so no more. */
  get relapses(): number {
    return this.#relapses;
  }

  async create(name: string): Promise<void> {
    const { kube, namespaces, topology } = this.#options;
    const namespace = namespaces[this.#times.size % namespaces.length];
    const database = {
      apiVersion: resources.database.apiVersion,
      kind: resources.database.kind,
      metadata: { name, namespace },
      spec: { engine: 'Builtin', topology },
    } as unknown as DatabaseObject;
    this.#times.set(name, { createdAtMs: performance.now() });
    await kube.create(resources.database, database, { fieldManager: 'bench' });
  }

  async untilReady(count: number, timeoutMs: number): Promise<void> {
    await waitFor(
      `${count} databases that are Ready`,
      () => Promise.resolve(this.#ready >= count ? true : undefined),
      { timeoutMs, everyMs: 20 },
    );
  }

  durationsOf(names: readonly string[]): Durations {
    const all = names.map((name) => this.#times.get(name)).filter((times) => times !== undefined);
    return {
      firstStatus: all.map((times) => (times.firstStatusAtMs ?? Infinity) - times.createdAtMs),
      ready: all.map((times) => (times.readyAtMs ?? Infinity) - times.createdAtMs),
    };
  }

  stop(): Promise<void> {
    return this.#reflector.stop();
  }

  #note(
    name: string,
    object: DatabaseObject | undefined,
    previous: DatabaseObject | undefined,
  ): void {
    const times = this.#times.get(name);
    if (times === undefined || object === undefined) return;
    const nowMs = performance.now();
    if (object.status?.observedGeneration !== undefined) times.firstStatusAtMs ??= nowMs;
    const [was, is] = [isReady(previous), isReady(object)];
    if (is) times.readyAtMs ??= nowMs;
    if (is && !was) this.#ready += 1;
    if (was && !is) {
      this.#ready -= 1;
      this.#relapses += 1;
    }
  }
}

const isReady = (database: DatabaseObject | undefined): boolean =>
  database?.status?.conditions?.some((row) => row.type === 'Ready' && row.status === 'True') ??
  false;
