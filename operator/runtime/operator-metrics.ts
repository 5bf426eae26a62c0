/** What the operator tells Prometheus of itself. Every series of a closed set is there from the start. */
import type { RequestRecord } from './kube-http.ts';
import { MetricRegistry } from './metrics.ts';

export const reconcileResults = ['success', 'requeue', 'conflict', 'error', 'stopped'] as const;
export type ReconcileResult = (typeof reconcileResults)[number];

const seconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const prefix = 'ledgerhouse_operator_';

export interface MetricNames {
  /** Kinds that are reconciled, each with a queue. */
  readonly kinds: readonly string[];
  /** Plurals of what is watched. */
  readonly watched: readonly string[];
}

export type OperatorMetrics = ReturnType<typeof createOperatorMetrics>;

export function createOperatorMetrics({ kinds, watched }: MetricNames) {
  const registry = new MetricRegistry();
  return {
    registry,
    ...reconcileMetrics(registry, kinds),
    ...watchMetrics(registry, watched),
    ...requestMetrics(registry, watched),
    eventsDropped: registry.counter(
      `${prefix}events_dropped_total`,
      'Events that were not recorded.',
      ['limited', 'full', 'failed'].map((why) => ({ why })),
    ),
    /** A value that is asked for at each scrape. */
    gauge: (name: string, help: string, read: () => number) =>
      registry.gauge(`${prefix}${name}`, help, read),
  };
}

function reconcileMetrics(registry: MetricRegistry, kinds: readonly string[]) {
  const series = kinds.map((kind) => ({ kind }));
  return {
    reconciles: registry.counter(
      `${prefix}reconcile_total`,
      'Reconciles by result.',
      series.flatMap((labels) => reconcileResults.map((result) => ({ ...labels, result }))),
    ),
    reconcileSeconds: registry.histogram(
      `${prefix}reconcile_duration_seconds`,
      'How long reconciles took.',
      seconds,
      series,
    ),
    queueWaitSeconds: registry.histogram(
      `${prefix}workqueue_wait_seconds`,
      'How long keys that were due waited for a worker.',
      seconds,
      series,
    ),
    queueDepth: gaugeOf(registry, 'workqueue_depth', 'Keys that wait for a worker.', series),
    queueOldest: gaugeOf(
      registry,
      'workqueue_oldest_age_seconds',
      'How long the longest waiting key has been due.',
      series,
    ),
    queueRetries: registry.counter(
      `${prefix}workqueue_retries_total`,
      'Keys put back after a failure.',
      series,
    ),
  };
}

function watchMetrics(registry: MetricRegistry, watched: readonly string[]) {
  const series = watched.map((resource) => ({ resource }));
  const counter = (name: string, help: string) =>
    registry.counter(`${prefix}${name}`, help, series);
  return {
    watchConnected: gaugeOf(registry, 'watch_connected', '1 while the watch is open.', series),
    watchSilence: gaugeOf(
      registry,
      'watch_last_event_age_seconds',
      'Since anything came over the watch, bookmarks too.',
      series,
    ),
    watchRelists: counter(
      'watch_relists_total',
      'Lists taken again because the watch could not go on, without the first.',
    ),
    watchMissed: counter(
      'watch_missed_events_total',
      'Changes that a list showed and the watch should have delivered before.',
    ),
    watchFailures: counter('watch_failures_total', 'Watches and lists that ended with an error.'),
    handlerFailures: counter('watch_handler_failures_total', 'Handlers of changes that threw.'),
  };
}

function requestMetrics(registry: MetricRegistry, watched: readonly string[]) {
  const requests = registry.counter(
    `${prefix}api_requests_total`,
    'Requests to the Kubernetes API by answer; code 0: no answer.',
    watched.flatMap((resource) =>
      ['list', 'watch'].map((verb) => ({ verb, resource, code: '200' })),
    ),
  );
  return {
    requestMade: ({ verb, resource, subresource, code }: RequestRecord) => {
      const name =
        subresource === undefined ? resource.plural : `${resource.plural}/${subresource}`;
      requests.increment({ verb, resource: name, code: String(code) });
    },
  };
}

function gaugeOf(
  registry: MetricRegistry,
  name: string,
  help: string,
  series: readonly Record<string, string>[],
) {
  const gauge = registry.gauge(`${prefix}${name}`, help);
  for (const labels of series) gauge.set(labels, 0);
  return gauge;
}
