/** Logs of databases, from a real API server with a stand-in of the kubelet behind it, through the worker's part into PostgreSQL. */
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { MetricRegistry } from '../../../base/metrics/metrics.ts';
import { LogFollower } from '../../../api/logs/follower.ts';
import { logMetrics } from '../../../api/logs/log-metrics.ts';
import type { LogTurns } from '../../../api/logs/turns.ts';
import { generateApiKey } from '../../../api/auth/api-key-format.ts';
import { listLines, type LogFilter, type LogLine } from '../../../api/store/log-lines.ts';
import {
  keepLogDays,
  openLogSources,
  trimLogs,
  writeLogLines,
  type NewLogLine,
} from '../../../api/store/log-writes.ts';
import { claimShards } from '../../../api/store/metric-shards.ts';
import { uuidOf } from '../../../api/store/ids.ts';
import type { Organization } from '../../../api/store/organizations.ts';
import type { Store } from '../../../api/store/store.ts';
import { LogKubelet } from '../../support/api/log-kubelet.ts';
import { TestPostgres } from '../../support/api/postgres.ts';
import { makeDatabase, openTestStore, silent } from '../../support/api/store.ts';
import { eventually } from '../../support/shell.ts';

let postgres: TestPostgres;
let store: Store;
let organization: Organization;
let kubelet: LogKubelet;
const followers = new Set<LogFollower>();
const identity = 'worker-1';

beforeAll(async () => {
  [postgres, kubelet] = await Promise.all([TestPostgres.create(), LogKubelet.start('org-default')]);
  ({ store, organization } = await openTestStore(postgres));
  await keepLogDays(store.read, new Date());
});
afterEach(stopFollowers);
afterAll(async () => {
  await kubelet?.stop();
  await store?.close();
  await postgres?.remove();
});

/** Follows until it is stopped. Its shards are all there are. */
async function startFollower(turns?: LogTurns): Promise<LogFollower> {
  await claimShards(store.read, identity);
  // Nobody renews the leases here.
  await sql`UPDATE metric_shards SET lease_until = now() + interval '1 hour'`.execute(store.read);
  const follower = new LogFollower({
    store,
    kube: kubelet.kube,
    workloadOf: (_namespace, name) => name,
    identity,
    logger: silent,
    metrics: logMetrics(new MetricRegistry(), 'test_'),
    ...(turns && { turns }),
  });
  followers.add(follower);
  follower.start();
  return follower;
}

/** What follows has databases of its own. */
async function stopFollowers(): Promise<void> {
  for (const follower of followers) await stopFollower(follower);
  await sql`UPDATE databases SET kubernetes_uid = NULL`.execute(store.read);
}

async function stopFollower(follower: LogFollower): Promise<void> {
  followers.delete(follower);
  await follower.stop();
}

/** A database in the cluster, with the pod of its one replica. `uid`: of its resource. */
async function databaseWithPod(name: string, uid: string = randomUUID()): Promise<string> {
  const { id } = await makeDatabase(store, organization, name);
  await sql`
    UPDATE databases SET kubernetes_uid = ${uid}::uuid, status = 'READY' WHERE id = ${uuidOf(id)}
  `.execute(store.read);
  await kubelet.makePod('org-default', `${name}-0`, ['engine', 'check']);
  return id;
}

async function linesOf(databaseId: string, filter: LogFilter = {}): Promise<readonly LogLine[]> {
  const { rows } = await listLines(store.read, databaseId, filter, {
    limit: 100_000,
    order: 'asc',
  });
  return rows;
}

const messagesOf = async (databaseId: string, filter?: LogFilter) =>
  (await linesOf(databaseId, filter)).map(({ message }) => message);

const untilMessages = (databaseId: string, expected: readonly string[]) =>
  eventually(`the lines are ${expected.join()}`, async () => {
    expect(await messagesOf(databaseId)).toEqual(expected);
    return true;
  });

const numbered = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => `line ${from + index}`);

test('lines of engine and agent are kept with severity, component, node and fields, and without secrets', async () => {
  const databaseId = await databaseWithPod('payments');
  const key = generateApiKey().text;
  await startFollower();
  kubelet.log('payments-0', 'check', 'ledger-agent: the data file is complete');
  await untilMessages(databaseId, ['ledger-agent: the data file is complete']);
  kubelet.log(
    'payments-0',
    'engine',
    '{"level":30,"time":1,"role":"leader","view":3,"msg":"role"}',
    `{"level":50,"time":1,"header":{"authorization":"Bearer ${key}"},"msg":"refused ${key}"}`,
    'connecting to postgres://ledger:hunter2@db/x',
  );
  await eventually('all are kept', async () => {
    expect(await linesOf(databaseId)).toHaveLength(4);
    return true;
  });
  const lines = (await linesOf(databaseId)).map(
    ({ severity, component, node, message, attributes }) => [
      severity,
      component,
      node,
      message,
      attributes,
    ],
  );
  expect(lines).toEqual([
    ['INFO', 'agent', 0, 'ledger-agent: the data file is complete', {}],
    ['INFO', 'engine', 0, 'role', { role: 'leader', view: 3 }],
    ['ERROR', 'engine', 0, 'refused lhk_•••', { header: { authorization: '•••' } }],
    ['INFO', 'engine', 0, 'connecting to postgres://•••@db/x', {}],
  ]);
  const { rows } = await sql<{
    text: string;
  }>`SELECT log_lines::text AS text FROM log_lines`.execute(store.read);
  expect(JSON.stringify(rows)).not.toContain(key.slice(20));
  expect(JSON.stringify(rows)).not.toContain('hunter2');
});

test('hostile lines are kept as text, and the lines after them too', async () => {
  const databaseId = await databaseWithPod('hostile');
  await startFollower();
  kubelet.log(
    'hostile-0',
    'engine',
    '{"level":"constructor","msg":"severity"}',
    '{"level":1e999,"msg":"far\\u0000\\ud800","__proto__":{"a":"\\u0000"}}',
    'nul \u0000, half \ud800, \u001b[31mred',
    `{"msg":"${'long '.repeat(10_000)}"}`,
    '{"time":"2026-01-01T00:00:00Z not JSON',
    'the last',
  );
  const lines = await eventually('all are kept', async () => {
    const kept = await linesOf(databaseId);
    return kept.length === 6 ? kept : undefined;
  });
  expect(lines.map(({ severity, message }) => [severity, message.slice(0, 30)])).toEqual([
    ['INFO', 'severity'],
    ['FATAL', 'far\ufffd\ufffd'],
    ['INFO', 'nul \ufffd, half \ufffd, red'],
    ['INFO', '{"msg":"long long long long lo'],
    ['INFO', '{"time":"2026-01-01T00:00:00Z '],
    ['INFO', 'the last'],
  ]);
  expect(lines[1]?.attributes).toEqual(JSON.parse('{"__proto__":{"a":"\\u0000"}}'));
});

test('each line is kept once, though workers die, connections break and containers start again', async () => {
  const databaseId = await databaseWithPod('steady');
  const log = (from: number, to: number) =>
    kubelet.log('steady-0', 'engine', ...numbered(from, to));
  let follower = await startFollower();
  log(1, 20);
  await untilMessages(databaseId, numbered(1, 20));
  kubelet.cut();
  log(21, 40);
  await untilMessages(databaseId, numbered(1, 40));
  await stopFollower(follower);
  // While nobody looks, it goes on, ends, and starts again.
  log(41, 50);
  kubelet.startContainer('steady-0', 'engine');
  log(51, 60);
  follower = await startFollower();
  await untilMessages(databaseId, numbered(1, 60));
  log(61, 70);
  kubelet.startContainer('steady-0', 'engine');
  log(71, 80);
  await untilMessages(databaseId, numbered(1, 80));
});

test('a line says that Kubernetes no longer has lines', async () => {
  const databaseId = await databaseWithPod('gappy');
  const follower = await startFollower();
  kubelet.log('gappy-0', 'engine', 'line 1');
  await untilMessages(databaseId, ['line 1']);
  await stopFollower(follower);
  for (const number of [2, 3, 4]) {
    kubelet.startContainer('gappy-0', 'engine');
    kubelet.log('gappy-0', 'engine', `line ${number}`);
  }
  await startFollower();
  const said = await eventually('the newest line is kept', async () => {
    const messages = await messagesOf(databaseId);
    return messages.includes('line 4') ? messages : undefined;
  });
  expect(said).toEqual([
    'line 1',
    expect.stringMatching(/^Lines since \S+ may be missing: /),
    'line 3',
    'line 4',
  ]);
});

test('two workers that both believe to have a log keep each line once', async () => {
  const databaseId = await databaseWithPod('contested');
  for (const _worker of ['one', 'another']) await startFollower();
  for (let round = 0; round < 10; round += 1) {
    kubelet.log('contested-0', 'engine', ...numbered(10 * round + 1, 10 * round + 10));
    await untilMessages(databaseId, numbered(1, 10 * round + 10));
  }
});

test('the flood of one database is bounded and told, and takes nothing from another one', async () => {
  const [flooded, calm] = [await databaseWithPod('flooded'), await databaseWithPod('calm')];
  await startFollower();
  kubelet.log('flooded-0', 'engine', 'line 1');
  await untilMessages(flooded, ['line 1']);
  const count = 60_000;
  for (let written = 0; written < count; written += 1_000) {
    const lines = Array.from(
      { length: 1_000 },
      (_, index) => `flood ${written + index} ${'x'.repeat(200)}`,
    );
    kubelet.log('flooded-0', 'engine', ...lines);
    if (written === 30_000) kubelet.log('calm-0', 'engine', 'here I am');
  }
  await untilMessages(calm, ['here I am']);
  // What is kept, and what is told to be left out, are all lines.
  await eventually('all is accounted for', async () => {
    const lines = await linesOf(flooded);
    const kept = lines.filter(({ message }) => message.startsWith('flood ')).length;
    const leftOut = lines.reduce(
      (sum, { attributes }) => sum + Number(attributes['leftOut'] ?? 0),
      0,
    );
    expect(leftOut).toBeGreaterThan(0);
    expect(kept + leftOut).toBe(count);
    return true;
  });
});

test('a line that the store refuses stops the log of no other database', async () => {
  await databaseWithPod('refused');
  const other = await databaseWithPod('accepted');
  await sql`ALTER TABLE log_lines ADD CONSTRAINT refusal CHECK (message <> 'poison')`.execute(
    store.read,
  );
  try {
    kubelet.log('refused-0', 'engine', 'poison');
    kubelet.log('accepted-0', 'engine', 'line 1');
    await startFollower();
    await untilMessages(other, ['line 1']);
  } finally {
    await stopFollowers();
    await sql`ALTER TABLE log_lines DROP CONSTRAINT refusal`.execute(store.read);
  }
});

test('logs beyond the number of connections take turns, and lose nothing', async () => {
  const ids = await Promise.all(
    ['turn-a', 'turn-b', 'turn-c'].map((name) => databaseWithPod(name)),
  );
  await startFollower({ connections: 2, leastMs: 200, greatestMs: 60_000 });
  for (let round = 1; round <= 3; round += 1) {
    for (const name of ['turn-a', 'turn-b', 'turn-c']) {
      kubelet.log(`${name}-0`, 'engine', `line ${round}`);
    }
    for (const id of ids) await untilMessages(id, numbered(1, round));
  }
});

test('pods of Jobs are found by their labels: what makes backups speaks for itself', async () => {
  const uid = randomUUID();
  const databaseId = await databaseWithPod('backed-up', uid);
  await kubelet.makePod('org-default', 'backed-up-backup-x', ['backup'], {
    'app.kubernetes.io/managed-by': 'ledgerhouse-operator',
    'ledgerhouse.dev/role': 'job',
    'ledgerhouse.dev/database-uid': uid,
    'ledgerhouse.dev/backup': 'daily',
  });
  kubelet.log('backed-up-backup-x', 'backup', 'ledger-engine: the store refused the credentials');
  await startFollower();
  await eventually('it is kept', async () => {
    const lines = await linesOf(databaseId, { components: ['backup'] });
    expect(lines.map(({ node, message }) => [node, message])).toEqual([
      [null, 'ledger-engine: the store refused the credentials'],
    ]);
    return true;
  });
});

const newLine = (at: Date, message: string): NewLogLine => ({
  at,
  level: 30,
  component: 'engine',
  node: 0,
  message,
  attributes: '{}',
});

async function write(databaseId: string, pod: string, lines: readonly NewLogLine[]) {
  const source = { databaseId, pod, container: 'engine' };
  const [expected = ''] = await openLogSources(store.read, [source]);
  const next = `${lines.length}/${expected.length}`;
  return writeLogLines(store.read, [{ source, expected, next, lines }]);
}

test('beyond the bound of a database, its oldest lines go, and nobody else’s', async () => {
  const [{ id: large }, { id: small }] = [
    await makeDatabase(store, organization, 'large'),
    await makeDatabase(store, organization, 'small'),
  ];
  const now = Date.now();
  const message = (index: number) => `${index} ${'x'.repeat(1_000)}`;
  const lines = Array.from({ length: 1_500 }, (_, index) =>
    newLine(new Date(now - (1_500 - index) * 60_000), message(index)),
  );
  await write(large, 'p', lines);
  await write(small, 'p', [newLine(new Date(now - 2 * 86_400_000), 'old')]);
  expect(await trimLogs(store.read, 10_000_000)).toBe(0);
  expect(await trimLogs(store.read, 1_000_000)).toBeGreaterThan(600);
  const kept = await linesOf(large);
  expect(kept.length).toBeGreaterThan(400);
  expect(kept.length).toBeLessThan(900);
  expect(kept.at(-1)?.message).toBe(message(1_499));
  expect(kept[0]?.message).toBe(message(1_500 - kept.length));
  expect(await messagesOf(small)).toEqual(['old']);
  expect(await trimLogs(store.read, 1_000_000)).toBe(0);
});

test('days that are over are dropped, and lines from before and from far ahead find no place of their own', async () => {
  const { id } = await makeDatabase(store, organization, 'aged');
  const dayMs = 86_400_000;
  const now = Date.now();
  // The day may have changed since the other tests began.
  await keepLogDays(store.read, new Date(now));
  await write(id, 'p', [
    newLine(new Date(now - 9 * dayMs), 'too old'),
    newLine(new Date(now - 6 * dayMs), 'old'),
    newLine(new Date(now + 30 * dayMs), 'from a clock that is wrong'),
  ]);
  expect(await messagesOf(id)).toEqual(['old', 'from a clock that is wrong']);
  const later = new Date(now + 3 * dayMs);
  expect(await keepLogDays(store.read, later)).toBe(3);
  expect(await messagesOf(id)).toEqual(['from a clock that is wrong']);
  await keepLogDays(store.read, new Date());
});
