/**
 * A database of three replicas under the load of an official client, whose leader is killed and cannot come back for a while: what
 * the service shows of it, in its figures, marks, log lines, states and alerts, is one story.
 */
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { labels } from '../../domain/names.ts';
import { resources } from '../../domain/kinds.ts';
import type {
  CreatedDatabase,
  CurrentMetricsAnswer,
  LogLineList,
  MetricMarkList,
  MetricQueryAnswer,
} from '../../gen/api.ts';
import { HttpService } from '../support/api/http-service.ts';
import { figure, systemNamespace } from '../support/cluster/installation.ts';
import { LocalService } from '../support/cluster/local-service.ts';
import { kill, livingPods } from '../support/cluster/pods.ts';
import { SteadyWriter } from '../support/engine/steady-writer.ts';
import type { Database as Resource } from '../support/operator/operator-world.ts';
import { chartRuleGroups } from '../support/prometheus/chart-rules.ts';
import { evaluate } from '../support/prometheus/evaluate.ts';
import { parseExposition, type Series } from '../support/prometheus/exposition.ts';
import { eventually } from '../support/shell.ts';

jest.setTimeout(30 * 60_000);

const patienceMs = 10 * 60_000;
const name = 'payments';
const service = new LocalService();
const { cluster } = service;
let http: HttpService;
let path = '';

beforeAll(async () => {
  await service.made('up');
  http = new HttpService(service.credentials);
});
afterAll(() => service.dispose());

const usage = async () =>
  (await http.ask<CurrentMetricsAnswer>(`${path}/metrics/current`)).current.usage;

async function enginesPods() {
  const all = await cluster.list<Resource>(resources.database);
  const { namespace = '', uid } = all.find(({ metadata }) => metadata.name === name)!.metadata;
  return livingPods(cluster, namespace, `${labels.uid}=${uid},${labels.role}=replica`);
}

/** The alerts whose expressions hold now, by what the operator that leads says: its `/metrics`, as a Prometheus reads it. */
async function alertsOf(): Promise<ReadonlySet<string>> {
  const of = 'app.kubernetes.io/name=ledgerhouse-operator';
  const read = "fetch('http://127.0.0.1:8080/metrics').then((a) => a.text()).then(console.log)";
  const said = await Promise.all(
    (await livingPods(cluster, systemNamespace, of)).map(({ metadata: { name: pod = '' } }) =>
      cluster.kubectl('-n', systemNamespace, 'exec', pod, '--', '/bin/node', '-e', read),
    ),
  );
  const series: readonly Series[] = said.flatMap((text) =>
    [...parseExposition(text.trimEnd() + '\n').values()].flatMap((family) => family.series),
  );
  const world = { nowSeconds: Date.now() / 1_000, series };
  const databases = chartRuleGroups().find((group) => group.name === 'ledgerhouse-databases');
  const holding = (databases?.rules ?? []).filter(({ expr }) =>
    evaluate(expr, world).some((row) => row.labels['name'] === name),
  );
  return new Set(holding.map(({ alert }) => alert));
}

const pointsOf = async (series: string, replica: number, from: Date) => {
  const body = { series: [series], from: from.toISOString(), stepSeconds: 15 };
  const { data } = await http.ask<MetricQueryAnswer>(`${path}/metrics/query`, {
    method: 'POST',
    body: { ...body, filters: [{ key: 'replica', value: String(replica) }] },
  });
  return (data[0]?.points ?? []).map(([atMs, value]) => ({ atMs: atMs ?? 0, value }));
};

test('the leader of three replicas is killed under load: series, mark, log lines and alerts tell the same', async () => {
  const { database } = await http.ask<CreatedDatabase>('/databases', {
    method: 'POST',
    body: { name, clusterConfiguration: 'ha-3', clusterSize: 'lh-5', selectedStorageGb: 1 },
  });
  path = `/databases/${database.id}`;
  await eventually(
    'it is READY',
    async () =>
      (await http.ask<CreatedDatabase>(path)).database.status === 'READY' ? true : undefined,
    patienceMs,
  );
  const [resource] = (await cluster.list<Resource>(resources.database)).filter(
    ({ metadata }) => metadata.name === name,
  );
  const image = await cluster.image('ledger-client');
  const writer = await SteadyWriter.start(cluster, image, resource!);

  // The figures show a leader with two that follow it, and the load.
  const began = new Date();
  const leader = await eventually(
    'the figures show the load and the leader',
    async () => {
      const { current } = await http.ask<CurrentMetricsAnswer>(`${path}/metrics/current`);
      const nodes = current.usage?.nodes ?? [];
      const isWhole = nodes.length === 3 && nodes.every(({ up }) => up);
      if (!isWhole || !(Number(current.transfersPerSecond) > 0))
        throw new Error(JSON.stringify(current));
      return nodes.find((node) => node.leader === true)?.index;
    },
    patienceMs,
  );
  expect([...(await alertsOf())]).toEqual([]);

  const killedAt = new Date();
  const pods = await enginesPods();
  const doomed = pods.find(({ metadata }) => metadata.name?.endsWith(`-${leader}`));
  if (doomed === undefined) throw new Error(`replica ${leader} has no pod`);
  const { next, gap } = await cluster.cordoned('node-1', async () => {
    const waited = await writer.during(async () => kill(cluster, doomed));
    // Current figures: it is away, another one leads.
    const successor = await eventually(
      'the figures show the next leader',
      async () => {
        const nodes = (await usage())?.nodes ?? [];
        if (nodes.length !== 3 || nodes[leader]?.up !== false)
          throw new Error(JSON.stringify(nodes));
        return nodes.find((node) => node.leader === true && node.index !== leader)?.index;
      },
      patienceMs,
    );
    // Alerts: a replica is missing, and clients are served.
    await eventually('the alert holds', async () => {
      const alerts = [...(await alertsOf())];
      if (alerts.includes('LedgerDatabaseDegraded')) return true;
      throw new Error(alerts.join());
    });
    expect([...(await alertsOf())]).toEqual(['LedgerDatabaseDegraded']);
    // The organization's own Prometheus reads the same.
    const { baseUrl, apiKey } = service.credentials;
    await eventually('the organization reads the same', async () => {
      const answer = await fetch(`${baseUrl}/api/v1${path}/metrics/prometheus`, {
        headers: { 'x-api-key': apiKey },
      });
      const text = await answer.text();
      const values = ['available', 'healthy'].map(
        (what) => parseExposition(text).get(`ledgerhouse_database_${what}`)?.series[0]?.value,
      );
      if (values.join() === '1,0') return true;
      throw new Error(values.join());
    });
    return { next: successor, gap: waited };
  });
  process.stderr.write(`figure: the leader is killed; longest wait of a client: ${gap} s\n`);
  await eventually(
    'all three are there again',
    async () => {
      const nodes = (await usage())?.nodes ?? [];
      if (nodes.length === 3 && nodes.every(({ up }) => up)) return true;
      throw new Error(JSON.stringify(nodes));
    },
    patienceMs,
  );
  figure('three replicas again', killedAt.getTime());
  await eventually('no alert holds', async () =>
    (await alertsOf()).size === 0 ? true : undefined,
  );

  // Marks: who led and who leads, when, and that the replica was started again.
  const { data: marks } = await http.ask<MetricMarkList>(`${path}/metrics/marks`);
  process.stderr.write(`${JSON.stringify(marks)}\n`);
  const failover = marks.find((mark) => mark.kind === 'FAILOVER');
  expect(failover).toMatchObject({
    replica: next,
    text: `Replica ${next} leads; before, replica ${leader} did.`,
  });
  const failedOverMs = Date.parse(failover?.at ?? '');
  expect(failedOverMs).toBeGreaterThanOrEqual(killedAt.getTime());
  expect(marks.filter(({ kind }) => kind === 'RESTART')).toMatchObject([{ replica: leader }]);

  // Log lines: the new leader says since when, before the mark, which is as late as the next round of the figures.
  const lines = await eventually('its line is there', async () => {
    const query = `since=${killedAt.toISOString()}&component=engine&search=leader&limit=500`;
    const { data } = await http.ask<LogLineList>(`${path}/logs?${query}`);
    return data.some(({ node, attributes }) => node === next && attributes['role'] === 'leader')
      ? data
      : undefined;
  });
  process.stderr.write(`${JSON.stringify(lines)}\n`);
  const led = lines.find(
    ({ node, attributes }) => node === next && attributes['role'] === 'leader',
  );
  expect(Date.parse(led?.timestamp ?? '')).toBeLessThanOrEqual(failedOverMs);

  // Series: the old leader has a gap and is no leader afterwards; the new one leads from the step of the mark on.
  const up = await pointsOf('replica_up', leader, began);
  process.stderr.write(`${JSON.stringify(up)}\n`);
  expect(up.some(({ atMs, value }) => atMs > killedAt.getTime() && value !== 1)).toBe(true);
  expect(up.findLast(({ value }) => value !== null)?.value).toBe(1);
  const leads = await pointsOf('replica_leader', next, began);
  for (const { atMs, value } of leads) {
    if (value === null) continue;
    if (atMs + 15_000 <= killedAt.getTime()) expect(value).toBe(0);
    if (atMs > failedOverMs) expect(value).toBe(1);
  }
  const transfers = await pointsOf('replica_leader', leader, began);
  for (const { atMs, value } of transfers) {
    if (atMs > failedOverMs && value !== null) expect(value).toBe(0);
  }
  const acknowledged = writer.acknowledged;
  expect(Number(await writer.stop())).toBeGreaterThanOrEqual(acknowledged);
});
