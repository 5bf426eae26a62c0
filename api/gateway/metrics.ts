/** The gateway's Prometheus metrics. No series names a database, because their number is unbounded. */
import type { MetricRegistry } from '../../base/metrics/metrics.ts';
import { getChangeEvents, ledgerOperations } from '../ledger/operations.ts';
import type { GatewayFailureCode } from './failures.ts';

const prefix = 'ledgerhouse_gateway_';
const secondsBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

const results = [
  'answered',
  'ledger_unavailable',
  'ledger_full',
  'ledger_timeout',
  'gateway_bad_reply',
  'batch_too_large',
  'abandoned',
] as const satisfies readonly ('answered' | GatewayFailureCode)[];

const outcomes = ['answered', 'failed', 'abandoned'] as const;

/** Results that the durations distinguish: all seven would be more than twice the series. */
export const outcomeOf = (result: (typeof results)[number]): (typeof outcomes)[number] =>
  result === 'answered' || result === 'abandoned' ? result : 'failed';

export type GatewayMetrics = ReturnType<typeof gatewayMetrics>;

/** Gauges that are read when the metrics are requested. */
interface GatewayGauges {
  readonly databases: number;
  readonly sessions: number;
  readonly waiting: number;
  readonly turns: { readonly waiting: number };
}

export function gatewayMetrics(registry: MetricRegistry, gauges: GatewayGauges) {
  const operations = [...Object.values(ledgerOperations), getChangeEvents].map(({ name }) => ({
    operation: name,
  }));
  const counter = (name: string, help: string) => registry.counter(`${prefix}${name}`, help);
  registry.gauge(
    `${prefix}sessions`,
    'Open sessions; a cluster has 64 for all its clients.',
    () => gauges.sessions,
  );
  registry.gauge(
    `${prefix}databases`,
    'Databases that had traffic lately.',
    () => gauges.databases,
  );
  registry.gauge(`${prefix}waiting_calls`, 'Calls that wait to be sent.', () => gauges.waiting);
  registry.gauge(
    `${prefix}waiting_turns`,
    'Requests and answers that wait for time of this process.',
    () => gauges.turns.waiting,
  );
  return {
    calls: registry.counter(
      `${prefix}calls_total`,
      'Calls by outcome.',
      operations.flatMap((labels) => results.map((result) => ({ ...labels, result }))),
    ),
    seconds: registry.histogram(
      `${prefix}call_seconds`,
      'Time from accepting a call to its answer, its failure, or the departure of its client.',
      secondsBounds,
      operations.flatMap((labels) => outcomes.map((outcome) => ({ ...labels, outcome }))),
    ),
    probes: registry.counter(
      `${prefix}probes_total`,
      'Pings of databases that had no recent traffic.',
      ['answered', 'failed'].map((result) => ({ result })),
    ),
    messages: counter('messages_total', 'Messages sent; each holds one call or more.'),
    lateAnswers: counter(
      'late_answers_total',
      'Answers that came after the caller had disconnected.',
    ),
    evictions: counter('evictions_total', 'Sessions that a cluster ended.'),
    releaseRefusals: counter(
      'release_refusals_total',
      'Clusters that refused the protocol release of this client; a person must act.',
    ),
  };
}
