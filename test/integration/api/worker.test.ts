/** The worker as the process that it is: killed, it stops no request, and health says so; started again, it goes on. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { CreatedDatabase, Database, Job, ServiceHealth } from '../../../gen/api.ts';
import { operatorName } from '../../../domain/names.ts';
import { resources } from '../../../domain/kinds.ts';
import { TestService, type Headers } from '../../support/api/service.ts';
import { eventually } from '../../support/shell.ts';

let service: TestService;
let me: Headers;
let database: CreatedDatabase['database'];

beforeAll(async () => {
  service = await TestService.start();
  await service.world.createNamespace('ledgerhouse-system');
  me = { 'x-api-key': (await service.makeKey(['db:read', 'db:write'])).secret };
  ({ database } = await service.createDatabase(me, { name: 'payments' }));
  await service.startEngine(database);
  await eventually('the ledger answers', async () => {
    expect(await createAccount('1')).toBe(200);
    return true;
  });
});
afterAll(() => service?.stop());

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names the answer it expects
async function ask<T>(method: string, path: string, body?: unknown) {
  const response = await fetch(`${service.url}/api/v1${path}`, {
    method,
    headers: { ...me, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, json: (await response.json()) as T };
}

const createAccount = async (id: string) => {
  const accounts = [{ id, ledger: 1, code: 1 }];
  return (await ask('POST', `/databases/${database.id}/tb/create_accounts`, accounts)).status;
};

const databaseNow = async () =>
  (await ask<{ database: Database }>('GET', `/databases/${database.id}`)).json.database;

/** Renews the Lease of the operator, which the test's own operator does without. */
const renewLease = () =>
  service.world.kube.apply(
    resources.lease,
    {
      apiVersion: resources.lease.apiVersion,
      kind: resources.lease.kind,
      metadata: { namespace: 'ledgerhouse-system', name: operatorName },
      spec: { holderIdentity: 'test', renewTime: `${new Date().toISOString().slice(0, -1)}000Z` },
    },
    { fieldManager: 'test', force: true },
  );

const untilHealth = (status: ServiceHealth['status']) =>
  eventually(`the service is ${status}`, async () => {
    await renewLease();
    const { json } = await ask<ServiceHealth>('GET', '/health');
    if (json.status !== status) throw new Error(JSON.stringify(json));
    return json;
  });

const metric = async (name: string) => {
  const text = await (await fetch(`${service.healthUrl}/metrics`)).text();
  return new RegExp(`^${name} (.+)$`, 'm').exec(text)?.[1];
};

test('a killed worker stops no request, and health says so; the next one goes on with its jobs', async () => {
  expect((await untilHealth('OK')).components.map(({ name }) => name)).toContain('worker');
  expect(await metric('ledgerhouse_api_workers')).toBe('1');
  expect(await databaseNow()).toMatchObject({ status: 'READY' });
  expect((await databaseNow()).health).not.toBe('UNKNOWN');
  await service.stopWorker('SIGKILL');

  await eventually('the worker alone is down', async () => {
    const { components } = await untilHealth('DEGRADED');
    expect(components.filter(({ status }) => status !== 'OK')).toEqual([
      expect.objectContaining({
        name: 'worker',
        status: 'DOWN',
        message: expect.stringContaining('jobs, mail and billing wait'),
        lastSeenAt: expect.any(String),
      }),
    ]);
    return true;
  });
  expect(await metric('ledgerhouse_api_workers')).toBe('0');
  expect(await metric('ledgerhouse_api_worker_working')).toBe('0');
  expect((await fetch(`${service.healthUrl}/readyz`)).status).toBe(200);

  // Nobody follows the cluster: an earlier observation is not passed off as the present.
  expect(await databaseNow()).toMatchObject({ status: 'READY', health: 'UNKNOWN' });
  expect(await createAccount('2')).toBe(200);
  const { status, json } = await ask<CreatedDatabase>('POST', '/databases', { name: 'waiting' });
  expect(status).toBe(202);
  expect(json).toMatchObject({
    job: { status: 'QUEUED' },
    provisioning: {
      status: 'QUEUED',
      message: expect.stringContaining('No worker'),
      estimatedSeconds: null,
    },
  });

  await service.startOperator();
  await service.startWorker();
  await untilHealth('OK');
  await eventually('the job is done', async () => {
    const { job } = (await ask<{ job: Job }>('GET', `/jobs/${json.job.id}?waitSeconds=5`)).json;
    if (job.status !== 'SUCCEEDED') throw new Error(JSON.stringify(job));
    return true;
  });
  expect(await metric('ledgerhouse_api_workers')).toBe('1');
});

test('a worker that ends in order says so', async () => {
  await service.stopWorker('SIGTERM');
  await eventually('the worker is down', async () => {
    const { components } = await untilHealth('DEGRADED');
    expect(components).toContainEqual(expect.objectContaining({ name: 'worker', status: 'DOWN' }));
    return true;
  });
});
