/** Series that clients may request, and the figures that each is made from. */
import {
  figureOperations,
  gatewayFigures,
  replicaFigures,
  type GatewayFigure,
  type ReplicaFigure,
} from './metric-figures.ts';

export const metricFunctions = [
  'avg',
  'min',
  'max',
  'last',
  'sum',
  'rate',
  'p50',
  'p95',
  'p99',
] as const;
export type MetricFunction = (typeof metricFunctions)[number];

export const metricUnits = [
  'count',
  'per_second',
  'seconds',
  'bytes',
  'bytes_per_second',
  'cores',
  'ratio',
  'boolean',
] as const;

const sumUnits: Readonly<Partial<Record<MetricSeries['unit'], MetricSeries['unit']>>> = {
  per_second: 'count',
  bytes_per_second: 'bytes',
};
const rateUnits: typeof sumUnits = { count: 'per_second', bytes: 'bytes_per_second' };

/** One line of a series: its labels, and the index of its figure. */
interface Line {
  readonly labels: Readonly<Record<string, string>>;
  readonly place: number;
}

export interface MetricSeries {
  readonly unit: (typeof metricUnits)[number];
  readonly description: string;
  readonly from: 'replica' | 'gateway';
  /**
   * Combines the values of several sources: `each` gives every replica a line of its own; `max` and `sum` make one line. The
   * replicas of a database execute the same requests, so `max` gives the database's figure.
   */
  readonly across: 'each' | 'max' | 'sum';
  /** Absent for latencies and failures, which are kept beside the figures. */
  readonly lines?: readonly Line[];
  readonly kept?: 'latencies' | 'failures';
  readonly functions: readonly MetricFunction[];
}

const gaugeFunctions = ['avg', 'min', 'max', 'last'] as const;
/** Functions of values a second; their sum is the total of a step. */
const flowFunctions = [...gaugeFunctions, 'sum'] as const;
/** Functions of amounts that grow; `rate` is the change a second. */
const amountFunctions = [...gaugeFunctions, 'rate'] as const;
const latencyFunctions = ['p50', 'p95', 'p99'] as const;

const placeIn = <Name extends string>(list: readonly Name[], name: Name): readonly Line[] => [
  { labels: {}, place: list.indexOf(name) },
];

const isFlow = (unit: MetricSeries['unit']): boolean => sumUnits[unit] !== undefined;

const ofReplica = (
  figure: ReplicaFigure,
  unit: MetricSeries['unit'],
  description: string,
  across: MetricSeries['across'] = 'each',
  functions: MetricSeries['functions'] = gaugeFunctions,
): MetricSeries => ({
  unit,
  description,
  from: 'replica',
  across,
  lines: placeIn(replicaFigures, figure),
  functions: isFlow(unit) ? flowFunctions : functions,
});

const linesOfGateway = (outcome: 'answered' | 'failed'): readonly Line[] =>
  figureOperations.map((operation) => ({
    labels: { operation, outcome },
    place: gatewayFigures.indexOf(`${outcome}_per_second.${operation}` satisfies GatewayFigure),
  }));

export const metricSeries = {
  requests_per_second: {
    unit: 'per_second',
    description: 'Requests that the engine executed, by operation, from all clients.',
    from: 'replica',
    across: 'max',
    lines: figureOperations.map((operation) => ({
      labels: { operation },
      place: replicaFigures.indexOf(`requests_per_second.${operation}`),
    })),
    functions: flowFunctions,
  },
  request_seconds: {
    unit: 'seconds',
    description: 'Time from the arrival of a request at a replica to its answer, by operation.',
    from: 'replica',
    across: 'sum',
    kept: 'latencies',
    functions: latencyFunctions,
  },
  gateway_requests_per_second: {
    unit: 'per_second',
    description: 'Requests over HTTP, by operation and outcome.',
    from: 'gateway',
    across: 'sum',
    lines: [...linesOfGateway('answered'), ...linesOfGateway('failed')],
    functions: flowFunctions,
  },
  gateway_request_seconds: {
    unit: 'seconds',
    description: 'Time of requests over HTTP within the API, with the engine’s, by operation.',
    from: 'gateway',
    across: 'sum',
    kept: 'latencies',
    functions: latencyFunctions,
  },
  gateway_events_per_second: {
    unit: 'per_second',
    description: 'Accounts and transfers in the requests over HTTP that were answered.',
    from: 'gateway',
    across: 'sum',
    lines: placeIn(gatewayFigures, 'events_per_second'),
    functions: flowFunctions,
  },
  gateway_queue_depth: {
    unit: 'count',
    description: 'Requests over HTTP that waited to be sent to the engine, on average.',
    from: 'gateway',
    across: 'sum',
    lines: placeIn(gatewayFigures, 'queue_depth'),
    functions: gaugeFunctions,
  },
  accounts_per_second: ofReplica(
    'accounts_per_second',
    'per_second',
    'Accounts that were created.',
    'max',
  ),
  transfers_per_second: ofReplica(
    'transfers_per_second',
    'per_second',
    'Transfers that were created.',
    'max',
  ),
  refused_per_second: ofReplica(
    'refused_per_second',
    'per_second',
    'Create requests that were refused because the database is full.',
    'max',
  ),
  failed_events_per_second: {
    unit: 'per_second',
    description:
      'Accounts and transfers that were not created, by the status of their result; of the built-in engine.',
    from: 'replica',
    across: 'max',
    kept: 'failures',
    functions: ['avg', 'sum'],
  },
  batch_fill_ratio: {
    unit: 'ratio',
    description:
      'Events of a create request, as a part of the 8,189 that a request can have; of the built-in engine.',
    from: 'replica',
    across: 'max',
    lines: (['create_accounts', 'create_transfers'] as const).map((operation) => ({
      labels: { operation },
      place: replicaFigures.indexOf(`batch_fill_ratio.${operation}`),
    })),
    functions: gaugeFunctions,
  },
  accounts: ofReplica('accounts', 'count', 'Accounts.', 'max', amountFunctions),
  transfers: ofReplica('transfers', 'count', 'Transfers.', 'max', amountFunctions),
  sessions: ofReplica('sessions', 'count', 'Sessions of clients, of 64.', 'max'),
  connections: ofReplica('connections', 'count', 'Connections of clients.'),
  replica_up: ofReplica('up', 'boolean', '1 while the replica answers.'),
  replica_leader: ofReplica('leader', 'boolean', '1 while the replica leads.'),
  replica_syncing: ofReplica('syncing', 'boolean', '1 while the replica catches up.'),
  replica_sync_stage: ofReplica(
    'sync_stage',
    'count',
    'Stage of the copy of a checkpoint from another replica, of TigerBeetle: 0 none, 1 and 2 preparing, 3 copying.',
  ),
  replica_status: ofReplica(
    'replica_status',
    'count',
    '0 normal, 1 while no replica leads, 2 recovering, 3 recovering the head of its log, which only TigerBeetle tells.',
  ),
  replica_commit_lag_ops: ofReplica(
    'commit_lag_ops',
    'count',
    'Operations by which the replica is behind the most advanced one.',
  ),
  commits_per_second: ofReplica(
    'commits_per_second',
    'per_second',
    'Operations that the replica executed.',
  ),
  accepts_writes: ofReplica(
    'accepts_writes',
    'boolean',
    '1 while the database takes new accounts and transfers.',
    'max',
  ),
  clock_offset_seconds: ofReplica(
    'clock_offset_seconds',
    'seconds',
    'Time by which the replica’s clock is ahead of the others.',
  ),
  memory_used_bytes: ofReplica(
    'memory_used_bytes',
    'bytes',
    'Memory that the ledger uses; of TigerBeetle, its pod’s, where Kubernetes measures it.',
  ),
  memory_limit_bytes: ofReplica('memory_limit_bytes', 'bytes', 'Memory that it may use.'),
  process_memory_bytes: ofReplica(
    'process_memory_bytes',
    'bytes',
    'Resident memory of the engine’s process.',
  ),
  storage_used_bytes: ofReplica(
    'storage_used_bytes',
    'bytes',
    'Storage that the ledger uses.',
    'each',
    amountFunctions,
  ),
  storage_limit_bytes: ofReplica('storage_limit_bytes', 'bytes', 'Storage that it may use.'),
  cache_hit_ratio: ofReplica(
    'cache_hit_ratio',
    'ratio',
    'Part of the look-ups of rows outside of memory that needed no read of the volume; of the built-in engine.',
  ),
  disk_read_bytes_per_second: ofReplica(
    'disk_read_bytes_per_second',
    'bytes_per_second',
    'Bytes that the engine’s process reads from disks; of the built-in engine.',
  ),
  disk_written_bytes_per_second: ofReplica(
    'disk_written_bytes_per_second',
    'bytes_per_second',
    'Bytes that the engine’s process writes to disks; of the built-in engine.',
  ),
  network_received_bytes_per_second: ofReplica(
    'network_received_bytes_per_second',
    'bytes_per_second',
    'Bytes that the replica’s pod receives from the network.',
  ),
  network_sent_bytes_per_second: ofReplica(
    'network_sent_bytes_per_second',
    'bytes_per_second',
    'Bytes that the replica’s pod sends to the network.',
  ),
  cpu_cores: ofReplica(
    'cpu_cores',
    'cores',
    'Processors that the engine’s process uses; of TigerBeetle, its pod’s, where Kubernetes measures them.',
  ),
  cdc_lag_seconds: ofReplica(
    'cdc_lag_seconds',
    'seconds',
    'Age of the oldest waiting event of the change streams; a gap while it is not known, and while no stream runs.',
    'max',
  ),
  backup_age_seconds: ofReplica(
    'backup_age_seconds',
    'seconds',
    'Time since the newest backup that can be restored was done; a gap while there is none.',
    'max',
  ),
} as const satisfies Record<string, MetricSeries>;
export type MetricSeriesName = keyof typeof metricSeries;
export const metricSeriesNames = Object.keys(metricSeries) as readonly MetricSeriesName[];

/** The function of a series if the client names none that it has. */
export const functionOf = (
  { functions }: MetricSeries,
  wanted: MetricFunction | undefined,
): MetricFunction =>
  wanted !== undefined && functions.includes(wanted)
    ? wanted
    : functions[0] === 'p50'
      ? 'p99'
      : 'avg';

/** The unit of a series' points under a function. */
export const unitUnder = (unit: MetricSeries['unit'], fn: MetricFunction): MetricSeries['unit'] =>
  (fn === 'sum' ? sumUnits[unit] : fn === 'rate' ? rateUnits[unit] : undefined) ?? unit;

/** Names of the labels that lines of a series have. */
export const labelsOf = ({ across, lines, kept }: MetricSeries): readonly string[] => [
  ...(lines === undefined ? ['operation'] : Object.keys(lines[0]?.labels ?? {})),
  ...(kept === 'failures' ? ['status'] : []),
  ...(across === 'each' ? ['replica'] : []),
];
