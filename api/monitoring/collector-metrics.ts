/** Metrics of the collector of figures. */
import type { MetricRegistry } from '../../base/metrics/metrics.ts';

export type CollectorMetrics = ReturnType<typeof collectorMetrics>;

export function collectorMetrics(registry: MetricRegistry, prefix: string) {
  return {
    replicas: registry.gauge(
      `${prefix}collector_replicas`,
      'Replicas that this process asks for figures.',
    ),
    shards: registry.gauge(
      `${prefix}collector_shards`,
      'Shards of databases that this process collects, of 16.',
    ),
    seconds: registry.gauge(
      `${prefix}collector_round_seconds`,
      'Length of the last round; one begins every 15 s.',
    ),
    asked: registry.counter(
      `${prefix}collector_asked_total`,
      'Replicas that were asked for figures, by result.',
      ['answered', 'failed'].map((result) => ({ result })),
    ),
    unasked: registry.counter(
      `${prefix}collector_unasked_total`,
      'Replicas that a round had no time for; their series have gaps.',
    ),
  };
}
