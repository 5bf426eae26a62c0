/** The operator's own metrics. Every series of a closed set is there from the start. */
import { requestMetrics, watchMetrics } from '../../base/metrics/kube-metrics.ts';
import { MetricRegistry } from '../../base/metrics/metrics.ts';

export const reconcileResults = ['success', 'requeue', 'conflict', 'error', 'stopped'] as const;
export type ReconcileResult = (typeof reconcileResults)[number];

const seconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
export const operatorPrefix = 'ledgerhouse_operator_';

interface MetricNames {
  /** Kinds that are reconciled, each with a queue. */
  readonly kinds: readonly string[];
  /** Plurals of the watched kinds. */
  readonly watched: readonly string[];
}

export type OperatorMetrics = ReturnType<typeof createOperatorMetrics>;

export function createOperatorMetrics({ kinds, watched }: MetricNames) {
  const registry = new MetricRegistry();
  return {
    registry,
    ...reconcileMetrics(registry, kinds),
    ...watchMetrics(registry, operatorPrefix, watched),
    ...requestMetrics(registry, operatorPrefix, watched),
    eventsDropped: registry.counter(
      `${operatorPrefix}events_dropped_total`,
      'Events that were not recorded.',
      ['limited', 'full', 'failed'].map((why) => ({ why })),
    ),
    /** A gauge whose value is read at each scrape. */
    gauge: (name: string, help: string, read: () => number) =>
      registry.gauge(`${operatorPrefix}${name}`, help, read),
  };
}

function reconcileMetrics(registry: MetricRegistry, kinds: readonly string[]) {
  const series = kinds.map((kind) => ({ kind }));
  return {
    reconciles: registry.counter(
      `${operatorPrefix}reconcile_total`,
      'Reconciles by result.',
      series.flatMap((labels) => reconcileResults.map((result) => ({ ...labels, result }))),
    ),
    reconcileSeconds: registry.histogram(
      `${operatorPrefix}reconcile_duration_seconds`,
      'Duration of reconciles.',
      seconds,
      series,
    ),
    queueWaitSeconds: registry.histogram(
      `${operatorPrefix}workqueue_wait_seconds`,
      'Time for which due keys waited for a worker.',
      seconds,
      series,
    ),
    queueDepth: registry.labelledGauge(
      `${operatorPrefix}workqueue_depth`,
      'Keys that wait for a worker.',
      series,
    ),
    queueOldest: registry.labelledGauge(
      `${operatorPrefix}workqueue_oldest_age_seconds`,
      'Time for which the longest waiting key has been due.',
      series,
    ),
    queueRetries: registry.counter(
      `${operatorPrefix}workqueue_retries_total`,
      'Keys put back after a failure.',
      series,
    ),
  };
}
