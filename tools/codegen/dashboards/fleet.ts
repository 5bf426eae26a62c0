/** All databases, and the processes that look after them. */
import type { Dashboard } from './dashboard.ts';
import { figure, lines, list, type Row } from './panels.ts';

const rate = (series: string): string => `rate(${series}[$__rate_interval])`;
const condition = (type: string): string => `ledgerhouse_database_condition{type="${type}"}`;
/** How many databases have a condition of this value; 0 rather than nothing. */
const having = (type: string, value: number): string =>
  `count(${condition(type)} == ${value}) or vector(0)`;
const ofDatabase = 'namespace, ledgerhouse_dev_database';
const shareOf = (what: string): string =>
  `max by (${ofDatabase}) (ledgerhouse_engine_${what}_used_bytes / (ledgerhouse_engine_${what}_limit_bytes > 0))`;
const databaseLegend = '{{namespace}}/{{ledgerhouse_dev_database}}';

const databases: Row = {
  title: 'Databases',
  panels: [
    figure(
      'Databases',
      { says: 'All that the operator looks after.' },
      { expr: 'count(ledgerhouse_database_started)', legend: '' },
    ),
    figure(
      'Do not serve',
      { says: 'Suspended ones and those that are first made count, too.', badFrom: 1 },
      { expr: having('Available', 0), legend: '' },
    ),
    figure(
      'Wait for a person',
      { says: 'The condition Stalled says for what.', badFrom: 1 },
      { expr: having('Stalled', 1), legend: '' },
    ),
    figure(
      'Lack a replica',
      { says: 'They serve, and the next loss may end that.', badFrom: 1 },
      { expr: having('ReplicasHealthy', 0), legend: '' },
    ),
    figure(
      'Lack a good backup',
      { says: 'Missing, late, unproven or damaged.', badFrom: 1 },
      { expr: having('BackupHealthy', 0), legend: '' },
    ),
    figure(
      'Logs not archived',
      { says: 'The log does not reach the bucket, or cannot be restored from it yet.', badFrom: 1 },
      { expr: having('ContinuousArchiving', 0), legend: '' },
    ),
    figure(
      'Refuse creates',
      { says: 'Replicas that are full, catch up or lack the others.', badFrom: 1 },
      { expr: 'count(ledgerhouse_engine_accepts_writes == 0) or vector(0)', legend: '' },
    ),
    list(
      'To look at',
      { says: 'Conditions that are not as they should be.' },
      {
        expr: `${condition('Stalled')} == 1 or ledgerhouse_database_condition{type=~"Available|ReplicasHealthy|StorageReady|BackupHealthy|ContinuousArchiving"} == 0`,
        legend: '',
      },
    ),
    list(
      'Fullest',
      {
        says: 'Part of memory and of storage that is used, of the fullest databases.',
        unit: 'percentunit',
      },
      { expr: `topk(10, ${shareOf('memory')})`, legend: '' },
      { expr: `topk(10, ${shareOf('storage')})`, legend: '' },
    ),
  ],
};

const engines: Row = {
  title: 'Engines',
  panels: [
    lines(
      'Busiest databases',
      { says: 'Requests that engines executed.', unit: 'reqps' },
      {
        expr: `topk(10, max by (${ofDatabase}) (sum by (${ofDatabase}, pod) (${rate('ledgerhouse_engine_requests_total')})))`,
        legend: databaseLegend,
      },
    ),
    lines(
      'Slowest databases',
      { says: 'Latency of create_transfers that 99 of 100 stay below.', unit: 's' },
      {
        expr: `topk(10, histogram_quantile(0.99, sum by (${ofDatabase}, le) (${rate('ledgerhouse_engine_request_seconds_bucket{operation="create_transfers"}')})))`,
        legend: databaseLegend,
      },
    ),
    lines(
      'Changes of leaders',
      { says: 'Times in the last hour that a replica took the lead, by reason.' },
      {
        expr: 'sum by (reason) (increase(ledgerhouse_engine_reigns_begun_total[1h])) > 0',
        legend: '{{reason}}',
      },
    ),
  ],
};

const api: Row = {
  title: 'HTTP API',
  panels: [
    lines(
      'Requests',
      { says: 'By class of status; gone: the client left before the answer.', unit: 'reqps' },
      { expr: `sum by (status) (${rate('ledgerhouse_api_requests_total')})`, legend: '{{status}}' },
    ),
    lines(
      'Slowest operations',
      { says: 'Latency that 99 of 100 requests stay below.', unit: 's' },
      {
        expr: `topk(10, histogram_quantile(0.99, sum by (le, operation) (${rate('ledgerhouse_api_request_seconds_bucket')})))`,
        legend: '{{operation}}',
      },
    ),
    lines(
      'Refused',
      { says: 'By rate limits, and credentials that were not valid.', unit: 'reqps' },
      {
        expr: `sum by (policy) (${rate('ledgerhouse_api_rate_limited_total')}) > 0`,
        legend: '{{policy}}',
      },
      {
        expr: `sum(${rate('ledgerhouse_api_credentials_refused_total')})`,
        legend: 'wrong credentials',
      },
    ),
    lines(
      'Calls to ledgers',
      { says: 'By result.', unit: 'reqps' },
      {
        expr: `sum by (result) (${rate('ledgerhouse_gateway_calls_total')})`,
        legend: '{{result}}',
      },
    ),
    lines(
      'Latency of calls to ledgers',
      { says: 'That 99 of 100 stay below, by operation and outcome.', unit: 's' },
      {
        expr: `histogram_quantile(0.99, sum by (le, operation, outcome) (${rate('ledgerhouse_gateway_call_seconds_bucket')}))`,
        legend: '{{operation}} {{outcome}}',
      },
    ),
    lines(
      'Waiting',
      {
        says: 'Requests in flight, calls that wait to be sent, turns of a process that are waited for.',
      },
      { expr: 'sum(ledgerhouse_api_requests_in_flight)', legend: 'in flight' },
      { expr: 'sum(ledgerhouse_gateway_waiting_calls)', legend: 'to be sent' },
      { expr: 'sum(ledgerhouse_gateway_waiting_turns)', legend: 'turns' },
      { expr: 'sum(ledgerhouse_gateway_sessions)', legend: 'sessions' },
    ),
  ],
};

const worker: Row = {
  title: 'Worker',
  panels: [
    lines(
      'Workers',
      { says: 'That live, by their heartbeats; -1 while the store cannot be read.' },
      { expr: 'max(ledgerhouse_api_workers)', legend: 'live' },
      { expr: 'max(ledgerhouse_api_worker_working)', legend: 'some works' },
    ),
    lines(
      'Jobs',
      { says: 'Jobs that ended in the last hour.' },
      {
        expr: 'sum by (type, status) (increase(ledgerhouse_worker_jobs_ended_total[1h])) > 0',
        legend: '{{type}} {{status}}',
      },
      {
        expr: 'sum by (type) (increase(ledgerhouse_worker_job_troubles_total[1h])) > 0',
        legend: '{{type}} repeated',
      },
    ),
    lines(
      'Collecting figures',
      { says: 'Length of a round; beyond 12 s, replicas are left out.', unit: 's' },
      { expr: 'ledgerhouse_worker_collector_round_seconds', legend: '{{pod}}' },
    ),
    lines(
      'Figures that are missing',
      { says: 'Replicas that did not answer, and those that a round had no time for.' },
      {
        expr: `sum(${rate('ledgerhouse_worker_collector_asked_total{result="failed"}')})`,
        legend: 'silent',
      },
      { expr: `sum(${rate('ledgerhouse_worker_collector_unasked_total')})`, legend: 'no time' },
    ),
    lines(
      'Webhooks',
      { says: 'Attempts by outcome.', unit: 'reqps' },
      {
        expr: `sum by (outcome) (${rate('ledgerhouse_worker_webhook_attempts_total')})`,
        legend: '{{outcome}}',
      },
    ),
    lines(
      'Webhooks that are late',
      { says: 'How long the oldest has been due although its receiver could take it.', unit: 's' },
      { expr: 'max(ledgerhouse_worker_webhook_backlog_seconds)', legend: '' },
    ),
  ],
};

const sweep: Row = {
  title: 'Sweep of the bucket',
  panels: [
    figure(
      'Last sweep of everything',
      { says: 'When the last sweep ended that swept all archives.', unit: 'dateTimeFromNow' },
      { expr: 'max(ledgerhouse_backup_sweep_success_timestamp_seconds) * 1000', legend: '' },
    ),
    figure(
      'Archives not swept',
      { says: 'By the last sweep. Its log says why.', badFrom: 1 },
      { expr: 'max(ledgerhouse_backup_sweep_failed_archives)', legend: '' },
    ),
    lines(
      'Deleted',
      { says: 'Bytes of the objects that the last sweep deleted: backups and log.', unit: 'bytes' },
      { expr: 'max(ledgerhouse_backup_sweep_removed_bytes)', legend: 'deleted' },
    ),
    lines(
      'Removed backups that are still there',
      { says: 'Their day of grace is not over, or the store has locked their objects.' },
      { expr: 'max(ledgerhouse_backup_sweep_waiting_backups)', legend: 'waiting' },
      { expr: 'max(ledgerhouse_backup_sweep_locked_backups)', legend: 'locked' },
    ),
  ],
};

const operator: Row = {
  title: 'Operator',
  panels: [
    lines(
      'Leads',
      { says: 'One operator leads; the others stand by.' },
      { expr: 'ledgerhouse_operator_leader', legend: '{{pod}}' },
    ),
    lines(
      'Reconciles',
      { says: 'By result.', unit: 'reqps' },
      {
        expr: `sum by (kind, result) (${rate('ledgerhouse_operator_reconcile_total')})`,
        legend: '{{kind}} {{result}}',
      },
    ),
    lines(
      'Longest wait',
      { says: 'How long the longest waiting object has been due.', unit: 's' },
      {
        expr: 'max by (kind) (ledgerhouse_operator_workqueue_oldest_age_seconds)',
        legend: '{{kind}}',
      },
    ),
    lines(
      'Requests to the Kubernetes API',
      { says: 'By verb and answer; 0: none came.', unit: 'reqps' },
      {
        expr: `sum by (verb, code) (${rate('ledgerhouse_operator_api_requests_total')})`,
        legend: '{{verb}} {{code}}',
      },
    ),
    lines(
      'Silence of watches',
      { says: 'A bookmark should come about once a minute.', unit: 's' },
      {
        expr: 'max by (resource) (ledgerhouse_operator_watch_last_event_age_seconds)',
        legend: '{{resource}}',
      },
    ),
    lines(
      'Processes',
      { says: 'Resident memory of operator, API and worker.', unit: 'bytes' },
      ...['operator', 'api', 'worker'].map((name) => ({
        expr: `ledgerhouse_${name}_resident_memory_bytes`,
        legend: '{{pod}}',
      })),
    ),
    lines(
      'Lateness of processes',
      { says: 'Worst lateness of the event loop since the last scrape.', unit: 's' },
      ...['operator', 'api', 'worker'].map((name) => ({
        expr: `ledgerhouse_${name}_event_loop_lag_seconds`,
        legend: '{{pod}}',
      })),
    ),
  ],
};

export const fleetDashboard: Dashboard = {
  uid: 'ledgerhouse-fleet',
  title: 'Ledgerhouse / fleet',
  description: 'All databases, and the processes that look after them.',
  variables: [],
  rows: [databases, engines, api, worker, operator, sweep],
};
