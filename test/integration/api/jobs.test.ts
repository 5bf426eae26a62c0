/** Jobs over HTTP: jobs that wait for people, jobs that may be retried, and a restore that fails. */
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { resources } from '../../../domain/kinds.ts';
import type { CreatedDatabase, Database, Job, Problem } from '../../../gen/api.ts';
import { catalogSpec } from '../../fixtures/catalog.ts';
import { TestService, type Headers } from '../../support/api/service.ts';
import { eventually } from '../../support/shell.ts';

let service: TestService;
let administrator: Headers;
let me: Headers;

beforeAll(async () => {
  service = await TestService.start();
  administrator = await service.administrator();
  me = { 'x-api-key': (await service.makeKey(['db:read', 'db:write'])).secret };
});
beforeEach(() => service.startOperator());
afterAll(() => service?.stop());

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names the answer it expects
async function ask<T>(
  as: Headers,
  method: string,
  path: string,
  body?: object,
): Promise<{ status: number; headers: globalThis.Headers; json: T }> {
  const response = await fetch(`${service.url}/api/v1${path}`, {
    method,
    headers: { ...as, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const { status, headers } = response;
  const text = await response.text();
  return { status, headers, json: (text === '' ? {} : JSON.parse(text)) as T };
}

async function create(request: object): Promise<CreatedDatabase> {
  // A process knows for some seconds what it has read of a key's organization, which an earlier test had suspended.
  const { status, json } = await eventually(
    'the organization is not suspended any more',
    async () => {
      const answer = await ask<CreatedDatabase | Problem>(me, 'POST', '/databases', request);
      const isSuspended = 'code' in answer.json && answer.json.code === 'organization_suspended';
      return isSuspended ? undefined : answer;
    },
  );
  expect({ status, json }).toMatchObject({ status: 202 });
  return json as CreatedDatabase;
}

const jobOf = async (id: string) =>
  (await ask<{ job: Job }>(me, 'GET', `/jobs/${id}?waitSeconds=1`)).json.job;
const databaseOf = async (id: string) =>
  (await ask<{ database: Database }>(me, 'GET', `/databases/${id}`)).json.database;

const untilJob = (id: string, status: Job['status']) =>
  eventually(`${id} is ${status}`, async () => {
    const job = await jobOf(id);
    if (job.status !== status) throw new Error(JSON.stringify(job));
    return job;
  });
const untilDatabase = (id: string, status: Database['status']) =>
  eventually(`${id} is ${status}`, async () => {
    const database = await databaseOf(id);
    if (database.status !== status) throw new Error(JSON.stringify(database));
    return database;
  });

/** Deletes a database and waits until it is gone. Returns the job's ID. */
async function remove(id: string): Promise<string> {
  const { json } = await ask<{ job: Job }>(me, 'DELETE', `/databases/${id}`);
  await untilJob(json.job.id, 'SUCCEEDED');
  return json.job.id;
}

const namespaceOf = (name: string) =>
  eventually(`${name} has a resource`, async () => {
    const all = await service.world.kube.list(resources.database);
    return all.find(({ metadata }) => metadata.name === name)?.metadata.namespace;
  });

test('databases made by hand wait for the administrator of the installation, and for nobody else', async () => {
  const wanted = await create({ name: 'by-hand', provider: 'elsewhere' });
  expect(wanted.provisioning).toMatchObject({ status: 'NOT_STARTED', started: false });
  const waiting = await untilJob(wanted.job.id, 'WAITING');
  expect(waiting.deadlineAt).toBeNull();
  const one = `/jobs/${wanted.job.id}`;
  for (const [what, body] of [['complete'], ['refuse', { reason: 'No.' }]] as const) {
    expect(await ask(me, 'POST', `${one}/${what}`, body)).toMatchObject({
      status: 403,
      json: { code: 'session_required' },
    });
  }
  expect((await jobOf(wanted.job.id)).status).toBe('WAITING');
  expect((await ask(administrator, 'POST', `${one}/complete`)).status).toBe(202);
  await untilJob(wanted.job.id, 'SUCCEEDED');
  await untilDatabase(wanted.database.id, 'READY');
  for (const [what, body] of [['complete'], ['refuse', { reason: 'No.' }]] as const) {
    expect(await ask(administrator, 'POST', `${one}/${what}`, body)).toMatchObject({
      status: 409,
      json: { code: 'not_waiting' },
    });
  }

  const unwanted = await create({ name: 'by-nobody', provider: 'elsewhere' });
  await untilJob(unwanted.job.id, 'WAITING');
  const refuse = `/jobs/${unwanted.job.id}/refuse`;
  expect((await ask(administrator, 'POST', refuse, {})).status).toBe(422);
  const reason = 'There is no room before March.';
  expect((await ask(administrator, 'POST', refuse, { reason })).status).toBe(202);
  expect(await untilJob(unwanted.job.id, 'FAILED')).toMatchObject({
    retryable: false,
    error: { code: 'refused_by_provider', detail: reason },
  });
  expect(await untilDatabase(unwanted.database.id, 'FAILED')).toMatchObject({
    statusReason: { code: 'refused_by_provider', message: reason },
  });
});

/** Makes a job fail as when its deadline passes before its work is done. Something must hold the work up. */
async function failInTheMiddle(job: Job): Promise<void> {
  await eventually(
    'the resource is made',
    async () => (await jobOf(job.id)).progress.percent > 0 || undefined,
  );
  await service.alter(
    'UPDATE jobs SET deadline_at = now(), due_at = now() WHERE finished_at IS NULL',
  );
  expect(await untilJob(job.id, 'FAILED')).toMatchObject({
    retryable: true,
    error: { code: 'job_deadline_exceeded' },
  });
}

test('a retry asks whether the organization may have a database that runs', async () => {
  await service.stopOperator();
  const { database, job } = await create({ name: 'late' });
  await failInTheMiddle(job);
  const retry = () => ask<Problem>(me, 'POST', `/jobs/${job.id}/retry`);
  await service.alter(`UPDATE organizations SET status = 'SUSPENDED' WHERE slug = 'default'`);
  // A process knows for some seconds what it has read of a key's organization.
  await eventually('the suspension is known', async () => {
    const { json } = await ask<Problem>(me, 'POST', '/databases', { name: 'none' });
    return json.code === 'organization_suspended' || undefined;
  });
  expect(await retry()).toMatchObject({
    status: 403,
    json: { code: 'organization_suspended' },
  });
  expect((await databaseOf(database.id)).status).toBe('FAILED');
  await service.alter(`UPDATE organizations SET status = 'ACTIVE' WHERE slug = 'default'`);
  await eventually('it is tried again', async () => (await retry()).status === 202 || undefined);
  await service.startOperator();
  await untilJob(job.id, 'SUCCEEDED');
  await untilDatabase(database.id, 'READY');
});

test('a deletion that failed can be tried again while the organization is suspended', async () => {
  const { database, job: made } = await create({ name: 'leaving' });
  await untilJob(made.id, 'SUCCEEDED');
  const namespace = await namespaceOf('leaving');
  const hold = (finalizers: readonly string[] | null) =>
    service.world.kube.mergePatch(
      { resource: resources.database, namespace, name: 'leaving' },
      { metadata: { finalizers } },
      { fieldManager: 'test' },
    );
  // Somebody else's, so that the deletion takes too long.
  await hold(['example.com/held']);
  const { json } = await ask<{ job: Job }>(me, 'DELETE', `/databases/${database.id}`);
  await failInTheMiddle(json.job);
  await service.alter(`UPDATE organizations SET status = 'SUSPENDED' WHERE slug = 'default'`);
  await eventually('the suspension is known', async () => {
    const refused = await ask<Problem>(me, 'POST', '/databases', { name: 'none' });
    return refused.json.code === 'organization_suspended' || undefined;
  });
  const retried = await ask(me, 'POST', `/jobs/${json.job.id}/retry`);
  await service.alter(`UPDATE organizations SET status = 'ACTIVE' WHERE slug = 'default'`);
  expect(retried).toMatchObject({ status: 202 });
  await hold(null);
  await untilJob(json.job.id, 'SUCCEEDED');
});

test('an old job that failed does nothing to a database that has gone on since', async () => {
  const { database, job } = await create({ name: 'gone-on' });
  await untilJob(job.id, 'SUCCEEDED');
  const deletion = await remove(database.id);
  const restored = await ask<{ job: Job }>(me, 'POST', `/databases/${database.id}/restore`, {});
  await untilJob(restored.json.job.id, 'SUCCEEDED');
  await untilDatabase(database.id, 'READY');
  for (const id of [job.id, deletion, restored.json.job.id]) {
    // As if its deadline had passed, and what it was for had come about after all.
    await service.alter(
      `UPDATE jobs SET status = 'FAILED', retryable = true WHERE finished_at IS NOT NULL AND database_id IN
        (SELECT id FROM databases WHERE name = 'gone-on')`,
    );
    expect(await ask(me, 'POST', `/jobs/${id}/retry`)).toMatchObject({
      status: 409,
      json: { code: 'not_retryable', detail: expect.stringContaining('is READY') },
    });
  }
  expect(await databaseOf(database.id)).toMatchObject({ status: 'READY', activeJobId: null });
});

test('a restore that fails says so until the database serves', async () => {
  const { database, job } = await create({ name: 'slow-return' });
  await untilJob(job.id, 'SUCCEEDED');
  await remove(database.id);
  await service.stopOperator();
  const { json } = await ask<{ job: Job }>(me, 'POST', `/databases/${database.id}/restore`, {});
  await failInTheMiddle(json.job);
  const failed = await untilDatabase(database.id, 'FAILED');
  const namespace = await namespaceOf('slow-return');
  // Any news of the resource is looked at.
  await service.world.patchDatabase(namespace, 'slow-return', {
    metadata: { annotations: { 'example.com/touched': 'true' } },
  });
  const later = await eventually('the news is written', async () => {
    const now = await databaseOf(database.id);
    return now.version > failed.version ? now : undefined;
  });
  expect(later).toMatchObject({
    status: 'FAILED',
    health: 'UNKNOWN',
    statusReason: { code: 'job_deadline_exceeded' },
  });
  await service.startOperator();
  expect(await untilDatabase(database.id, 'READY')).toMatchObject({ statusReason: null });
});

test('an ETag is another one when the answer is, be it by the catalog alone', async () => {
  const { database, job } = await create({ name: 'tagged' });
  await untilJob(job.id, 'SUCCEEDED');
  const read = (headers: Headers = {}) =>
    ask<{ database: Database }>({ ...me, ...headers }, 'GET', `/databases/${database.id}`);
  const known = await eventually('it rests', async () => {
    const { headers, json } = await read();
    const etag = headers.get('etag') ?? '';
    return (await read({ 'if-none-match': etag })).status === 304 ? { etag, json } : undefined;
  });
  expect(known.json.database.engine).toMatchObject({ version: '0.1.0', updateAvailable: false });
  const catalog = catalogSpec();
  const engines = catalog.engines.map((engine) =>
    engine.name === 'Builtin' ? { ...engine, defaultVersion: '0.2.0' } : engine,
  );
  await service.world.setCatalog({ ...catalog, engines });
  const changed = await eventually('the new version is shown', async () => {
    const answer = await read({ 'if-none-match': known.etag });
    return answer.status === 200 && answer.json.database.engine.updateAvailable
      ? answer
      : undefined;
  });
  expect(changed.headers.get('etag')).not.toBe(known.etag);
  await service.world.setCatalog(catalog);
});
