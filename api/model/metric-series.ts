/** Series that clients may request, and the figures that each is made from. */
import {
  figureOperations,
  gatewayFigures,
  replicaFigures,
  type GatewayFigure,
  type ReplicaFigure,
} from './metric-figures.ts';

export const metricFunctions = ['avg', 'min', 'max', 'p50', 'p95', 'p99'] as const;
export type MetricFunction = (typeof metricFunctions)[number];

/** One line of a series: its labels, and the index of its figure. */
interface Line {
  readonly labels: Readonly<Record<string, string>>;
  readonly place: number;
}

export interface MetricSeries {
  readonly unit: 'count' | 'per_second' | 'seconds' | 'bytes' | 'cores' | 'boolean';
  readonly description: string;
  readonly from: 'replica' | 'gateway';
  /**
   * Combines the values of several sources: `each` gives every replica a line of its own; `max` and `sum` make one line. The
   * replicas of a database execute the same requests, so `max` gives the database's figure.
   */
  readonly across: 'each' | 'max' | 'sum';
  /** Absent for latencies. */
  readonly lines?: readonly Line[];
  readonly functions: readonly MetricFunction[];
}

const gaugeFunctions = ['avg', 'min', 'max'] as const;
const latencyFunctions = ['p50', 'p95', 'p99'] as const;

const placeIn = <Name extends string>(list: readonly Name[], name: Name): readonly Line[] => [
  { labels: {}, place: list.indexOf(name) },
];

const ofReplica = (
  figure: ReplicaFigure,
  unit: MetricSeries['unit'],
  description: string,
  across: MetricSeries['across'] = 'each',
): MetricSeries => ({
  unit,
  description,
  from: 'replica',
  across,
  lines: placeIn(replicaFigures, figure),
  functions: gaugeFunctions,
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
    functions: gaugeFunctions,
  },
  request_seconds: {
    unit: 'seconds',
    description: 'Time from the arrival of a request at a replica to its answer, by operation.',
    from: 'replica',
    across: 'sum',
    functions: latencyFunctions,
  },
  gateway_requests_per_second: {
    unit: 'per_second',
    description: 'Requests over HTTP, by operation and outcome.',
    from: 'gateway',
    across: 'sum',
    lines: [...linesOfGateway('answered'), ...linesOfGateway('failed')],
    functions: gaugeFunctions,
  },
  gateway_request_seconds: {
    unit: 'seconds',
    description: 'Time of requests over HTTP within the API, with the engine’s, by operation.',
    from: 'gateway',
    across: 'sum',
    functions: latencyFunctions,
  },
  gateway_events_per_second: {
    unit: 'per_second',
    description: 'Accounts and transfers in the requests over HTTP that were answered.',
    from: 'gateway',
    across: 'sum',
    lines: placeIn(gatewayFigures, 'events_per_second'),
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
  accounts: ofReplica('accounts', 'count', 'Accounts.', 'max'),
  transfers: ofReplica('transfers', 'count', 'Transfers.', 'max'),
  sessions: ofReplica('sessions', 'count', 'Sessions of clients, of 64.', 'max'),
  connections: ofReplica('connections', 'count', 'Connections of clients.'),
  replica_up: ofReplica('up', 'boolean', '1 while the replica answers.'),
  replica_leader: ofReplica('leader', 'boolean', '1 while the replica leads.'),
  replica_syncing: ofReplica('syncing', 'boolean', '1 while the replica catches up.'),
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
  storage_used_bytes: ofReplica('storage_used_bytes', 'bytes', 'Storage that the ledger uses.'),
  storage_limit_bytes: ofReplica('storage_limit_bytes', 'bytes', 'Storage that it may use.'),
  cpu_cores: ofReplica(
    'cpu_cores',
    'cores',
    'Processors that the engine’s process uses; of TigerBeetle, its pod’s, where Kubernetes measures them.',
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

/** Names of the labels that lines of a series have. */
export const labelsOf = ({ across, lines }: MetricSeries): readonly string[] => [
  ...(lines === undefined ? ['operation'] : Object.keys(lines[0]?.labels ?? {})),
  ...(across === 'each' ? ['replica'] : []),
];
