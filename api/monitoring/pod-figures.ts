/**
 * Processors and memory of pods with TigerBeetle, which does not tell them itself, from Kubernetes' metrics API. A cluster may
 * serve none, or refuse it: the figures are a gap then, and a log line says why.
 */
import type { Logger } from 'pino';
import type { KubeHttp } from '../../base/kube/kube-http.ts';
import { ApiError, type KubeObject } from '../../base/kube/kube.ts';
import { nanosOf } from '../../base/kube/quantity.ts';
import { systemTimers, type Timers } from '../../base/timers.ts';
import { resources } from '../../domain/kinds.ts';
import { labels } from '../../domain/names.ts';

export interface PodFigures {
  readonly cpuCores: number;
  readonly memoryBytes: number;
  /** Memory of the container `engine` alone. */
  readonly engineMemoryBytes: number | null;
}

/** A pod in the metrics API. Servers of this API may omit any field. */
export interface PodMetrics extends KubeObject {
  /** End of the interval that was measured; RFC 3339. */
  readonly timestamp?: string;
  readonly containers?:
    | readonly {
        readonly name?: string;
        readonly usage?: { readonly cpu?: string; readonly memory?: string };
      }[]
    | null;
}

/** Maximum number of workloads that one list names: their names are in its URL. Each has at most six pods. */
const workloadsAtOnce = 80;
const pagesMax = 2;
/** Checks a name from a database's status: a person who may write the status could otherwise spoil the list for all others. */
const validName = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/;
/** Less than a round of the collector. */
const timeoutMs = 6_000;
/** Age at which a measurement no longer describes the present. Kubernetes measures each minute or more often. */
const staleMs = 180_000;
/** Interval of looks at an API that is not served or not allowed. */
const refusedMs = 300_000;

export const podKey = (namespace: string, pod: string): string => `${namespace}/${pod}`;

interface PodFigureOptions {
  readonly kube: Pick<KubeHttp, 'withSignal' | 'serverTimeMs'>;
  readonly logger: Logger;
  readonly timers?: Timers;
}

export class PodFigureReader {
  readonly #options: PodFigureOptions;
  readonly #timers: Timers;
  #nextMs = -Infinity;
  /** Reason of the last failure; each is logged once. */
  #told: string | undefined;

  constructor(options: PodFigureOptions) {
    this.#options = options;
    this.#timers = options.timers ?? systemTimers;
  }

  /** Returns what is known of the pods of StatefulSets, by `podKey`. */
  async read(
    named: readonly string[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, PodFigures>> {
    const workloads = named.filter((name) => validName.test(name));
    if (workloads.length === 0 || this.#timers.nowMs() < this.#nextMs) return new Map();
    const { kube } = this.#options;
    const limited = kube.withSignal(AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]));
    const pods: PodMetrics[] = [];
    try {
      for (let begin = 0; begin < workloads.length; begin += workloadsAtOnce) {
        const names = workloads.slice(begin, begin + workloadsAtOnce).join();
        const labelSelector = `${labels.workload} in (${names}),${labels.role}=replica`;
        pods.push(
          ...(await limited.list<PodMetrics>(resources.podMetrics, { labelSelector, pagesMax })),
        );
      }
      this.#told = undefined;
    } catch (error) {
      if (!signal.aborted) this.#failed(error);
    }
    return figuresOf(pods, kube.serverTimeMs() ?? this.#timers.wallMs());
  }

  #failed(error: unknown): void {
    const status = error instanceof ApiError ? error.status : undefined;
    const isRefused = status === 403 || status === 404;
    if (isRefused) this.#nextMs = this.#timers.nowMs() + refusedMs;
    const reason = status === undefined ? 'unknown' : String(status);
    if (this.#told === reason) return;
    this.#told = reason;
    const gap = 'processors and memory of databases with TigerBeetle are gaps';
    const { logger } = this.#options;
    if (status === 404) logger.info(`the cluster serves no metrics API (metrics.k8s.io): ${gap}`);
    else logger.warn({ err: error }, `the metrics of pods were not read: ${gap}`);
  }
}

export function figuresOf(
  pods: readonly PodMetrics[],
  nowMs: number,
): ReadonlyMap<string, PodFigures> {
  const figures = new Map<string, PodFigures>();
  for (const { metadata, timestamp, containers } of pods) {
    const { namespace, name } = metadata;
    // Without a valid time it is not fresh.
    const isFresh = timestamp !== undefined && nowMs - Date.parse(timestamp) < staleMs;
    if (namespace === undefined || name === undefined || !isFresh) continue;
    const used = (containers ?? []).map(({ name: container, usage }) => ({
      container,
      cpuCores: numberOf(usage?.cpu),
      memoryBytes: numberOf(usage?.memory),
    }));
    if (used.length === 0) continue;
    figures.set(podKey(namespace, name), {
      cpuCores: used.reduce((sum, { cpuCores }) => sum + cpuCores, 0),
      memoryBytes: used.reduce((sum, { memoryBytes }) => sum + memoryBytes, 0),
      engineMemoryBytes: used.find(({ container }) => container === 'engine')?.memoryBytes ?? null,
    });
  }
  return figures;
}

/** NaN for an invalid quantity, also for one below zero: no figure is kept of it. */
function numberOf(quantity: string | undefined): number {
  const nanos = quantity === undefined ? undefined : nanosOf(quantity);
  return nanos === undefined || nanos < 0n ? NaN : Number(nanos) / 1e9;
}
