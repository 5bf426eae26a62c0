/**
 * The newest samples of databases in Prometheus' text format: gauges of the series that queries have, with the same meaning.
 * Figures that could not be measured are absent. Samples have no timestamps of their own, so Prometheus ends an absent series
 * at once.
 */
import { exposition, type Metric, type Sample } from '../../base/metrics/exposition.ts';
import {
  figureOperations,
  latencyBuckets,
  latencyPlaceOf,
  quantile,
  type Figure,
} from '../model/metric-figures.ts';
import { eventFailures } from './event-failures.ts';
import { metricSeries, type MetricSeries } from '../model/metric-series.ts';
import { streamStatusOf } from '../change-streams/stream-status.ts';
import type { ChangeStream } from '../model/change-stream.ts';
import type { DatabaseHealth } from '../model/database-standing.ts';
import type { DatabaseView } from '../store/database-record.ts';
import { sampleMs, type LatestSample } from '../store/metric-samples.ts';

/** Maximum number of databases in one answer: the ones made first. Each has at most 306 series, with six replicas and every failure. */
export const scrapedMax = 100;

const prefix = 'ledgerhouse_database_';

export interface ScrapedDatabase {
  readonly view: DatabaseView;
  readonly health: DatabaseHealth;
  readonly samples: readonly LatestSample[];
  /** Completion time of its newest backup. */
  readonly backupAt: Date | undefined;
  readonly streams: readonly ChangeStream[];
}

/** The text of one metric of one database; empty without samples. */
interface Section {
  readonly text: Buffer;
  /** Number of bytes before the samples. */
  readonly headBytes: number;
}

/** The text of one database: a section for each metric, always the same number in the same order. */
export interface DatabaseText {
  readonly sections: readonly Section[];
  readonly bytes: number;
}

export async function databaseText(one: ScrapedDatabase, nowMs: number): Promise<DatabaseText> {
  const sections = await Promise.all(
    metricsOf(sourcesOf(one), nowMs).map(async (metric) =>
      sectionOf(metric.samples.length === 0 ? '' : await exposition([metric])),
    ),
  );
  const bytes = sections.reduce((sum, { text }) => sum + text.length + sectionBytes, 0);
  return { sections, bytes };
}

/** Bytes of a section besides its text. */
const sectionBytes = 200;

function sectionOf(text: string): Section {
  const head = /^(?:#.*\n)*/.exec(text)?.[0] ?? '';
  return { text: Buffer.from(text), headBytes: Buffer.byteLength(head) };
}

/** Joins the texts of databases: all samples of a metric come together, under one head. */
export async function scrapeText(
  databases: readonly DatabaseText[],
  isComplete: boolean,
): Promise<Buffer> {
  const complete: Metric = {
    name: 'ledgerhouse_scrape_complete',
    type: 'gauge',
    help: `1: all databases that the credential may read are here. 0: there are more than ${scrapedMax}; scrape the later ones by their own paths.`,
    samples: [{ labels: {}, value: Number(isComplete) }],
  };
  const parts: Uint8Array[] = [Buffer.from(await exposition([complete]))];
  for (const place of (databases[0]?.sections ?? []).keys()) {
    const filled = databases
      .flatMap(({ sections }) => sections[place] ?? [])
      .filter(({ text }) => text.length > 0);
    parts.push(
      ...filled.map(({ text, headBytes }, index) =>
        index === 0 ? text : text.subarray(headBytes),
      ),
    );
  }
  return Buffer.concat(parts);
}

function metricsOf(one: Sources, nowMs: number): readonly Metric[] {
  const { of, replicas } = one;
  const metric = (name: string, help: string, samples: readonly Sample[]): Metric => ({
    name: prefix + name,
    type: 'gauge',
    help,
    samples: samples.map(({ labels, value }) => ({ labels: { ...one.labels, ...labels }, value })),
  });
  const single = (name: string, help: string, value: Figure): Metric =>
    metric(name, help, sampled({}, value));
  return [
    metric('info', 'What the database is; always 1.', sampled(choiceOf(of.view), 1)),
    single('ready', '1 while its status is READY.', Number(of.view.database.status === 'READY')),
    single(
      'available',
      '1 while it serves, 0 while it does not, -1: not known.',
      available[of.health],
    ),
    single(
      'healthy',
      '1 while nothing is wrong with it, 0: see its page, -1: not known.',
      healthy[of.health],
    ),
    single(
      'sample_age_seconds',
      'Age of the figures of its replicas.',
      replicas.length === 0 ? null : Math.max(0, nowMs - newestMs(replicas)) / 1_000,
    ),
    single(
      'last_backup_timestamp_seconds',
      'When its newest backup that can be restored was done.',
      of.backupAt === undefined ? null : of.backupAt.getTime() / 1_000,
    ),
    ...streamFigures(of.streams, nowMs).map(({ name, help, value }) => single(name, help, value)),
    ...Object.entries(metricSeries).map(([name, series]) =>
      metric(name, helpOf(series), linesOf(series, one)),
    ),
  ];
}

/** Figures of a database's change streams. A database without streams has none. */
function streamFigures(streams: readonly ChangeStream[], nowMs: number) {
  const status = streams.length === 0 ? undefined : streamStatusOf(streams, new Date(nowMs));
  return [
    {
      name: 'change_stream_lag_seconds',
      help: 'Age of the oldest waiting event of its change streams; absent while it is not known.',
      value: status?.lagSeconds ?? null,
    },
    {
      name: 'change_streams_failing',
      help: 'Its change streams that have failed for a minute, or stopped because of that.',
      value: status === undefined ? null : status.failing + status.failed,
    },
  ];
}

const available = { HEALTHY: 1, DEGRADED: 1, UNAVAILABLE: 0, UNKNOWN: -1 } as const;
const healthy = { HEALTHY: 1, DEGRADED: 0, UNAVAILABLE: 0, UNKNOWN: -1 } as const;

const choiceOf = ({ profile }: DatabaseView) => ({
  engine: profile.engine,
  engine_version: profile.engineVersion,
  cluster_configuration: profile.clusterConfiguration,
  cluster_size: profile.clusterSize,
});

interface Sources {
  readonly of: ScrapedDatabase;
  readonly labels: Readonly<Record<string, string>>;
  readonly replicas: readonly LatestSample[];
  readonly gateways: readonly LatestSample[];
}

const newestMs = (samples: readonly LatestSample[]): number =>
  Math.max(...samples.map(({ at }) => at.getTime()));

function sourcesOf(of: ScrapedDatabase): Sources {
  const { database, profile } = of.view;
  const { samples } = of;
  const isReplica = ({ source }: LatestSample) => source.startsWith('r');
  // A process of the API writes only when there were requests: its older samples are about requests of the past.
  const sinceMs = newestMs(samples) - sampleMs;
  return {
    of,
    labels: { database_id: database.id, database: database.name, region: profile.region },
    replicas: samples.filter(isReplica),
    gateways: samples.filter((sample) => !isReplica(sample) && sample.at.getTime() >= sinceMs),
  };
}

const helpOf = ({ description, lines, kept }: MetricSeries): string =>
  lines === undefined && kept !== 'failures'
    ? `${description} By percentile, of the last 15 seconds.`
    : description;

const sampled = (labels: Readonly<Record<string, string>>, value: Figure): readonly Sample[] =>
  value === null ? [] : [{ labels, value }];

function linesOf(series: MetricSeries, sources: Sources): readonly Sample[] {
  const samples = series.from === 'replica' ? sources.replicas : sources.gateways;
  const { lines, across, kept } = series;
  if (kept === 'failures') return failuresOf(samples);
  if (lines === undefined) return latenciesOf(samples);
  return lines.flatMap(({ labels, place }) => {
    const valueOf = ({ readings }: LatestSample) => readings[place] ?? null;
    if (across === 'each') {
      return samples.flatMap((sample) =>
        sampled({ ...labels, replica: sample.source.slice(1) }, valueOf(sample)),
      );
    }
    const known = samples.map(valueOf).filter((value) => value !== null);
    if (known.length === 0) return [];
    const sum = known.reduce((all, one) => all + one, 0);
    return sampled(labels, across === 'sum' ? sum : Math.max(...known));
  });
}

/** Samples of the failures that occurred. */
const failuresOf = (samples: readonly LatestSample[]): readonly Sample[] =>
  eventFailures.flatMap(({ operation, status, place }) => {
    const known = samples.flatMap(({ failures }) => failures?.[place] ?? []);
    return known.length === 0 ? [] : sampled({ operation, status }, Math.max(...known));
  });

const percentiles = { 50: 0.5, 95: 0.95, 99: 0.99 } as const;

function latenciesOf(samples: readonly LatestSample[]): readonly Sample[] {
  return figureOperations.flatMap((operation) => {
    const place = latencyPlaceOf(operation);
    const buckets = Array.from({ length: latencyBuckets }, (_, bucket) =>
      samples.reduce((sum, { latencies }) => sum + (latencies?.[place + bucket] ?? 0), 0),
    );
    return Object.entries(percentiles).flatMap(([percentile, part]) =>
      sampled({ operation, percentile }, quantile(part, buckets)),
    );
  });
}
