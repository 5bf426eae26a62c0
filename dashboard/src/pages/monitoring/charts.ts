/** The charts of a span, made from the service's figures. */
import type { MetricQueryAnswer } from '../../../../gen/api.ts';
import type { SpanFigures } from './queries.ts';
import { mostOf, sumOf, type Figure, type Unit } from '../../lib/figures.ts';
import { gapsOf, type Gap, type Line } from '../../ui/time-series/lines.ts';
import type { Axis } from '../../ui/time-series/scale.ts';

export interface Chart {
  readonly title: string;
  /** A note that a reader needs to understand the chart. */
  readonly about?: string;
  readonly unit: Unit;
  readonly lines: readonly Line[];
  /** The limit of the lines' values. */
  readonly limit?: { readonly name: string; readonly value: Figure };
  /** Steps in which nothing was measured. Empty where a missing value means that there was nothing to measure. */
  readonly gaps: readonly Gap[];
}

export type ReplicaState = 'leads' | 'up' | 'waits' | 'down' | null;

/** The states of one replica, one for each step. */
export interface Lane {
  readonly replica: string;
  readonly states: readonly ReplicaState[];
}

export interface Charts {
  readonly axis: Axis;
  readonly charts: readonly Chart[];
  readonly lanes: readonly Lane[];
  readonly gaps: readonly Gap[];
}

type Answered = MetricQueryAnswer['data'][number];

export function chartsOf(figures: SpanFigures): Charts {
  const axis = axisOf(figures.rates);
  const lanes = lanesOf(figures, axis);
  const gaps = gapsOf(
    lanes.map(({ states }) => ({ values: states.map((state) => (state === null ? null : 1)) })),
    axis.count,
  );
  return {
    axis,
    lanes,
    gaps,
    charts: [...requests(figures, axis, gaps), ...resources(figures, axis, gaps)],
  };
}

const axisOf = ({ from, to, stepSeconds }: MetricQueryAnswer): Axis => {
  const fromMs = Date.parse(from);
  const stepMs = stepSeconds * 1_000;
  return { fromMs, stepMs, count: Math.max(1, Math.round((Date.parse(to) - fromMs) / stepMs)) };
};

/** The points of a line on the axis. */
function valuesOn(axis: Axis, points: Answered['points']): readonly Figure[] {
  const values: Figure[] = Array.from({ length: axis.count }, () => null);
  for (const [ms, value] of points) {
    const step = Math.round(((ms ?? 0) - axis.fromMs) / axis.stepMs);
    if (step >= 0 && step < axis.count) values[step] = value ?? null;
  }
  return values;
}

const linesNamed = (answer: MetricQueryAnswer, name: string): readonly Answered[] =>
  answer.data.filter((line) => line.name === name);

/** The sum of lines at each step where at least one of them is known. */
const sumOfLines = (lines: readonly (readonly Figure[])[], count: number): readonly Figure[] =>
  Array.from({ length: count }, (_, step) => sumOf(lines.map((values) => values[step] ?? null)));

/** Charts of clients' requests and their latency. */
function requests(figures: SpanFigures, axis: Axis, gaps: readonly Gap[]): readonly Chart[] {
  const { operation, rates } = figures;
  const plain = (name: string, title: string) =>
    linesNamed(rates, name).map(({ points }) => ({ name: title, values: valuesOn(axis, points) }));
  const parts = (name: string) => [
    ...linesNamed(figures.p50, name).map(({ points }) => lineOf('p50', axis, points)),
    ...linesNamed(figures.p99, name).map(({ points }) => lineOf('p99', axis, points)),
  ];
  const httpAbout = 'Requests that came over HTTP. The line stops where there were none.';
  return [
    {
      title: 'Requests',
      about: 'Executed by the engine, from all clients.',
      unit: 'per_second',
      lines: requestLines(rates, axis),
      gaps,
    },
    {
      title: `Latency of ${operation}`,
      about:
        'From arrival at a replica to its answer. The line stops where there were no requests.',
      unit: 'seconds',
      lines: parts('request_seconds'),
      gaps,
    },
    {
      title: 'Created',
      unit: 'per_second',
      lines: [
        ...plain('transfers_per_second', 'transfers'),
        ...plain('accounts_per_second', 'accounts'),
      ],
      gaps,
    },
    ...whenKnown({
      title: 'Not created',
      about: 'Accounts and transfers, by the status of their result.',
      unit: 'per_second',
      lines: linesNamed(rates, 'failed_events_per_second').map(({ labels, points }) =>
        lineOf(labels['status'] ?? '', axis, points),
      ),
      gaps,
    }),
    {
      title: 'Gateway: requests',
      about: httpAbout,
      unit: 'per_second',
      lines: gatewayLines(rates, axis),
      gaps: [],
    },
    {
      title: `Gateway: latency of ${operation}`,
      about: httpAbout,
      unit: 'seconds',
      lines: parts('gateway_request_seconds'),
      gaps: [],
    },
    {
      title: 'Gateway: queue',
      about: 'Requests over HTTP that waited to be sent, on average.',
      unit: 'count',
      lines: plain('gateway_queue_depth', 'waiting'),
      gaps: [],
    },
  ];
}

const lineOf = (name: string, axis: Axis, points: Answered['points']): Line => ({
  name,
  values: valuesOn(axis, points),
});

/** A line for each operation that was used; if there is none, one line that says so. */
function requestLines(rates: MetricQueryAnswer, axis: Axis): readonly Line[] {
  const all = linesNamed(rates, 'requests_per_second').map(({ labels, points }) =>
    lineOf(labels['operation'] ?? '', axis, points),
  );
  const used = all.filter(({ values }) => (mostOf(values) ?? 0) > 0);
  if (used.length > 0 || all.length === 0) return used;
  const values = sumOfLines(
    all.map((line) => line.values),
    axis.count,
  );
  return [{ name: 'all operations', values }];
}

function gatewayLines(rates: MetricQueryAnswer, axis: Axis): readonly Line[] {
  const lines = linesNamed(rates, 'gateway_requests_per_second');
  return (['answered', 'failed'] as const).flatMap((outcome): readonly Line[] => {
    const own = lines.filter(({ labels }) => labels['outcome'] === outcome);
    if (own.length === 0) return [];
    const values = sumOfLines(
      own.map(({ points }) => valuesOn(axis, points)),
      axis.count,
    );
    return [{ name: outcome, values, ...(outcome === 'failed' && { look: 'bad' as const }) }];
  });
}

/** A chart that most databases have no lines for. */
const whenKnown = (chart: Chart): readonly Chart[] => (chart.lines.length === 0 ? [] : [chart]);

/** Charts of the replicas' use of resources. */
function resources(
  { highest, lowest, rates }: SpanFigures,
  axis: Axis,
  gaps: readonly Gap[],
): readonly Chart[] {
  const ofReplicas = (name: string, answer = highest): readonly Line[] =>
    linesNamed(answer, name).map(({ labels, points }) =>
      lineOf(replicaName(labels['replica']), axis, points),
    );
  const limitOf = (name: string): Figure =>
    mostOf(
      linesNamed(lowest, name).map(
        ({ points }) => points.findLast(([, value]) => value !== null)?.[1] ?? null,
      ),
    );
  const about = 'The highest of each step.';
  const lag = ofReplicas('replica_commit_lag_ops');
  const ofDatabase = (answer: MetricQueryAnswer, name: string, shown: string): readonly Line[] =>
    linesNamed(answer, name).map(({ points }) => lineOf(shown, axis, points));
  return [
    {
      title: 'Memory',
      about,
      unit: 'bytes',
      lines: ofReplicas('memory_used_bytes'),
      limit: { name: 'allowed', value: limitOf('memory_limit_bytes') },
      gaps,
    },
    {
      title: 'Storage',
      about,
      unit: 'bytes',
      lines: ofReplicas('storage_used_bytes'),
      limit: { name: 'allowed', value: limitOf('storage_limit_bytes') },
      gaps,
    },
    { title: 'Processors', about, unit: 'cores', lines: ofReplicas('cpu_cores'), gaps },
    ...[
      { title: 'Written to disks, each second', name: 'disk_written_bytes_per_second' },
      { title: 'Sent over the network, each second', name: 'network_sent_bytes_per_second' },
    ].flatMap(({ title, name }) =>
      whenKnown({ title, unit: 'bytes', lines: ofReplicas(name, rates), gaps }),
    ),
    // A single replica is never behind.
    ...(lag.length > 1
      ? [
          {
            title: 'Replica lag',
            about: 'Operations behind the most advanced replica; the highest of each step.',
            unit: 'count' as const,
            lines: lag,
            gaps,
          },
        ]
      : []),
    ...whenKnown({
      title: 'Change streams: lag',
      about: 'Age of the oldest event that waits. The line stops while no stream goes on.',
      unit: 'seconds',
      lines: ofDatabase(highest, 'cdc_lag_seconds', 'lag'),
      gaps,
    }),
    ...whenKnown({
      title: 'Age of the newest backup',
      about: 'The lowest of each step.',
      unit: 'seconds',
      lines: ofDatabase(lowest, 'backup_age_seconds', 'age'),
      gaps,
    }),
  ];
}

const replicaName = (index: string | undefined): string => `replica ${index ?? '?'}`;

function lanesOf({ lowest, highest }: SpanFigures, axis: Axis): readonly Lane[] {
  const byReplica = (name: string) =>
    new Map(
      linesNamed(highest, name).map(({ labels, points }) => [
        labels['replica'],
        valuesOn(axis, points),
      ]),
    );
  const leads = byReplica('replica_leader');
  const statuses = byReplica('replica_status');
  return linesNamed(lowest, 'replica_up').map(({ labels, points }) => {
    const replica = labels['replica'] ?? '';
    const states = valuesOn(axis, points).map((up, step): ReplicaState => {
      if (up === null) return null;
      if (up < 1) return 'down';
      if ((statuses.get(replica)?.[step] ?? 0) > 0) return 'waits';
      return leads.get(replica)?.[step] === 1 ? 'leads' : 'up';
    });
    return { replica, states };
  });
}
