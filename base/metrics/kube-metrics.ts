/** Prometheus metrics of a process's requests to the Kubernetes API. Every series of a closed set exists from the start. */
import type { RequestRecord } from '../kube/kube-http.ts';
import type { Resource } from '../kube/kube.ts';
import type { MetricRegistry } from './metrics.ts';

export type WatchMetrics = ReturnType<typeof watchMetrics>;

/** Metrics of watches; `watched` holds the plurals of the watched kinds. */
export function watchMetrics(registry: MetricRegistry, prefix: string, watched: readonly string[]) {
  const series = watched.map((resource) => ({ resource }));
  const counter = (name: string, help: string) =>
    registry.counter(`${prefix}${name}`, help, series);
  const gauge = (name: string, help: string) =>
    registry.labelledGauge(`${prefix}${name}`, help, series);
  return {
    watchConnected: gauge('watch_connected', '1 while the watch is open.'),
    watchSilence: gauge(
      'watch_last_event_age_seconds',
      'Since anything came over the watch, bookmarks too.',
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

/** Kinds of the metrics API have the plurals of those that they measure. */
const nameOf = ({ apiVersion, plural }: Resource): string =>
  apiVersion.startsWith('metrics.k8s.io/') ? `${plural}.metrics.k8s.io` : plural;

export function requestMetrics(
  registry: MetricRegistry,
  prefix: string,
  watched: readonly string[],
) {
  const requests = registry.counter(
    `${prefix}api_requests_total`,
    'Requests to the Kubernetes API by answer; code 0: no answer.',
    watched.flatMap((resource) =>
      ['list', 'watch'].map((verb) => ({ verb, resource, code: '200' })),
    ),
    ['verb', 'resource', 'code'],
  );
  return {
    requestMade: ({ verb, resource, subresource, code }: RequestRecord) => {
      const kind = nameOf(resource);
      const name = subresource === undefined ? kind : `${kind}/${subresource}`;
      requests.inc({ verb, resource: name, code: String(code) });
    },
  };
}
