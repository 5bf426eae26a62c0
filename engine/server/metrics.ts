/** The status in Prometheus' format. Every series is there from the start, but statuses of results that never occurred. */
import {
  EngineWarning,
  type BuiltinStatus,
  type EngineStatus,
} from '../../domain/engine-status.ts';
import { archiveStates, type ArchiveStatus } from '../../domain/archive-status.ts';
import { claimReasons, endReasons, type ReignCounts } from '../log/replicated/reasons.ts';
import type { Scrubbing } from '../log/scrubber.ts';
import type { StatusCount } from '../ledger/status-counts.ts';
import type { IndexCounts } from '../ledger/row-index.ts';
import type { StateBytes } from '../replica/state-transfer.ts';
import { Operation } from '../wire/operations.ts';
import { closeReasons } from './client-limits.ts';
import { diskMetrics, networkMetrics } from './machine-io.ts';
import { snake } from './operation-names.ts';
import { exposition, single, type Metric, type Sample } from '../../base/metrics/exposition.ts';

interface Counters {
  readonly requests: ReadonlyMap<number, number>;
  readonly refused: number;
  /** Results of events, by status. */
  readonly statuses: readonly StatusCount[];
  /** Verification of the data file in the background. */
  readonly scrubbing: Omit<Scrubbing, 'rounds'>;
  /** Pages of rows that were found in the cache, and read from the volume. */
  readonly pages: { readonly hits: number; readonly read: number; readonly rowsInMemory: number };
  /** Absent for a single replica. */
  readonly reigns: ReignCounts | undefined;
  /** Absent for a single replica. */
  readonly stateBytes: StateBytes | undefined;
  /** Absent if the engine has no archiver. */
  readonly archive?: ArchiveStatus | undefined;
  readonly streamErrors: ReadonlyMap<string, number>;
  readonly closed: ReadonlyMap<string, number>;
  readonly index: IndexCounts;
  /** Durations of requests, in Prometheus' text format. */
  readonly times: () => Promise<string>;
}

const streamErrors = [
  'bad_header_checksum',
  'bad_size',
  'bad_body_checksum',
  'wrong_cluster',
  'unknown_command',
];

export async function metricsText(status: BuiltinStatus, counters: Counters): Promise<string> {
  const figures = await exposition([
    ...statusMetrics(status),
    {
      name: 'ledgerhouse_engine_requests_total',
      type: 'counter',
      help: 'Requests executed.',
      samples: operationCounts(counters.requests),
    },
    {
      name: 'ledgerhouse_engine_requests_refused_total',
      type: 'counter',
      help: 'Create requests refused because a limit was reached.',
      samples: single(counters.refused),
    },
    {
      name: 'ledgerhouse_engine_events_total',
      type: 'counter',
      help: 'Accounts and transfers that were to be created, by the status of their result.',
      samples: counters.statuses.map(({ operation, status, count }) => ({
        labels: { operation, status },
        value: count,
      })),
    },
    ...pageMetrics(counters.pages),
    {
      name: 'ledgerhouse_engine_scrubbed_bytes_total',
      type: 'counter',
      help: 'Bytes of the checkpoint that were read in the background and found whole.',
      samples: single(counters.scrubbing.verifiedBytes),
    },
    {
      name: 'ledgerhouse_engine_damaged_bytes',
      type: 'gauge',
      help: 'Bytes of damaged pieces of the checkpoint. The log says where they are.',
      samples: single(counters.scrubbing.damagedBytes),
    },
    {
      name: 'ledgerhouse_engine_mended_pages_total',
      type: 'counter',
      help: 'Damaged pages of the data file that were written again from memory or from another replica.',
      samples: single(counters.scrubbing.mendedPages),
    },
    {
      name: 'ledgerhouse_engine_stream_errors_total',
      type: 'counter',
      help: 'Connections closed because of an invalid message.',
      samples: streamErrors.map((error) => ({
        labels: { error },
        value: counters.streamErrors.get(error) ?? 0,
      })),
    },
    {
      name: 'ledgerhouse_engine_connections_closed_total',
      type: 'counter',
      help: 'Connections closed because they exceeded a bound.',
      samples: closeReasons.map((reason) => ({
        labels: { reason },
        value: counters.closed.get(reason) ?? 0,
      })),
    },
    ...(counters.archive === undefined ? [] : archiveMetrics(counters.archive)),
    ...indexMetrics(counters.index),
    ...metricsOfSeveral(counters),
    ...processMetrics(),
    ...diskMetrics(),
    ...networkMetrics(),
  ]);
  return figures + (await counters.times());
}

const pageMetrics = ({ hits, read, rowsInMemory }: Counters['pages']): readonly Metric[] => [
  {
    name: 'ledgerhouse_engine_page_hits_total',
    type: 'counter',
    help: 'Times that a page of rows outside of memory was looked for in the cache of pages, and found.',
    samples: single(hits),
  },
  {
    name: 'ledgerhouse_engine_pages_read_total',
    type: 'counter',
    help: 'Pages of rows that were read from the volume.',
    samples: single(read),
  },
  {
    name: 'ledgerhouse_engine_transfers_in_memory',
    type: 'gauge',
    help: 'Transfers whose rows are in memory.',
    samples: single(rowsInMemory),
  },
];

const startedAtSeconds = performance.timeOrigin / 1_000;

function processMetrics(): readonly Metric[] {
  const { user, system } = process.cpuUsage();
  return [
    {
      name: 'ledgerhouse_engine_cpu_seconds_total',
      type: 'counter',
      help: 'Processor time that the process has used.',
      samples: single((user + system) / 1e6),
    },
    {
      name: 'ledgerhouse_engine_start_time_seconds',
      type: 'gauge',
      help: 'When the process started, in seconds since 1970.',
      samples: single(startedAtSeconds),
    },
    {
      name: 'ledgerhouse_engine_resident_memory_bytes',
      type: 'gauge',
      help: 'Resident memory of the process.',
      samples: single(process.memoryUsage.rss()),
    },
  ];
}

function archiveMetrics(archive: ArchiveStatus): readonly Metric[] {
  const {
    lagSeconds,
    archivedOp = 0,
    gaps,
    spoolBytes,
    putSeconds = 0,
    residentBytes = 0,
  } = archive;
  const gauges: readonly (readonly [string, string, number])[] = [
    ['lag_seconds', 'Age of the oldest operation that the archive does not have.', lagSeconds],
    ['op', 'Last operation in the archive.', archivedOp],
    ['spool_bytes', 'Bytes that wait beside the engine for the store.', spoolBytes],
    ['put_seconds', 'Duration of the last write to the store.', putSeconds],
    ['resident_memory_bytes', 'Resident memory of the archiver.', residentBytes],
    ...(archive.rpoSeconds === undefined ? [] : [rpoGauge(archive.rpoSeconds)]),
  ];
  const { sent } = archive;
  return [
    ...(sent === undefined ? [] : sentMetrics(sent)),
    ...gauges.map(([name, help, value]) => ({
      name: `ledgerhouse_archive_${name}`,
      type: 'gauge' as const,
      help,
      samples: single(value),
    })),
    {
      name: 'ledgerhouse_archive_leads',
      type: 'gauge',
      help: '1 on the replica whose log is archived.',
      samples: single(Number(archive.leads)),
    },
    {
      name: 'ledgerhouse_archive_encrypted',
      type: 'gauge',
      help: '1 if what the archiver sends to the bucket is encrypted.',
      samples: single(Number(archive.encrypted ?? false)),
    },
    {
      name: 'ledgerhouse_archive_gaps_total',
      type: 'counter',
      help: 'Breaks in the archived log since archiving began.',
      samples: single(gaps),
    },
    {
      name: 'ledgerhouse_archive_failures_total',
      type: 'counter',
      help: 'Failed writes to the store since the archiver began.',
      samples: archiveStates
        .filter((state) => state.startsWith('Store'))
        .map((reason) => ({ labels: { reason }, value: archive.failures?.[reason] ?? 0 })),
    },
  ];
}

const rpoGauge = (seconds: number) =>
  ['rpo_seconds', 'Time within which an operation is to be in the archive.', seconds] as const;

const sentMetrics = ({
  segments,
  bytes,
  seconds,
}: NonNullable<ArchiveStatus['sent']>): readonly Metric[] => [
  {
    name: 'ledgerhouse_archive_segments_total',
    type: 'counter',
    help: 'Segments of the log that the archiver has written since it began.',
    samples: single(segments),
  },
  {
    name: 'ledgerhouse_archive_bytes_total',
    type: 'counter',
    help: 'Bytes of these segments.',
    samples: single(bytes),
  },
  {
    name: 'ledgerhouse_archive_put_seconds_total',
    type: 'counter',
    help: 'Time that the writes of these segments took.',
    samples: single(seconds),
  },
];

const indexMetrics = ({
  segments,
  onVolume,
  unsealed,
  unmerged,
  streamedRows,
  streamedDone,
  givenUp,
  areReadsFailing,
}: IndexCounts): readonly Metric[] => [
  {
    name: 'ledgerhouse_engine_index_segments',
    type: 'gauge',
    help: 'Sealed segments of the index of transfers.',
    samples: single(segments),
  },
  {
    name: 'ledgerhouse_engine_index_on_volume',
    type: 'gauge',
    help: 'Segments of the index whose pages have left memory and are read from the volume.',
    samples: single(onVolume),
  },
  {
    name: 'ledgerhouse_engine_index_unsealed',
    type: 'gauge',
    help: 'Generations of new transfers that wait to be sealed into a segment.',
    samples: single(unsealed),
  },
  {
    name: 'ledgerhouse_engine_index_unmerged',
    type: 'gauge',
    help: 'Segments that wait to be merged into larger ones, or are being merged.',
    samples: single(unmerged),
  },
  {
    name: 'ledgerhouse_engine_index_volume_merge_rows',
    type: 'gauge',
    help: 'Transfers whose segments are being merged from the volume to the volume; 0 while there is no such merge.',
    samples: single(streamedRows),
  },
  {
    name: 'ledgerhouse_engine_index_volume_merge_rows_done',
    type: 'gauge',
    help: 'Part of them that is merged. The merge is over when a checkpoint has its result.',
    samples: single(streamedDone),
  },
  {
    name: 'ledgerhouse_engine_index_merges_given_up_total',
    type: 'counter',
    help: 'Merges that were given up for lack of memory, of room on the volume, or of pages that could be read.',
    samples: single(givenUp),
  },
  {
    name: 'ledgerhouse_engine_index_reads_failing',
    type: 'gauge',
    help: '1 after pages of the index could not be read to be merged, until they can be read or no merge needs them any more.',
    samples: single(Number(areReadsFailing)),
  },
];

const reignMetrics = ({ begun, ended }: ReignCounts): readonly Metric[] => [
  {
    name: 'ledgerhouse_engine_reigns_begun_total',
    type: 'counter',
    help: 'Times that this replica took the lead.',
    samples: claimReasons.map((reason) => ({
      labels: { reason },
      value: begun.get(reason) ?? 0,
    })),
  },
  {
    name: 'ledgerhouse_engine_reigns_ended_total',
    type: 'counter',
    help: 'Times that this replica lost the lead or gave it up.',
    samples: endReasons.map((reason) => ({ labels: { reason }, value: ended.get(reason) ?? 0 })),
  },
];

/** Numeric fields of an engine's status. Both engines use the same names; a field that an engine does not report is absent. */
export function statusMetrics(status: EngineStatus): readonly Metric[] {
  const gauges: readonly (readonly [string, string, number | undefined])[] = [
    ['op', 'Last executed operation.', status.op],
    ['commit', 'Last committed operation.', status.commit],
    ['checkpoint_op', 'Operation of the last durable checkpoint.', status.checkpoint],
    ['view', 'View of the cluster.', status.view],
    ['syncing', '1 while the replica catches up with the others.', status.syncing ? 1 : 0],
    ['accepts_writes', '1 when create requests are accepted.', asNumber(status.acceptsWrites)],
    ['clock_agrees', '1 when the clock may be used for timestamps.', asNumber(status.clockAgrees)],
    [
      'clock_offset_seconds',
      'Time by which the clock is ahead of the time that the replicas agree on.',
      status.clockOffsetMs === undefined ? undefined : status.clockOffsetMs / 1000,
    ],
    [
      'halted',
      '1 when the replica has stopped for good.',
      Number(status.warnings.includes(EngineWarning.halted)),
    ],
    ['sessions', 'Client sessions, of 64.', status.sessions],
    ['connections', 'Client connections.', status.connections],
    ['accounts', 'Accounts.', status.accounts],
    ['transfers', 'Transfers.', status.transfers],
    ['memory_used_bytes', 'Memory that the ledger uses.', status.memory?.usedBytes],
    ['memory_limit_bytes', 'Maximum memory of the ledger.', status.memory?.limitBytes],
    ['storage_used_bytes', 'Bytes of the data file.', status.storage.usedBytes],
    ['storage_limit_bytes', 'Maximum size of the data file.', status.storage.limitBytes],
  ];
  return gauges.flatMap(([name, help, value]) =>
    value === undefined
      ? []
      : [
          {
            name: `ledgerhouse_engine_${name}`,
            type: 'gauge' as const,
            help,
            samples: single(value),
          },
        ],
  );
}

const asNumber = (value: boolean | undefined) => (value === undefined ? undefined : Number(value));

function operationCounts(requests: ReadonlyMap<number, number>): readonly Sample[] {
  return Object.entries(Operation)
    .filter(([name]) => name !== 'pulse' && name !== 'upgrade')
    .map(([name, code]) => ({
      labels: { operation: snake(name) },
      value: requests.get(code) ?? 0,
    }));
}

/** What a single replica never has. */
function metricsOfSeveral({ reigns, stateBytes }: Counters): Metric[] {
  return [
    ...(reigns === undefined ? [] : reignMetrics(reigns)),
    ...(stateBytes === undefined ? [] : stateMetrics(stateBytes)),
  ];
}

function stateMetrics(bytes: StateBytes): Metric[] {
  return [
    {
      name: 'ledgerhouse_engine_state_received_bytes_total',
      type: 'counter',
      help: 'Bytes that came of states of other replicas, because the log no longer had what this one lacked.',
      samples: single(bytes.received),
    },
    {
      name: 'ledgerhouse_engine_state_kept_bytes_total',
      type: 'counter',
      help: 'Bytes of pages of such states that were here already, and were not sent.',
      samples: single(bytes.kept),
    },
  ];
}
