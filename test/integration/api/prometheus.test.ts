/**
 * What a Prometheus scrapes of real processes, judged by the grammar of its text format, and what dashboards and alerts ask of it. The
 * agent's answer is judged where the agent is tested.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { metricsOfSeveralReplicas } from '../../support/prometheus/several-replicas.ts';
import { parseExposition, type Family } from '../../support/prometheus/exposition.ts';
import { chartRuleGroups } from '../../support/prometheus/chart-rules.ts';
import { readExpression } from '../../support/prometheus/expression.ts';
import { TestPrometheus } from '../../support/prometheus/server.ts';
import { Client } from '../../../engine/client/client.ts';
import { Operation } from '../../../engine/wire/operations.ts';
import { TestEngine } from '../../support/engine/engine.ts';
import { accountBytes, create } from '../../support/engine/ledger.ts';
import { OtlpCollector } from '../../support/api/otlp-collector.ts';
import { TestService, type Headers } from '../../support/api/service.ts';
import { bareEnvironment, checkout, eventually } from '../../support/shell.ts';
import type { ArchiveReport } from '../../../domain/archive-status.ts';
import { resources, type Pod } from '../../../domain/kinds.ts';
import { sweepName } from '../../../domain/names.ts';
import type { SweepResult } from '../../../domain/sweep-result.ts';
import type { CreatedDatabase } from '../../../gen/api.ts';

type Families = ReadonlyMap<string, Family>;
const processes = ['engine', 'operator', 'api', 'worker'] as const;

let service: TestService;
let collector: OtlpCollector;
let engine: TestEngine;
let operator: ChildProcess | undefined;
let made: CreatedDatabase;
let mine: Headers;
let operatorUrl = '';
/** What each process answers. */
let scraped: Readonly<Record<(typeof processes)[number], Families>>;

beforeAll(async () => {
  collector = await OtlpCollector.start();
  service = await TestService.start({ settings: { TRACES_ENDPOINT: collector.url } });
  mine = { 'x-api-key': (await service.makeKey(['db:read', 'db:write'])).secret };
  made = await service.createDatabase(mine, { name: 'payments' });
  await service.stopOperator();
  engine = await TestEngine.create({ cluster: 3n, flags: ['--archive'] });
  await oneRequest();
  await reportArchive();
  scraped = {
    engine: await scrape(`http://127.0.0.1:${engine.statusPort}`),
    operator: await scrapeOperator(),
    api: await scrape(service.healthUrl),
    worker: await scrape(service.workerHealthUrl),
  };
});
afterAll(async () => {
  if (operator !== undefined && operator.exitCode === null) {
    const ended = once(operator, 'exit');
    operator.kill('SIGKILL');
    await ended;
  }
  await engine?.dispose();
  await service?.stop();
  collector?.stop();
});

async function oneRequest(): Promise<void> {
  const client = new Client({
    cluster: 3n,
    addresses: [{ host: '127.0.0.1', port: engine.port }],
    timeoutMs: 60_000,
  });
  await create(client, Operation.createAccounts, accountBytes([1n])).finally(() => client.close());
}

async function scrape(url: string): Promise<Families> {
  const answer = await fetch(`${url}/metrics`);
  expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  return parseExposition(await answer.text());
}

/** As an archiver that has sent a segment, and could not send another one. */
async function reportArchive(): Promise<void> {
  const report: ArchiveReport = {
    state: 'Archiving',
    archivedOp: 1,
    gaps: 0,
    spoolBytes: 0,
    putSeconds: 0.1,
    sent: { segments: 1, bytes: 1_000, seconds: 0.1 },
    rpoSeconds: 5,
    failures: { StoreFull: 1 },
    encrypted: false,
    residentBytes: 1,
  };
  const answer = await fetch(`http://127.0.0.1:${engine.statusPort}/archived`, {
    method: 'POST',
    body: JSON.stringify(report),
  });
  expect(answer.status).toBe(200);
}

/** The pod of a sweep of the bucket that has ended, and of the next one, whose image cannot be pulled. */
async function sweeps(namespace: string): Promise<void> {
  const said: SweepResult = { archives: 1, failed: 0, removedBytes: 10, waiting: 0, locked: 0 };
  service.world.kubelet.ending = () => ({ exitCode: 0, message: JSON.stringify(said) });
  const { kube } = service.world;
  for (const [name, image, phase] of [
    ['sweep-1', 'ledgerhouse', 'Succeeded'],
    ['sweep-2', 'missing', 'Pending'],
  ] as const) {
    const labels = { 'app.kubernetes.io/name': sweepName, 'batch.kubernetes.io/job-name': name };
    const spec = { restartPolicy: 'Never', containers: [{ name: 'sweep', image }] };
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { namespace, name, labels }, spec };
    await eventually('a pod can be made', () =>
      kube.create(resources.pod, pod, { fieldManager: 'test' }),
    );
    await eventually(`${name} is ${phase}`, async () => {
      const found = await kube.read<Pod>({ resource: resources.pod, namespace, name });
      const isTold = found?.status?.containerStatuses !== undefined;
      return isTold && found.status?.phase === phase ? true : undefined;
    });
  }
}

/** The operator's own program: it alone tells of the databases, once it leads and has seen them, and of the last sweep. */
async function scrapeOperator(): Promise<Families> {
  const namespace = 'ledgerhouse-system';
  await service.world.createNamespace(namespace);
  await sweeps(namespace);
  let log = '';
  const child = spawn(process.execPath, ['operator/main.ts'], {
    cwd: checkout,
    env: {
      ...bareEnvironment,
      KUBECONFIG: service.world.plane.kubeconfig,
      LEDGERHOUSE_OPERATOR_NAMESPACE: namespace,
      LEDGERHOUSE_OPERATOR_IDENTITY: 'operator-1',
      LEDGERHOUSE_OPERATOR_LISTEN: '127.0.0.1:0',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  operator = child;
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => (log += chunk.toString()));
  }
  return eventually('the operator tells of the database', async () => {
    if (child.exitCode !== null) throw new Error(log);
    const [, port] = /"port":(\d+),"msg":"started"/.exec(log) ?? [];
    if (port === undefined) return undefined;
    operatorUrl = `http://127.0.0.1:${port}`;
    const families = await scrape(operatorUrl);
    const told = families.get('ledgerhouse_database_started')?.series ?? [];
    const swept = families.get('ledgerhouse_backup_sweep_failing')?.series ?? [];
    const isThere = told.some(({ labels }) => labels['name'] === 'payments') && swept.length > 0;
    return isThere ? families : undefined;
  });
}

describe('a process', () => {
  test.each(processes)('%s answers in the text format', (name) => {
    // The worker reads ledgers, too: for change streams.
    const own = {
      engine: ['engine', 'archive'],
      operator: ['operator', 'database', 'backup_sweep'],
      api: ['api', 'gateway'],
      worker: ['worker', 'gateway'],
    }[name];
    const names = [...scraped[name].keys()];
    expect(names.length).toBeGreaterThan(15);
    const pattern = new RegExp(`^ledgerhouse_(${own.join('|')})_`);
    expect(names.filter((one) => !pattern.test(one))).toEqual([]);
  });

  test('tells how long requests took: the engine by operation, the gateway by operation and outcome', () => {
    const seconds = scraped.engine.get('ledgerhouse_engine_request_seconds');
    const counts = seconds?.series.filter(({ name }) => name.endsWith('_count')) ?? [];
    expect(counts.map(({ labels }) => labels['operation'])).toContain('query_transfers');
    expect(counts.find(({ labels }) => labels['operation'] === 'create_accounts')?.value).toBe(1);
    const calls = scraped.api.get('ledgerhouse_gateway_call_seconds');
    const outcomes = calls?.series.flatMap(({ labels }) => labels['outcome'] ?? []) ?? [];
    expect(new Set(outcomes)).toEqual(new Set(['answered', 'failed', 'abandoned']));
  });
});

test('the API sends traces to the collector that its settings name', async () => {
  const span = await eventually('the request for the database is told', async () =>
    collector.spans.find(({ name }) => name === 'POST /api/v1/databases'),
  );
  expect(span).toMatchObject({
    resource: { 'service.name': 'ledgerhouse-api', 'k8s.namespace.name': 'ledgerhouse-system' },
    attributes: { 'http.response.status_code': 202, 'ledgerhouse.operation': 'createDatabase' },
  });
  expect(collector.wrong).toEqual([]);
  expect(collector.texts.join()).not.toContain(mine['x-api-key']);
});

describe('a tenant', () => {
  const ask = (path: string, headers: Headers) =>
    fetch(`${service.url}/api/v1${path}`, { headers });

  test.each(['/metrics/prometheus', '/databases/{id}/metrics/prometheus'])(
    'reads its databases at %s, as Prometheus sends its key',
    async (path) => {
      const answer = await ask(path.replace('{id}', made.database.id), {
        authorization: `Bearer ${mine['x-api-key'] ?? ''}`,
        accept:
          'application/openmetrics-text;version=1.0.0;q=0.8,text/plain;version=0.0.4;q=0.5,*/*;q=0.1',
      });
      expect([answer.status, answer.headers.get('content-type')]).toEqual([
        200,
        'text/plain; version=0.0.4; charset=utf-8',
      ]);
      const families = parseExposition(await answer.text());
      const { id, name, region } = made.database;
      const labels = { database_id: id, database: name, region };
      expect(families.get('ledgerhouse_database_ready')?.series).toEqual([
        { name: 'ledgerhouse_database_ready', labels, value: 1 },
      ]);
      expect(families.get('ledgerhouse_database_info')?.series).toMatchObject([
        { labels: { ...labels, engine: 'Builtin', cluster_configuration: 'single' }, value: 1 },
      ]);
      expect(families.get('ledgerhouse_scrape_complete')?.series[0]?.value).toBe(1);
    },
  );

  test('with a key that may only write, or none, reads nothing', async () => {
    const writer = { 'x-api-key': (await service.makeKey(['db:write'])).secret };
    expect((await ask('/metrics/prometheus', writer)).status).toBe(403);
    expect((await ask('/metrics/prometheus', {})).status).toBe(401);
  });

  test('with a key for one database reads that one', async () => {
    const other = await service.createDatabase(mine, { name: 'other' });
    const databaseScope = { type: 'DATABASE', databaseId: made.database.id };
    const key = await service.makeKey(['db:read'], { name: 'one', databaseScope });
    const one = { 'x-api-key': key.secret };
    const text = await (await ask('/metrics/prometheus', one)).text();
    expect(text).toContain(made.database.id);
    expect(text).not.toContain(other.database.id);
    expect((await ask(`/databases/${other.database.id}/metrics/prometheus`, one)).status).toBe(403);
  });

  test('a scrape of all counts as ten requests', async () => {
    const left = async (path: string) => {
      const answer = await ask(path, mine);
      return Number(/r=(\d+)/.exec(answer.headers.get('ratelimit') ?? '')?.[1]);
    };
    const before = await left('/metrics/prometheus');
    const after = await left('/metrics/prometheus');
    // Unless a minute began in between.
    if (after < before) expect(before - after).toBe(10);
  });
});

test('a real Prometheus scrapes every endpoint, and evaluates every alert over what it found', async () => {
  const key = mine['x-api-key'] ?? '';
  const endpoints = {
    engine: `http://127.0.0.1:${engine.statusPort}/metrics`,
    operator: `${operatorUrl}/metrics`,
    api: `${service.healthUrl}/metrics`,
    worker: `${service.workerHealthUrl}/metrics`,
    databases: `${service.url}/api/v1/metrics/prometheus`,
    database: `${service.url}/api/v1/databases/${made.database.id}/metrics/prometheus`,
  };
  const prometheus = await TestPrometheus.start(
    Object.entries(endpoints).map(([name, url]) =>
      name.startsWith('database') ? { name, url, bearer: key } : { name, url },
    ),
    chartRuleGroups(),
  );
  try {
    const targets = await prometheus.targets();
    expect(targets.map(({ scrapePool }) => scrapePool).toSorted()).toEqual(
      Object.keys(endpoints).toSorted(),
    );
    const rules = await prometheus.rules();
    expect(rules.length).toBeGreaterThan(12);
    expect(rules.filter(({ health }) => health !== 'ok')).toEqual([]);
    const ready = await prometheus.query('ledgerhouse_database_ready{database="payments"}');
    expect(Object.fromEntries(ready.map(({ labels, value }) => [labels['job'], value]))).toEqual({
      database: 1,
      databases: 1,
    });
  } finally {
    await prometheus.stop();
  }
});

/** Labels that targets have, after the chart's PodMonitors. */
const ofTargets = ['namespace', 'pod', 'container', 'endpoint', 'job', 'instance'];
const ofEngines = ['ledgerhouse_dev_database'];

interface Known {
  readonly labels: ReadonlySet<string>;
}

/** Metrics as one asks for them: a histogram by its three names. */
async function knownMetrics(): Promise<ReadonlyMap<string, Known>> {
  const known = new Map<string, { labels: Set<string> }>();
  const several = parseExposition(await metricsOfSeveralReplicas());
  const all = [...Object.values(scraped), several].flatMap((families) => [...families.values()]);
  for (const { name: family, series } of all) {
    const isEngines = /^ledgerhouse_(engine|archive)_/.test(family);
    const targets = [...ofTargets, ...(isEngines ? ofEngines : [])];
    for (const { name, labels } of series) {
      const one = known.get(name) ?? { labels: new Set(targets) };
      for (const label of Object.keys(labels)) one.labels.add(label);
      known.set(name, one);
    }
  }
  return known;
}

/** Metrics that exist only of databases that the suite has not: with backups, with several replicas, or with volumes that wait for an heir. */
const ofOthers: Readonly<Record<string, readonly string[]>> = {
  ledgerhouse_database_backup_test_seconds: ['namespace', 'name', 'part'],
  ledgerhouse_database_backup_timestamp_seconds: ['namespace', 'name', 'event'],
  ledgerhouse_database_certificate_expiry_timestamp_seconds: ['namespace', 'name'],
  ledgerhouse_database_reconcile_failures: ['namespace', 'name'],
  ledgerhouse_database_volume_left_timestamp_seconds: ['namespace', 'name', 'claim'],
};

/** What is wrong with an expression, and with the labels in the name of its lines. */
function wrongIn(known: ReadonlyMap<string, Known>, expr: string, legend = ''): readonly string[] {
  const { metrics, grouping, result } = readExpression(expr);
  const labelsOf = (name: string): ReadonlySet<string> | undefined =>
    known.get(name)?.labels ?? (ofOthers[name] && new Set(ofOthers[name]));
  const all = new Set(metrics.flatMap(({ name }) => [...(labelsOf(name) ?? [])]));
  const shown = [...legend.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label);
  return [
    ...metrics.flatMap(({ name, labels }) => {
      const there = labelsOf(name);
      if (there === undefined) return [`there is no metric ${name}`];
      return labels.filter((one) => !there.has(one)).map((one) => `${name} has no label ${one}`);
    }),
    ...grouping.filter((one) => !all.has(one)).map((one) => `nothing has a label ${one}`),
    ...shown
      .filter((one) => !(result ?? [...all]).includes(one))
      .map((one) => `the result has no label ${one}`),
  ];
}

interface Panel {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}
interface Dashboard {
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly { readonly definition?: string }[] };
}

test.each(['fleet', 'database'])('the dashboard %s asks for what there is', async (name) => {
  const known = await knownMetrics();
  const path = `charts/ledgerhouse/dashboards/${name}.json`;
  const dashboard = JSON.parse(readFileSync(path, 'utf8')) as Dashboard;
  const asked = dashboard.panels.flatMap(({ title, targets = [] }) =>
    targets.map((target) => ({ title, ...target })),
  );
  expect(asked.length).toBeGreaterThan(20);
  const wrong = asked.flatMap(({ title, expr, legendFormat }) =>
    wrongIn(known, expr, legendFormat).map((what) => `${title}: ${what}`),
  );
  expect(wrong).toEqual([]);
  for (const { definition } of dashboard.templating.list) {
    if (definition === undefined) continue;
    const [, selector = '', label = ''] = /^label_values\((.+), (\w+)\)$/.exec(definition) ?? [];
    expect(wrongIn(known, selector, `{{${label}}}`)).toEqual([]);
  }
});

test('the alerts ask for what there is', async () => {
  const known = await knownMetrics();
  const rules = readFileSync('charts/ledgerhouse/templates/prometheus-rules.yaml', 'utf8');
  const expressions = [...rules.matchAll(/^ +expr: (.+)$/gm)].map(([, expr = '']) => expr);
  expect(expressions.length).toBeGreaterThan(12);
  expect(expressions.flatMap((expr) => wrongIn(known, expr))).toEqual([]);
});
