/**
 * Least rights of API and worker, in both directions: their own processes, as the service accounts that the chart makes, lead
 * databases through their lives. Every request is allowed, and every right is used.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { KubeObject } from '../../../base/kube/kube.ts';
import { KubeConfig, Metrics } from '@kubernetes/client-node';
import { resources, type Pod } from '../../../domain/kinds.ts';
import { labels } from '../../../domain/names.ts';
import { newTypeId } from '../../../domain/type-id.ts';
import { uuidOf } from '../../../api/store/ids.ts';
import { askedOf, ChartRights, rightsIn, rightsOf } from '../../support/charts/chart-rights.ts';
import { TestService, type Headers, type Program } from '../../support/api/service.ts';
import { measurePod, serveMetricsApi } from '../../support/operator/metrics-api.ts';
import { eventually } from '../../support/shell.ts';

const storeCredentials = mkdtempSync(join(tmpdir(), 'ledgerhouse-store-'));
for (const name of ['access-key-id', 'secret-access-key'])
  writeFileSync(join(storeCredentials, name), 'none');
afterAll(() => rmSync(storeCredentials, { recursive: true, force: true }));

let service: TestService;
let rights: ChartRights | undefined;
let me: Headers;

beforeAll(async () => {
  service = await TestService.start({
    // The operator has no store: a backup is made, refused, and taken back.
    settings: {
      BACKUPS: 'on',
      // Nobody answers there.
      IMPORTS_STORE: 's3://nowhere',
      IMPORTS_ENDPOINT: 'http://127.0.0.1:9',
      IMPORTS_CREDENTIALS_FOLDER: storeCredentials,
    },
    kubeconfig: async (world, program) => {
      rights ??= await ChartRights.prepare(world, ['api.enabled=true']);
      await rights.applyTemplate(templates[program]);
      return rights.kubeconfigOf(`ledgerhouse-${program}`);
    },
  });
  me = { 'x-api-key': (await service.makeKey(['db:read', 'db:write'])).secret };
});
afterAll(async () => {
  await service?.stop();
  rights?.remove();
});

const templates: Readonly<Record<Program, string>> = {
  api: 'templates/api-rights.yaml',
  worker: 'templates/worker-rights.yaml',
};
const programs: readonly Program[] = ['api', 'worker'];

const asked = (program: Program) => {
  const url = program === 'api' ? service.healthUrl : service.workerHealthUrl;
  return askedOf(url, `ledgerhouse_${program}_kubernetes_api_requests_total`);
};

interface Read {
  readonly database: { readonly status: string };
}
interface Backed {
  readonly backup: {
    readonly id: string;
    readonly name: string;
    readonly status: string;
    readonly protected: boolean;
  };
}

interface Deleted {
  readonly job: { readonly id: string; readonly status: string };
}

interface Current {
  readonly current: {
    readonly usage: {
      readonly cpuCores: number | null;
      readonly memory: { readonly usedBytes: number | null };
    } | null;
  };
}

interface Scheduled {
  readonly backupSchedule: { readonly id: string };
}

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names the answer it expects
async function send<T = Read>(method: string, path: string, body?: object): Promise<T> {
  const response = await fetch(`${service.url}/api/v1${path}`, {
    method,
    headers: { ...me, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return (text === '' ? undefined : JSON.parse(text)) as T;
}

const untilBackup = (path: string, isReached: (backup: Backed['backup']) => boolean) =>
  eventually(`${path} is as it should be`, async () => {
    const { backup } = await send<Backed>('GET', path);
    if (!isReached(backup)) throw new Error(JSON.stringify(backup));
    return backup;
  });
const untilStatus = (id: string, status: string) =>
  eventually(`${id} is ${status}`, async () => {
    const { database } = await send('GET', `/databases/${id}`);
    if (database.status !== status) throw new Error(database.status);
    return true;
  });

test('databases live their lives under the rights that the chart gives', async () => {
  const { id, organizationId } = (await service.createDatabase(me, { name: 'payments' })).database;
  expect(organizationId).toMatch(/^org_/);
  await send('PATCH', `/databases/${id}`, { deletionProtection: true });
  await send('PATCH', `/databases/${id}`, { deletionProtection: false });
  const { job } = await send<Deleted>('DELETE', `/databases/${id}`);
  await eventually('the database is deleted', async () => {
    const now = await send<Deleted>('GET', `/jobs/${job.id}`);
    if (now.job.status !== 'SUCCEEDED') throw new Error(JSON.stringify(now.job));
    return true;
  });
  await send('POST', `/databases/${id}/restore`, { name: 'payments-2' });
  await untilStatus(id, 'READY');
  // Applied by a person: it is taken in, and labelled.
  const namespace = 'org-default';
  await service.world.createDatabase(namespace, 'applied', {});
  await eventually('it is labelled', async () => {
    const found = await service.world.database(namespace, 'applied');
    return found?.metadata.labels?.[labels.databaseId];
  });
});

test('backups live their lives under the rights that the chart gives', async () => {
  const { database } = await service.createDatabase(me, { name: 'backed-up' });
  const path = `/databases/${database.id}/backups`;
  const made = await send<Backed>('POST', path);
  await untilBackup(`${path}/${made.backup.id}`, ({ status }) => status === 'FAILED');
  await service.world.kube.create<KubeObject>(
    resources.backup,
    {
      apiVersion: 'ledgerhouse.dev/v1alpha1',
      kind: 'LedgerBackup',
      metadata: { namespace: 'org-default', name: 'by-hand' },
      spec: { database: 'backed-up', protected: true },
    } as KubeObject,
    { fieldManager: 'test' },
  );
  const backup = await eventually('it is taken over', async () => {
    const { data } = await send<{ readonly data: readonly Backed['backup'][] }>('GET', path);
    return data.find(({ name }) => name === 'by-hand');
  });
  await send('PATCH', `${path}/${backup.id}`, { protected: false });
  await untilBackup(`${path}/${backup.id}`, (row) => !row.protected);
  await send('PUT', `${path}/${backup.id}/hold`, { reason: 'case 7' });
  await send('DELETE', `${path}/${backup.id}/hold`);
  await send('DELETE', `${path}/${backup.id}`);
  await untilBackup(`${path}/${backup.id}`, ({ status }) => status === 'DELETED');
});

test('the logs of databases are read under the rights that the chart gives', async () => {
  await eventually('the worker asks for logs', async () => {
    const used = new Set((await asked('worker')).flatMap(rightsOf));
    return used.has('list pods') && used.has('get pods/log') ? true : undefined;
  });
});

test('the processors and memory of TigerBeetle’s pods are read from the metrics API under the rights that the chart gives', async () => {
  await serveMetricsApi(service.world);
  const { database } = await service.createDatabase(me, {
    name: 'beetle',
    engine: 'TigerBeetle',
    clusterConfiguration: 'single',
    clusterSize: 'lh-40',
  });
  const pod = await eventually('its pod exists', async () =>
    (
      await service.world.kube.list<Pod>(resources.pod, {
        namespace: 'org-default',
        labelSelector: `${labels.database}=beetle,${labels.role}=replica`,
      })
    ).at(0),
  );
  const measure = () =>
    measurePod(service.world, pod, {
      engine: { cpu: '250123456n', memory: '1048576Ki' },
      status: { cpu: '1500u', memory: '64Mi' },
    });
  await measure();
  // Kubernetes' own client reads what we read.
  const config = new KubeConfig();
  config.loadFromFile(service.world.plane.kubeconfig);
  const { items } = await new Metrics(config).getPodMetrics('org-default');
  expect(items.map(({ metadata, containers }) => [metadata.name, containers.length])).toEqual([
    [pod.metadata.name, 2],
  ]);
  const usage = await eventually('they are in the figures', async () => {
    await measure();
    const { current } = await send<Current>('GET', `/databases/${database.id}/metrics/current`);
    return current.usage?.cpuCores === null ? undefined : (current.usage ?? undefined);
  });
  expect(usage.cpuCores).toBeCloseTo(0.251623, 5);
  // Figures have single precision.
  expect((usage.memory.usedBytes ?? 0) / (2 ** 30 + 2 ** 26)).toBeCloseTo(1, 5);
});

test('schedules of backups live their lives under the rights that the chart gives', async () => {
  const { database } = await service.createDatabase(me, { name: 'scheduled' });
  const path = `/databases/${database.id}/backup-schedules`;
  const nightly = { name: 'nightly', schedule: '0 3 * * *' };
  const { backupSchedule } = await send<Scheduled>('POST', path, nightly);
  // As if its answer had been lost: what was made is found.
  const again = await send<Scheduled>('POST', path, nightly);
  expect(again.backupSchedule.id).toBe(backupSchedule.id);
  await send('PATCH', `${path}/${backupSchedule.id}`, { suspended: true });
  await service.world.kube.create<KubeObject>(
    resources.backupSchedule,
    {
      apiVersion: 'ledgerhouse.dev/v1alpha1',
      kind: 'LedgerBackupSchedule',
      metadata: { namespace: 'org-default', name: 'by-hand' },
      spec: { database: 'scheduled', schedule: '0 4 * * *' },
    } as KubeObject,
    { fieldManager: 'test' },
  );
  await eventually('it is taken over', async () => {
    const { data } = await send<{ readonly data: readonly { name: string }[] }>('GET', path);
    return data.find(({ name }) => name === 'by-hand');
  });
  await send('DELETE', `${path}/${backupSchedule.id}`);
});

test('how change streams stand is told under the rights that the chart gives', async () => {
  const { database } = await service.createDatabase(me, { name: 'streamed' });
  await service.alter(
    `INSERT INTO change_streams (id, organization_id, database_id, description, sink_type, url, sealed_secret, sealed_by,
       state, started_after, position, due_at, created_by)
     SELECT gen_random_uuid(), organization_id, id, '', 'WEBHOOK', 'https://receiver.example.com/', '\\x00', 'x',
       'PAUSED', 0, 0, NULL, '{}'
     FROM databases WHERE id = $1`,
    [uuidOf(database.id)],
  );
  await eventually('it is told', async () => {
    const found = await service.world.database('org-default', 'streamed');
    return found?.status?.changeDataCapture?.paused === 1 ? true : undefined;
  });
});

test('rows are tried, and their trial goes with the import, under the rights that the chart gives', async () => {
  const id = newTypeId('imp');
  const now = `${BigInt(Date.now()) * 1_000_000n}`;
  const uploaded = { accounts: '0'.repeat(64), partSizeBytes: 1, now };
  const rows = { ignoreBalances: false, uploaded: { ...uploaded, ignoreBalances: false } };
  await service.alter(
    `WITH made AS (
       INSERT INTO imports (id, organization_id, status, part_size_bytes, rows, created_by, expires_at)
       SELECT $1, id, 'CHECKING', 1, $2, '{}', clock_timestamp() + interval '1 day'
       FROM organizations WHERE namespace = 'org-default' RETURNING id
     ) INSERT INTO import_files (import_id, replica_index, size_bytes) SELECT id, 0, 1 FROM made`,
    [uuidOf(id), JSON.stringify(rows)],
  );
  const trials = () => service.world.kube.list<KubeObject>(resources.import);
  await eventually('its trial is there', async () => (await trials())[0]);
  await send('DELETE', `/imports/${id}`);
  await eventually('its trial is gone', async () =>
    (await trials()).length === 0 ? true : undefined,
  );
});

test.each(programs)('of all that the %s asked, nothing was forbidden', async (program) => {
  const requests = await asked(program);
  expect(requests.length).toBeGreaterThan(5);
  expect(requests.filter(({ code }) => code === '401' || code === '403')).toEqual([]);
});

test.each(programs)('of all that the %s is allowed, everything was asked', async (program) => {
  const allowed = rightsIn((await rights?.templateOf(templates[program])) ?? []);
  expect(allowed.length).toBeGreaterThan(0);
  expect(new Set(allowed).size).toBe(allowed.length);
  // Some is asked in the background, once the tests before have ended.
  await eventually('all of it is asked', async () => {
    const used = new Set((await asked(program)).flatMap(rightsOf));
    expect([...used].sort()).toEqual([...allowed].sort());
    return true;
  });
});

test('reading asks the cluster nothing', async () => {
  const made = async () =>
    (await (await fetch(`${service.healthUrl}/metrics`)).text())
      .split('\n')
      .filter((line) => /api_requests_total\{.*verb="(get|list|create|patch|delete)"/.test(line));
  // Remaining work on earlier databases may fall into one round, but not into every round.
  await eventually('a round of reading that asked nothing', async () => {
    const before = await made();
    expect(before.length).toBeGreaterThan(0);
    for (let count = 0; count < 20; count += 1) {
      await send('GET', '/databases');
      await send('GET', '/catalog/create');
    }
    expect(await made()).toEqual(before);
    return true;
  });
});
