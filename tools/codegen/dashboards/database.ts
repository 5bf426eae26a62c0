/** One database: what it says of itself, what it does, and what it will run out of. */
import type { Dashboard } from './dashboard.ts';
import { figure, lines, type Row } from './panels.ts';

/** Labels of the operator's metrics of the database. */
const told = '{namespace="$namespace",name="$database"}';
/** Labels of the metrics of its engines: the label is that of their pods. */
const engines = 'namespace="$namespace",ledgerhouse_dev_database="$database"';
const own = (name: string, more = ''): string => `ledgerhouse_engine_${name}{${engines}${more}}`;
const rate = (name: string, more = ''): string => `rate(${own(name, more)}[$__rate_interval])`;

/** Replicas execute the same requests: the one that executed most tells what the database does. */
const executed = `max by (operation) (sum by (operation, pod) (${rate('requests_total')}))`;
const quantile = (part: number): string =>
  `histogram_quantile(${part}, sum by (le, operation) (${rate('request_seconds_bucket')}))`;

const standing: Row = {
  title: 'Standing',
  panels: [
    figure(
      'Conditions',
      { says: '1 true, 0 false, -1 not known. Stalled and Suspended should be 0.' },
      { expr: `ledgerhouse_database_condition${told}`, legend: '{{type}}' },
    ),
    figure(
      'Newest backup',
      {
        says: 'When the newest good backup was made, and one was last proven.',
        unit: 'dateTimeFromNow',
      },
      { expr: `ledgerhouse_database_backup_timestamp_seconds${told} * 1000`, legend: '{{event}}' },
    ),
    figure(
      'Certificates end',
      { says: 'Of the etcd members of several replicas.', unit: 'dateTimeFromNow' },
      {
        expr: `ledgerhouse_database_certificate_expiry_timestamp_seconds${told} * 1000`,
        legend: '',
      },
    ),
    figure(
      'Failed in a row',
      { says: 'Reconciles by the operator that failed one after the other.', badFrom: 5 },
      { expr: `ledgerhouse_database_reconcile_failures${told}`, legend: '' },
    ),
    figure(
      'Accounts',
      { says: 'Accounts in the ledger.' },
      { expr: `max by (namespace) (${own('accounts')})`, legend: '' },
    ),
    figure(
      'Transfers',
      { says: 'Transfers in the ledger.' },
      { expr: `max by (namespace) (${own('transfers')})`, legend: '' },
    ),
  ],
};

const work: Row = {
  title: 'What it does',
  panels: [
    lines(
      'Requests',
      { says: 'Requests that the engine executed, from all clients.', unit: 'reqps' },
      { expr: executed, legend: '{{operation}}' },
    ),
    lines(
      'Latency, 99 of 100',
      { says: 'From the arrival of a request at a replica to its answer.', unit: 's' },
      { expr: quantile(0.99), legend: '{{operation}}' },
    ),
    lines(
      'Latency, half',
      { says: 'From the arrival of a request at a replica to its answer.', unit: 's' },
      { expr: quantile(0.5), legend: '{{operation}}' },
    ),
    lines(
      'Sessions and connections',
      { says: 'A cluster has 64 sessions for all its clients; each process of the API takes one.' },
      { expr: `max by (namespace) (${own('sessions')})`, legend: 'sessions' },
      { expr: own('connections'), legend: 'connections of {{pod}}' },
    ),
    lines(
      'Refused creates',
      { says: 'Because memory or volume are full.', unit: 'reqps' },
      { expr: rate('requests_refused_total'), legend: '{{pod}}' },
    ),
    lines(
      'Connections closed',
      { says: 'Because of an invalid message, or beyond a bound.' },
      { expr: `sum by (error) (${rate('stream_errors_total')}) > 0`, legend: '{{error}}' },
      { expr: `sum by (reason) (${rate('connections_closed_total')}) > 0`, legend: '{{reason}}' },
    ),
  ],
};

const room: Row = {
  title: 'Room',
  panels: [
    lines(
      'Memory',
      { says: 'At the limit creates are refused.', unit: 'bytes' },
      { expr: own('memory_used_bytes'), legend: '{{pod}}' },
      { expr: `max by (namespace) (${own('memory_limit_bytes')})`, legend: 'limit' },
    ),
    lines(
      'Storage',
      { says: 'At the limit creates are refused.', unit: 'bytes' },
      { expr: own('storage_used_bytes'), legend: '{{pod}}' },
      { expr: `max by (namespace) (${own('storage_limit_bytes')})`, legend: 'limit' },
    ),
    lines(
      'Processors',
      { says: 'Processors that each engine uses.' },
      { expr: rate('cpu_seconds_total'), legend: '{{pod}}' },
    ),
    lines(
      'Resident memory',
      { says: 'Of the whole process, of which the ledger is a part.', unit: 'bytes' },
      { expr: own('resident_memory_bytes'), legend: '{{pod}}' },
    ),
    lines(
      'Segments of the index',
      { says: 'A request with IDs in no order asks all of them.' },
      { expr: own('index_segments'), legend: '{{pod}}' },
      { expr: own('index_unmerged'), legend: '{{pod}}: wait to be merged' },
    ),
    lines(
      'Merge from the volume to the volume',
      { says: 'Part that is merged; a gap while there is none.', unit: 'percentunit' },
      {
        expr: `${own('index_volume_merge_rows_done')} / (${own('index_volume_merge_rows')} > 0)`,
        legend: '{{pod}}',
      },
    ),
  ],
};

const replicas: Row = {
  title: 'Replicas',
  panels: [
    lines(
      'Behind',
      { says: 'Operations by which each replica is behind the most advanced one.' },
      {
        expr: `max by (namespace) (${own('commit')}) - on (namespace) group_right () ${own('commit')}`,
        legend: '{{pod}}',
      },
    ),
    lines(
      'State',
      { says: 'Takes creates, catches up, has stopped for good: 1 yes, 0 no.' },
      { expr: own('accepts_writes'), legend: '{{pod}} takes creates' },
      { expr: own('syncing'), legend: '{{pod}} catches up' },
      { expr: own('halted'), legend: '{{pod}} has stopped' },
    ),
    lines(
      'Clocks',
      {
        says: 'Time by which each clock is ahead of the time that the replicas agree on.',
        unit: 's',
      },
      { expr: own('clock_offset_seconds'), legend: '{{pod}}' },
    ),
    lines(
      'Changes of the leader',
      { says: 'Times in the last hour that a replica took the lead, by reason.' },
      {
        expr: `sum by (reason) (increase(${own('reigns_begun_total')}[1h])) > 0`,
        legend: '{{reason}}',
      },
    ),
    figure(
      'Started',
      { says: 'When each process started.', unit: 'dateTimeFromNow' },
      { expr: `${own('start_time_seconds')} * 1000`, legend: '{{pod}}' },
    ),
  ],
};

/** Metrics of the archiver beside the engine whose log is archived. */
const archive = (name: string): string => `ledgerhouse_archive_${name}{${engines}}`;
const grows = (name: string): string => `rate(${archive(name)}[$__rate_interval])`;

const archiving: Row = {
  title: 'Continuous archiving',
  panels: [
    lines(
      'Not in the bucket yet',
      {
        says: 'Age of the oldest operation that the archive lacks, and what is promised.',
        unit: 's',
      },
      { expr: `${archive('lag_seconds')} and ${archive('leads')} == 1`, legend: '{{pod}}' },
      { expr: `max by (namespace) (${archive('rpo_seconds')})`, legend: 'promised' },
    ),
    lines(
      'Waiting for the store',
      { says: 'Sealed segments beside the engines. There is room for 900 MiB.', unit: 'bytes' },
      { expr: archive('spool_bytes'), legend: '{{pod}}' },
    ),
    lines(
      'Duration of a write',
      { says: 'Mean time that the store took for a segment.', unit: 's' },
      {
        expr: `${grows('put_seconds_total')} / (${grows('segments_total')} > 0)`,
        legend: '{{pod}}',
      },
    ),
    lines(
      'Sent',
      { says: 'Bytes of segments that went to the bucket.', unit: 'Bps' },
      { expr: grows('bytes_total'), legend: '{{pod}}' },
    ),
    lines(
      'Failed writes',
      { says: 'In the last hour, by reason.' },
      {
        expr: `sum by (reason) (increase(${archive('failures_total')}[1h])) > 0`,
        legend: '{{reason}}',
      },
    ),
    figure(
      'Gaps',
      { says: 'Breaks in the log since archiving began: moments within them cannot be restored.' },
      { expr: `max by (namespace) (${archive('gaps_total')})`, legend: '' },
    ),
  ],
};

export const databaseDashboard: Dashboard = {
  uid: 'ledgerhouse-database',
  title: 'Ledgerhouse / one database',
  description: 'What one database says of itself, does, and will run out of.',
  variables: [
    {
      name: 'namespace',
      label: 'Namespace',
      metric: 'ledgerhouse_database_started',
      of: 'namespace',
    },
    {
      name: 'database',
      label: 'Database',
      metric: 'ledgerhouse_database_started{namespace="$namespace"}',
      of: 'name',
    },
  ],
  rows: [standing, work, room, replicas, archiving],
};
