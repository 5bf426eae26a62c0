/** Turns a replica's own figures into a row of figures. */
import { ReplicaRole, type EngineStatus } from '../../domain/engine-status.ts';
import { latencyBounds } from '../../domain/latency-bounds.ts';
import { batchSizeLimitProduction } from '../../engine/wire/limits.ts';
import { eventMax, Operation, shapeOf } from '../../engine/wire/operations.ts';
import {
  failurePlaces,
  figureOperations,
  latencyBuckets,
  latencyPlaces,
  latencyPlaceOf,
  replicaFigures,
  type Figure,
  type FigureOperation,
  type ReplicaFigure,
} from '../model/metric-figures.ts';
import { eventFailures } from './event-failures.ts';
import type { ReadSample } from './exposition.ts';
import type { MetricSample } from '../store/metric-samples.ts';
import type { DatabaseStanding } from './database-standings.ts';
import type { PodFigures } from './pod-figures.ts';

/** Content of one answer of a replica. */
export interface ReplicaAnswer {
  readonly atMs: number;
  readonly status: EngineStatus;
  readonly counters: Counters;
  readonly processMemoryBytes: Figure;
  /** Start time of its process, in seconds since 1970; null: the engine does not report it. */
  readonly startedAtSeconds: Figure;
}

/** Totals since the start of the replica's process. */
interface Counters {
  readonly requests: readonly number[];
  readonly refused: Figure;
  readonly cpuSeconds: Figure;
  /** By the names of their metrics, without prefix. */
  readonly moved: Readonly<Record<Moved, Figure>>;
  /** Results of events by `eventPlaces` operations, and their failures by place. */
  readonly events: readonly number[];
  readonly failures: readonly number[];
  /** Cumulative counts of `latencyPlaces`. */
  readonly latencies: readonly number[];
}

const prefix = 'ledgerhouse_engine_';

const movedNames = [
  'page_hits',
  'pages_read',
  'disk_read_bytes',
  'disk_written_bytes',
  'network_received_bytes',
  'network_sent_bytes',
] as const;
type Moved = (typeof movedNames)[number];

const createOperations = ['create_accounts', 'create_transfers'] as const;
type CreateOperation = (typeof createOperations)[number];

const createShape = shapeOf(Operation.createTransfers);
/** Events that a create request can have. */
const batchMax = createShape === undefined ? 1 : eventMax(createShape, batchSizeLimitProduction);

const failureAt: ReadonlyMap<string, number> = new Map(
  eventFailures.map(({ operation, status, place }) => [`${operation} ${status}`, place]),
);

export function answerOf(
  atMs: number,
  status: EngineStatus,
  samples: Iterable<ReadSample>,
): ReplicaAnswer {
  const requests = figureOperations.map(() => 0);
  const latencies = Array.from({ length: latencyPlaces }, () => 0);
  const events = createOperations.map(() => 0);
  const failures = Array.from({ length: failurePlaces }, () => 0);
  const single = new Map<string, number>();
  for (const { name, labels, value } of samples) {
    const operation = operationOf(labels['operation']);
    if (name === `${prefix}requests_total` && operation !== undefined) {
      const index = figureOperations.indexOf(operation);
      requests[index] = (requests[index] ?? 0) + value;
    } else if (name === `${prefix}request_seconds_bucket` && operation !== undefined) {
      const bucket = bucketOf(labels['le']);
      const place = latencyPlaceOf(operation) + bucket;
      if (bucket >= 0) latencies[place] = (latencies[place] ?? 0) + value;
    } else if (name === `${prefix}events_total`) {
      const index = createOperations.indexOf(operation as CreateOperation);
      if (index >= 0) events[index] = (events[index] ?? 0) + value;
      const place = failureAt.get(`${operation} ${labels['status']}`);
      if (place !== undefined) failures[place] = value;
    } else if (Object.keys(labels).length === 0) single.set(name, value);
  }
  return {
    atMs,
    status,
    counters: {
      requests,
      latencies: separated(latencies),
      refused: single.get(`${prefix}requests_refused_total`) ?? null,
      cpuSeconds: single.get(`${prefix}cpu_seconds_total`) ?? null,
      moved: Object.fromEntries(
        movedNames.map((name) => [name, single.get(`${prefix}${name}_total`) ?? null]),
      ) as Record<Moved, Figure>,
      events,
      failures,
    },
    processMemoryBytes: single.get(`${prefix}resident_memory_bytes`) ?? null,
    // NaN does not equal itself, so every answer would look like one of another process.
    startedAtSeconds: finite(single.get(`${prefix}start_time_seconds`)),
  };
}

/** Older clients use other codes for the same operations. */
const operations: ReadonlyMap<string, FigureOperation> = new Map(
  figureOperations.flatMap((operation) =>
    ['', '_unbatched', '_sparse'].map((suffix) => [operation + suffix, operation] as const),
  ),
);
const operationOf = (name = ''): FigureOperation | undefined => operations.get(name);

const boundPlaces: ReadonlyMap<number, number> = new Map(
  [...latencyBounds, Infinity].map((bound, place) => [bound, place]),
);
const bucketOf = (le = ''): number => boundPlaces.get(le === '+Inf' ? Infinity : Number(le)) ?? -1;

/** Counts of each bucket alone; an exposition's buckets include all lower ones. */
const separated = (cumulative: readonly number[]): readonly number[] =>
  cumulative.map((count, place) =>
    place % latencyBuckets === 0 ? count : Math.max(0, count - (cumulative[place - 1] ?? 0)),
  );

/**
 * The row of a replica. `before`: its previous answer, without which there are no rates; they are also missing after a restart
 * of its process. `furthestOp`: the highest op of any replica.
 */
export function readingsOf(
  now: ReplicaAnswer,
  before: ReplicaAnswer | undefined,
  furthestOp: number,
): Pick<MetricSample, 'readings' | 'latencies' | 'failures'> {
  const { status, counters } = now;
  const rate = ratesSince(now, before);
  const requestRate = (operation: FigureOperation): Figure => {
    const index = figureOperations.indexOf(operation);
    return rate(counters.requests[index], before?.counters.requests[index]);
  };
  const readings = rowOf({
    up: 1,
    leader: Number(status.role === ReplicaRole.primary),
    syncing: Number(status.syncing),
    accepts_writes: status.acceptsWrites === undefined ? null : Number(status.acceptsWrites),
    clock_offset_seconds: status.clockOffsetMs === undefined ? null : status.clockOffsetMs / 1_000,
    commit_lag_ops: Math.max(0, furthestOp - status.commit),
    commits_per_second: rate(status.commit, before?.status.commit),
    sessions: status.sessions ?? null,
    connections: status.connections ?? null,
    accounts: status.accounts ?? null,
    transfers: status.transfers ?? null,
    accounts_per_second: rate(status.accounts, before?.status.accounts),
    transfers_per_second: rate(status.transfers, before?.status.transfers),
    memory_used_bytes: status.memory?.usedBytes ?? null,
    memory_limit_bytes: status.memory?.limitBytes ?? null,
    storage_used_bytes: status.storage.usedBytes,
    storage_limit_bytes: status.storage.limitBytes,
    cpu_cores: rate(counters.cpuSeconds, before?.counters.cpuSeconds),
    process_memory_bytes: now.processMemoryBytes,
    refused_per_second: rate(counters.refused, before?.counters.refused),
    sync_stage: status.syncStage ?? null,
    replica_status: status.replicaStatus ?? null,
    ...movedFigures((name) => rate(counters.moved[name], before?.counters.moved[name])),
    ...Object.fromEntries(
      createOperations.map((operation, index) => [
        `batch_fill_ratio.${operation}`,
        ratio(
          rate(counters.events[index], before?.counters.events[index]),
          timesBatch(requestRate(operation)),
        ),
      ]),
    ),
    ...Object.fromEntries(
      figureOperations.map((operation) => [
        `requests_per_second.${operation}`,
        requestRate(operation),
      ]),
    ),
  });
  const latencies = counters.latencies.map((count, place) =>
    rate(count, before?.counters.latencies[place]),
  );
  const failures = counters.failures.map((count, place) =>
    rate(count, before?.counters.failures[place]),
  );
  return { readings, latencies: happened(latencies), failures: happened(failures) };
}

/** Rates of which those of nothing are null; null if nothing happened at all. */
function happened(rates: readonly Figure[]): readonly Figure[] | null {
  const known = rates.map((perSecond) => finite(perSecond === 0 ? null : perSecond));
  return known.every((one) => one === null) ? null : known;
}

/** Figures of what was moved, by the rates of their counts. */
const movedFigures = (rateOf: (name: Moved) => Figure): Partial<Record<ReplicaFigure, Figure>> => {
  const hits = rateOf('page_hits');
  const read = rateOf('pages_read');
  return {
    cache_hit_ratio: hits === null || read === null ? null : ratio(hits, hits + read),
    disk_read_bytes_per_second: rateOf('disk_read_bytes'),
    disk_written_bytes_per_second: rateOf('disk_written_bytes'),
    network_received_bytes_per_second: rateOf('network_received_bytes'),
    network_sent_bytes_per_second: rateOf('network_sent_bytes'),
  };
};

const timesBatch = (requests: Figure): Figure => requests && requests * batchMax;

/** Null: there was nothing. */
const ratio = (part: Figure, all: Figure): Figure => (part !== null && all ? part / all : null);

type Rate = (now: Figure | undefined, before: Figure | undefined) => Figure;

/**
 * Returns a function that computes rates between two answers: null if a count is unknown or fell, because its process started
 * again.
 */
function ratesSince(now: ReplicaAnswer, before: ReplicaAnswer | undefined): Rate {
  const isSame = before !== undefined && now.startedAtSeconds === before.startedAtSeconds;
  const seconds = isSame ? (now.atMs - before.atMs) / 1_000 : 0;
  return (later, earlier) =>
    typeof later !== 'number' || typeof earlier !== 'number' || later < earlier || seconds <= 0
      ? null
      : (later - earlier) / seconds;
}

function rowOf(figures: Partial<Readonly<Record<ReplicaFigure, Figure>>>): readonly Figure[] {
  return replicaFigures.map((name) => finite(figures[name]));
}

/** A lower figure is kept as 0: the store's means of it, which have single precision, too, could not be told from 0. */
const leastKept = 1e-30;

/** The value if the store can keep it, whose figures have single precision: one row that it refuses would stop all others. */
function finite(value: Figure | undefined): Figure {
  if (value === undefined || value === null) return null;
  if (!Number.isFinite(Math.fround(value))) return null;
  return Math.abs(value) < leastKept ? 0 : value;
}

/** The row with what is known of the replica's pod, for an engine that does not tell it. */
export function withPodFigures(
  readings: readonly Figure[],
  { cpuCores, memoryBytes, engineMemoryBytes }: PodFigures,
): readonly Figure[] {
  return completed(readings, {
    cpu_cores: cpuCores,
    memory_used_bytes: memoryBytes,
    process_memory_bytes: engineMemoryBytes,
  });
}

/** The row of a database's first replica, with what the store knows of the database: also when the replica is silent. */
export const withStanding = (
  readings: readonly Figure[],
  { cdcLagSeconds, backupAgeSeconds }: DatabaseStanding,
): readonly Figure[] =>
  completed(readings, { cdc_lag_seconds: cdcLagSeconds, backup_age_seconds: backupAgeSeconds });

/** The row, with figures where it has none. */
function completed(
  readings: readonly Figure[],
  figures: Partial<Readonly<Record<ReplicaFigure, Figure>>>,
): readonly Figure[] {
  const known = rowOf(figures);
  return readings.map((reading, place) => reading ?? known[place] ?? null);
}

/** The row of a replica that did not answer. */
export const silentReplica: readonly Figure[] = rowOf({ up: 0 });
