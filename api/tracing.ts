/** Traces of requests, sent to a collector of OpenTelemetry if one is configured. */
import type { Logger } from 'pino';
import type { MetricRegistry } from '../base/metrics/metrics.ts';
import { programVersion } from '../base/program-version.ts';
import { SpanExporter } from '../base/tracing/span-exporter.ts';
import { Tracer } from '../base/tracing/tracer.ts';
import type { Config } from './config.ts';
import { apiPrefix } from './http/api-metrics.ts';

interface Tracing {
  readonly tracer: Tracer;
  /** Sends what waits, for at most `waitMs`. */
  stop(waitMs: number): Promise<void>;
}

const program = 'ledgerhouse-api';

export function tracingOf(
  { traces, namespace, identity }: Config,
  registry: MetricRegistry,
  logger: Logger,
): Tracing | undefined {
  if (traces === undefined) return undefined;
  const spans = registry.counter(
    `${apiPrefix}spans_total`,
    'Spans of traces by result; "dropped": the collector was away, slow, or refused them.',
    [{ result: 'sent' }, { result: 'dropped' }],
  );
  const exporter = new SpanExporter({
    endpoint: traces.endpoint,
    scope: program,
    resource: {
      'service.name': program,
      'service.version': programVersion(),
      'service.instance.id': identity,
      'k8s.namespace.name': namespace,
    },
    onSent: (count) => spans.inc({ result: 'sent' }, count),
    onDropped: (count) => spans.inc({ result: 'dropped' }, count),
    onTrouble: (error) =>
      error === undefined
        ? logger.info('spans reach the collector again')
        : logger.warn({ err: error }, 'spans are dropped'),
  });
  const tracer = new Tracer({
    share: traces.share,
    add: (text, owner) => exporter.add(text, owner),
  });
  return { tracer, stop: (waitMs) => exporter.stop(waitMs) };
}
