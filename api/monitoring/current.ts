/** The current figures of a database, and the time at which it will be full. */
import {
  figureOperations,
  gatewayFigures,
  latencyBuckets,
  quantile,
  replicaFigures,
  type Figure,
  type GatewayFigure,
  type ReplicaFigure,
} from '../model/metric-figures.ts';
import { readTrends, type FigureTrend } from '../store/metric-reads.ts';
import type { Database, ObservedDatabase } from '../store/database-record.ts';
import { latestSamples, type LatestReadings, type LatestSample } from '../store/metric-samples.ts';
import type { Reader } from '../store/tables.ts';

const figureOf = ({ readings }: LatestReadings, name: ReplicaFigure): Figure =>
  readings[replicaFigures.indexOf(name)] ?? null;

const gatewayFigureOf = ({ readings }: LatestSample, name: GatewayFigure): Figure =>
  readings[gatewayFigures.indexOf(name)] ?? null;

const known = (values: readonly Figure[]): readonly number[] =>
  values.filter((value) => value !== null);
const sumOf = (values: readonly Figure[]): Figure => {
  const all = known(values);
  return all.length === 0 ? null : all.reduce((sum, one) => sum + one, 0);
};
const maxOf = (values: readonly Figure[]): Figure => {
  const all = known(values);
  return all.length === 0 ? null : Math.max(...all);
};

const isReplica = ({ source }: LatestReadings): boolean => source.startsWith('r');

/** Use of the database according to its newest samples; null if there are none. */
export function usageOf(samples: readonly LatestReadings[]) {
  const replicas = samples.filter(isReplica);
  const [first] = replicas;
  if (first === undefined) return null;
  const nodes = replicas
    .map((sample) => ({
      index: Number(sample.source.slice(1)),
      up: figureOf(sample, 'up') === 1,
      leader: yesOrNo(figureOf(sample, 'leader')),
      commitLagOps: figureOf(sample, 'commit_lag_ops'),
      connections: figureOf(sample, 'connections'),
      cpuCores: figureOf(sample, 'cpu_cores'),
      memory: usedOf(sample, 'memory'),
      storage: usedOf(sample, 'storage'),
    }))
    .sort((one, other) => one.index - other.index);
  return {
    at: new Date(Math.max(...replicas.map(({ at }) => at.getTime()))).toISOString(),
    cpuCores: sumOf(nodes.map(({ cpuCores }) => cpuCores)),
    memory: fullest(nodes.map(({ memory }) => memory)),
    storage: fullest(nodes.map(({ storage }) => storage)),
    nodes,
  };
}

export type Usage = NonNullable<ReturnType<typeof usageOf>>;

/** Adds what the cluster says of the replicas: their zones, and the processors that they are promised. */
export function placed(usage: Usage | null, observed: ObservedDatabase | null) {
  if (usage === null) return null;
  const { nodes, ...rest } = usage;
  const zoneOf = (index: number) => observed?.nodes.find((node) => node.index === index)?.zone;
  const cpuMillis = observed?.cpuMillis ?? null;
  return {
    ...rest,
    cpuPromisedCores: cpuMillis === null ? null : (cpuMillis * nodes.length) / 1_000,
    nodes: nodes.map((node) => ({ ...node, zone: zoneOf(node.index) ?? null })),
  };
}

const yesOrNo = (value: Figure): boolean | null => (value === null ? null : value === 1);

type Used = ReturnType<typeof usedOf>;

const usedOf = (sample: LatestReadings, what: 'memory' | 'storage') => ({
  usedBytes: figureOf(sample, `${what}_used_bytes`),
  limitBytes: figureOf(sample, `${what}_limit_bytes`),
});

const fullest = (all: readonly Used[]): Used => {
  const share = ({ usedBytes, limitBytes }: Used): number =>
    usedBytes === null || !limitBytes ? -1 : usedBytes / limitBytes;
  const [first] = [...all].sort((one, other) => share(other) - share(one));
  return first ?? { usedBytes: null, limitBytes: null };
};

function p99Of(samples: readonly LatestSample[]): number | null {
  const buckets = Array.from({ length: latencyBuckets }, () => 0);
  for (const { latencies } of samples) {
    for (const [place, count] of (latencies ?? []).entries()) {
      const bucket = place % latencyBuckets;
      buckets[bucket] = (buckets[bucket] ?? 0) + (count ?? 0);
    }
  }
  return quantile(0.99, buckets);
}

export async function currentMetrics(
  db: Reader,
  { id: databaseId, observed }: Pick<Database, 'id' | 'observed'>,
) {
  const samples = await latestSamples(db, [databaseId]);
  const replicas = samples.filter(isReplica);
  const gateways = samples.filter((sample) => !isReplica(sample));
  const usage = placed(usageOf(samples), observed);
  const requests = replicas.map((sample) =>
    sumOf(figureOperations.map((name) => figureOf(sample, `requests_per_second.${name}`))),
  );
  const overHttp = (outcome: 'answered' | 'failed') =>
    sumOf(
      gateways.flatMap((sample) =>
        figureOperations.map((name) => gatewayFigureOf(sample, `${outcome}_per_second.${name}`)),
      ),
    );
  return {
    usage,
    // Replicas execute the same requests.
    requestsPerSecond: maxOf(requests),
    transfersPerSecond: maxOf(replicas.map((sample) => figureOf(sample, 'transfers_per_second'))),
    requestP99Seconds: p99Of(replicas),
    gateway: {
      answeredPerSecond: overHttp('answered'),
      failedPerSecond: overHttp('failed'),
      p99Seconds: p99Of(gateways),
    },
    forecast: await forecasts(db, databaseId, replicas),
  };
}

const leastTrendSeconds = 6 * 3_600;
const daySeconds = 86_400;
/** Maximum: nobody plans for a later end. */
const farDays = 3_650;

async function forecasts(db: Reader, databaseId: string, replicas: readonly LatestSample[]) {
  const places = (['memory_used_bytes', 'storage_used_bytes'] as const).map((name) =>
    replicaFigures.indexOf(name),
  );
  const trends = await readTrends(db, databaseId, places);
  return {
    memory: forecast('memory', trends, replicas),
    storage: forecast('storage', trends, replicas),
  };
}

/** The replica that will be full first. */
function forecast(
  what: 'memory' | 'storage',
  trends: readonly FigureTrend[],
  replicas: readonly LatestSample[],
) {
  const place = replicaFigures.indexOf(`${what}_used_bytes`);
  const ends = trends.flatMap((trend) => {
    const sample = replicas.find(({ source }) => source === trend.source);
    if (trend.place !== place || trend.seconds < leastTrendSeconds || sample === undefined)
      return [];
    const { usedBytes, limitBytes } = usedOf(sample, what);
    if (usedBytes === null || limitBytes === null || trend.perSecond <= 0) return [];
    const fullInDays = Math.max(0, limitBytes - usedBytes) / trend.perSecond / daySeconds;
    return fullInDays > farDays ? [] : [{ fullInDays, perDayBytes: trend.perSecond * daySeconds }];
  });
  return ends.sort((one, other) => one.fullInDays - other.fullInDays)[0] ?? null;
}
