/** Turns a replica's own figures into a row of figures. */
import { ReplicaRole, type EngineStatus } from '../../domain/engine-status.ts';
import { latencyBounds } from '../../domain/latency-bounds.ts';
import {
  figureOperations,
  latencyBuckets,
  latencyPlaces,
  latencyPlaceOf,
  replicaFigures,
  type Figure,
  type FigureOperation,
  type ReplicaFigure,
} from '../model/metric-figures.ts';
import type { ReadSample } from './exposition.ts';
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
  /** Cumulative counts of `latencyPlaces`. */
  readonly latencies: readonly number[];
}

const prefix = 'ledgerhouse_engine_';

export function answerOf(
  atMs: number,
  status: EngineStatus,
  samples: readonly ReadSample[],
): ReplicaAnswer {
  const requests = figureOperations.map(() => 0);
  const latencies = Array.from({ length: latencyPlaces }, () => 0);
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
): { readonly readings: readonly Figure[]; readonly latencies: readonly Figure[] | null } {
  const { status, counters } = now;
  const rate = ratesSince(now, before);
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
    ...Object.fromEntries(
      figureOperations.map((operation, index) => [
        `requests_per_second.${operation}`,
        rate(counters.requests[index], before?.counters.requests[index]),
      ]),
    ),
  });
  const latencies = counters.latencies.map((count, place) => {
    const perSecond = finite(rate(count, before?.counters.latencies[place]));
    return perSecond === 0 ? null : perSecond;
  });
  return { readings, latencies: latencies.every((one) => one === null) ? null : latencies };
}

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

/** The value if the store can keep it, whose figures have single precision: one row that it refuses would stop all others. */
function finite(value: Figure | undefined): Figure {
  if (value === undefined || value === null) return null;
  const kept = Math.fround(value);
  if (!Number.isFinite(kept)) return null;
  return kept === 0 ? 0 : value;
}

/** The row with what is known of the replica's pod, for an engine that does not tell it. */
export function withPodFigures(
  readings: readonly Figure[],
  { cpuCores, memoryBytes, engineMemoryBytes }: PodFigures,
): readonly Figure[] {
  const known = rowOf({
    cpu_cores: cpuCores,
    memory_used_bytes: memoryBytes,
    process_memory_bytes: engineMemoryBytes,
  });
  return readings.map((reading, place) => reading ?? known[place] ?? null);
}

/** The row of a replica that did not answer. */
export const silentReplica: readonly Figure[] = rowOf({ up: 0 });
