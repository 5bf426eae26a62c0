import { expect, test } from '@jest/globals';
import { MetricRegistry } from '../../base/metrics/metrics.ts';
import { createOperatorMetrics, reconcileResults } from './operator-metrics.ts';

test('counters, gauges and histograms as Prometheus reads them', async () => {
  const registry = new MetricRegistry();
  const count = registry.counter('c_total', 'Counts.', [{ kind: 'a' }]);
  const gauge = registry.gauge('g', 'Gauges.');
  registry.gauge('asked', 'Asked.', () => 7);
  const histogram = registry.histogram('h', 'Spreads.', [1, 2]);
  count.inc({ kind: 'b"\\\n' }, 2);
  gauge.set({}, 1.5);
  for (const value of [1, 1.5, 9]) histogram.observe({}, value);
  expect(await registry.text()).toBe(
    [
      '# HELP c_total Counts.',
      '# TYPE c_total counter',
      'c_total{kind="a"} 0',
      'c_total{kind="b\\"\\\\\\n"} 2',
      '',
      '# HELP g Gauges.',
      '# TYPE g gauge',
      'g 1.5',
      '',
      '# HELP asked Asked.',
      '# TYPE asked gauge',
      'asked 7',
      '',
      '# HELP h Spreads.',
      '# TYPE h histogram',
      'h_bucket{le="1"} 1',
      'h_bucket{le="2"} 2',
      'h_bucket{le="+Inf"} 3',
      'h_sum 11.5',
      'h_count 3',
      '',
    ].join('\n'),
  );
  expect(() => registry.gauge('g', 'Again.')).toThrow();
});

test('every series of the operator is there with zero from the start', async () => {
  const metrics = createOperatorMetrics({ kinds: ['LedgerDatabase'], watched: ['pods'] });
  const text = await metrics.registry.text();
  for (const result of reconcileResults) {
    expect(text).toContain(
      `ledgerhouse_operator_reconcile_total{kind="LedgerDatabase",result="${result}"} 0\n`,
    );
  }
  for (const series of [
    'reconcile_duration_seconds_bucket{le="+Inf",kind="LedgerDatabase"}',
    'workqueue_depth{kind="LedgerDatabase"}',
    'workqueue_oldest_age_seconds{kind="LedgerDatabase"}',
    'workqueue_retries_total{kind="LedgerDatabase"}',
    'watch_connected{resource="pods"}',
    'watch_relists_total{resource="pods"}',
    'watch_missed_events_total{resource="pods"}',
    'watch_handler_failures_total{resource="pods"}',
    'api_requests_total{verb="watch",resource="pods",code="200"}',
    'events_dropped_total{why="failed"}',
  ]) {
    expect(text).toContain(`ledgerhouse_operator_${series} 0\n`);
  }
});

test('requests are counted by verb, resource with subresource, and answer', async () => {
  const metrics = createOperatorMetrics({ kinds: [], watched: [] });
  const resource = { apiVersion: 'v1', kind: 'Pod', plural: 'pods', namespaced: true };
  const request = { verb: 'patch', resource, subresource: 'status', namespace: 'a' } as const;
  metrics.requestMade({ ...request, code: 0, durationMs: 1 });
  metrics.requestMade({ ...request, code: 409, durationMs: 1 });
  metrics.requestMade({ ...request, code: 409, durationMs: 1 });
  const text = await metrics.registry.text();
  expect(text).toContain('{verb="patch",resource="pods/status",code="0"} 1\n');
  expect(text).toContain('{verb="patch",resource="pods/status",code="409"} 2\n');
});
