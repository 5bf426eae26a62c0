/**
 * The operating manual agrees with the code: every condition, reason, rule and alert has its row, and every row is about one
 * that exists.
 */
import { describe, expect, test } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import {
  BackupReason,
  ImportReason,
  ScheduleReason,
  CatalogReason,
  conditionReasons,
  ConditionType,
  DataEvent,
  ProgressReason,
  VerifiedReason,
  VolumeEvent,
} from '../../domain/conditions.ts';
import { replicaStates, replicaTroubles, rolloutRules } from '../../domain/replica-states.ts';
import { checkout, mustRun } from '../support/shell.ts';

const read = (path: string) => readFileSync(join(checkout, path), 'utf8');
const manual = 'docs/operating/conditions.md';
const sorted = (names: Iterable<string>) => [...new Set(names)].sort();
const found = (text: string, pattern: RegExp) =>
  [...text.matchAll(pattern)].map(([, name = '']) => name);

/** Names in backticks in the first cells of the tables below a heading, up to the next heading. */
function rowsUnder(heading: string): string[] {
  const [, section] =
    new RegExp(`^#+ ${heading}\n([^]*?)(?=^#+ |$(?![^]))`, 'm').exec(read(manual)) ?? [];
  if (section === undefined) throw new Error(`${manual} has no heading "${heading}"`);
  return section
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .flatMap((line) => found(line.split('|')[1] ?? '', /`([A-Za-z]+)`/g));
}

describe('every reason has a row that says what to do, and no row is without a reason', () => {
  const { Available, Bootstrapped, ReplicasHealthy, VersionUpToDate } = conditionReasons;
  const { Suspended, Paused, StorageReady, BackupHealthy, CapacityLeft, Autogrow, Stalled } =
    conditionReasons;
  test.each([
    ['Available', Available],
    ['Bootstrapped', Bootstrapped],
    ['ReplicasHealthy', ReplicasHealthy],
    ['VersionUpToDate', VersionUpToDate],
    ['Suspended', Suspended],
    ['Paused', Paused],
    ['StorageReady', StorageReady],
    ['BackupHealthy', BackupHealthy],
    ['ChangeDataCaptureHealthy', conditionReasons.ChangeDataCaptureHealthy],
    ['CapacityLeft', CapacityLeft],
    ['DataIntact', conditionReasons.DataIntact],
    ['Autogrow', Autogrow],
    ['Stalled', Stalled],
    ['Ready and Reconciling', Object.values(ProgressReason)],
    ['What blocks a rollout', rolloutRules],
    ['Replicas', [...replicaStates, ...replicaTroubles]],
    ['Events', [...Object.values(VolumeEvent), ...Object.values(DataEvent)]],
  ] as [string, readonly string[]][])('%s', (heading, reasons) => {
    expect(reasons.length).toBeGreaterThan(0);
    expect(sorted(rowsUnder(heading))).toEqual(sorted(reasons));
  });

  test('other kinds', () => {
    const table = read(manual).split('## Other kinds')[1]?.split('\n## ')[0] ?? '';
    expect(sorted(found(table, /\| `(\w+)` \|/g))).toEqual(
      sorted([
        ...Object.values(CatalogReason),
        ...Object.values(BackupReason),
        ...Object.values(VerifiedReason),
        ...Object.values(ScheduleReason),
        ...Object.values(ImportReason),
      ]),
    );
  });

  test('each alert has a paragraph, to which its link leads', () => {
    const rules = read('charts/ledgerhouse/templates/prometheus-rules.yaml');
    const alerts = found(rules, /alert: (\w+)/g);
    expect(alerts.length).toBeGreaterThan(12);
    const page = read('docs/operating/alerts.md');
    expect(sorted(found(page, /^## (.+)$/gm))).toEqual(sorted(alerts));
    const linked = found(
      rules,
      /runbook_url: .*"%s\/alerts\.md#(\w+)" \.Values\.prometheusRules\.runbooks/g,
    );
    expect(linked).toEqual(alerts.map((name) => name.toLowerCase()));
    expect(read('charts/ledgerhouse/values.yaml')).toContain('runbooks: docs/operating }');
  });

  test('each condition has a heading', () => {
    const headings = found(read(manual), /^## (.+)$/gm).flatMap((words) => words.split(' and '));
    expect(headings).toEqual(expect.arrayContaining(Object.keys(ConditionType)));
  });
});

describe('links lead to existing targets', () => {
  const pages = ['docs/operating', 'docs', 'docs/decisions', '.', 'charts/ledgerhouse']
    .flatMap((folder) => readdirSync(join(checkout, folder)).map((name) => join(folder, name)))
    .filter((path) => path.endsWith('.md'));
  const anchorsOf = (page: string) =>
    found(read(page), /^#+ (.+)$/gm).map((heading) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    );

  test('anchors of links between pages', () => {
    const broken: string[] = [];
    for (const page of pages) {
      for (const [, target = '', anchor = ''] of read(page).matchAll(
        /\]\(([^)#\s:]*)#([^)]+)\)/g,
      )) {
        const other = target === '' ? page : normalize(join(dirname(page), target));
        if (!anchorsOf(other).includes(anchor)) broken.push(`${page} → ${target}#${anchor}`);
      }
    }
    expect(broken).toEqual([]);
  });

  test('pages and examples that messages, charts and pages name', async () => {
    const folders = 'operator api cli engine domain base charts crds docs *.md'.split(' ');
    const pattern = '(docs|charts)/[a-z0-9/_-]+\\.(md|yaml|json)';
    const named = await mustRun('git', ['grep', '--untracked', '-hoE', pattern, '--', ...folders]);
    const paths = sorted(named.split('\n').filter(Boolean));
    expect(paths).toContain('docs/operating/disaster-recovery.md');
    expect(paths.filter((path) => !fileExists(path))).toEqual([]);
  });

  test('metrics that the manual names', () => {
    const names = sorted(
      readdirSync(join(checkout, 'docs/operating')).flatMap((name) =>
        found(read(`docs/operating/${name}`), /`(ledgerhouse_[a-z_]+[a-z])`/g),
      ),
    );
    expect(names.length).toBeGreaterThan(5);
    const sources = [
      'operator/operator.ts',
      'operator/main.ts',
      'operator/runtime/operator-metrics.ts',
      'operator/store/sweep-watch.ts',
    ]
      .concat(readdirSync(join(checkout, 'base/metrics')).map((name) => `base/metrics/${name}`))
      .concat(
        'engine/server/machine-io.ts',
        'engine/server/metrics.ts',
        'api/logs/log-metrics.ts',
        'api/monitoring/collector-metrics.ts',
        'api/monitoring/prometheus.ts',
        'api/monitoring/unreadable-packs.ts',
        'api/model/metric-series.ts',
        'api/gateway/metrics.ts',
        'engine/server/request-times.ts',
        'api/tunnel/tunnel-metrics.ts',
        'api/webhooks/webhook-metrics.ts',
        'api/change-streams/change-stream-metrics.ts',
        'api/events/retention.ts',
      )
      .map(read)
      .join('\n');
    const isMade = (name: string) => {
      const own = name.replace(
        /^ledgerhouse_(operator|engine|archive|api|worker|gateway|database)_/,
        '',
      );
      return (
        sources.includes(`'${name}'`) ||
        sources.includes(`'${own}'`) ||
        sources.includes(`}${own}\``)
      );
    };
    expect(names.filter((name) => !isMade(name))).toEqual([]);
  });
});

function fileExists(path: string): boolean {
  try {
    readFileSync(join(checkout, path));
    return true;
  } catch {
    return false;
  }
}
