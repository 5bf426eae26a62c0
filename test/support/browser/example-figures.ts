/** Figures of an hour in which a leader dies and nobody measures for five minutes, as collectors write them into the store. */
import { sql } from 'kysely';
import {
  figurePlaces,
  gatewayFigures,
  gatewaySource,
  latencyBuckets,
  latencyPlaceOf,
  latencyPlaces,
  replicaFigures,
  replicaSource,
  type FigureOperation,
  type GatewayFigure,
  type ReplicaFigure,
} from '../../../api/model/metric-figures.ts';
import { uuidOf } from '../../../api/store/ids.ts';
import { sampleMs, writeSamples, type MetricSample } from '../../../api/store/metric-samples.ts';
import { keepPartitions } from '../../../api/store/metric-rollups.ts';
import type { Store } from '../../../api/store/store.ts';

const minuteMs = 60_000;
const gibibyte = 2 ** 30;
const replicas = [0, 1, 2];

/** Minutes before the end of the hour. */
export const story = { gapBegins: 40, gapEnds: 35, leaderDies: 20, leaderIsBack: 15 } as const;

const row = <Name extends string>(names: readonly Name[], figures: Partial<Record<Name, number>>) =>
  Array.from({ length: figurePlaces }, (_, place) => {
    const name = names[place];
    return (name === undefined ? undefined : figures[name]) ?? null;
  });

/** Most requests in one bucket, and a few four buckets above it. */
function latencies(operation: FigureOperation, rate: number, bucket: number) {
  const places: (number | null)[] = Array.from({ length: latencyPlaces }, () => null);
  const place = latencyPlaceOf(operation);
  places[place + bucket] = rate * 0.97;
  places[place + Math.min(latencyBuckets - 1, bucket + 4)] = rate * 0.03;
  return places;
}

/** A replica that does not answer says nothing else. */
const silence = row<ReplicaFigure>(replicaFigures, { up: 0 });

function replicaSample(databaseId: string, index: number, minutes: number, wave: number) {
  const leader = minutes > story.leaderDies ? 0 : 2;
  const isDown = index === 0 && minutes <= story.leaderDies && minutes > story.leaderIsBack;
  const transfers = 90 * wave;
  const readings = row<ReplicaFigure>(replicaFigures, {
    up: 1,
    leader: index === leader ? 1 : 0,
    commit_lag_ops: index === leader ? 0 : Math.round(12 * wave),
    connections: 8,
    transfers_per_second: transfers * 800,
    accounts_per_second: 3,
    memory_used_bytes: (0.62 - minutes / 400 + index / 60) * 2 * gibibyte,
    memory_limit_bytes: 2 * gibibyte,
    storage_used_bytes: 10 * gibibyte,
    storage_limit_bytes: 20 * gibibyte,
    cpu_cores: (index === leader ? 0.6 : 0.3) * wave,
    'requests_per_second.create_transfers': transfers,
    'requests_per_second.create_accounts': 1.5,
    'requests_per_second.lookup_accounts': 40 * (2 - wave),
    'requests_per_second.query_transfers': 12,
    'requests_per_second.lookup_transfers': 0,
  });
  return {
    databaseId,
    source: replicaSource(index),
    readings: isDown ? silence : readings,
    latencies: index === leader ? latencies('create_transfers', transfers, 3) : null,
  };
}

function gatewaySample(databaseId: string, minutes: number, wave: number): MetricSample {
  const isTrouble = minutes <= story.leaderDies && minutes > story.leaderDies - 1;
  const readings = row<GatewayFigure>(gatewayFigures, {
    events_per_second: 400 * wave,
    'answered_per_second.create_transfers': 12 * wave,
    'answered_per_second.lookup_accounts': 8,
    'failed_per_second.create_transfers': isTrouble ? 6 : 0,
  });
  return {
    databaseId,
    source: gatewaySource('api-1'),
    readings,
    latencies: latencies('create_transfers', 12 * wave, isTrouble ? 8 : 4),
  };
}

/** Samples of one instant, so many minutes before the end. */
export function samplesAt(databaseId: string, minutes: number): readonly MetricSample[] {
  const wave = 1 + 0.4 * Math.sin(minutes / 6);
  return [
    ...replicas.map((index) => replicaSample(databaseId, index, minutes, wave)),
    gatewaySample(databaseId, minutes, wave),
  ];
}

/** A suite has figures for as long as it runs. */
const moreMs = 20 * minuteMs;

/** Writes the hour before `end`, which is a multiple of 15 seconds, and some time after it. */
export async function writeHour(store: Store, databaseId: string, end: Date): Promise<void> {
  await keepPartitions(store.read, new Date());
  for (let before = 60 * minuteMs; before >= -moreMs; before -= sampleMs) {
    const minutes = before / minuteMs;
    if (minutes <= story.gapBegins && minutes > story.gapEnds) continue;
    await writeSamples(
      store.read,
      new Date(end.getTime() - before),
      samplesAt(databaseId, minutes),
    );
  }
}

/** Hours of growth by a gibibyte a day, up to the hour that `writeHour` writes. */
export async function writeGrowth(store: Store, databaseId: string): Promise<void> {
  const place = replicaFigures.indexOf('storage_used_bytes');
  await sql`
    INSERT INTO metric_tens (at, database_id, source, readings, lowest, highest)
    SELECT at, ${uuidOf(databaseId)}::uuid, 'r0', r, r, r FROM (
      SELECT now() - step * interval '10 minutes' AS at,
        array_fill(NULL::real, ARRAY[${place}::int]) ||
          (10 * ${gibibyte}::float8 - step * ${gibibyte}::float8 / 144)::real AS r
      FROM generate_series(7, 71) AS step
      WHERE now() - step * interval '10 minutes' >= date_trunc('day', now(), 'UTC') - interval '1 day') AS rows
  `.execute(store.read);
}
