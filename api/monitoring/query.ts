/** Makes the lines of series from the kept figures. */
import {
  figureOperations,
  latencyBuckets,
  latencyPlaceOf,
  quantile,
  replicaFigures,
  type Figure,
} from '../model/metric-figures.ts';
import { eventFailures } from './event-failures.ts';
import {
  functionOf,
  metricSeries,
  unitUnder,
  type MetricFunction,
  type MetricSeries,
  type MetricSeriesName,
} from '../model/metric-series.ts';
import {
  readFailurePlaces,
  readFailures,
  readFigures,
  readLatencies,
  type Aggregate,
  type StepOfSource,
} from '../store/metric-reads.ts';
import type { OnUnreadable } from '../store/metric-packs.ts';
import { metricTables } from '../store/metric-rollups.ts';
import type { Reader } from '../store/tables.ts';

export const pointsMax = 300;
/** Steps of the server, in seconds: each holds whole rows of the tables that it is read from. */
const steps = [
  15, 30, 60, 120, 300, 600, 1_200, 1_800, 3_600, 7_200, 10_800, 21_600, 43_200, 86_400,
];

interface MetricQuery {
  readonly databaseId: string;
  readonly series: readonly MetricSeriesName[];
  readonly fromMs: number;
  readonly toMs: number;
  readonly stepSeconds?: number | undefined;
  readonly fn?: MetricFunction | undefined;
  readonly filters: readonly { readonly key: string; readonly value: string }[];
  readonly onUnreadable?: OnUnreadable;
}

interface Span {
  readonly databaseId: string;
  readonly fromMs: number;
  readonly toMs: number;
  readonly stepSeconds: number;
  readonly onUnreadable: OnUnreadable | undefined;
}

interface MetricLine {
  readonly name: MetricSeriesName;
  readonly unit: MetricSeries['unit'];
  readonly fn: MetricFunction;
  readonly labels: Readonly<Record<string, string>>;
  readonly points: readonly (readonly [number, Figure])[];
}

type Labels = Readonly<Record<string, string>>;
type Values = Map<number, number>;
/** One of the wanted series. */
interface Asked {
  readonly name: MetricSeriesName;
  readonly series: MetricSeries;
  readonly fn: MetricFunction;
}
interface Drawn {
  readonly labels: Labels;
  readonly values: Values;
}

/** The step to use: at least the wanted one, with at most `pointsMax` points, and made of rows that are kept long enough. */
export function stepOf({ fromMs, toMs, stepSeconds = 0 }: MetricQuery, nowMs: number): number {
  const kept = Object.values(metricTables).find(
    ({ keptDays }) => fromMs >= nowMs - keptDays * 86_400_000,
  );
  const least = Math.max(
    stepSeconds,
    (toMs - fromMs) / 1_000 / (pointsMax - 1),
    kept?.seconds ?? metricTables.tens.seconds,
  );
  return steps.find((step) => step >= least) ?? Math.ceil(least / 86_400) * 86_400;
}

export async function queryMetrics(db: Reader, query: MetricQuery, nowMs: number) {
  const stepSeconds = stepOf(query, nowMs);
  const stepMs = stepSeconds * 1_000;
  const span: Span = {
    databaseId: query.databaseId,
    fromMs: Math.floor(query.fromMs / stepMs) * stepMs,
    toMs: Math.ceil(query.toMs / stepMs) * stepMs,
    stepSeconds,
    onUnreadable: query.onUnreadable,
  };
  const asked = [...new Set(query.series)].map((name): Asked => {
    const series: MetricSeries = metricSeries[name];
    return { name, series, fn: functionOf(series, query.fn) };
  });
  const drawn = new Map<Asked, readonly Drawn[]>();
  for (const together of readTogether(asked)) {
    for (const [one, lines] of await drawnOf(db, span, together, query.filters)) {
      drawn.set(one, [...(drawn.get(one) ?? []), ...lines]);
    }
  }
  const lines = asked.flatMap((one): readonly MetricLine[] => {
    const { name, series, fn } = one;
    const ofSeries = (drawn.get(one) ?? []).filter(
      ({ labels, values }) => values.size > 0 && matches(labels, query.filters),
    );
    return ofSeries.map(({ labels, values }) => ({
      name,
      unit: unitUnder(series.unit, fn),
      fn,
      labels,
      points: pointsOf(span, values),
    }));
  });
  return { ...span, lines };
}

/** Series that one reading of the rows serves: figures of the same sources by the same function. What is kept beside them is read alone. */
const readTogether = (asked: readonly Asked[]): readonly (readonly Asked[])[] => [
  ...Map.groupBy(asked, ({ name, series: { from, lines }, fn }) =>
    lines === undefined ? name : `${from} ${fn}`,
  ).values(),
];

function pointsOf({ fromMs, toMs, stepSeconds }: Span, values: Values): MetricLine['points'] {
  const stepMs = stepSeconds * 1_000;
  return Array.from({ length: Math.round((toMs - fromMs) / stepMs) }, (_, step) => [
    fromMs + step * stepMs,
    values.get(step) ?? null,
  ]);
}

async function drawnOf(
  db: Reader,
  span: Span,
  together: readonly Asked[],
  filters: MetricQuery['filters'],
): Promise<readonly (readonly [Asked, readonly Drawn[]])[]> {
  const [first] = together;
  if (first === undefined) return [];
  const { series, fn } = first;
  if (series.kept === 'failures')
    return [[first, await failures(db, span, fn as 'avg' | 'sum', filters)]];
  if (series.lines === undefined) return [[first, await latencies(db, span, series, fn, filters)]];
  return fn === 'rate'
    ? changes(db, span, together, filters)
    : figures(db, span, fn as Aggregate, together, filters);
}

/** Each step's change a second: from the last figure of the step before to its own. */
async function changes(
  db: Reader,
  span: Span,
  together: readonly Asked[],
  filters: MetricQuery['filters'],
): Promise<readonly (readonly [Asked, readonly Drawn[]])[]> {
  const { fromMs, stepSeconds } = span;
  const before = { ...span, fromMs: fromMs - stepSeconds * 1_000 };
  const drawn = await figures(db, before, 'last', together, filters);
  return drawn.map(([one, lines]) => [
    one,
    lines.map(({ labels, values }) => ({ labels, values: changesOf(values, stepSeconds) })),
  ]);
}

function changesOf(values: Values, stepSeconds: number): Values {
  const changed: Values = new Map();
  for (const [step, value] of values) {
    const former = values.get(step - 1);
    if (former !== undefined) changed.set(step - 1, (value - former) / stepSeconds);
  }
  return changed;
}

const matches = (labels: Labels, filters: MetricQuery['filters']): boolean =>
  filters.every(({ key, value }) => labels[key] === value);

const sourceLike = ({ from }: MetricSeries): string => (from === 'replica' ? 'r%' : 'g:%');

async function figures(
  db: Reader,
  span: Span,
  aggregate: Aggregate,
  together: readonly Asked[],
  filters: MetricQuery['filters'],
): Promise<readonly (readonly [Asked, readonly Drawn[]])[]> {
  const wanted = together.flatMap((one) =>
    linesOf(one.series, filters).map((line) => ({ one, line })),
  );
  const [first] = wanted;
  if (first === undefined) return [];
  const { series } = first.one;
  const places = wanted.map(({ line }) => line.place);
  const rows = await readFigures(db, span, sourceLike(series), aggregate, places);
  return wanted.map(({ one, line: { labels } }, column) => [
    one,
    one.series.across === 'each'
      ? eachSource(rows, column, labels)
      : [{ labels, values: joined(rows, column, one.series.across) }],
  ]);
}

/** Lines that the filters may leave. Replicas are known only from the rows. */
function linesOf({ lines = [], across }: MetricSeries, filters: MetricQuery['filters']) {
  const ofLines = filters.filter(({ key }) => key !== 'replica' || across !== 'each');
  return lines.filter(({ labels }) => matches(labels, ofLines));
}

function eachSource(
  rows: readonly StepOfSource[],
  column: number,
  labels: Labels,
): readonly Drawn[] {
  const sources = [...new Set(rows.map(({ source }) => source))].sort();
  return sources.map((source) => ({
    labels: { ...labels, replica: source.slice(1) },
    values: joined(
      rows.filter((row) => row.source === source),
      column,
      'max',
    ),
  }));
}

function joined(rows: readonly StepOfSource[], column: number, across: 'max' | 'sum'): Values {
  const values: Values = new Map();
  for (const { step, values: row } of rows) {
    const value = row[column] ?? null;
    if (value === null) continue;
    const known = values.get(step);
    if (known === undefined) values.set(step, value);
    else values.set(step, across === 'sum' ? known + value : Math.max(known, value));
  }
  return values;
}

/** Place of the figure that shows whether failures were counted: they are wherever transfers are. */
const failuresKnown = replicaFigures.indexOf('transfers_per_second');

/** A line for each failure that occurred. The replicas execute the same events, so any of them tells the database's. */
async function failures(
  db: Reader,
  span: Span,
  aggregate: 'avg' | 'sum',
  filters: MetricQuery['filters'],
): Promise<readonly Drawn[]> {
  const wanted = eventFailures.filter(({ operation, status }) =>
    matches({ operation, status }, filters),
  );
  const occurred = new Set(wanted.length === 0 ? [] : await readFailurePlaces(db, span, 'r%'));
  const drawn = wanted.filter(({ place }) => occurred.has(place));
  if (drawn.length === 0) return [];
  const places = drawn.map(({ place }) => place);
  const rows = await readFailures(db, span, 'r%', { places, known: failuresKnown, aggregate });
  return drawn.map(({ operation, status }, column) => ({
    labels: { operation, status },
    values: joined(rows, column, 'max'),
  }));
}

const parts = { p50: 0.5, p95: 0.95, p99: 0.99 } as const;

/** A line for each operation, over the requests to all replicas or to all processes of the API. */
async function latencies(
  db: Reader,
  span: Span,
  series: MetricSeries,
  fn: MetricFunction,
  filters: MetricQuery['filters'],
): Promise<readonly Drawn[]> {
  const operations = figureOperations.filter((operation) => matches({ operation }, filters));
  if (operations.length === 0) return [];
  const bucketsFrom = operations.flatMap((operation) =>
    Array.from({ length: latencyBuckets }, (_, bucket) => latencyPlaceOf(operation) + bucket),
  );
  const rows = await readLatencies(db, span, sourceLike(series), bucketsFrom);
  return operations.map((operation, index) => {
    const sums = new Map<number, number[]>();
    for (const { step, values } of rows) {
      const own = values.slice(index * latencyBuckets, (index + 1) * latencyBuckets);
      const known = sums.get(step) ?? own.map(() => 0);
      sums.set(
        step,
        known.map((count, bucket) => count + (own[bucket] ?? 0)),
      );
    }
    const values: Values = new Map();
    for (const [step, buckets] of sums) {
      const seconds = quantile(parts[fn as keyof typeof parts], buckets);
      if (seconds !== null) values.set(step, seconds);
    }
    return { labels: { operation }, values };
  });
}
