/** Metrics of the worker's part of logs. */
import type { MetricRegistry } from '../../base/metrics/metrics.ts';

export type LogMetrics = ReturnType<typeof logMetrics>;

export const logMetrics = (registry: MetricRegistry, prefix: string) => ({
  containers: registry.gauge(
    `${prefix}logs_containers`,
    'Containers of databases whose logs this process follows.',
  ),
  lines: registry.counter(`${prefix}logs_lines_total`, 'Lines that were kept.'),
  failures: registry.counter(
    `${prefix}logs_failures_total`,
    'Times that a log could not be read or kept; it was read again from its last place.',
  ),
});
