/** The alerts that the chart's rules raise in each state. */
import { expect, test } from '@jest/globals';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chartRuleGroups } from '../support/prometheus/chart-rules.ts';
import { evaluate, type Series } from '../support/prometheus/evaluate.ts';
import { mustRun } from '../support/shell.ts';

const rules = chartRuleGroups().flatMap((group) => group.rules);

const nowSeconds = Date.parse('2026-11-22T10:00:00Z') / 1_000;

/** The alerts that these series raise, each with the name of its database or pod. */
function raised(series: readonly Series[]): string[] {
  return rules
    .flatMap(({ alert, expr }) =>
      evaluate(expr, { nowSeconds, series }).map(({ labels }) =>
        `${alert} ${labels['name'] ?? labels['pod'] ?? ''}`.trim(),
      ),
    )
    .toSorted();
}

interface State {
  readonly namespace?: string;
  readonly started?: 0 | 1;
  readonly failures?: number;
  readonly expiresInDays?: number;
  readonly conditions?: Readonly<Record<string, -1 | 0 | 1>>;
}
const well = {
  Available: 1,
  Ready: 1,
  Stalled: 0,
  ReplicasHealthy: 1,
  StorageReady: 1,
  Suspended: 0,
};

function database(name: string, state: State = {}): Series[] {
  const labels = { namespace: state.namespace ?? 'org-a', name };
  const conditions = Object.entries({ ...well, ...state.conditions }).map(([type, value]) => ({
    name: 'ledgerhouse_database_condition',
    labels: { ...labels, type },
    value,
  }));
  const expires = nowSeconds + (state.expiresInDays ?? 400) * 86_400;
  return [
    ...conditions,
    { name: 'ledgerhouse_database_started', labels, value: state.started ?? 1 },
    {
      name: 'ledgerhouse_database_certificate_expiry_timestamp_seconds',
      labels,
      value: expires,
    },
    ...(state.failures === undefined
      ? []
      : [{ name: 'ledgerhouse_database_reconcile_failures', labels, value: state.failures }]),
  ];
}

function engine(pod: string, says: Readonly<Record<string, number>> = {}): Series[] {
  const all = {
    accepts_writes: 1,
    syncing: 0,
    halted: 0,
    damaged_bytes: 0,
    index_reads_failing: 0,
    memory_used_bytes: 40,
    memory_limit_bytes: 100,
    storage_used_bytes: 40,
    storage_limit_bytes: 100,
    ...says,
  };
  return Object.entries(all).map(([name, value]) => ({
    name: `ledgerhouse_engine_${name}`,
    labels: { namespace: 'org-a', pod },
    value,
  }));
}

function operator(pod: string, says: Readonly<Record<string, number>> = {}): Series[] {
  const all = { leader: 1, synced: 1, watch_last_event_age_seconds: 40, ...says };
  return Object.entries(all).map(([name, value]) => ({
    name: `ledgerhouse_operator_${name}`,
    labels: { namespace: 'ledgerhouse-system', pod },
    value,
  }));
}

const standby = operator('operator-b', { leader: 0 });
const sweep = (
  says: Readonly<Record<string, number>>,
  more: Readonly<Record<string, string>> = {},
) =>
  Object.entries(says).map(([name, value]) => ({
    name: `ledgerhouse_backup_sweep_${name}`,
    labels: { namespace: 'ledgerhouse-system', pod: 'operator-a', ...more },
    value,
  }));
const swept = sweep({ failing: 0, success_timestamp_seconds: nowSeconds - 3_600 });
const unswept = [...operator('operator-a'), ...standby, ...database('a'), ...engine('a-0')];
const quiet = [...unswept, ...swept];

test('nobody is told anything while all is well', () => {
  expect(rules.length).toBeGreaterThan(12);
  expect(raised(quiet)).toEqual([]);
});

test('workers of which none works wake somebody; one that works, or a store that cannot be read, does not', () => {
  const working = (...values: readonly number[]) =>
    raised([
      ...quiet,
      ...values.map((value, index) => ({
        name: 'ledgerhouse_api_worker_working',
        labels: { namespace: 'ledgerhouse-system', pod: `api-${index}` },
        value,
      })),
    ]);
  expect(working(0, 0)).toEqual(['LedgerhouseWorkerStopped']);
  expect(working(0, 1)).toEqual([]);
  expect(working(-1, -1)).toEqual([]);
});

test('webhooks that have waited for a minute though their receivers could take them wake somebody', () => {
  const late = (...seconds: readonly number[]) =>
    raised([
      ...quiet,
      ...seconds.map((value, index) => ({
        name: 'ledgerhouse_worker_webhook_backlog_seconds',
        labels: { namespace: 'ledgerhouse-system', pod: `worker-${index}` },
        value,
      })),
    ]);
  expect(late(0, 61)).toEqual(['LedgerhouseWebhooksLate']);
  expect(late(0, 60)).toEqual([]);
});

test('an organization whose old audit events are kept because a check failed is told', () => {
  const kept = (value: number) =>
    raised([
      ...quiet,
      {
        name: 'ledgerhouse_worker_audit_kept_organizations',
        labels: { namespace: 'ledgerhouse-system', pod: 'worker-0' },
        value,
      },
    ]);
  expect(kept(1)).toEqual(['LedgerhouseAuditEventsKept']);
  expect(kept(0)).toEqual([]);
});

test('a sweep of the bucket that fails, or has not swept everything for two days, is told; one that waits for its hour is not', () => {
  const told = (failing: number, hoursSince: number) =>
    raised([
      ...unswept,
      ...sweep({ failing, success_timestamp_seconds: nowSeconds - hoursSince * 3_600 }),
    ]);
  expect(told(0, 1)).toEqual([]);
  expect(told(1, 1)).toEqual(['LedgerhouseBackupSweepFailing']);
  expect(told(0, 49)).toEqual(['LedgerhouseBackupSweepFailing']);
});

test('a sweep whose pod does not start, and one that never was, are told; one that has just been made is not', () => {
  const waiting = (seconds: number) =>
    raised([
      ...quiet,
      ...sweep({ waiting_since_timestamp_seconds: nowSeconds - seconds }, { reason: 'Pending' }),
    ]);
  expect(waiting(901)).toEqual(['LedgerhouseBackupSweepNotStarted']);
  expect(waiting(899)).toEqual([]);
  expect(raised(unswept)).toEqual(['LedgerhouseBackupSweepMissing']);
  // Without an operator nothing is known of the sweep.
  expect(raised([...standby, ...database('a')])).toEqual(['LedgerhouseOperatorHasNoLeader']);
});

test('an archive that is a minute later than promised is told, of the replica whose log is archived', () => {
  const archiver = (lag: number, rpo: number, leads = 1) =>
    raised([
      ...quiet,
      ...Object.entries({ lag_seconds: lag, rpo_seconds: rpo, leads }).map(([name, value]) => ({
        name: `ledgerhouse_archive_${name}`,
        labels: { namespace: 'org-a', pod: 'a-0' },
        value,
      })),
    ]);
  expect(archiver(66, 5)).toEqual(['LedgerArchiveLate a-0']);
  expect(archiver(66, 5, 0)).toEqual([]);
  expect(archiver(300, 300)).toEqual([]);
});

test('a volume that was left to another database is told after an hour without one', () => {
  const left = (seconds: number) =>
    raised([
      ...quiet,
      {
        name: 'ledgerhouse_database_volume_left_timestamp_seconds',
        labels: { namespace: 'org-a', name: 'left', claim: 'data-left-0' },
        value: nowSeconds - seconds,
      },
    ]);
  expect(left(3_601)).toEqual(['LedgerDatabaseVolumeLeft left']);
  expect(left(3_599)).toEqual([]);
});

test('a database that is first made wakes nobody; one that does not get there is told after half an hour', () => {
  const conditions = { Available: 0, Ready: 0, ReplicasHealthy: 0, StorageReady: 0 } as const;
  const young = [...quiet, ...database('young', { started: 0, conditions })];
  expect(raised(young)).toEqual(['LedgerDatabaseNotStarted young']);
  const rule = rules.find(({ alert }) => alert === 'LedgerDatabaseNotStarted');
  expect(rule).toMatchObject({ for: '30m', labels: { severity: 'warning' } });
});

test('a database whose clients are not served wakes somebody, unless it is suspended', () => {
  const conditions = { Available: 0, Ready: 0, ReplicasHealthy: 0 } as const;
  expect(raised([...quiet, ...database('b', { conditions })])).toEqual([
    'LedgerDatabaseDegraded b',
    'LedgerDatabaseUnavailable b',
  ]);
  expect(rules.find(({ alert }) => alert === 'LedgerDatabaseUnavailable')?.labels.severity).toBe(
    'critical',
  );
  const suspended = { ...conditions, Suspended: 1 } as const;
  expect(raised([...quiet, ...database('b', { conditions: suspended })])).toEqual([]);
});

test("suspending one tenant's database does not silence another tenant's of the same name", () => {
  const down = { Available: 0, ReplicasHealthy: 0 } as const;
  const series = [
    ...quiet,
    ...database('payments', { namespace: 'org-a', conditions: { ...down, Suspended: 1 } }),
    ...database('payments', { namespace: 'org-b', conditions: down }),
  ];
  expect(raised(series)).toEqual([
    'LedgerDatabaseDegraded payments',
    'LedgerDatabaseUnavailable payments',
  ]);
  // Prometheus would put the operator's own namespace over the databases' otherwise.
  const monitors = readFileSync('charts/ledgerhouse/templates/pod-monitors.yaml', 'utf8');
  expect(monitors).toContain('{ port: health, path: /metrics, honorLabels: true }');
});

test.each<[string, Series[], string[]]>([
  ['is stalled', database('b', { conditions: { Stalled: 1 } }), ['LedgerDatabaseStalled b']],
  [
    'has volumes that are too small',
    database('b', { conditions: { StorageReady: 0 } }),
    ['LedgerDatabaseStorageNotReady b'],
  ],
  [
    'has certificates that were not renewed',
    database('b', { expiresInDays: 80 }),
    ['LedgerDatabaseCertificateNotRenewed b'],
  ],
  [
    'has no backup that is young and proven',
    database('b', { conditions: { BackupHealthy: 0 } }),
    ['LedgerDatabaseBackupUnhealthy b'],
  ],
  ['wants no backups', database('b', { conditions: { BackupHealthy: -1 } }), []],
  [
    'keeps failing, be it the only one',
    database('b', { failures: 7 }),
    ['LedgerDatabaseFailing b'],
  ],
  ['failed once', database('b', { failures: 1 }), []],
])('a database that %s is told so', (_, series, alerts) => {
  expect(raised([...quiet, ...series])).toEqual(alerts);
});

test.each<[string, Record<string, number>, string[]]>([
  ['takes no creates', { accepts_writes: 0 }, ['LedgerEngineFull b-0']],
  ['catches up', { accepts_writes: 0, syncing: 1 }, []],
  ['has stopped for good', { accepts_writes: 0, halted: 1 }, ['LedgerEngineHalted b-0']],
  ['has damage that it could not mend', { damaged_bytes: 4096 }, ['LedgerEngineDataDamaged b-0']],
  ['cannot read its index to merge it', { index_reads_failing: 1 }, ['LedgerEngineMergesOff b-0']],
  ['is near the end of its memory', { memory_used_bytes: 90 }, ['LedgerEngineMemoryNearLimit b-0']],
  [
    'is near the end of its volume',
    { storage_used_bytes: 90 },
    ['LedgerEngineStorageNearLimit b-0'],
  ],
  ['does not know its volume', { storage_used_bytes: 5, storage_limit_bytes: 0 }, []],
])('an engine that %s is told so', (_, says, alerts) => {
  expect(raised([...quiet, ...engine('b-0', says)])).toEqual(alerts);
});

test('an operator that leads without its caches, one that hears nothing, and none that leads are told', () => {
  const databases = [...database('a'), ...swept];
  const blind = operator('operator-a', { synced: 0 });
  expect(raised([...blind, ...standby, ...databases])).toEqual([
    'LedgerhouseOperatorLeadsBlind operator-a',
  ]);
  const deaf = operator('operator-a', { watch_last_event_age_seconds: 900 });
  expect(raised([...deaf, ...standby, ...databases])).toEqual([
    'LedgerhouseOperatorWatchSilent operator-a',
  ]);
  expect(raised([...standby, ...databases])).toEqual(['LedgerhouseOperatorHasNoLeader']);
  expect(raised([])).toEqual(['LedgerhouseOperatorHasNoLeader']);
});

test('Prometheus itself takes the rules, and raises alerts after their time, with texts that name what they are about', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ledgerhouse-alerts-'));
  try {
    // JSON is YAML.
    const write = (name: string, content: unknown) => {
      const path = join(folder, name);
      writeFileSync(path, JSON.stringify(content));
      return path;
    };
    const file = write('rules.yml', { groups: chartRuleGroups() });
    expect(await mustRun('promtool', ['check', 'rules', file])).toContain('SUCCESS');
    const condition = (namespace: string, type: string, values: string) => ({
      series: `ledgerhouse_database_condition{namespace="${namespace}",name="pay",type="${type}"}`,
      values,
    });
    const started = (namespace: string) => ({
      series: `ledgerhouse_database_started{namespace="${namespace}",name="pay"}`,
      values: '1x20',
    });
    const tests = {
      rule_files: [file],
      evaluation_interval: '30s',
      tests: [
        {
          interval: '30s',
          input_series: [
            condition('org-a', 'Available', '1 0x20'),
            condition('org-a', 'Suspended', '0x20'),
            started('org-a'),
            // Stopped on purpose.
            condition('org-b', 'Available', '0x20'),
            condition('org-b', 'Suspended', '1x20'),
            started('org-b'),
          ],
          alert_rule_test: [
            { eval_time: '1m', alertname: 'LedgerDatabaseUnavailable', exp_alerts: [] },
            {
              eval_time: '3m',
              alertname: 'LedgerDatabaseUnavailable',
              exp_alerts: [
                {
                  exp_labels: {
                    severity: 'critical',
                    namespace: 'org-a',
                    name: 'pay',
                    type: 'Available',
                  },
                  exp_annotations: {
                    summary: 'Clients of org-a/pay are not served',
                    description: 'See why: kubectl -n org-a describe ldb pay',
                    runbook_url: '%s/alerts.md#ledgerdatabaseunavailable',
                  },
                },
              ],
            },
          ],
        },
      ],
    };
    await mustRun('promtool', ['test', 'rules', write('test.yml', tests)]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
