/**
 * Figures that are kept of each database, every 15 seconds. A row of figures is an array: a figure's index in these lists is
 * its index in the rows of the store. So new figures are added only at the end, and none is removed.
 */
import { latencyBounds } from '../../domain/latency-bounds.ts';

/** Operations of the ledger, by the names that engines and routes use. */
export const figureOperations = [
  'create_accounts',
  'create_transfers',
  'lookup_accounts',
  'lookup_transfers',
  'get_account_transfers',
  'get_account_balances',
  'query_accounts',
  'query_transfers',
] as const;
export type FigureOperation = (typeof figureOperations)[number];

const requestsOf = figureOperations.map((operation) => `requests_per_second.${operation}` as const);

/** Figures of one replica; 1 and 0 stand for yes and no. */
export const replicaFigures = [
  'up',
  'leader',
  'syncing',
  'accepts_writes',
  'clock_offset_seconds',
  'commit_lag_ops',
  'commits_per_second',
  'sessions',
  'connections',
  'accounts',
  'transfers',
  'accounts_per_second',
  'transfers_per_second',
  'memory_used_bytes',
  'memory_limit_bytes',
  'storage_used_bytes',
  'storage_limit_bytes',
  'cpu_cores',
  'process_memory_bytes',
  'refused_per_second',
  ...requestsOf,
  'cache_hit_ratio',
  'disk_read_bytes_per_second',
  'disk_written_bytes_per_second',
  'network_received_bytes_per_second',
  'network_sent_bytes_per_second',
  'batch_fill_ratio.create_accounts',
  'batch_fill_ratio.create_transfers',
  'sync_stage',
  'replica_status',
  // Figures of the database, not of a replica: they are in the rows of its first replica.
  'cdc_lag_seconds',
  'backup_age_seconds',
] as const;
export type ReplicaFigure = (typeof replicaFigures)[number];

/** Figures of the gateway of one API process. */
export const gatewayFigures = [
  'events_per_second',
  ...figureOperations.map((operation) => `answered_per_second.${operation}` as const),
  ...figureOperations.map((operation) => `failed_per_second.${operation}` as const),
  'queue_depth',
] as const;
export type GatewayFigure = (typeof gatewayFigures)[number];

/** Figures that are measured over 15 seconds, where a part in 4,096 is less than the error: amounts are not, for their changes count. */
const isMeasured = (name: ReplicaFigure): boolean =>
  /per_second|_ratio/.test(name) || name === 'cpu_cores' || name === 'process_memory_bytes';

/** Places of a replica's readings that may be rounded; those of the gateway all may. */
export const measuredPlaces: ReadonlySet<number> = new Set(
  replicaFigures.flatMap((name, place) => (isMeasured(name) ? [place] : [])),
);

/** Buckets of latencies: one for each bound, and one for everything above. */
export const latencyBuckets = latencyBounds.length + 1;

/** Number of places of a row's latencies: for each operation, its buckets, as requests a second. */
export const latencyPlaces = figureOperations.length * latencyBuckets;

/** Number of places of a row's failures: events a second by operation and status, null when there were none (api/monitoring/event-failures.ts). */
export const failurePlaces = 100;

/** Length of a row's figures: that of the longest list. */
export const figurePlaces = Math.max(replicaFigures.length, gatewayFigures.length);

/** First place of an operation's latencies, from 0. */
export const latencyPlaceOf = (operation: FigureOperation): number =>
  figureOperations.indexOf(operation) * latencyBuckets;

/** Source of a row of figures: `r0` is replica 0, `g:api-1` the gateway of the process `api-1`. */
export const replicaSource = (index: number): string => `r${index}`;
export const gatewaySource = (identity: string): string => `g:${identity}`;

export type Figure = number | null;

/**
 * Seconds within which the given part of the requests ended, interpolated within its bucket; null without requests. `buckets`
 * are weights of any unit. Requests above the last bound count as that bound.
 */
export function quantile(part: number, buckets: readonly number[]): number | null {
  const all = buckets.reduce((sum, count) => sum + count, 0);
  if (all <= 0) return null;
  const wanted = part * all;
  let below = 0;
  for (const [index, upper] of latencyBounds.entries()) {
    const count = buckets[index] ?? 0;
    if (count > 0 && below + count >= wanted) {
      const lower = latencyBounds[index - 1] ?? 0;
      return lower + (upper - lower) * Math.max(0, (wanted - below) / count);
    }
    below += count;
  }
  return latencyBounds.at(-1) ?? null;
}
