/** Every problem of the contract, provoked over HTTP as a client would: the status, the code, and the details for the client. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { namesInPath, pathParameters } from '../../../api/contract/path-parameters.ts';
import { problems, type ProblemCode } from '../../../api/model/problems.ts';
import { routeEntries, routes, type OperationId } from '../../../api/contract/routes.ts';
import type { RouteSpec } from '../../../api/contract/route.ts';
import type { CreatedDatabase } from '../../../gen/api.ts';
import type { TestEngine } from '../../support/engine/engine.ts';
import { undocumented } from '../../support/api/openapi.ts';
import { TestService, type Headers } from '../../support/api/service.ts';
import { eventually } from '../../support/shell.ts';

const nobody = '01jd8f3zk5e0v9t3m2q6r8w4x9';
let service: TestService;
let engine: TestEngine;
let administrator: Headers;
let me: Headers;
let kept: CreatedDatabase;
const provoked = new Set<string>();

beforeAll(async () => {
  service = await TestService.start({
    settings: { DATABASES_MAX: '3', LEDGER_REQUESTS_PER_SECOND: '20' },
  });
  administrator = await service.administrator();
  me = { 'x-api-key': (await service.makeKey(['db:read', 'db:write'])).secret };
  kept = await service.createDatabase(me, { name: 'kept' });
});
afterAll(() => service?.stop());

interface Sent {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly headers?: Headers;
  readonly body?: unknown;
  /** Body that is sent as it is, instead of as JSON. */
  readonly text?: string;
}

/** Sends one request of an operation, and judges the answer by the document. */
async function ask(operation: OperationId, as: Headers, sent: Sent = {}) {
  const { method, path }: RouteSpec = routes[operation];
  const ids: Readonly<Record<string, string>> = { databaseId: kept.database.id, ...sent.params };
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? '1');
  const body = sent.text ?? (sent.body === undefined ? undefined : JSON.stringify(sent.body));
  const response = await fetch(`${service.url}${filled}${sent.query ?? ''}`, {
    method,
    headers: {
      ...as,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...sent.headers,
    },
    ...(body !== undefined && { body }),
  });
  const text = await response.text();
  const contentType = response.headers.get('content-type');
  const wrong = undocumented(operation, response, text);
  expect({ operation, text, wrong }).toEqual({ operation, text, wrong: [] });
  // Read as tests need it: its shape has been judged by the document.
  // oxlint-disable-next-line typescript/no-explicit-any -- see above
  const json: any = contentType?.includes('json') === true ? JSON.parse(text) : {};
  return { status: response.status, headers: response.headers, json, path: filled };
}

/** The same, where the answer must be this problem, with all that every problem has. */
async function refused(
  code: ProblemCode,
  [operation, as, sent]: readonly [OperationId, Headers, Sent?],
  members: Readonly<Record<string, unknown>> = {},
) {
  const { status, headers, json, path } = await ask(operation, as, sent);
  const { title, retryable } = problems[code];
  expect({ operation, ...json }).toMatchObject({
    code,
    title,
    retryable,
    status: problems[code].status,
    instance: path,
    requestId: headers.get('x-request-id'),
    ...members,
  });
  expect(status).toBe(problems[code].status);
  expect(headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
  expect(json.detail.length).toBeGreaterThan(10);
  if (status === 429 || status === 503) expect(headers.get('retry-after')).toMatch(/^\d+$/);
  provoked.add(code);
  return { headers, json };
}

test('invalid requests: bodies, parameters, credentials', async () => {
  await refused('malformed_json', ['createDatabase', me, { text: '{"name": ' }], { offset: 9 });
  await refused('invalid_parameter', ['listDatabases', me, { query: '?limit=0' }], {
    errors: [{ parameter: 'limit', code: 'below_minimum' }],
  });
  await refused(
    'invalid_parameter',
    ['getSession', me, { headers: { 'x-organization-id': 'acme' } }],
    {
      errors: [{ header: 'X-Organization-Id' }],
    },
  );
  await refused('invalid_cursor', ['listDatabases', me, { query: '?cursor=bm9uZQ' }], {
    errors: [{ parameter: 'cursor' }],
  });
  const two = { ...me, authorization: `Bearer lhk_AbCdEfGhIjKl_${'x'.repeat(38)}` };
  await refused('conflicting_credentials', ['getSession', two]);
  await refused('unsupported_media_type', [
    'createDatabase',
    me,
    { text: 'name=x', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
  ]);
  await refused('payload_too_large', ['createDatabase', me, { text: ' '.repeat(300_000) }], {
    limitBytes: 262_144,
  });
  await refused('validation_failed', ['createDatabase', me, { body: { name: 'X', nmae: 'x' } }], {
    errors: [{ pointer: '#/name' }, { pointer: '#/nmae', code: 'unknown_property' }],
  });
});

test('unknown callers: one answer for all wrong credentials', async () => {
  const none = await refused('authentication_required', ['getSession', {}]);
  expect(none.headers.get('www-authenticate')).toMatch(/^Bearer realm="[a-z]+"$/);
  const revoked = await service.makeKey(['db:read']);
  await ask('revokeApiKey', administrator, { params: { keyId: revoked.apiKey.id } });
  const good = me['x-api-key'] ?? '';
  const wrong = {
    revoked: revoked.secret,
    // An existing key with a wrong secret, whose checksum fails.
    typo: `${good.slice(0, -1)}${good.endsWith('a') ? 'b' : 'a'}`,
    unknown: `lhk_AbCdEfGhIjKl_${'x'.repeat(38)}`,
    noKey: 'hunter2',
  };
  const answers = [];
  for (const secret of Object.values(wrong)) {
    const { json } = await refused('invalid_credentials', ['getSession', { 'x-api-key': secret }]);
    answers.push({ ...json, requestId: '' });
  }
  expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
  const expiring = await service.makeKey(['db:read'], { expiresAt });
  await service.alter(
    `UPDATE api_keys SET expires_at = now() - interval '1 second' WHERE name = 'db:read' AND revoked_at IS NULL`,
  );
  await refused('credential_expired', ['getSession', { 'x-api-key': expiring.secret }]);
});

test('requests without the right', async () => {
  const reader = { 'x-api-key': (await service.makeKey(['db:read'], { name: 'reader' })).secret };
  await refused('insufficient_scope', ['createDatabase', reader, { body: { name: 'mine' } }], {
    requiredPermissions: ['db:write'],
    requiredDatabaseScope: 'ALL',
  });
  const databaseScope = { type: 'DATABASE', databaseId: kept.database.id };
  const scoped = await service.makeKey(['db:read', 'db:write'], { name: 'one', databaseScope });
  await refused(
    'insufficient_scope',
    ['createDatabase', { 'x-api-key': scoped.secret }, { body: { name: 'mine' } }],
    { requiredDatabaseScope: 'ALL' },
  );
  await refused('session_required', ['listApiKeys', me]);
  const { cookie = '' } = administrator;
  await refused('csrf_failed', [
    'createOrganization',
    { cookie },
    { body: { name: 'A', slug: 'acme' } },
  ]);
});

/** Everything that is named in a path, and is not there. */
const named = routeEntries.flatMap(([id, { path, responses }]) => {
  const last = namesInPath(path).at(-1);
  // Whoever asks for a WebSocket without its headers is told that first.
  return last === undefined || 101 in responses ? [] : [[id, last] as const];
});

test.each(named)('%s: a %s that is not there is told as such, a name too', async (id, name) => {
  const { prefix, notFound } = pathParameters[name];
  const route: RouteSpec = routes[id];
  const as = route.access.kind === 'database' ? me : administrator;
  const example = Object.values(route.body?.examples ?? {})[0];
  const sent = example === undefined ? {} : { body: example };
  for (const value of [`${prefix}_${nobody}`, 'payments']) {
    await refused(notFound, [id, as, { ...sent, params: { [name]: value } }]);
  }
});

/** Everything that a database has, and one organization must not see of another. */
const ofDatabases = routeEntries.flatMap(([id, { path, responses }]) =>
  namesInPath(path)[0] === 'databaseId' && !(101 in responses) ? [id] : [],
);

test('nothing of a database is told to another organization', async () => {
  const made = await ask('createOrganization', administrator, {
    body: { name: 'Strangers', slug: 'strangers' },
  });
  const theirs = { ...administrator, 'x-organization-id': made.json.organization.id };
  const answer = await ask('createApiKey', theirs, {
    body: { name: 'strangers', permissions: ['db:read', 'db:write'] },
  });
  const strangers = { 'x-api-key': answer.json.secret };
  expect(ofDatabases.length).toBeGreaterThan(20);
  for (const id of ofDatabases) {
    const route: RouteSpec = routes[id];
    const as = route.access.kind === 'database' ? strangers : theirs;
    const example = Object.values(route.body?.examples ?? {})[0];
    const params = Object.fromEntries(
      namesInPath(route.path)
        .filter((name) => name !== 'databaseId')
        .map((name) => [name, `${pathParameters[name].prefix}_${nobody}`]),
    );
    const { status, json } = await ask(id, as, {
      params,
      ...(example !== undefined && { body: example }),
    });
    expect({ id, status, code: json.code }).toEqual({
      id,
      status: 404,
      code: 'database_not_found',
    });
  }
});

test('backups where the service has no store for them', async () => {
  await refused('backups_not_configured', ['createBackup', me, { body: {} }], {
    detail: expect.stringContaining('backups.store'),
  });
  await refused('backups_not_configured', ['deleteDatabase', me, { query: '?finalBackup=true' }]);
  await refused('backups_not_configured', [
    'createBackupSchedule',
    me,
    { body: { schedule: '0 3 * * *' } },
  ]);
  expect((await ask('listBackups', me)).json).toMatchObject({ data: [], configured: false });
});

test('imports where the service has no store for them', async () => {
  const files = [{ replicaIndex: 0, sizeBytes: 9 }];
  await refused('imports_not_configured', ['createImport', me, { body: { files } }], {
    detail: expect.stringContaining('imports of the chart'),
  });
  const importId = `imp_${nobody}`;
  const body = { name: 'imported', mode: 'import', importId };
  await refused('imports_not_configured', ['createDatabase', me, { body }]);
  for (const wrong of [{ mode: 'import' }, { importId }, { mode: 'new', importId }]) {
    const asked = { name: 'imported', ...wrong };
    await refused('validation_failed', ['createDatabase', me, { body: asked }], {
      errors: [{ pointer: '#/importId' }],
    });
  }
  const catalog = await ask('getCreateCatalog', me);
  expect(catalog.json.import).toMatchObject({ supported: false });
});

test('paths and methods that the service does not have', async () => {
  const answer = await fetch(
    `${service.url}/api/v1/databases/${kept.database.id}/tb/drop_accounts`,
    {
      method: 'POST',
      headers: me,
    },
  );
  expect(answer.status).toBe(404);
  expect(await answer.json()).toMatchObject({
    code: 'unknown_operation',
    allowedOperations: expect.arrayContaining(['create_accounts', 'query_transfers']),
  });
  const nowhere = await fetch(`${service.url}/api/v1/nothing`);
  expect([nowhere.status, await nowhere.json()]).toMatchObject([404, { code: 'not_found' }]);
  const put = await fetch(`${service.url}/api/v1/databases`, { method: 'PUT' });
  expect([put.status, await put.json()]).toMatchObject([405, { code: 'method_not_allowed' }]);
  expect(put.headers.get('allow')).toBe('POST, GET, HEAD');
  for (const code of ['unknown_operation', 'not_found', 'method_not_allowed']) provoked.add(code);
});

test('choices that the catalog does not have', async () => {
  const create = (body: object): [OperationId, Headers, Sent] => [
    'createDatabase',
    me,
    { body: { name: 'elsewhere', ...body } },
  ];
  await refused('catalog_choice_unavailable', create({ clusterSize: 'lh-7' }), {
    errors: [
      { pointer: '#/clusterSize', meta: { allowed: expect.arrayContaining(['lh-5', 'lh-10']) } },
    ],
  });
  await refused('catalog_choice_unavailable', create({ selectedStorageGb: 1_000 }), {
    errors: [{ pointer: '#/selectedStorageGb' }],
  });
  await refused(
    'storage_unavailable_for_topology',
    create({
      storageTier: 'local-nvme',
      clusterConfiguration: 'ha-6',
      engine: 'TigerBeetle',
      clusterSize: 'lh-40',
    }),
    { supportedClusterConfigurations: ['single', 'ha-3'] },
  );
  await refused('catalog_changed', create({ catalogVersion: 'of-yesterday' }));
});

test('names, keys of requests, and versions that others have', async () => {
  const body = { name: 'kept' };
  await refused('database_name_taken', ['createDatabase', me, { body }], {
    existingDatabaseId: kept.database.id,
  });
  const writer = { 'x-api-key': (await service.makeKey(['db:write'])).secret };
  const blind = await refused('database_name_taken', ['createDatabase', writer, { body }]);
  expect(blind.json).not.toHaveProperty('existingDatabaseId');
  await ask('createOrganization', administrator, { body: { name: 'A', slug: 'acme' } });
  await refused('organization_slug_taken', [
    'createOrganization',
    administrator,
    { body: { name: 'B', slug: 'acme' } },
  ]);
  const stale = { 'if-match': 'W/"db_other-1"' };
  await refused('precondition_failed', [
    'updateDatabase',
    me,
    { body: { labels: {} }, headers: stale },
  ]);
  const once = { 'idempotency-key': 'once' };
  const second = { body: { name: 'second' }, headers: once };
  const made = await ask('createDatabase', me, second);
  expect(made.status).toBe(202);
  expect((await ask('createDatabase', me, second)).headers.get('idempotent-replayed')).toBe('true');
  await refused('idempotency_key_reused', [
    'createDatabase',
    me,
    { body: { name: 'third' }, headers: once },
  ]);
  // As it is while another replica works on it.
  await service.alter(
    `UPDATE idempotency_keys SET sealed_answer = NULL, token = gen_random_uuid(), lease_until = now() + interval '1 minute' WHERE key = 'once'`,
  );
  const busy = await refused('idempotency_in_progress', ['createDatabase', me, second]);
  expect(busy.headers.get('retry-after')).toBe('1');
  // As it is once the signing key that encrypted the answer is gone.
  await service.alter(
    `UPDATE idempotency_keys SET sealed_answer = 'sealed with another key, long ago', token = NULL, lease_until = NULL WHERE key = 'once'`,
  );
  await refused('idempotency_answer_lost', ['createDatabase', me, second]);
});

test('jobs and keys whose time has passed', async () => {
  const ended = { params: { jobId: kept.job.id } };
  await refused('not_cancellable', ['cancelJob', me, ended]);
  await refused('not_retryable', ['retryJob', me, ended]);
  const old = await service.makeKey(['db:read'], { name: 'old' });
  const rotate: [OperationId, Headers, Sent] = [
    'rotateApiKey',
    administrator,
    { params: { keyId: old.apiKey.id }, body: {} },
  ];
  expect((await ask(...rotate)).status).toBe(201);
  await refused('api_key_not_active', rotate);
});

const untilReady = (databaseId: string) =>
  eventually('the operator has made the database', async () => {
    const { json } = await ask('getDatabase', me, { params: { databaseId } });
    if (json.database.status !== 'READY') throw new Error(json.database.status);
    return true;
  });

test('deleting and restoring', async () => {
  const one = { params: { databaseId: kept.database.id } };
  await refused('database_not_deleted', ['restoreDatabase', me, { ...one, body: {} }]);
  await ask('updateDatabase', me, { ...one, body: { deletionProtection: true } });
  await refused('deletion_protected', ['deleteDatabase', me, one]);
  await ask('updateDatabase', me, { ...one, body: { deletionProtection: false } });
  const other = await ask('listDatabases', me, { query: '?name=second' });
  const [{ id }] = other.json.data;
  const second = { params: { databaseId: id } };
  // Until the operator has put its finalizer on the resource, the resource goes at once.
  await untilReady(id);
  // Without an operator it stays as it is being deleted.
  await service.stopOperator();
  expect((await ask('deleteDatabase', me, second)).status).toBe(202);
  await refused('operation_in_progress', ['restoreDatabase', me, { ...second, body: {} }]);
  await service.startOperator();
  await eventually('it is deleted', async () => {
    const { json } = await ask('getDatabase', me, second);
    if (json.database.status !== 'DELETED') throw new Error(json.database.status);
    return true;
  });
  await service.alter(
    `UPDATE databases SET purge_at = now() - interval '1 day' WHERE name = 'second'`,
  );
  const purged = await refused('database_purged', ['restoreDatabase', me, { ...second, body: {} }]);
  expect(Date.parse(purged.json.purgedAt)).toBeLessThan(Date.now());
});

test('as many as there may be, and none while the organization is suspended', async () => {
  const names = ['fourth', 'fifth'];
  for (const name of names)
    expect((await ask('createDatabase', me, { body: { name } })).status).toBe(202);
  await refused('quota_exceeded', ['createDatabase', me, { body: { name: 'sixth' } }]);
  await service.alter(`UPDATE organizations SET status = 'SUSPENDED' WHERE slug = 'default'`);
  // A process caches a key for some seconds.
  await eventually('the suspension is known', async () => {
    const { json } = await ask('createDatabase', me, { body: { name: 'sixth' } });
    if (json.code !== 'organization_suspended') throw new Error(json.code);
    return true;
  });
  await refused('organization_suspended', ['createDatabase', me, { body: { name: 'sixth' } }]);
  await service.alter(`UPDATE organizations SET status = 'ACTIVE' WHERE slug = 'default'`);
  await eventually('the end of the suspension is known', async () => {
    const { json } = await ask('createDatabase', me, { body: { name: 'sixth' } });
    if (json.code !== 'quota_exceeded') throw new Error(json.code);
    return true;
  });
});

test('a ledger that is not there yet, is away, or does not answer', async () => {
  const [{ id: databaseId }] = (await ask('listDatabases', me, { query: '?name=fifth' })).json.data;
  // Until the operator has put its finalizer on the resource, the resource would go at once, and the worker say when its data do.
  await untilReady(databaseId);
  await service.stopOperator();
  await ask('deleteDatabase', me, { params: { databaseId } });
  const another = { body: { name: 'young' } };
  // The database's data are kept, and count, until they are purged.
  await refused('quota_exceeded', ['createDatabase', me, another]);
  await service.alter(
    `UPDATE databases SET purge_at = now() - interval '1 day' WHERE name = 'fifth'`,
  );
  const young = await eventually('another may be made', async () => {
    const made = await ask('createDatabase', me, another);
    if (made.status !== 202) throw new Error(made.json.code);
    return made.json.database;
  });
  const early = await refused(
    'database_not_ready',
    ['queryAccounts', me, { params: { databaseId: young.id }, body: {} }],
    { databaseStatus: 'PROVISIONING' },
  );
  expect(early.headers.get('retry-after')).toMatch(/^\d+$/);
  engine = await service.startEngine(kept.database);
  const query = (headers: Headers = {}): [OperationId, Headers, Sent] => [
    'queryAccounts',
    me,
    { body: {}, headers },
  ];
  await eventually('the ledger answers', async () => {
    const { status, json } = await ask(...query());
    if (status !== 200) throw new Error(json.code);
    return true;
  });
  const account = { id: '1', ledger: 1, code: 1 };
  // Writes have a session of their own, which is there from the first one on.
  expect(await ask('createAccounts', me, { body: [account] })).toMatchObject({ status: 200 });
  process.kill(engine.pid, 'SIGSTOP');
  await refused(
    'ledger_timeout',
    ['createAccounts', me, { body: [account], headers: { prefer: 'wait=1' } }],
    { outcome: 'unknown', detail: expect.stringContaining('same ids') },
  );
  process.kill(engine.pid, 'SIGCONT');
  await engine.end('SIGKILL');
  await eventually('it is known to be away', async () => {
    const { json } = await ask(...query({ prefer: 'wait=1' }));
    if (json.code !== 'ledger_unavailable') throw new Error(json.code);
    return true;
  });
  await refused('ledger_unavailable', query({ prefer: 'wait=1' }), { outcome: 'not_executed' });
  await engine.start();
});

test('requests that no ledger would take', async () => {
  const create = (...rows: readonly object[]): [OperationId, Headers, Sent] => [
    'createAccounts',
    me,
    { body: rows },
  ];
  const account = { ledger: 1, code: 1 };
  for (const literal of ['1.5', '1e3', '-1', '340282366920938463463374607431768211456', '"0x1"']) {
    const text = `[{"id":"1","ledger":1,"code":1},{"id":${literal},"ledger":1,"code":1}]`;
    await refused('invalid_integer', ['createAccounts', me, { text }], {
      errors: [{ pointer: '#/1/id' }],
    });
  }
  await refused('invalid_integer', create({ ...account, id: '1', code: 65_536 }), {
    errors: [{ pointer: '#/0/code' }],
  });
  await refused(
    'invalid_filter',
    ['getAccountTransfers', me, { body: { account_id: '1', flags: 0 } }],
    {
      errors: [{ pointer: '#/flags' }],
    },
  );
  await refused('invalid_filter', ['queryAccounts', me, { body: { limit: 8_190 } }]);
  const many = Array.from({ length: 8_190 }, (_, index) => ({ ...account, id: index + 1 }));
  await refused('batch_too_large', create(...many), { maxEventsPerBatch: 8_189 });
  await refused('payload_too_large', ['createAccounts', me, { text: ' '.repeat(9_000_000) }], {
    limitBytes: 8_388_608,
  });
  await refused('not_acceptable', [
    'createAccounts',
    me,
    { body: [{ ...account, id: '1' }], headers: { accept: 'text/html' } },
  ]);
});

test('more than the limit, and when to come again', async () => {
  // As many at once as it takes: on a slow machine fewer of them fall into one second.
  const limited = await eventually('one is refused', async () => {
    const many = await Promise.all(
      Array.from({ length: 80 }, () => ask('queryAccounts', me, { body: {} })),
    );
    return many.find(({ status }) => status === 429);
  });
  expect(limited.json).toMatchObject({
    code: 'rate_limited',
    type: 'https://iana.org/assignments/http-problem-types#quota-exceeded',
    'violated-policies': ['ledger'],
  });
  expect(limited.headers.get('retry-after')).toMatch(/^\d+$/);
  expect(limited.headers.get('ratelimit-policy')).toContain('"ledger"');
  provoked.add('rate_limited');
});

/** The contract's table of problems, and where another suite provokes one of them. */
const contract: Readonly<Record<string, string | undefined>> = {
  malformed_json: undefined,
  invalid_parameter: undefined,
  invalid_cursor: undefined,
  conflicting_credentials: undefined,
  authentication_required: undefined,
  invalid_credentials: undefined,
  credential_expired: undefined,
  billing_required: 'test/integration/api/billing.test.ts',
  insufficient_scope: undefined,
  session_required: undefined,
  csrf_failed: undefined,
  provisioning_not_permitted: 'test/integration/api/organizations.test.ts',
  organization_suspended: undefined,
  organization_not_empty: 'test/integration/api/organizations.test.ts',
  organization_not_deleted: 'test/integration/api/organizations.test.ts',
  quota_exceeded: undefined,
  not_found: undefined,
  database_not_found: undefined,
  job_not_found: undefined,
  backup_not_found: undefined,
  backup_schedule_not_found: undefined,
  backup_schedule_name_taken: 'test/integration/api/backup-schedules.test.ts',
  backups_not_configured: undefined,
  backups_not_supported: 'test/integration/api/backups.test.ts',
  backup_protected: 'test/integration/api/backups.test.ts',
  backup_not_restorable: 'test/integration/api/backups.test.ts',
  backup_not_managed: 'test/integration/api/backups.test.ts',
  moment_unavailable: 'test/integration/api/backups.test.ts',
  import_not_found: undefined,
  imports_not_configured: undefined,
  import_closed: 'test/integration/api/imports.test.ts',
  import_incomplete: 'test/integration/api/imports.test.ts',
  import_not_ready: 'test/integration/api/imports.test.ts',
  import_in_use: 'test/integration/api/imports.test.ts',
  import_files_wrong: 'test/integration/api/imports.test.ts',
  import_part_wrong: 'test/integration/api/imports.test.ts',
  import_does_not_fit: 'test/integration/api/imports.test.ts',
  organization_not_found: undefined,
  api_key_not_found: undefined,
  webhook_endpoint_not_found: undefined,
  webhook_delivery_not_found: 'test/integration/api/webhooks.test.ts',
  webhook_endpoint_disabled: 'test/integration/api/webhooks.test.ts',
  unknown_operation: undefined,
  method_not_allowed: undefined,
  not_acceptable: undefined,
  database_name_taken: undefined,
  database_not_ready: undefined,
  database_not_deleted: undefined,
  deletion_protected: undefined,
  operation_in_progress: undefined,
  idempotency_in_progress: undefined,
  idempotency_answer_lost: undefined,
  not_cancellable: undefined,
  not_retryable: undefined,
  catalog_changed: undefined,
  organization_slug_taken: undefined,
  api_key_not_active: undefined,
  database_purged: undefined,
  precondition_failed: undefined,
  payload_too_large: undefined,
  unsupported_media_type: undefined,
  validation_failed: undefined,
  catalog_choice_unavailable: undefined,
  storage_unavailable_for_topology: undefined,
  idempotency_key_reused: undefined,
  batch_too_large: undefined,
  invalid_integer: undefined,
  invalid_filter: undefined,
  rate_limited: undefined,
  internal_error: 'test/integration/api/http.test.ts',
  gateway_bad_reply: 'test/integration/api/gateway.test.ts',
  ledger_unavailable: undefined,
  ledger_full: 'test/integration/api/full-ledger.test.ts',
  service_unavailable: 'test/integration/api/http-api.test.ts',
  ledger_timeout: undefined,
};

test('every problem of the contract has been provoked', () => {
  const missing = Object.entries(contract).filter(([code, elsewhere]) =>
    elsewhere === undefined
      ? !provoked.has(code)
      : !readFileSync(elsewhere, 'utf8').includes(`'${code}'`),
  );
  expect(missing).toEqual([]);
});
