/**
 * The header Idempotency-Key on every POST: a repeated request is done once and gets the same answer. The requests of the ledger
 * and the events of Stripe have no key, because their records and events have IDs of their own.
 */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { takesIdempotencyKey } from '../../../api/contract/route.ts';
import { routeEntries, routes, type OperationId } from '../../../api/contract/routes.ts';
import type { RouteSpec } from '../../../api/contract/route.ts';
import type { CreatedDatabase } from '../../../gen/api.ts';
import { undocumented } from '../../support/api/openapi.ts';
import { bootstrapToken, TestService, type Headers } from '../../support/api/service.ts';
import { signedEvent, stripeKey, TestStripe, webhookSecret } from '../../support/api/stripe.ts';
import { eventually } from '../../support/shell.ts';

const returnUrl = 'https://ledgerhouse.example.com/billing';

let folder: string;
let stripe: TestStripe;
let service: TestService;
let administrator: Headers;
let me: Headers;
/** A person who is an owner beside others. */
let person: Headers;
let kept: CreatedDatabase;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ledgerhouse-idempotency-'));
  writeFileSync(join(folder, 'stripe'), stripeKey);
  writeFileSync(join(folder, 'hook'), webhookSecret);
  for (const file of ['access-key-id', 'secret-access-key']) writeFileSync(join(folder, file), 'k');
  stripe = await TestStripe.start();
  service = await TestService.start({
    settings: {
      BILLING: 'stripe',
      BACKUPS: 'on',
      // Where nothing listens: no request here needs a part.
      IMPORTS_STORE: 's3://backups',
      IMPORTS_ENDPOINT: 'http://127.0.0.1:1',
      IMPORTS_CREDENTIALS_FOLDER: folder,
      BILLING_CURRENCY: 'EUR',
      BILLING_RETURN_URL: returnUrl,
      // Where nothing listens: deliveries stay pending.
      WEBHOOK_RANGES: '127.0.0.0/8',
      STRIPE_SECRET_KEY_FILE: join(folder, 'stripe'),
      STRIPE_WEBHOOK_SECRET_FILE: join(folder, 'hook'),
      STRIPE_PRICES: 'price_compute,price_storage',
      STRIPE_API_URL: stripe.url,
      MAIL_FOLDER: join(folder, 'mail'),
      MAIL_FROM: 'Ledgerhouse <ledger@example.com>',
      PUBLIC_URL: 'https://ledgerhouse.example.com',
    },
  });
  administrator = await service.administrator();
  me = { 'x-api-key': (await service.makeKey(['db:read', 'db:write'])).secret };
  person = await addPerson('ada', { role: 'owner' });
  await addPerson('bob', { role: 'owner' });
});
afterAll(async () => {
  await service?.stop();
  await stripe?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Adds a person with a session, whose token is the name. Without a role they are a member of no organization. */
async function addPerson(name: string, { role }: { role?: string } = {}): Promise<Headers> {
  const hash = createHash('sha256').update(name).digest();
  await service.alter(
    `WITH made AS (INSERT INTO users (id, email, email_verified, name)
       VALUES (gen_random_uuid(), $1 || '@example.com', true, $1) RETURNING id),
     member AS (INSERT INTO memberships (id, organization_id, user_id, role)
       SELECT gen_random_uuid(), o.id, made.id, $3 FROM made, organizations o
       WHERE o.slug = 'default' AND $3::text IS NOT NULL RETURNING id)
     INSERT INTO sessions (id, kind, user_id, token_hash, csrf_hash, expires_at)
       SELECT gen_random_uuid(), 'browser', made.id, $2, $2, now() + interval '1 hour' FROM made`,
    [name, hash, role ?? null],
  );
  return { cookie: `__Host-session=${name}; __Host-csrf=${name}`, 'x-csrf-token': name };
}

interface Asked {
  readonly as: Headers;
  readonly params?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Another body that the operation takes; `null`: it takes none. */
  readonly other: unknown;
  /** Undoes what the request needed. */
  readonly after?: () => Promise<void>;
}

interface Answered {
  readonly status: number;
  readonly headers: globalThis.Headers;
  readonly text: string;
  // Read as tests need it: its shape has been judged by the document.
  // oxlint-disable-next-line typescript/no-explicit-any -- see above
  readonly json: any;
}

/** Sends a request, and judges the answer by the document. */
async function ask(
  operation: OperationId,
  { as, params = {}, body }: Omit<Asked, 'other' | 'after'>,
  more: Headers = {},
): Promise<Answered> {
  const { method, path }: RouteSpec = routes[operation];
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '');
  const sent = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await fetch(`${service.url}${filled}`, {
    method,
    headers: {
      ...as,
      ...(sent !== undefined && { 'content-type': 'application/json' }),
      ...more,
    },
    ...(sent !== undefined && { body: sent }),
  });
  const text = await response.text();
  const wrong = undocumented(operation, response, text);
  expect({ operation, text, wrong }).toEqual({ operation, text, wrong: [] });
  const { status, headers } = response;
  return { status, headers, text, json: text.startsWith('{') ? JSON.parse(text) : undefined };
}

/** Everything that a request can make: rows by table, and requests to Stripe that change something. */
async function traces(): Promise<Readonly<Record<string, unknown>>> {
  const tables = await service.query(
    `SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`,
  );
  // The worker writes into these when it likes; the events of a request are looked for by its ID.
  const names = tables
    .map(({ name }) => String(name))
    .filter((name) => !workers.has(name) && !/^(?:metric|log)_/.test(name));
  const counts = names.map(
    (name) => `(SELECT count(*)::integer FROM "${name}" ${ofRequests(name)}) AS "${name}"`,
  );
  const [rows] = await service.query(`SELECT ${counts.join(', ')}`);
  // The worker tells Stripe of the use of hours that are over.
  const changes = stripe.recorded.filter(
    ({ method, path }) => method !== 'GET' && path !== '/v1/billing/meter_events',
  );
  return { ...rows, stripe: changes.length };
}

/** A request writes mail to people who are invited, the worker to members: what happened, and a key that expires. */
const ofRequests = (name: string) =>
  name === 'mails'
    ? 'WHERE recipient NOT IN (SELECT email FROM users WHERE email IS NOT NULL)'
    : '';

const workers = new Set([
  'events',
  // By events, of which the worker writes some.
  'running_events',
  'event_positions',
  'namespace_defaults',
  // The first mail to a person makes a row. No POST writes into it.
  'notification_settings',
  'profiles',
  // Each hour that begins makes a row.
  'billing_hours',
  'billing_usage',
  'webhook_deliveries',
  'webhook_attempts',
  'remarkable_requests',
]);

const eventsOf = async (requestId: string) =>
  (await service.query('SELECT type FROM events WHERE request_id = $1', [requestId])).map(
    ({ type }) => type,
  );

async function createDatabase(name: string, more: object = {}): Promise<CreatedDatabase> {
  const { status, json } = await ask('createDatabase', { as: me, body: { name, ...more } });
  expect({ status, json }).toMatchObject({ status: 202 });
  return json;
}

const untilJob = (jobId: string, wanted: string) =>
  eventually(`${jobId} is ${wanted}`, async () => {
    const { json } = await ask('getJob', { as: me, params: { jobId } });
    if (json.job.status !== wanted) throw new Error(JSON.stringify(json.job));
    return true;
  });

let changed: string | undefined;
/** A database that is READY, and whose changes have ended: one that ends makes the next one begin. */
async function restingDatabase(): Promise<string> {
  if (changed === undefined) {
    const { database, job } = await createDatabase('changed');
    await untilJob(job.id, 'SUCCEEDED');
    changed = database.id;
  }
  const params = { databaseId: changed };
  await eventually('no change goes on', async () => {
    const { json } = await ask('listChanges', { as: me, params });
    const statuses = json.data.map(({ status }: { status: string }) => status);
    if (statuses.some((status: string) => status !== 'APPLIED')) throw new Error(statuses.join());
    return true;
  });
  return changed;
}

/** A backup that counts as made. The operator has no store, so that the request for it ends soon. */
async function madeBackup(): Promise<{ readonly databaseId: string; readonly backupId: string }> {
  const params = { databaseId: await restingDatabase() };
  const backup = await eventually('the backup has failed', async () => {
    const { json } = await ask('listBackups', { as: me, params });
    return json.data.find(({ status }: { status: string }) => status === 'FAILED');
  });
  await service.alter(
    `UPDATE backups SET status = 'SUCCEEDED', kubernetes_uid = gen_random_uuid()::text, resource_gone = true`,
  );
  return { ...params, backupId: backup.id };
}

async function waitingJob(name: string): Promise<string> {
  const { job } = await createDatabase(name, { provider: 'elsewhere' });
  await untilJob(job.id, 'WAITING');
  return job.id;
}

const organizationId = async (wanted: string): Promise<string> =>
  (await ask('listOrganizations', { as: administrator })).json.data.find(
    ({ slug }: { slug: string }) => slug === wanted,
  ).id;

const madeKey = async (): Promise<string> =>
  (await service.makeKey(['db:read'], { name: 'rotated' })).apiKey.id;

const madeEndpoint = async (): Promise<string> =>
  (
    await ask('createWebhookEndpoint', {
      as: administrator,
      body: { url: 'https://127.0.0.1:1024/', eventTypes: ['organization.created'] },
    })
  ).json.webhookEndpoint.id;

const streamTo = (url: string) => ({ sink: { type: 'WEBHOOK', url }, after: 'beginning' });

const madeDelivery = async (): Promise<string> =>
  (
    await ask('testWebhookEndpoint', {
      as: administrator,
      params: { endpointId: await madeEndpoint() },
    })
  ).json.webhookDelivery.id;

const invitation = async (email: string) =>
  (
    await ask('createInvitation', {
      as: administrator,
      body: { email, role: 'viewer' },
    })
  ).json;

/** For each POST with a key: a request that succeeds. They run in this order. */
const requests: Partial<Record<OperationId, () => Promise<Asked>>> = {
  openAdministratorSession: async () => ({
    as: {},
    body: { token: bootstrapToken },
    other: { token: ` ${bootstrapToken}` },
  }),
  openCheckout: async () => ({ as: administrator, body: {}, other: { returnUrl } }),
  createOrganization: async () => ({
    as: administrator,
    body: { name: 'Acme', slug: 'acme' },
    other: { name: 'Acme', slug: 'acme-2' },
  }),
  createApiKey: async () => ({
    as: administrator,
    body: { name: 'ci', permissions: ['db:read'] },
    other: { name: 'ci', permissions: ['db:write'] },
  }),
  rotateApiKey: async () => ({
    as: administrator,
    params: { keyId: await madeKey() },
    body: {},
    other: { gracePeriodSeconds: 0 },
  }),
  renewApiKey: async () => ({
    as: administrator,
    params: { keyId: await madeKey() },
    body: {},
    other: { expiresAt: null },
  }),
  createWebhookEndpoint: async () => ({
    as: administrator,
    body: { url: 'https://hooks.example.com/one' },
    other: { url: 'https://hooks.example.com/two' },
  }),
  rotateWebhookSecret: async () => ({
    as: administrator,
    params: { endpointId: await madeEndpoint() },
    body: {},
    other: { gracePeriodSeconds: 0 },
  }),
  testWebhookEndpoint: async () => ({
    as: administrator,
    params: { endpointId: await madeEndpoint() },
    other: null,
  }),
  replayWebhookDelivery: async () => ({
    as: administrator,
    params: { deliveryId: await madeDelivery() },
    other: null,
  }),
  replayWebhookDeliveries: async () => ({
    as: administrator,
    body: { statuses: ['PENDING'] },
    other: { statuses: ['FAILED'] },
  }),
  createInvitation: async () => ({
    as: administrator,
    body: { email: 'eve@example.com', role: 'viewer' },
    other: { email: 'eve@example.com', role: 'developer' },
  }),
  resendInvitation: async () => {
    const { id } = (await invitation('dan@example.com')).invitation;
    await service.alter(
      `UPDATE invitations SET sent_at = sent_at - interval '1 hour' WHERE email = 'dan@example.com'`,
    );
    return { as: administrator, params: { invitationId: id }, other: null };
  },
  acceptInvitation: async () => {
    const { token } = await invitation('cleo@example.com');
    return { as: await addPerson('cleo'), body: { token }, other: { token: `${token}x` } };
  },
  leaveOrganization: async () => {
    await service.alter(
      `INSERT INTO memberships (id, organization_id, user_id, role)
         SELECT gen_random_uuid(), o.id, u.id, 'viewer' FROM organizations o, users u
         WHERE o.slug = 'acme' AND u.name = 'ada'`,
    );
    return { as: person, other: null };
  },
  suspendOrganization: async () => ({
    as: administrator,
    params: { organizationId: await organizationId('acme') },
    body: { reason: 'The contract has ended.' },
    other: { reason: 'The contract will end.' },
  }),
  resumeOrganization: async () => ({
    as: administrator,
    params: { organizationId: await organizationId('acme') },
    other: null,
  }),
  restoreOrganization: async () => {
    const params = { organizationId: await organizationId('acme') };
    expect((await ask('deleteOrganization', { as: administrator, params })).status).toBe(200);
    return { as: administrator, params, other: null };
  },
  createDatabase: async () => ({ as: me, body: { name: 'one' }, other: { name: 'two' } }),
  createConnectionCheck: async () => ({
    as: me,
    params: { databaseId: await restingDatabase() },
    body: { language: 'node' },
    other: { language: 'go' },
  }),
  createSavedQuery: async () => ({
    as: administrator,
    params: { databaseId: await restingDatabase() },
    body: { name: 'Fees', operation: 'query_transfers', filters: { code: '4' } },
    other: { name: 'Fines', operation: 'query_transfers', filters: { code: '5' } },
  }),
  createChange: async () => ({
    as: me,
    params: { databaseId: await restingDatabase() },
    body: { parameters: { limitConnections: '300' } },
    other: { parameters: { limitConnections: '301' } },
  }),
  // One that has begun: a waiting one would leave the worker's traces.
  beginChange: async () => {
    const params = { databaseId: await restingDatabase() };
    const body = { labels: { begun: 'yes' } };
    const { json } = await ask('createChange', { as: me, params, body });
    await restingDatabase();
    return { as: me, params: { ...params, changeId: json.change.id }, other: null };
  },
  createBackup: async () => ({
    as: me,
    params: { databaseId: await restingDatabase() },
    body: { name: 'one' },
    other: { name: 'two' },
  }),
  createBackupSchedule: async () => ({
    as: me,
    params: { databaseId: await restingDatabase() },
    body: { schedule: '0 3 * * *' },
    other: { schedule: '0 4 * * *' },
  }),
  createChangeStream: async () => ({
    as: administrator,
    params: { databaseId: await restingDatabase() },
    body: streamTo('https://127.0.0.1:1024/one'),
    other: streamTo('https://127.0.0.1:1024/two'),
  }),
  rotateChangeStreamSecret: async () => {
    const params = { databaseId: await restingDatabase() };
    const body = streamTo('https://127.0.0.1:1024/');
    const { json } = await ask('createChangeStream', { as: administrator, params, body });
    return {
      as: administrator,
      params: { ...params, streamId: json.changeStream.id },
      body: {},
      other: { gracePeriodSeconds: 0 },
    };
  },
  restoreBackup: async () => ({
    as: me,
    params: await madeBackup(),
    body: { name: 'from-backup' },
    other: { name: 'from-another' },
  }),
  restoreToMoment: async () => {
    const params = { databaseId: await restingDatabase() };
    await service.alter(
      `UPDATE backups SET status = 'SUCCEEDED', kubernetes_uid = gen_random_uuid()::text, resource_gone = true,
         facts = '{"op": 7, "timestamp": "7", "sizeBytes": 1, "storedBytes": 1}'`,
    );
    return {
      as: me,
      params,
      body: { name: 'from-moment', targetOp: 7 },
      other: { name: 'from-another-moment', targetOp: 7 },
    };
  },
  verifyBackup: async () => {
    const params = { databaseId: await restingDatabase() };
    // It would find once a minute that the resource is gone.
    await service.stopWorker();
    await service.alter(`UPDATE backups SET status = 'SUCCEEDED', resource_gone = false`);
    const { json } = await ask('listBackups', { as: me, params });
    const asked = { as: me, params: { ...params, backupId: json.data[0].id }, other: null };
    return { ...asked, after: () => service.startWorker() };
  },
  createImport: async () => ({
    as: me,
    body: { files: [{ replicaIndex: 0, sizeBytes: 9 }] },
    other: { files: [{ replicaIndex: 0, sizeBytes: 10 }] },
  }),
  completeImport: async () => {
    const body = { files: [{ replicaIndex: 0, sizeBytes: 11 }] };
    const { json } = await ask('createImport', { as: me, body });
    // As after an earlier request, whose answer was lost.
    await service.alter(
      `UPDATE imports SET status = 'READY', cluster_id = '7' WHERE status = 'UPLOADING'`,
    );
    return { as: me, params: { importId: json.import.id }, other: null };
  },
  suspendDatabase: async () => ({
    as: me,
    params: { databaseId: await restingDatabase() },
    other: null,
  }),
  resumeDatabase: async () => ({
    as: me,
    params: { databaseId: await restingDatabase() },
    other: null,
  }),
  restoreDatabase: async () => {
    const { database, job } = await createDatabase('restored');
    await untilJob(job.id, 'SUCCEEDED');
    const params = { databaseId: database.id };
    await ask('updateDatabase', { as: me, params, body: { deletionProtection: false } });
    const deleted = await ask('deleteDatabase', { as: me, params });
    await untilJob(deleted.json.job.id, 'SUCCEEDED');
    return { as: me, params, body: {}, other: { name: 'restored-2' } };
  },
  completeJob: async () => ({
    as: administrator,
    params: { jobId: await waitingJob('completed') },
    other: null,
  }),
  refuseJob: async () => ({
    as: administrator,
    params: { jobId: await waitingJob('refused') },
    body: { reason: 'No room.' },
    other: { reason: 'No.' },
  }),
  cancelJob: async () => ({
    as: me,
    params: { jobId: await waitingJob('cancelled') },
    other: null,
  }),
  retryJob: async () => {
    const jobId = await waitingJob('retried');
    await ask('cancelJob', { as: me, params: { jobId } });
    await untilJob(jobId, 'CANCELED');
    await service.alter(
      `UPDATE jobs SET status = 'FAILED', retryable = true, error = '{"code": "deadline_exceeded", "detail": "It took too long."}' WHERE id =
         (SELECT j.id FROM jobs j JOIN databases d ON d.id = j.database_id WHERE d.name = 'retried')`,
    );
    await service.alter(
      `UPDATE databases SET status = 'FAILED', deleted_at = NULL, purge_at = NULL WHERE name = 'retried'`,
    );
    return { as: me, params: { jobId }, other: null };
  },
  restoreInPlace: async () => {
    const { database, job } = await createDatabase('goes-back');
    await untilJob(job.id, 'SUCCEEDED');
    const params = { databaseId: database.id };
    const { json } = await ask('createBackup', { as: me, params, body: {} });
    await untilJob(json.job.id, 'FAILED');
    await service.alter(
      `UPDATE backups SET status = 'SUCCEEDED', kubernetes_uid = gen_random_uuid()::text, resource_gone = true,
         facts = '{"op": 7, "timestamp": "7", "sizeBytes": 1, "storedBytes": 1}' WHERE status = 'FAILED'`,
    );
    // Its job would make a backup first, which the worker notes.
    await service.stopWorker();
    const body = { confirmName: 'goes-back', targetOp: 7 };
    const other = { confirmName: 'goes-back', targetTimestamp: '7' };
    return { as: administrator, params, body, other, after: () => service.startWorker() };
  },
};

test('every POST takes a key, but those whose records have IDs and those that make nothing', () => {
  const posts = routeEntries.filter(([, { method }]) => method === 'POST');
  const keyed = posts.filter(([, route]) => takesIdempotencyKey(route)).map(([id]) => id);
  expect(Object.keys(requests).sort()).toEqual([...keyed].sort());
  const others = posts.filter(([, route]) => !takesIdempotencyKey(route));
  const named = others.filter(([, { path }]) => !path.includes('/tb/')).map(([id]) => id);
  expect(named.sort()).toEqual([
    'previewChange',
    'previewInPlaceRestore',
    'previewRestore',
    'queryMetrics',
    'receiveStripeEvent',
  ]);
});

test.each(Object.entries(requests) as [OperationId, () => Promise<Asked>][])(
  '%s: repeated with its key, it does nothing twice and answers the same',
  async (operation, prepare) => {
    const { other, after, ...asked } = await prepare();
    const key = { 'idempotency-key': `once-${operation}` };
    const first = await ask(operation, asked, key);
    expect([first.text, first.status < 300]).toEqual([first.text, true]);
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    if (operation === 'openCheckout') await payWith(first.json.checkoutUrl);
    const before = await traces();
    const again = await ask(operation, asked, { ...key, 'x-request-id': `again-${operation}` });
    expect([again.status, again.text]).toEqual([first.status, first.text]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    for (const name of ['location', 'link', 'cache-control']) {
      expect([name, again.headers.get(name)]).toEqual([name, first.headers.get(name)]);
    }
    expect(again.headers.getSetCookie()).toEqual(first.headers.getSetCookie());
    if (other !== null) {
      const reused = await ask(operation, { ...asked, body: other }, key);
      expect(reused).toMatchObject({ status: 422, json: { code: 'idempotency_key_reused' } });
    }
    expect(await eventsOf(`again-${operation}`)).toEqual([]);
    expect(await traces()).toEqual(before);
    await after?.();
  },
);

/** Completes the checkout as a person does, and sends the event of Stripe. */
async function payWith(checkoutUrl: string): Promise<void> {
  const [id, checkout] = [...stripe.checkouts].find(([, { url }]) => url === checkoutUrl) ?? [];
  stripe.complete(id ?? '');
  const { payload, signature } = signedEvent({
    id: 'evt_1',
    type: 'checkout.session.completed',
    object: { id, object: 'checkout.session', customer: checkout?.['customer'] },
  });
  const event = { as: { 'stripe-signature': signature }, body: payload };
  expect((await ask('receiveStripeEvent', event)).status).toBe(204);
  const before = await traces();
  expect((await ask('receiveStripeEvent', event)).status).toBe(204);
  expect(await traces()).toEqual(before);
}

test('a secret that is shown once is in no row of the store, but for its hash and in encrypted form', async () => {
  const asked = { as: administrator, body: { name: 'secret', permissions: ['db:read'] } };
  const { json } = await ask('createApiKey', asked, { 'idempotency-key': 'secret' });
  const tail = json.secret.slice(-30);
  const rows = await service.query('SELECT row_to_json(k)::text AS text FROM idempotency_keys k');
  expect(rows.length).toBeGreaterThan(10);
  for (const { text } of rows) {
    expect(text).not.toContain(tail);
    expect(text).not.toContain(Buffer.from(tail).toString('hex'));
  }
});

test('ten identical requests at once are executed once and make one key', async () => {
  const asked = { as: administrator, body: { name: 'ten-at-once', permissions: ['db:read'] } };
  const key = { 'idempotency-key': 'ten-at-once' };
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => ask('createApiKey', asked, key)),
  );
  for (const { status, json } of answers) {
    if (status === 201) continue;
    expect({ status, json }).toMatchObject({
      status: 409,
      json: { code: 'idempotency_in_progress' },
    });
  }
  const replay = await ask('createApiKey', asked, key);
  const secrets = answers.flatMap(({ json }) => (json.secret === undefined ? [] : [json.secret]));
  expect(secrets.length).toBeGreaterThan(0);
  expect(new Set([...secrets, replay.json.secret]).size).toBe(1);
  const [made] = await service.query(
    `SELECT count(*)::integer AS count FROM api_keys WHERE name = 'ten-at-once'`,
  );
  expect(made?.['count']).toBe(1);
});

test('a refused request leaves its key free, and the caller of another credential has keys of their own', async () => {
  const key = { 'idempotency-key': 'free' };
  const wrong = { name: 'free', slug: 'acme' };
  const body = { name: 'free', slug: 'free' };
  expect((await ask('createOrganization', { as: administrator, body: wrong }, key)).status).toBe(
    409,
  );
  const first = await ask('createOrganization', { as: administrator, body }, key);
  expect(first.status).toBe(201);
  const other = await service.openSession();
  const taken = await ask('createOrganization', { as: other, body }, key);
  expect(taken).toMatchObject({ status: 409, json: { code: 'organization_slug_taken' } });
});

test('the wrong bootstrap token gets no session of the right one by its key', async () => {
  const key = { 'idempotency-key': 'once-openAdministratorSession' };
  const wrong = { as: {}, body: { token: `${bootstrapToken}x` } };
  expect((await ask('openAdministratorSession', wrong, key)).status).toBe(401);
});

const ledger = routeEntries.filter(([, { path }]) => path.includes('/tb/')).map(([id]) => id);

test('requests of the ledger do nothing twice without a key, because records have IDs', async () => {
  const made = await createDatabase('ledger');
  await untilJob(made.job.id, 'SUCCEEDED');
  kept = made;
  await service.startEngine(kept.database);
  const account = (id: string) => ({ id, ledger: 1, code: 1 });
  const transfer = { id: '7', debit_account_id: '1', credit_account_id: '2', amount: '5' };
  const bodies: Partial<Record<OperationId, unknown>> = {
    createAccounts: [account('1'), account('2')],
    createTransfers: [{ ...transfer, ledger: 1, code: 1 }],
    lookupAccounts: ['1', '2'],
    lookupTransfers: ['7'],
    getAccountTransfers: { account_id: '1' },
    getAccountBalances: { account_id: '1' },
    queryAccounts: {},
    queryTransfers: {},
  };
  expect(Object.keys(bodies).sort()).toEqual([...ledger].sort());
  const params = { databaseId: kept.database.id };
  const send = (operation: OperationId) =>
    ask(operation, { as: me, params, body: bodies[operation] });
  await eventually('the ledger answers', async () => {
    if ((await send('queryAccounts')).status !== 200) throw new Error('not yet');
    return true;
  });
  const state = async () => {
    const answers = [await send('queryAccounts'), await send('queryTransfers')];
    return answers.map(({ json }) => ({ ...json, execution: undefined }));
  };
  for (const operation of Object.keys(bodies) as OperationId[]) {
    const first = await send(operation);
    expect([operation, first.status, first.text]).toEqual([operation, 200, first.text]);
    const before = await state();
    expect((await send(operation)).status).toBe(200);
    expect([operation, await state()]).toEqual([operation, before]);
  }
});
