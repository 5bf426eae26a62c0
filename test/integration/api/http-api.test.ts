/** The whole API over HTTP: a real PostgreSQL, a real control plane with the real operator, and the API as it runs. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { Agent, request } from 'undici';
import { startApi, type Api } from '../../../api/api.ts';
import { startWorker, type WorkerProcess } from '../../../api/worker.ts';
import { apiKeyPrefix } from '../../../api/auth/api-key-format.ts';
import { createClient } from '../../../clients/typescript/src/client.ts';
import { readConfig } from '../../../api/config.ts';
import type { OperationId } from '../../../api/contract/routes.ts';
import { apiKeysMax } from '../../../api/keys/quota.ts';
import { resources } from '../../../domain/kinds.ts';
import { labels } from '../../../domain/names.ts';
import { catalogSpec } from '../../fixtures/catalog.ts';
import type { ServiceHealth } from '../../../gen/api.ts';
import { TestPostgres } from '../../support/api/postgres.ts';
import {
  startOperatorWorld,
  type Database,
  type OperatorWorld,
} from '../../support/operator/operator-world.ts';
import { bareEnvironment, eventually } from '../../support/shell.ts';
import { silent } from '../../support/api/store.ts';
import { startTestOperator, type TestOperator } from '../../support/operator/test-operator.ts';
import { undocumented } from '../../support/api/openapi.ts';

const bootstrapToken = 'lhb_0123456789abcdefghij';
let folder: string;
let postgres: TestPostgres;
let databaseUrl: string;
let world: OperatorWorld;
let operator: TestOperator;
let api: Api;
let worker: WorkerProcess;
let url: string;
let administrator: Readonly<Record<string, string>>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ledgerhouse-api-'));
  writeFileSync(join(folder, 'token'), `${bootstrapToken}\n`);
  writeFileSync(join(folder, 'key'), 'k'.repeat(48));
  [postgres, world] = await Promise.all([TestPostgres.create(), startOperatorWorld()]);
  operator = await startTestOperator({ kubeConfig: world.kubeConfig });
  databaseUrl = await postgres.createDatabase();
  const { config, ...rest } = options();
  api = await startApi({ config, ...rest });
  await api.storeReady;
  worker = await startWorker({ config: { ...config, identity: 'worker' }, ...rest });
  await worker.storeReady;
  url = `http://127.0.0.1:${api.port}`;
  await eventually('all parts are known', async () => {
    const health = (await (await fetch(`${url}/api/v1/health`)).json()) as ServiceHealth;
    // The operator of the test has no Lease.
    const down = health.components.filter(
      ({ name, status }) => name !== 'operator' && status !== 'OK',
    );
    if (down.length > 0) throw new Error(JSON.stringify(health));
    return true;
  });
});
afterAll(async () => {
  await api?.stop(5_000);
  await worker?.stop(5_000);
  await operator?.stop();
  await world?.stop();
  await postgres?.remove();
  rmSync(folder, { recursive: true, force: true });
});

const options = () => ({
  kubeConfig: world.kubeConfig,
  logger: silent,
  config: readConfig({
    LEDGERHOUSE_API_DATABASE_URL: databaseUrl,
    LEDGERHOUSE_API_LISTEN: '127.0.0.1:0',
    LEDGERHOUSE_API_HEALTH_LISTEN: '127.0.0.1:0',
    LEDGERHOUSE_API_SIGNING_KEY_FILE: join(folder, 'key'),
    LEDGERHOUSE_API_BOOTSTRAP_TOKEN_FILE: join(folder, 'token'),
    LEDGERHOUSE_API_DATABASES_MAX: '5',
    LEDGERHOUSE_API_NOTICE: ' Maintenance <b>tonight</b> ',
  }),
});

interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // Read as tests need it: its shape has been judged by the document.
  // oxlint-disable-next-line typescript/no-explicit-any -- see above
  readonly json: any;
}

type Asked = readonly [operation: OperationId, method: string, path: string];

/** Sends a request, and judges the answer by the document. */
async function ask(
  [operation, method, path]: Asked,
  headers: Readonly<Record<string, string>>,
  body?: unknown,
): Promise<Answered> {
  const response = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const contentType = response.headers.get('content-type');
  const wrong = undocumented(operation, response, text);
  expect({ operation, text, wrong }).toEqual({ operation, text, wrong: [] });
  const isJson = contentType?.includes('json') === true;
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: isJson ? JSON.parse(text) : undefined,
  };
}

const key = (secret: string) => ({ 'x-api-key': secret });

/** Runs a statement in the API's own database, for changes that no request can make. */
async function alter(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

async function openSession(): Promise<Readonly<Record<string, string>>> {
  const answer = await ask(
    ['openAdministratorSession', 'POST', '/session/administrator'],
    {},
    { token: bootstrapToken },
  );
  expect(answer.status).toBe(201);
  const cookies = answer.headers.getSetCookie();
  for (const cookie of cookies)
    expect(cookie).toMatch(/; Path=\/; Max-Age=43200; Secure; SameSite=Lax/);
  expect(cookies.find((cookie) => cookie.startsWith('__Host-session='))).toContain('HttpOnly');
  return {
    cookie: cookies.map((cookie) => cookie.split(';')[0]).join('; '),
    'x-csrf-token': answer.json.csrfToken,
  };
}

async function makeKey(body: object, more: Readonly<Record<string, string>> = {}) {
  administrator ??= await openSession();
  const answer = await ask(
    ['createApiKey', 'POST', '/api-keys'],
    { ...administrator, ...more },
    body,
  );
  expect(answer.status).toBe(201);
  return answer.json as { secret: string; apiKey: { id: string } };
}

const everything = (more: Readonly<Record<string, string>> = {}) =>
  makeKey({ name: 'all', permissions: ['db:read', 'db:write'] }, more);

async function untilJobEnded(id: string, headers: Readonly<Record<string, string>>) {
  for (;;) {
    const { json } = await ask(['getJob', 'GET', `/jobs/${id}?waitSeconds=10`], headers);
    if (json.job.finishedAt !== null) return json.job;
  }
}

test('an installer becomes the administrator, makes an organization and a key, and the key works', async () => {
  const wrong = await ask(
    ['openAdministratorSession', 'POST', '/session/administrator'],
    {},
    { token: `${bootstrapToken}x` },
  );
  expect(wrong).toMatchObject({ status: 401, json: { code: 'invalid_credentials' } });
  const session = await openSession();
  const me = await ask(['getSession', 'GET', '/session'], session);
  expect(me.json).toMatchObject({
    credential: { type: 'session' },
    user: { administrator: true },
    organization: { slug: 'default', role: 'owner' },
    limits: { maxDatabases: 5, requestsPerMinute: 600 },
    service: {
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      notice: 'Maintenance <b>tonight</b>',
    },
  });
  const made = await ask(['createOrganization', 'POST', '/organizations'], session, {
    name: 'Acme',
    slug: 'acme',
  });
  expect(made).toMatchObject({ status: 201, json: { organization: { namespace: 'org-acme' } } });
  const again = await ask(['createOrganization', 'POST', '/organizations'], session, {
    name: 'Acme',
    slug: 'acme',
  });
  expect(again).toMatchObject({ status: 409, json: { code: 'organization_slug_taken' } });
  const { id } = made.json.organization;
  const acme = { ...session, 'x-organization-id': id };
  const { json } = await ask(['createApiKey', 'POST', '/api-keys'], acme, {
    name: 'ci',
    permissions: ['db:read'],
  });
  expect(Date.parse(json.apiKey.expiresAt) - Date.now()).toBeGreaterThan(89 * 86_400_000);
  const whoami = await ask(['getSession', 'GET', '/session'], key(json.secret));
  expect(whoami.json).toMatchObject({
    credential: { type: 'api_key', id: json.apiKey.id, permissions: ['db:read'] },
    organization: { id },
    user: null,
    organizations: [],
  });
  const list = await ask(['listOrganizations', 'GET', '/organizations'], key(json.secret));
  expect(list.json.data.map(({ slug }: { slug: string }) => slug)).toEqual(['acme']);
  const all = await ask(['listOrganizations', 'GET', '/organizations'], session);
  expect(all.json.data.map(({ slug }: { slug: string }) => slug)).toEqual(['default', 'acme']);
  const first = await ask(
    ['getOrganization', 'GET', `/organizations/${all.json.data[0].id}`],
    key(json.secret),
  );
  expect(first).toMatchObject({ status: 404, json: { code: 'organization_not_found' } });
  expect((await ask(['closeSession', 'DELETE', '/session'], session)).status).toBe(204);
  expect((await ask(['getSession', 'GET', '/session'], session)).status).toBe(401);
});

test('a key is rotated with grace, and revoked at once', async () => {
  const { secret, apiKey } = await everything();
  const one: Asked = ['getApiKey', 'GET', `/api-keys/${apiKey.id}`];
  const rotate: Asked = ['rotateApiKey', 'POST', `/api-keys/${apiKey.id}/rotate`];
  const session: Asked = ['getSession', 'GET', '/session'];
  const rotated = await ask(rotate, administrator, { gracePeriodSeconds: 3_600 });
  expect(rotated.json.apiKey).toMatchObject({ rotatedFrom: apiKey.id, status: 'ACTIVE' });
  expect((await ask(session, key(secret))).status).toBe(200);
  expect((await ask(session, key(rotated.json.secret))).status).toBe(200);
  expect((await ask(one, administrator)).json.apiKey.status).toBe('ROTATING');
  expect(await ask(rotate, administrator)).toMatchObject({
    status: 409,
    json: { code: 'api_key_not_active' },
  });
  // An hour passes.
  await alter(
    "UPDATE api_keys SET rotation_ends_at = rotation_ends_at - interval '1 hour' WHERE rotation_ends_at IS NOT NULL",
  );
  await eventually('the grace is over', async () => {
    const answer = await ask(session, key(secret));
    if (answer.status === 200) throw new Error('it still works');
    expect(answer.json.code).toBe('credential_expired');
    return true;
  });
  const revoke: Asked = ['revokeApiKey', 'DELETE', `/api-keys/${rotated.json.apiKey.id}`];
  expect((await ask(revoke, administrator)).status).toBe(204);
  expect(await ask(session, key(rotated.json.secret))).toMatchObject({
    status: 401,
    json: { code: 'invalid_credentials' },
  });
});

test('an organization has no more API keys than its quota, also when they are asked for at once', async () => {
  const session = await openSession();
  const slug = 'many-keys';
  const made = await ask(['createOrganization', 'POST', '/organizations'], session, {
    name: slug,
    slug,
  });
  const own = { ...session, 'x-organization-id': made.json.organization.id };
  const create: Asked = ['createApiKey', 'POST', '/api-keys'];
  const wanted = { name: 'one', permissions: ['db:read'] };
  const { json } = await ask(create, own, wanted);
  // All but three of the others that it may have.
  await alter(`INSERT INTO api_keys (id, organization_id, name, public_id, secret_hash, last_four, permissions, created_by)
    SELECT gen_random_uuid(), organization_id, name, left(md5(n::text), 12), secret_hash, last_four, permissions, created_by
    FROM api_keys, generate_series(1, ${apiKeysMax - 4}) AS n WHERE public_id = '${json.apiKey.prefix.slice(apiKeyPrefix.length)}'`);
  const answers = await Promise.all(Array.from({ length: 10 }, () => ask(create, own, wanted)));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(3);
  for (const { json: problem } of answers.filter(({ status }) => status !== 201)) {
    expect(problem).toMatchObject({ status: 403, code: 'quota_exceeded' });
    expect(problem.detail).toContain(String(apiKeysMax));
  }
  // A key can always be replaced, and a revoked one makes room.
  const rotate: Asked = ['rotateApiKey', 'POST', `/api-keys/${json.apiKey.id}/rotate`];
  const rotated = await ask(rotate, own);
  expect(rotated.status).toBe(201);
  expect((await ask(create, own, wanted)).status).toBe(403);
  const revoke: Asked = ['revokeApiKey', 'DELETE', `/api-keys/${rotated.json.apiKey.id}`];
  expect((await ask(revoke, own)).status).toBe(204);
  expect((await ask(create, own, wanted)).status).toBe(201);
});

test('a key works from the addresses of its list only', async () => {
  const here = await makeKey({
    name: 'here',
    permissions: ['db:read'],
    ipAllowList: ['127.0.0.0/8', '::1'],
  });
  const there = await makeKey({
    name: 'there',
    permissions: ['db:read'],
    ipAllowList: ['192.0.2.0/24'],
  });
  const session: Asked = ['getSession', 'GET', '/session'];
  expect((await ask(session, key(here.secret))).status).toBe(200);
  expect((await ask(session, key(there.secret))).status).toBe(401);
  const forged = { ...key(there.secret), 'x-forwarded-for': '192.0.2.7' };
  expect((await ask(session, forged)).status).toBe(401);
});

test('the catalog is the cluster’s, and is read again for nothing while it stays', async () => {
  const { secret } = await everything();
  const answer = await ask(['getCreateCatalog', 'GET', '/catalog/create'], key(secret));
  expect(answer.json.defaults.provider).toBe('local');
  expect(answer.headers.get('cache-control')).toBe('private, max-age=60');
  const etag = answer.headers.get('etag') ?? '';
  const again = await ask(['getCreateCatalog', 'GET', '/catalog/create'], {
    ...key(secret),
    'if-none-match': etag,
  });
  expect(again.status).toBe(304);
});

/** Keeps Kubernetes from removing the database's resource until the returned function is called. */
async function holdDeletion(databaseId: string): Promise<() => Promise<void>> {
  const all = await world.kube.list<Database>(resources.database);
  const held = all.find(({ metadata }) => metadata.labels?.[labels.databaseId] === databaseId);
  const { name = '', namespace } = held?.metadata ?? {};
  const finalizers = (...held: readonly string[]) =>
    world.kube.apply(
      resources.database,
      {
        apiVersion: 'ledgerhouse.dev/v1alpha1',
        kind: 'LedgerDatabase',
        metadata: { name, ...(namespace !== undefined && { namespace }), finalizers: [...held] },
      },
      { fieldManager: 'holds-deletion', force: false },
    );
  await finalizers('test.ledgerhouse.dev/held');
  return async () => void (await finalizers());
}

test('a database is made, read, kept from deletion, deleted and restored', async () => {
  const { secret } = await everything();
  const me = key(secret);
  const name = 'payments';
  const dry = await ask(['createDatabase', 'POST', '/databases?dryRun=true'], me, { name });
  expect(dry).toMatchObject({ status: 200, json: { dryRun: true, plan: { name } } });
  const once = { ...me, 'idempotency-key': 'create-payments' };
  const made = await ask(['createDatabase', 'POST', '/databases'], once, { name });
  expect(made).toMatchObject({
    status: 202,
    json: { provisioning: { status: 'QUEUED', started: true } },
  });
  const { id } = made.json.database;
  expect(made.headers.get('location')).toBe(`/api/v1/databases/${id}`);
  expect(made.headers.get('link')).toBe(`</api/v1/jobs/${made.json.job.id}>; rel="monitor"`);
  const replay = await ask(['createDatabase', 'POST', '/databases'], once, { name });
  expect(replay).toMatchObject({ status: 202, json: { database: { id } } });
  expect(
    await ask(['createDatabase', 'POST', '/databases'], once, { name: 'other' }),
  ).toMatchObject({ status: 422, json: { code: 'idempotency_key_reused' } });
  expect(await ask(['createDatabase', 'POST', '/databases'], me, { name })).toMatchObject({
    status: 409,
    json: { code: 'database_name_taken', existingDatabaseId: id },
  });
  expect(
    await ask(['createDatabase', 'POST', '/databases?dryRun=true'], me, { name }),
  ).toMatchObject({ status: 409, json: { code: 'database_name_taken', existingDatabaseId: id } });
  const tooEarly = await ask(
    ['queryAccounts', 'POST', `/databases/${id}/tb/query_accounts`],
    me,
    {},
  );
  expect([200, 409, 503]).toContain(tooEarly.status);

  const job = await untilJobEnded(made.json.job.id, me);
  expect(job).toMatchObject({ status: 'SUCCEEDED', progress: { percent: 100 } });
  const one: Asked = ['getDatabase', 'GET', `/databases/${id}`];
  const ready = await ask(one, me);
  expect(ready.json).toMatchObject({
    database: { status: 'READY', name, createdBy: { type: 'api_key', display: 'all' } },
    profile: { status: 'READY', revision: 1, active: true },
  });
  const list = await ask(['listDatabases', 'GET', `/databases?name=${name}&status=READY`], me);
  expect(list.json.data.map((row: { id: string }) => row.id)).toEqual([id]);

  // News of its health may come between reading and changing it.
  const { protect, etag } = await eventually('it is changed as it was read', async () => {
    const seen = (await ask(one, me)).headers.get('etag') ?? '';
    const changed = await ask(
      ['updateDatabase', 'PATCH', `/databases/${id}`],
      { ...me, 'if-match': seen },
      { deletionProtection: true, labels: { team: 'a' } },
    );
    return changed.status === 200 ? { protect: changed, etag: seen } : undefined;
  });
  expect(protect.json.database).toMatchObject({ deletionProtection: true, labels: { team: 'a' } });
  const stale = await ask(
    ['updateDatabase', 'PATCH', `/databases/${id}`],
    { ...me, 'if-match': etag },
    { labels: {} },
  );
  expect(stale).toMatchObject({ status: 412, json: { code: 'precondition_failed' } });
  const remove: Asked = ['deleteDatabase', 'DELETE', `/databases/${id}`];
  expect(await ask(remove, me)).toMatchObject({
    status: 409,
    json: { code: 'deletion_protected' },
  });
  await ask(['updateDatabase', 'PATCH', `/databases/${id}`], me, { deletionProtection: false });
  // Keeps the deletion under way until released, even if the operator is quick.
  const letGo = await holdDeletion(id);
  const deleting = await ask(remove, me);
  expect(deleting).toMatchObject({ status: 202, json: { database: { status: 'DELETING' } } });
  expect(deleting.json.database.purgeAt).not.toBeNull();
  expect(await ask(remove, me)).toMatchObject({
    status: 202,
    json: { job: { id: deleting.json.job.id } },
  });
  const late = await ask(['queryAccounts', 'POST', `/databases/${id}/tb/query_accounts`], me, {});
  expect(late).toMatchObject({ status: 409, json: { code: 'database_not_ready' } });
  await letGo();
  expect(await untilJobEnded(deleting.json.job.id, me)).toMatchObject({ status: 'SUCCEEDED' });
  const gone = (await ask(one, me)).json.database;
  expect(gone).toMatchObject({ status: 'DELETED' });
  const detail = `${name} (${id}) is deleted; it can be restored until ${gone.purgeAt}.`;
  expect(await ask(remove, me)).toMatchObject({
    status: 404,
    json: { code: 'database_not_found', detail },
  });
  const hidden = await ask(['listDatabases', 'GET', '/databases'], me);
  expect(JSON.stringify(hidden.json)).not.toContain(id);
  const kept = await ask(['listDatabases', 'GET', '/databases?includeDeleted=true'], me);
  expect(kept.json.data).toMatchObject([{ id, status: 'DELETED' }]);

  const restored = await ask(['restoreDatabase', 'POST', `/databases/${id}/restore`], me, {});
  expect(restored.status).toBe(202);
  expect(await untilJobEnded(restored.json.job.id, me)).toMatchObject({ status: 'SUCCEEDED' });
  expect((await ask(one, me)).json.database.status).toBe('READY');
  const jobs = await ask(['listDatabaseJobs', 'GET', `/databases/${id}/jobs`], me);
  expect(jobs.json.data).toHaveLength(3);
  const stream = await ask(['streamJobEvents', 'GET', `/jobs/${restored.json.job.id}/events`], me);
  expect(stream.status).toBe(200);
  // A browser's EventSource sends this when the stream has ended; only a 204 makes it stop.
  const [, last = ''] = /^id: (\d+)$/m.exec(stream.text) ?? [];
  const behind = { ...me, 'last-event-id': String(Number(last) - 1) };
  const events: Asked = ['streamJobEvents', 'GET', `/jobs/${restored.json.job.id}/events`];
  expect((await ask(events, behind)).text).toContain(`id: ${last}\n`);
  expect((await ask(events, { ...me, 'last-event-id': last })).status).toBe(204);

  administrator ??= await openSession();
  const audit = await ask(
    ['listAuditEvents', 'GET', `/audit-events?targetId=${id}`],
    administrator,
  );
  const types = audit.json.data.map(({ type }: { type: string }) => type).reverse();
  expect(types).toEqual(
    expect.arrayContaining(['database.created', 'database.ready', 'database.restored']),
  );
});

test('unknown and incompatible choices are refused with the available ones', async () => {
  const me = key((await everything()).secret);
  const create = (more: object) =>
    ask(['createDatabase', 'POST', '/databases'], me, { name: 'nowhere', ...more });
  for (const [property, value] of Object.entries({
    provider: 'mars',
    region: 'olympus',
    clusterConfiguration: 'ha-9',
    clusterSize: 'lh-7',
    storageTier: 'tape',
    engine: 'Abacus',
  })) {
    const answer = await create({ [property]: value });
    expect(answer).toMatchObject({
      status: 422,
      json: { code: 'catalog_choice_unavailable', errors: [{ pointer: `#/${property}` }] },
    });
  }
  const reason = 'a local volume is lost with its node';
  await world.setCatalog({
    ...catalogSpec(),
    capabilities: [{ tier: 'local-nvme', topology: 'single', available: false, reason }],
  });
  await eventually('the catalog has changed', async () => {
    const { json } = await ask(['getCreateCatalog', 'GET', '/catalog/create'], me);
    expect(json.storageCapabilities).toContainEqual(
      expect.objectContaining({ id: 'local-nvme.single', supported: false, reason }),
    );
    return true;
  });
  const local = await create({ storageTier: 'local-nvme', clusterConfiguration: 'single' });
  expect(local).toMatchObject({ status: 422, json: { code: 'storage_unavailable_for_topology' } });
});

test('organizations see nothing of each other, whatever is asked for', async () => {
  administrator ??= await openSession();
  const other = await ask(['createOrganization', 'POST', '/organizations'], administrator, {
    name: 'Other',
    slug: 'other',
  });
  const theirs = await everything({ 'x-organization-id': other.json.organization.id });
  const mine = key((await everything()).secret);
  const made = await ask(['createDatabase', 'POST', '/databases'], key(theirs.secret), {
    name: 'secret',
  });
  const { id } = made.json.database;
  const { id: jobId } = made.json.job;
  const asked: readonly [Asked, unknown?][] = [
    [['getDatabase', 'GET', `/databases/${id}`]],
    [['updateDatabase', 'PATCH', `/databases/${id}`], { labels: {} }],
    [['deleteDatabase', 'DELETE', `/databases/${id}`]],
    [['restoreDatabase', 'POST', `/databases/${id}/restore`], {}],
    [['queryAccounts', 'POST', `/databases/${id}/tb/query_accounts`], {}],
    [['createAccounts', 'POST', `/databases/${id}/tb/create_accounts`], []],
    [['getJob', 'GET', `/jobs/${jobId}`]],
    [['streamJobEvents', 'GET', `/jobs/${jobId}/events`]],
    [['cancelJob', 'POST', `/jobs/${jobId}/cancel`]],
    [['retryJob', 'POST', `/jobs/${jobId}/retry`]],
  ];
  for (const [request, body] of asked) {
    const answer = await ask(request, mine, body);
    expect({ request, status: answer.status }).toEqual({ request, status: 404 });
  }
  const list = await ask(['listDatabases', 'GET', '/databases?includeDeleted=true'], mine);
  expect(JSON.stringify(list.json)).not.toContain(id);
  const foreign = { ...mine, 'x-organization-id': other.json.organization.id };
  expect(await ask(['listDatabases', 'GET', '/databases'], foreign)).toMatchObject({
    status: 404,
    json: { code: 'organization_not_found' },
  });
  const keys = await ask(['getApiKey', 'GET', `/api-keys/${theirs.apiKey.id}`], administrator);
  expect(keys.status).toBe(404);
  const one = await ask(['createApiKey', 'POST', '/api-keys'], administrator, {
    name: 'x',
    permissions: ['db:read'],
    databaseScope: { type: 'DATABASE', databaseId: id },
  });
  expect(one).toMatchObject({ status: 404, json: { code: 'database_not_found' } });
});

test('a denial is in the audit log', async () => {
  const { secret, apiKey } = await makeKey({ name: 'reader', permissions: ['db:read'] });
  await ask(['createDatabase', 'POST', '/databases'], key(secret), { name: 'denied' });
  await eventually('the denial is written', async () => {
    const { json } = await ask(
      ['listAuditEvents', 'GET', '/audit-events?type=access.denied'],
      administrator,
    );
    expect(json.data).toMatchObject([
      {
        outcome: 'DENIED',
        actor: { id: apiKey.id },
        data: { action: 'createDatabase', code: 'insufficient_scope' },
      },
    ]);
    return true;
  });
});

test('webhook endpoints are made, changed and deleted, and their secret is told once', async () => {
  administrator ??= await openSession();
  const path = '/webhook-endpoints';
  const made = await ask(['createWebhookEndpoint', 'POST', path], administrator, {
    url: 'https://hooks.example.com/x',
  });
  expect(made.json.secret).toMatch(/^whsec_/);
  const one = `${path}/${made.json.webhookEndpoint.id}`;
  const read = await ask(['getWebhookEndpoint', 'GET', one], administrator);
  expect(JSON.stringify(read.json)).not.toContain(made.json.secret);
  const changed = await ask(['updateWebhookEndpoint', 'PATCH', one], administrator, {
    status: 'DISABLED',
  });
  expect(changed.json.webhookEndpoint).toMatchObject({ status: 'DISABLED', version: 2 });
  expect((await ask(['deleteWebhookEndpoint', 'DELETE', one], administrator)).status).toBe(204);
  expect((await ask(['getWebhookEndpoint', 'GET', one], administrator)).status).toBe(404);
});

test('the typed client reads what the API answers', async () => {
  const { secret } = await everything();
  const client = createClient({ baseUrl: url, apiKey: secret });
  const { data, error } = await client.GET('/api/v1/session');
  expect(error).toBeUndefined();
  expect(data?.credential.type).toBe('api_key');
  const missing = await client.GET('/api/v1/databases/{databaseId}', {
    params: { path: { databaseId: 'payments' } },
  });
  expect(missing.error?.code).toBe('database_not_found');
});

test('the document that is served is of this installation and this program', async () => {
  const { json } = await ask(['getOpenapiDocument', 'GET', '/openapi.json'], {});
  expect(json).toMatchObject({ openapi: '3.1.1', info: { version: '0.1.0' } });
  expect(json.servers.map(({ description }: { description: string }) => description)).toEqual([
    'local',
    'development',
    'staging',
    'production',
  ]);
});

test('the process starts while its store is away, says so, and ends when it is told to', async () => {
  const kubeConfigFile = join(folder, 'kubeconfig');
  copyFileSync(world.plane.kubeconfig, kubeConfigFile);
  const child = spawn(process.execPath, ['api/main.ts'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...bareEnvironment,
      KUBECONFIG: kubeConfigFile,
      LEDGERHOUSE_API_DATABASE_URL: 'postgres://nobody:hush@127.0.0.1:1/none',
      LEDGERHOUSE_API_LISTEN: '127.0.0.1:0',
      LEDGERHOUSE_API_HEALTH_LISTEN: '127.0.0.1:0',
      LEDGERHOUSE_API_SIGNING_KEY_FILE: join(folder, 'key'),
    },
  });
  let log = '';
  child.stdout.on('data', (chunk: Buffer) => (log += chunk.toString()));
  // Only then has all arrived that it said.
  const ended = once(child, 'close');
  const line = await eventually('it has started', async () => {
    const started = log.split('\n').find((one) => one.includes('"msg":"started"'));
    if (started === undefined) throw new Error(log);
    return JSON.parse(started) as { port: number; healthPort: number };
  });
  const headers = { 'x-api-key': 'lhk_x' };
  const answer = await fetch(`http://127.0.0.1:${line.port}/api/v1/session`, { headers });
  expect(answer.status).toBe(503);
  expect((await fetch(`http://127.0.0.1:${line.port}/api/v1/openapi.json`)).status).toBe(200);
  expect((await fetch(`http://127.0.0.1:${line.healthPort}/livez`)).status).toBe(200);
  const ready = await fetch(`http://127.0.0.1:${line.healthPort}/readyz`);
  expect(ready.status).toBe(503);
  expect(await ready.text()).toContain('the store is not ready yet');
  child.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
  expect(log).toContain('"msg":"stopped"');
  expect(log).not.toMatch(/hush|kkkkkkkk/);
});

test('credentials that are looked up for ever leave connections of the store to callers that are known', async () => {
  const { secret } = await everything();
  const databases: Asked = ['listDatabases', 'GET', '/databases'];
  expect((await ask(databases, key(secret))).status).toBe(200);
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const elsewhere = new Agent({ connect: { localAddress: '127.0.0.9' } });
  try {
    // From here on, nobody finds the session of a cookie.
    await client.query('BEGIN; LOCK TABLE sessions IN ACCESS EXCLUSIVE MODE');
    let answered = 0;
    const asked = Array.from({ length: 40 }, (_, index) =>
      request(`${url}/api/v1/session`, {
        headers: { cookie: `__Host-session=${String(index).padStart(43, 'x')}` },
        dispatcher: elsewhere,
      }).then(
        ({ body }) => {
          answered += 1;
          return body.dump();
        },
        () => undefined,
      ),
    );
    await eventually('look-ups wait for the table', async () => {
      const { rows } = await client.query<{ waiting: number }>(
        "SELECT count(*)::int AS waiting FROM pg_locks WHERE NOT granted AND relation = 'sessions'::regclass",
      );
      if ((rows[0]?.waiting ?? 0) === 0) throw new Error('none waits yet');
      return true;
    });
    expect((await ask(databases, key(secret))).status).toBe(200);
    expect(answered).toBe(0);
    await elsewhere.destroy();
    await Promise.all(asked);
  } finally {
    await elsewhere.destroy();
    await client.end();
  }
});

test('a store that goes away is a 503 while it is away, and needs no restart to come back', async () => {
  const { secret } = await everything();
  const session: Asked = ['getSession', 'GET', '/session'];
  const databases: Asked = ['listDatabases', 'GET', '/databases'];
  expect((await ask(session, key(secret))).status).toBe(200);
  await postgres.kill();
  const answer = await ask(databases, key(secret));
  expect(answer).toMatchObject({
    status: 503,
    json: { code: 'service_unavailable', retryable: true },
  });
  // A session that is not cached cannot be checked now; it does not count as a wrong credential.
  expect((await ask(session, { cookie: '__Host-session=x' })).status).toBe(503);
  await postgres.start();
  await eventually('it is back', async () => {
    const again = await ask(databases, key(secret));
    if (again.status !== 200) throw new Error(String(again.status));
    return true;
  });
});
