/** The hour of example-figures.ts behind fixed answers: the same at every run. */
import type { z } from 'zod';
import {
  ledgerRequestExample,
  metricMarkExample,
  type currentMetrics,
  type queryMetricsRequest,
} from '../../../api/contract/schemas/metrics.ts';
import {
  figureOperations,
  gatewayFigures,
  latencyBuckets,
  latencyPlaceOf,
  quantile,
  replicaFigures,
  type Figure,
  type FigureOperation,
  type ReplicaFigure,
} from '../../../api/model/metric-figures.ts';
import {
  functionOf,
  metricSeries,
  type MetricSeries,
  type MetricSeriesName,
} from '../../../api/model/metric-series.ts';
import { placed, usageOf } from '../../../api/monitoring/current.ts';
import {
  sampleMs,
  type LatestSample,
  type MetricSample,
} from '../../../api/store/metric-samples.ts';
import { samplesAt, story } from './example-figures.ts';
import type { FixedService } from './fixed-service.ts';

const minuteMs = 60_000;
const gibibyte = 2 ** 30;

type Current = z.input<typeof currentMetrics>;
type Query = z.output<typeof queryMetricsRequest>;
type Labels = Readonly<Record<string, string>>;
interface Line {
  readonly labels: Labels;
  readonly valueOf: (samples: readonly MetricSample[]) => Figure;
}

/** `end`: end of the hour, a multiple of 15 seconds. */
export function answerMonitoring(service: FixedService, databaseId: string, end: Date): void {
  const minutesBefore = (ms: number) => (end.getTime() - ms) / minuteMs;
  const ago = (minutes: number) => new Date(end.getTime() - minutes * minuteMs).toISOString();
  const at = (ms: number): readonly MetricSample[] => {
    const minutes = minutesBefore(ms);
    return minutes <= story.gapBegins && minutes > story.gapEnds
      ? []
      : samplesAt(databaseId, minutes);
  };
  service.when('queryMetrics', ({ body }) => ({ body: answerOf(body as Query, at) }));
  const newest = at(end.getTime()).map((sample) => ({ ...sample, at: end }));
  service.when('getCurrentMetrics', () => ({ body: { current: currentOf(newest) } }));
  const marks = [
    {
      kind: 'RESTART',
      replica: 0,
      text: 'Replica 0 was started again.',
      at: ago(story.leaderIsBack),
    },
    { at: ago(story.leaderDies) },
  ].map((mark) => ({ ...metricMarkExample, ...mark }));
  service.when('listMetricMarks', () => ({ body: { data: marks, from: ago(60), to: ago(0) } }));
  const requests = [0.2, 0.4, 0.5].map((after) => ({
    ...ledgerRequestExample,
    at: ago(story.leaderDies - after),
  }));
  const page = { limit: 20, nextCursor: null, hasMore: false };
  service.when('listLedgerRequests', () => ({ body: { data: requests, page } }));
}

function currentOf(newest: readonly LatestSample[]): Current {
  const usage = placed(usageOf(newest), null);
  const replicas = newest.filter(({ source }) => source.startsWith('r'));
  const gateway = newest.filter(({ source }) => source.startsWith('g:'));
  const [one] = replicas;
  const sumOf = (values: readonly Figure[] = []) =>
    values.reduce<number>((sum, value) => sum + (value ?? 0), 0);
  const ofReplica = (name: ReplicaFigure) => one?.readings[replicaFigures.indexOf(name)] ?? null;
  const p99Of = (samples: readonly MetricSample[]) =>
    quantile(0.99, bucketsOf(samples, 'create_transfers'));
  const answered = gatewayFigures.flatMap((name, place) =>
    name.startsWith('answered_per_second.') ? (gateway[0]?.readings[place] ?? []) : [],
  );
  return {
    usage: usage && { ...usage, cpuPromisedCores: 3 },
    requestsPerSecond: sumOf(
      figureOperations.map((name) => ofReplica(`requests_per_second.${name}`)),
    ),
    transfersPerSecond: ofReplica('transfers_per_second'),
    requestP99Seconds: p99Of(replicas),
    gateway: {
      answeredPerSecond: sumOf(answered),
      failedPerSecond: 0,
      p99Seconds: p99Of(gateway),
    },
    forecast: { memory: null, storage: { fullInDays: 41.3, perDayBytes: gibibyte / 4 } },
  };
}

function answerOf(
  { series, fn, filters, from = '', to = '' }: Query,
  at: (ms: number) => readonly MetricSample[],
) {
  const [fromMs, toMs] = [Date.parse(from), Date.parse(to)];
  const times = Array.from(
    { length: (toMs - fromMs) / sampleMs },
    (_, step) => fromMs + step * sampleMs,
  );
  const data = (series as readonly MetricSeriesName[]).flatMap((name) => {
    const one: MetricSeries = metricSeries[name];
    return linesOf(one, functionOf(one, fn) as keyof typeof parts)
      .filter(({ labels }) => filters.every(({ key, value }) => labels[key] === value))
      .map(({ labels, valueOf }) => ({
        name,
        unit: one.unit,
        fn: functionOf(one, fn),
        labels,
        points: times.map((ms): [number, Figure] => [ms, valueOf(at(ms))]),
      }))
      .filter(({ points }) => points.some(([, value]) => value !== null));
  });
  return { from, to, stepSeconds: sampleMs / 1_000, data };
}

const parts = { p50: 0.5, p95: 0.95, p99: 0.99 } as const;

/** One transfer of so many is refused. */
const refusedOf = 20_000;

function linesOf(
  { from, across, lines, kept }: MetricSeries,
  fn: keyof typeof parts,
): readonly Line[] {
  const own = (samples: readonly MetricSample[]) =>
    samples.filter(({ source }) => source.startsWith('r') === (from === 'replica'));
  if (kept === 'failures') {
    const place = replicaFigures.indexOf('transfers_per_second');
    const known = (samples: readonly MetricSample[]) =>
      own(samples).flatMap(({ readings }) => readings[place] ?? []);
    return [
      {
        labels: { status: 'exceeds_credits' },
        valueOf: (samples) => {
          const [transfers] = known(samples);
          return transfers === undefined ? null : transfers / refusedOf;
        },
      },
    ];
  }
  if (lines === undefined) {
    return (['create_transfers'] as const).map((operation) => ({
      labels: { operation },
      valueOf: (samples) => quantile(parts[fn], bucketsOf(own(samples), operation)),
    }));
  }
  return lines.flatMap(({ labels, place }): readonly Line[] => {
    if (across === 'each') {
      return [0, 1, 2].map((replica) => ({
        labels: { ...labels, replica: String(replica) },
        valueOf: (samples) => own(samples)[replica]?.readings[place] ?? null,
      }));
    }
    const valueOf = (samples: readonly MetricSample[]): Figure => {
      const known = own(samples).flatMap(({ readings }) => readings[place] ?? []);
      return known.length === 0 ? null : Math.max(...known);
    };
    return [{ labels, valueOf }];
  });
}

const bucketsOf = (
  samples: readonly MetricSample[],
  operation: FigureOperation,
): readonly number[] =>
  Array.from({ length: latencyBuckets }, (_, bucket) =>
    samples.reduce(
      (sum, { latencies }) => sum + (latencies?.[latencyPlaceOf(operation) + bucket] ?? 0),
      0,
    ),
  );
