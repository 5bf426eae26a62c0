/**
 * Billing by Stripe: two replicas of the API and of the worker over one PostgreSQL, a real control plane with the real operator, stripe-mock to
 * judge requests to Stripe, and events signed by Stripe's own library. The tests' titles name the faults.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, jest, test } from '@jest/globals';
import { sql } from 'kysely';
import { startApi, type Api } from '../../../api/api.ts';
import { startWorker, type WorkerProcess } from '../../../api/worker.ts';
import { closeAccounts } from '../../../api/billing/closing.ts';
import { meterDueHours, meterNextHour } from '../../../api/billing/metering.ts';
import { shareOf } from '../../../api/billing/money.ts';
import { sendUsage } from '../../../api/billing/sending.ts';
import { tellSpending } from '../../../api/billing/spend-limits.ts';
import { StripeClient } from '../../../api/billing/stripe.ts';
import { readConfig } from '../../../api/config.ts';
import { purgeOrganizations } from '../../../api/organizations/purge.ts';
import type { OperationId } from '../../../api/contract/routes.ts';
import { systemAuthor } from '../../../api/model/actor.ts';
import { findBillingAccount, writeStanding } from '../../../api/store/billing-accounts.ts';
import { claimUnsentUsage, countStuckUsage, writeUsage } from '../../../api/store/billing-usage.ts';
import { listEvents } from '../../../api/store/events.ts';
import { uuidOf } from '../../../api/store/ids.ts';
import { findOrganization } from '../../../api/store/organizations.ts';
import { endSavedCreate, SavedCreateEnded } from '../../../api/store/saved-creates.ts';
import { Store } from '../../../api/store/store.ts';
import { undocumented } from '../../support/api/openapi.ts';
import { startOperatorWorld, type OperatorWorld } from '../../support/operator/operator-world.ts';
import { TestPostgres } from '../../support/api/postgres.ts';
import { eventually } from '../../support/shell.ts';
import { makeDatabase, patient, silent, tester } from '../../support/api/store.ts';
import { signedEvent, stripeKey, TestStripe, webhookSecret } from '../../support/api/stripe.ts';
import { startTestOperator, type TestOperator } from '../../support/operator/test-operator.ts';

const bootstrapToken = 'lhb_0123456789abcdefghij';
const returnUrl = 'https://ledgerhouse.example.com/billing';
const hourMs = 3_600_000;
const minuteMs = 60_000;

let folder: string;
let postgres: TestPostgres;
let world: OperatorWorld;
let operator: TestOperator;
let stripe: TestStripe;
let store: Store;
let apis: readonly [Api, Api];
let workers: readonly [WorkerProcess, WorkerProcess];
let administrator: Readonly<Record<string, string>>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ledgerhouse-billing-'));
  const files = {
    token: bootstrapToken,
    key: 'k'.repeat(48),
    stripe: stripeKey,
    hook: webhookSecret,
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  [postgres, world, stripe] = await Promise.all([
    TestPostgres.create(),
    startOperatorWorld(),
    TestStripe.start(),
  ]);
  operator = await startTestOperator({ kubeConfig: world.kubeConfig });
  const url = await postgres.createDatabase();
  apis = await Promise.all([startApi(options(url)), startApi(options(url))]);
  const workerOptions = (identity: string) => {
    const { config, ...rest } = options(url);
    return { config: { ...config, identity }, ...rest };
  };
  workers = await Promise.all([startWorker(workerOptions('a')), startWorker(workerOptions('b'))]);
  store = new Store({ logger: silent, ...patient, url });
  await store.start();
  for (const api of apis) {
    await api.storeReady;
    await eventually('the catalog is there', async () => {
      const { status } = await fetch(`http://127.0.0.1:${api.healthPort}/readyz`);
      if (status !== 200) throw new Error('not ready');
      return true;
    });
  }
  administrator = await openSession();
});
afterAll(async () => {
  await Promise.all([...(apis ?? []), ...(workers ?? [])].map((one) => one.stop(5_000)));
  await store?.close();
  await operator?.stop();
  await world?.stop();
  await stripe?.stop();
  await postgres?.remove();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => {
  stripe.trouble = 'none';
  stripe.refusesUsage = false;
});

/** What stays real while the machine's clock is wrong. */
const allButDates = [
  'hrtime',
  'nextTick',
  'performance',
  'queueMicrotask',
  'setImmediate',
  'clearImmediate',
  'setInterval',
  'clearInterval',
  'setTimeout',
  'clearTimeout',
] as const;

const options = (url: string) => ({
  kubeConfig: world.kubeConfig,
  logger: silent,
  config: readConfig({
    LEDGERHOUSE_API_DATABASE_URL: url,
    LEDGERHOUSE_API_LISTEN: '127.0.0.1:0',
    LEDGERHOUSE_API_HEALTH_LISTEN: '127.0.0.1:0',
    LEDGERHOUSE_API_SIGNING_KEY_FILE: join(folder, 'key'),
    LEDGERHOUSE_API_BOOTSTRAP_TOKEN_FILE: join(folder, 'token'),
    LEDGERHOUSE_API_BILLING: 'stripe',
    LEDGERHOUSE_API_BILLING_CURRENCY: 'EUR',
    LEDGERHOUSE_API_BILLING_RETURN_URL: returnUrl,
    LEDGERHOUSE_API_STRIPE_SECRET_KEY_FILE: join(folder, 'stripe'),
    LEDGERHOUSE_API_STRIPE_WEBHOOK_SECRET_FILE: join(folder, 'hook'),
    LEDGERHOUSE_API_STRIPE_PRICES: 'price_compute,price_storage',
    LEDGERHOUSE_API_STRIPE_API_URL: stripe.url,
  }),
});

type Headers = Readonly<Record<string, string>>;
type Asked = readonly [operation: OperationId, method: string, path: string];
interface Answered {
  readonly status: number;
  readonly cookies: readonly string[];
  // Read as tests need it: its shape has been judged by the document.
  // oxlint-disable-next-line typescript/no-explicit-any -- see above
  readonly json: any;
  readonly etag: string;
}

/** Sends a request to one of the replicas, and judges the answer by the document. */
async function ask(
  [operation, method, path]: Asked,
  headers: Headers,
  body?: unknown,
  replica: 0 | 1 = 0,
): Promise<Answered> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await fetch(`http://127.0.0.1:${apis[replica].port}/api/v1${path}`, {
    method,
    headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: text }),
  });
  const answered = await response.text();
  const wrong = undocumented(operation, response, answered);
  expect({ operation, answered, wrong }).toEqual({ operation, answered, wrong: [] });
  const json = answered === '' ? undefined : JSON.parse(answered);
  return {
    status: response.status,
    cookies: response.headers.getSetCookie(),
    json,
    etag: response.headers.get('etag') ?? '',
  };
}

async function openSession(): Promise<Headers> {
  const { json, cookies } = await ask(
    ['openAdministratorSession', 'POST', '/session/administrator'],
    {},
    { token: bootstrapToken },
  );
  return {
    cookie: cookies.map((cookie) => cookie.split(';')[0]).join('; '),
    'x-csrf-token': json.csrfToken,
  };
}

interface Tenant {
  readonly id: string;
  readonly headers: Headers;
  readonly namespace: string;
}

/** An organization of the test's own. */
async function tenant(slug: string): Promise<Tenant> {
  const { json } = await ask(['createOrganization', 'POST', '/organizations'], administrator, {
    name: slug,
    slug,
  });
  const { id, namespace } = json.organization;
  return { id, namespace, headers: { ...administrator, 'x-organization-id': id } };
}

const create = ({ headers }: Tenant, name: string, replica: 0 | 1 = 0) =>
  ask(['createDatabase', 'POST', '/databases'], headers, { name }, replica);
const billingOf = async ({ headers }: Tenant) =>
  (await ask(['getBilling', 'GET', '/billing'], headers)).json.billing;
const databasesOf = async ({ headers }: Tenant) =>
  (await ask(['listDatabases', 'GET', '/databases'], headers)).json.data;
const customerOf = async ({ id }: Tenant) =>
  (await findBillingAccount(store.read, id))?.customerId ?? '';

async function told({ id }: Tenant): Promise<readonly string[]> {
  const { rows } = await listEvents(store.read, id, {}, { limit: 100 });
  return rows
    .map(({ type }) => type)
    .filter((type) => type.startsWith('billing.'))
    .reverse();
}

/** Sends an event as Stripe does. */
function send(signed: ReturnType<typeof signedEvent>, replica: 0 | 1 = 0): Promise<Answered> {
  const headers = { 'stripe-signature': signed.signature };
  return ask(
    ['receiveStripeEvent', 'POST', '/billing/stripe-events'],
    headers,
    signed.payload,
    replica,
  );
}

let events = 0;
function eventOf(type: string, object: Record<string, unknown>) {
  events += 1;
  return signedEvent({ id: `evt_${events}`, type, object });
}

const completed = (organization: Tenant, session: string, customer: string) =>
  eventOf('checkout.session.completed', {
    id: session,
    object: 'checkout.session',
    customer,
    client_reference_id: organization.id,
  });

const newClient = () =>
  new StripeClient({
    kind: 'stripe',
    secretKey: stripeKey,
    webhookSecret,
    apiUrl: stripe.url,
    currency: 'EUR',
    prices: ['price_compute'],
    returnUrl,
  });

/** Completes the organization's checkout. */
async function setUp(organization: Tenant): Promise<void> {
  const { json } = await create(organization, 'first');
  const { sessionId } = json.billing;
  stripe.complete(sessionId);
  const answer = await send(completed(organization, sessionId, await customerOf(organization)));
  expect(answer.status).toBe(204);
}

const untilReady = (organization: Tenant, name: string) =>
  eventually(`${name} is ready`, async () => {
    const rows: { name: string; status: string; id: string }[] = await databasesOf(organization);
    const found = rows.find((row) => row.name === name);
    if (found?.status !== 'READY') throw new Error(JSON.stringify(rows));
    return found;
  });

test('a create without billing answers 402 with a checkout, and is made after the signed event, once', async () => {
  const acme = await tenant('acme');
  expect(await billingOf(acme)).toMatchObject({
    provider: 'stripe',
    status: 'SETUP_REQUIRED',
    paymentMethod: null,
    savedCreates: [],
  });
  const refused = await create(acme, 'payments');
  expect(refused).toMatchObject({
    status: 402,
    json: {
      code: 'billing_required',
      success: false,
      billing: { reason: 'NO_PAYMENT_METHOD', draftId: expect.stringMatching(/^drf_/) },
      provisioning: { status: 'BLOCKED_BY_BILLING', started: false },
    },
  });
  const { checkoutUrl, sessionId } = refused.json.billing;
  expect(checkoutUrl).toBe(`https://checkout.stripe.com/c/pay/${sessionId}`);
  // Asked for again, at the other replica: the same checkout, and one database.
  const again = await create(acme, 'payments', 1);
  expect(again.json.billing).toMatchObject({ sessionId, draftId: refused.json.billing.draftId });
  const [opened] = stripe.asked('POST', '/v1/checkout/sessions');
  expect(opened).toMatchObject({
    form: { mode: 'setup', currency: 'eur', client_reference_id: acme.id },
    idempotencyKey: expect.stringContaining(acme.id),
  });
  expect(await billingOf(acme)).toMatchObject({
    savedCreates: [{ name: 'payments', status: 'WAITING', databaseId: null }],
  });
  expect(await databasesOf(acme)).toEqual([]);

  stripe.complete(sessionId);
  const event = completed(acme, sessionId, await customerOf(acme));
  const answers = await Promise.all([send(event, 0), send(event, 1), send(event, 1)]);
  for (const { status } of answers) expect([204, 503]).toContain(status);
  expect((await send(event)).status).toBe(204);

  const { id } = await untilReady(acme, 'payments');
  expect(await databasesOf(acme)).toHaveLength(1);
  expect(await billingOf(acme)).toMatchObject({
    status: 'READY',
    paymentMethod: { brand: 'visa', last4: '4242' },
    savedCreates: [{ name: 'payments', status: 'CREATED', databaseId: id }],
  });
  expect(await told(acme)).toEqual([
    'billing.setup_required',
    'billing.setup_required',
    'billing.setup_completed',
  ]);
  expect(stripe.subscriptions.size).toBe(1);
  // From now on nobody asks Stripe.
  stripe.trouble = 'away';
  expect((await create(acme, 'second')).status).toBe(202);
});

test('a dry run keeps nothing, and tells nobody', async () => {
  const dry = await tenant('dry');
  const customers = stripe.customers.size;
  const answer = await ask(['createDatabase', 'POST', '/databases?dryRun=true'], dry.headers, {
    name: 'payments',
  });
  expect(answer).toMatchObject({
    status: 200,
    json: { dryRun: true, billing: { ready: false, reason: 'NO_PAYMENT_METHOD' } },
  });
  expect(stripe.customers.size).toBe(customers);
  expect(await billingOf(dry)).toMatchObject({ savedCreates: [] });
  expect(await told(dry)).toEqual([]);
});

test('a message without a recent signature of Stripe changes nothing', async () => {
  const forged = await tenant('forged');
  const { json } = await create(forged, 'payments');
  const { sessionId } = json.billing;
  stripe.complete(sessionId);
  const object = {
    id: sessionId,
    object: 'checkout.session',
    customer: await customerOf(forged),
    client_reference_id: forged.id,
  };
  const event = { id: 'evt_forged', type: 'checkout.session.completed', object };
  const refused = { status: 401, json: { code: 'invalid_credentials' } };
  expect(await send(signedEvent(event, { secret: 'whsec_another' }))).toMatchObject(refused);
  expect(await send(signedEvent(event, { secondsAgo: 301 }))).toMatchObject(refused);
  const good = signedEvent(event);
  const changed = { ...good, payload: good.payload.replace(forged.id, 'org_x') };
  expect(await send(changed)).toMatchObject(refused);
  const route: Asked = ['receiveStripeEvent', 'POST', '/billing/stripe-events'];
  expect(await ask(route, {}, good.payload)).toMatchObject(refused);
  expect(await billingOf(forged)).toMatchObject({ status: 'SETUP_REQUIRED' });
  // The event is signed, but its customer is unknown.
  const stranger = eventOf('invoice.paid', { object: 'invoice', customer: 'cus_stranger' });
  expect((await send(stranger)).status).toBe(204);
});

test('the event that comes before the create is saved, or before the checkout is written down, is not lost', async () => {
  const hasty = await tenant('hasty');
  const { json } = await ask(['openCheckout', 'POST', '/billing/checkout'], hasty.headers, {});
  const sessionId = json.checkoutUrl.split('/').at(-1);
  const customer = await customerOf(hasty);
  // As if the process had died between Stripe's answers and recording them.
  await store.read
    .updateTable('billingAccounts')
    .set({ customerId: null, checkoutId: null, checkoutUrl: null, checkoutExpiresAt: null })
    .where('organizationId', '=', uuidOf(hasty.id))
    .execute();
  stripe.complete(sessionId);
  expect((await send(completed(hasty, sessionId, customer))).status).toBe(204);
  expect(await billingOf(hasty)).toMatchObject({ status: 'READY' });
  expect((await create(hasty, 'payments')).status).toBe(202);
});

test('a checkout that was gone through with counts, though the event is lost', async () => {
  const silentOne = await tenant('silent');
  const { json } = await create(silentOne, 'payments');
  stripe.complete(json.billing.sessionId);
  const made = await create(silentOne, 'payments');
  expect(made.status).toBe(202);
  expect(await told(silentOne)).toEqual(['billing.setup_required', 'billing.setup_completed']);
  // The second attempt made the create that was saved at the first one.
  expect(await billingOf(silentOne)).toMatchObject({
    savedCreates: [{ status: 'CREATED', databaseId: made.json.database.id }],
  });
});

test('Stripe is away, or loses its answers: 503, nothing half done, and nothing twice', async () => {
  const patientOne = await tenant('patient');
  const away = { status: 503, json: { code: 'service_unavailable', retryable: true } };
  stripe.trouble = 'away';
  expect(await create(patientOne, 'payments')).toMatchObject(away);
  expect(await billingOf(patientOne)).toMatchObject({ savedCreates: [] });
  expect(await told(patientOne)).toEqual([]);
  const customers = stripe.customers.size;
  stripe.trouble = 'loses the answer';
  expect(await create(patientOne, 'payments')).toMatchObject(away);
  stripe.trouble = 'hangs';
  // The answer comes while Stripe hangs.
  const began = Date.now();
  expect(await create(patientOne, 'payments')).toMatchObject(away);
  const seconds = Math.round((Date.now() - began) / 1_000);
  process.stderr.write(`figure: a create is answered after ${seconds} s though Stripe hangs\n`);
  stripe.trouble = 'none';
  const refused = await create(patientOne, 'payments');
  expect(refused.status).toBe(402);
  expect(stripe.customers.size).toBe(customers + 1);
  // The event comes while Stripe cannot be asked: it comes again.
  stripe.complete(refused.json.billing.sessionId);
  const event = completed(patientOne, refused.json.billing.sessionId, await customerOf(patientOne));
  stripe.trouble = 'away';
  expect(await send(event)).toMatchObject(away);
  expect(await billingOf(patientOne)).toMatchObject({ status: 'SETUP_REQUIRED' });
  stripe.trouble = 'none';
  expect((await send(event)).status).toBe(204);
  await untilReady(patientOne, 'payments');
});

test('a process that dies over a saved create leaves it to another, and one that was held up makes no second', async () => {
  const orphan = await tenant('orphan');
  const { json } = await create(orphan, 'payments');
  const lease = (leaseUntil: Date) =>
    store.read
      .updateTable('savedCreates')
      .set({ leaseUntil })
      .where('organizationId', '=', uuidOf(orphan.id))
      .execute();
  // Somebody has taken it, and is not heard of again.
  await lease(new Date(Date.now() + hourMs));
  stripe.complete(json.billing.sessionId);
  await send(completed(orphan, json.billing.sessionId, await customerOf(orphan)));
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(await databasesOf(orphan)).toEqual([]);
  await lease(new Date(Date.now() - 1));
  const { id } = await untilReady(orphan, 'payments');
  const { draftId } = json.billing;
  await expect(
    store.change(tester, (change) => endSavedCreate(change, draftId, { databaseId: id })),
  ).rejects.toThrow(SavedCreateEnded);
  expect(await databasesOf(orphan)).toHaveLength(1);
});

test('a saved create that cannot be made any more is told, and does not come back', async () => {
  const late = await tenant('late');
  const { json } = await ask(['createDatabase', 'POST', '/databases'], late.headers, {
    name: 'payments',
    catalogVersion: (await ask(['getCreateCatalog', 'GET', '/catalog/create'], late.headers)).json
      .version,
  });
  await store.read
    .updateTable('savedCreates')
    .set({ request: JSON.stringify({ name: 'payments', catalogVersion: 'yesterday' }) })
    .where('organizationId', '=', uuidOf(late.id))
    .execute();
  stripe.complete(json.billing.sessionId);
  await send(completed(late, json.billing.sessionId, await customerOf(late)));
  await eventually('it is given up', async () => {
    const { savedCreates } = await billingOf(late);
    expect(savedCreates).toMatchObject([
      { status: 'FAILED', error: { code: 'catalog_changed' }, databaseId: null },
    ]);
    return true;
  });
  expect(await told(late)).toContain('billing.saved_create_failed');
  expect(await databasesOf(late)).toEqual([]);
});

test('a saved create waits while its organization is suspended, and is made when it is resumed', async () => {
  const held = await tenant('held');
  const { json } = await create(held, 'payments');
  const suspension = { reason: 'The contract is being looked at.' };
  const path = `/organizations/${held.id}`;
  await ask(['suspendOrganization', 'POST', `${path}/suspend`], administrator, suspension);
  stripe.complete(json.billing.sessionId);
  await send(completed(held, json.billing.sessionId, await customerOf(held)));
  // By the time that a later one is made, the workers have met this one.
  const other = await tenant('not-held');
  await setUp(other);
  await untilReady(other, 'first');
  expect(await billingOf(held)).toMatchObject({
    status: 'READY',
    savedCreates: [{ name: 'payments', status: 'WAITING', error: null }],
  });
  await ask(['resumeOrganization', 'POST', `${path}/resume`], administrator);
  await untilReady(held, 'payments');
  expect(await told(held)).not.toContain('billing.saved_create_failed');
});

test('billing needs an owner and no key; impossible requests are refused with the next step', async () => {
  const rights = await tenant('rights');
  const { json } = await ask(['createApiKey', 'POST', '/api-keys'], rights.headers, {
    name: 'all',
    permissions: ['db:read', 'db:write'],
  });
  const key = { 'x-api-key': json.secret };
  const noKey = { status: 403, json: { code: 'session_required' } };
  expect(await ask(['getBilling', 'GET', '/billing'], key)).toMatchObject(noKey);
  expect(await ask(['openCheckout', 'POST', '/billing/checkout'], key, {})).toMatchObject(noKey);
  const patch: Asked = ['updateBilling', 'PATCH', '/billing'];
  const wrong = (pointer: string) => ({ status: 422, json: { errors: [{ pointer }] } });
  expect(
    await ask(patch, rights.headers, { spendLimit: { currency: 'USD', amount: '1.00' } }),
  ).toMatchObject(wrong('#/spendLimit/currency'));
  expect(
    await ask(patch, rights.headers, { spendLimit: { currency: 'EUR', amount: '0.00' } }),
  ).toMatchObject(wrong('#/spendLimit/amount'));
  expect(
    await ask(['openCheckout', 'POST', '/billing/checkout'], rights.headers, {
      returnUrl: 'https://elsewhere.example.com/',
    }),
  ).toMatchObject(wrong('#/returnUrl'));
});

test('a worker whose clock is ahead charges for no hour to come', async () => {
  const now = Date.now();
  jest.useFakeTimers({ now: now + 40 * 24 * hourMs, doNotFake: [...allButDates] });
  try {
    await meterDueHours(store, new AbortController().signal, () => {});
  } finally {
    jest.useRealTimers();
  }
  const { newest } = await store.read
    .selectFrom('billingHours')
    .select(({ fn }) => fn.max('hour').as('newest'))
    .executeTakeFirstOrThrow();
  expect(newest.getTime()).toBeLessThan(now);
  expect(newest.getTime()).toBeGreaterThan(now - 3 * hourMs);
});

test('an hour is metered once by two replicas, and charged once though Stripe loses its answer', async () => {
  const metered = await tenant('metered');
  await setUp(metered);
  const { id } = await untilReady(metered, 'first');
  const thisHour = Math.floor(Date.now() / hourMs) * hourMs;
  // Until the next whole hour is over, whatever was metered already.
  const later = new Date(thisHour + 2 * hourMs + 6 * minuteMs);
  const meterAll = async () => {
    while ((await meterNextHour(store, later)) !== undefined);
  };
  // The replicas send of their own accord now and then: whoever it is that sends, the answers are lost.
  stripe.trouble = 'loses the answer';
  await Promise.all([meterAll(), meterAll(), meterAll()]);
  const rows = await store.read
    .selectFrom('billingUsage')
    .selectAll()
    .where('databaseId', '=', uuidOf(id))
    .where('hour', '=', new Date(thisHour + hourMs))
    .orderBy('meter')
    .execute();
  const price = (monthly: bigint) => String(shareOf(monthly, 3_600));
  expect(rows.map(({ meter, seconds, currency }) => [meter, seconds, currency])).toEqual([
    ['compute', 3_600, 'EUR'],
    ['storage', 3_600, 'EUR'],
  ]);
  expect(rows[0]?.amountMicros).toBe(price(10_000_000n));
  expect(rows[1]?.amountMicros).toBe(price(BigInt(rows[1]?.storageGb ?? 0) * 100_000n));

  const client = newClient();
  const sendAll = async () => {
    for (;;) {
      const { sent, refused } = await sendUsage(store, client, 'EUR');
      if (sent + refused === 0) return;
    }
  };
  await eventually('something arrived, and nobody knows', async () => {
    await sendAll().catch(() => {});
    expect(stripe.charged.size).toBeGreaterThan(0);
    return true;
  });
  stripe.trouble = 'none';
  stripe.refusesUsage = true;
  // This test sends it, or a replica that had begun already.
  await eventually('some of it is refused', async () => {
    await sendAll();
    expect((await countStuckUsage(store.read)).refused).toBeGreaterThan(0);
    return true;
  });
  stripe.refusesUsage = false;
  await eventually('all is sent', async () => {
    await store.read.updateTable('billingUsage').set({ claimedUntil: null }).execute();
    await Promise.all([sendAll(), sendAll()]);
    const unsent = await store.read
      .selectFrom('billingUsage')
      .selectAll()
      .where('databaseId', '=', uuidOf(id))
      .where('sentAt', 'is', null)
      .where('amountMicros', '!=', '0')
      .execute();
    expect(unsent).toEqual([]);
    return true;
  });
  const all = await store.read
    .selectFrom('billingUsage')
    .selectAll()
    .where('databaseId', '=', uuidOf(id))
    .execute();
  const due = all.reduce((sum, { amountMicros }) => sum + Number(amountMicros), 0);
  const charged = [...stripe.charged]
    .filter(([identifier]) => identifier.startsWith(id))
    .reduce((sum, [, value]) => sum + value, 0);
  expect(charged).toBe(due);

  const metrics = await (await fetch(`http://127.0.0.1:${workers[0].healthPort}/metrics`)).text();
  expect(metrics).toContain('ledgerhouse_worker_billing_usage_stuck{reason="unconfirmed"} 0');
  expect(metrics).toMatch(/ledgerhouse_worker_billing_failures_total\{task="sending"\} \d/);

  // Usage that may have arrived yesterday is not sent again: Stripe would count it a second time.
  await store.read
    .updateTable('billingUsage')
    .set({ sentAt: null, uncertainSince: new Date(Date.now() - 23 * hourMs - minuteMs) })
    .where('databaseId', '=', uuidOf(id))
    .execute();
  expect(await claimUnsentUsage(store.read, 'EUR', 100)).toEqual([]);
  expect((await countStuckUsage(store.read)).unconfirmed).toBe(all.length);
  await store.read
    .updateTable('billingUsage')
    .set({ sentAt: new Date() })
    .where('databaseId', '=', uuidOf(id))
    .execute();
});

test('a spend limit is told of at its thresholds, once each, and ends creating, not running', async () => {
  const frugal = await tenant('frugal');
  await setUp(frugal);
  const { id } = await untilReady(frugal, 'first');
  const limit = { spendLimit: { currency: 'EUR', amount: '10.00' } };
  const patched = await ask(['updateBilling', 'PATCH', '/billing'], frugal.headers, limit);
  expect(patched.json.billing).toMatchObject(limit);
  const billing = await ask(['getBilling', 'GET', '/billing'], frugal.headers);
  expect(billing.etag).toBe(patched.etag);
  const late = { ...frugal.headers, 'if-match': '"another"' };
  expect((await ask(['updateBilling', 'PATCH', '/billing'], late, limit)).status).toBe(412);
  const seen = { ...frugal.headers, 'if-match': patched.etag };
  expect((await ask(['updateBilling', 'PATCH', '/billing'], seen, limit)).status).toBe(200);
  const now = new Date();
  const hour = new Date(Math.floor(now.getTime() / hourMs) * hourMs);
  const spend = async (amountMicros: bigint) => {
    await store.read
      .insertInto('billingHours')
      .values({ hour })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    await store.read.deleteFrom('billingUsage').where('databaseId', '=', uuidOf(id)).execute();
    await store.change(tester, (change) =>
      writeUsage(change, hour, [
        {
          databaseId: uuidOf(id),
          organizationId: uuidOf(frugal.id),
          meter: 'compute',
          seconds: 1,
          clusterConfiguration: 'single',
          clusterSize: 'lh-5',
          storageTier: 'network-ssd',
          storageGb: 1,
          currency: 'EUR',
          amountMicros,
        },
      ]),
    );
    await Promise.all([tellSpending(store, 'EUR', now), tellSpending(store, 'EUR', now)]);
  };
  const thresholds = async () => {
    const { rows } = await listEvents(store.read, frugal.id, {}, { limit: 100 });
    return rows
      .filter(({ type }) => type === 'billing.spend_threshold_reached')
      .map(({ data }) => (data as { percent: number }).percent)
      .reverse();
  };
  await spend(4_990_000n);
  expect(await thresholds()).toEqual([]);
  await spend(5_000_000n);
  await spend(6_000_000n);
  expect(await thresholds()).toEqual([50]);
  await spend(10_000_000n);
  expect(await thresholds()).toEqual([50, 100]);
  expect(await billingOf(frugal)).toMatchObject({
    currentPeriod: { accrued: { currency: 'EUR', amount: '10.00' } },
  });
  expect(await create(frugal, 'another')).toMatchObject({
    status: 402,
    json: { billing: { reason: 'SPEND_LIMIT_REACHED', checkoutUrl: null } },
  });
  await untilReady(frugal, 'first');
  await ask(['updateBilling', 'PATCH', '/billing'], frugal.headers, { spendLimit: null });
  // The one that was refused is kept, and may be made by now.
  expect((await create(frugal, 'one-more')).status).toBe(202);
});

test('usage is listed by database and by day, and invoices as the provider has them', async () => {
  const payer = await tenant('payer');
  await create(payer, 'first');
  const organization = await findOrganization(store.read, payer.id);
  if (organization === undefined) throw new Error('the organization is gone');
  const { id } = await makeDatabase(store, organization, 'used');
  const hours = ['2026-02-03T05:00:00.000Z', '2026-02-04T06:00:00.000Z'].map(
    (text) => new Date(text),
  );
  await store.read
    .insertInto('billingHours')
    .values(hours.map((hour) => ({ hour })))
    .execute();
  for (const hour of hours) {
    await store.change(tester, (change) =>
      writeUsage(change, hour, [
        {
          databaseId: uuidOf(id),
          organizationId: uuidOf(payer.id),
          meter: 'compute',
          seconds: 1_800,
          clusterConfiguration: 'single',
          clusterSize: 'lh-5',
          storageTier: 'network-ssd',
          storageGb: 1,
          currency: 'EUR',
          amountMicros: 1_234_567n,
        },
      ]),
    );
  }
  const list = (query: string, as = payer) =>
    ask(['listUsage', 'GET', `/billing/usage?${query}`], as.headers);
  const { json } = await list('month=2026-02');
  const eur = (amount: string) => ({ currency: 'EUR', amount });
  expect(json).toMatchObject({
    month: '2026-02',
    total: eur('2.469134'),
    forecast: null,
    data: [
      {
        databaseId: id,
        databaseName: 'used',
        day: null,
        compute: { seconds: 3_600, amount: eur('2.469134') },
        storage: { seconds: 0, amount: eur('0.000000') },
        amount: eur('2.469134'),
        unpriced: false,
      },
    ],
  });
  const first = await list('month=2026-02&by=day&limit=1');
  const cursor = encodeURIComponent(first.json.page.nextCursor);
  const second = await list(`month=2026-02&by=day&limit=1&cursor=${cursor}`);
  expect(
    [first, second].map((one) => one.json.data.map(({ day }: { day: string }) => day)),
  ).toEqual([['2026-02-03'], ['2026-02-04']]);
  for (const other of ['month=2026-02', 'by=day', 'month=2026-03&by=day']) {
    const { json: refused } = await list(`${other}&limit=1&cursor=${cursor}`);
    expect([other, refused.code]).toEqual([other, 'invalid_cursor']);
  }
  const stranger = await tenant('stranger');
  const foreign = await list(`month=2026-02&databaseId=${id}`, stranger);
  expect(foreign.json).toMatchObject({ data: [], total: eur('0.000000') });
  expect((await list(`month=2026-02&by=day&cursor=${cursor}`, stranger)).status).toBe(400);
  for (const wrong of ['month=2026-13', 'by=hour', 'databaseId=x']) {
    expect([wrong, (await list(wrong)).status]).toEqual([wrong, 400]);
  }

  const invoicesOf = (as: Tenant, query = '') =>
    ask(['listInvoices', 'GET', `/billing/invoices?${query}`], as.headers);
  // Who never set billing up has no invoice, and Stripe is not asked.
  expect((await invoicesOf(stranger)).json.data).toEqual([]);
  stripe.invoices.set(await customerOf(payer), [
    {
      id: 'in_2',
      number: null,
      status: 'draft',
      currency: 'eur',
      total: -5,
      amount_remaining: 0,
      hosted_invoice_url: 'javascript:alert(1)',
      invoice_pdf: null,
    },
    {
      id: 'in_1',
      number: 'A-1',
      status: 'open',
      currency: 'eur',
      total: 1_234,
      amount_remaining: 1_000,
      hosted_invoice_url: 'https://invoice.stripe.com/i/1',
      invoice_pdf: 'https://pay.stripe.com/invoice/1/pdf',
    },
  ]);
  const newest = await invoicesOf(payer, 'limit=1');
  expect(newest.json.data).toMatchObject([
    { id: 'in_2', number: null, status: 'DRAFT', total: eur('-0.05'), pageUrl: null },
  ]);
  const next = await invoicesOf(
    payer,
    `limit=1&cursor=${encodeURIComponent(newest.json.page.nextCursor)}`,
  );
  expect(next.json).toMatchObject({
    data: [
      {
        id: 'in_1',
        number: 'A-1',
        status: 'OPEN',
        total: eur('12.34'),
        remaining: eur('10.00'),
        pageUrl: 'https://invoice.stripe.com/i/1',
      },
    ],
    page: { hasMore: false },
  });
  stripe.trouble = 'away';
  expect((await invoicesOf(payer)).json).toMatchObject({ code: 'service_unavailable' });
});

test('an older card never replaces a newer one, in whatever order the checkouts are heard of', async () => {
  const changing = await tenant('changing-cards');
  await setUp(changing);
  const customer = await customerOf(changing);
  const charged = () => stripe.customers.get(customer)?.['paymentMethod'];
  const open = async (page: string) => {
    const body = { returnUrl: `${returnUrl}/${page}` };
    const { json } = await ask(
      ['openCheckout', 'POST', '/billing/checkout'],
      changing.headers,
      body,
    );
    return String(json.checkoutUrl).split('/').at(-1) ?? '';
  };
  // Two checkouts, because they lead back to two pages.
  for (const [name, at] of [
    ['first', 'apart'],
    ['second', 'at once'],
  ] as const) {
    const [older, newer] = [await open(`${name}-older`), await open(`${name}-newer`)];
    stripe.complete(older, `pm_${name}_older`, -10);
    stripe.complete(newer, `pm_${name}_newer`, -20);
    const events = [newer, older].map((session) => completed(changing, session, customer));
    if (at === 'apart') for (const event of events) expect((await send(event)).status).toBe(204);
    else {
      const answers = await Promise.all(
        events.map((event, index) => send(event, index === 0 ? 0 : 1)),
      );
      for (const { status } of answers) expect([204, 503]).toContain(status);
      for (const event of events) await send(event);
    }
    expect(charged()).toBe(`pm_${name}_newer`);
  }
});

test('a card that was chosen at Stripe by hand stays, whatever older checkout is heard of later', async () => {
  const choosy = await tenant('choosy');
  await setUp(choosy);
  const customer = await customerOf(choosy);
  const charged = () => stripe.customers.get(customer)?.['paymentMethod'];
  const open = async (page: string) => {
    const body = { returnUrl: `${returnUrl}/${page}` };
    const { json } = await ask(['openCheckout', 'POST', '/billing/checkout'], choosy.headers, body);
    return String(json.checkoutUrl).split('/').at(-1) ?? '';
  };
  const known = await open('known');
  stripe.complete(known, 'pm_known', -10);
  await send(completed(choosy, known, customer));
  expect(charged()).toBe('pm_known');
  // A card that the customer had for long: only that the checkout was acted on tells that it is chosen later.
  stripe.choose(customer, 'pm_old', 1_000);
  await send(completed(choosy, known, customer));
  expect(charged()).toBe('pm_old');
  // The event of this checkout comes after a card was added by hand.
  const late = await open('late');
  stripe.complete(late, 'pm_late', -20);
  stripe.choose(customer, 'pm_by_hand', -30);
  await send(completed(choosy, late, customer));
  expect(charged()).toBe('pm_by_hand');
  // A checkout after that counts again.
  const next = await open('next');
  stripe.complete(next, 'pm_next', -40);
  await send(completed(choosy, next, customer));
  expect(charged()).toBe('pm_next');
});

test('the subscription of a deleted organization ends when it cannot be restored any more', async () => {
  const leaving = await tenant('leaving');
  await setUp(leaving);
  const { id } = await untilReady(leaving, 'first');
  await ask(['deleteDatabase', 'DELETE', `/databases/${id}`], leaving.headers);
  const path = `/organizations/${leaving.id}`;
  // Not before the deletion of its database has ended.
  await eventually('the organization is deleted', async () => {
    const { status } = await ask(['deleteOrganization', 'DELETE', path], administrator);
    expect(status).toBe(200);
    return true;
  });
  const account = () => findBillingAccount(store.read, leaving.id);
  const subscription = (await account())?.subscriptionId ?? '';
  const status = () => stripe.subscriptions.get(subscription)?.['status'];
  const client = newClient();
  await closeAccounts(store, client);
  expect(status()).toBe('active');

  const over = sql<Date>`clock_timestamp() - interval '1 minute'`;
  const own = uuidOf(leaving.id);
  await store.read
    .updateTable('databases')
    .set({ purgedAt: over })
    .where('organizationId', '=', own)
    .execute();
  await store.read
    .updateTable('organizations')
    .set({ purgeAt: over })
    .where('id', '=', own)
    .execute();
  await purgeOrganizations(store);
  stripe.trouble = 'loses the answer';
  await expect(closeAccounts(store, client)).rejects.toThrow();
  stripe.trouble = 'none';
  await closeAccounts(store, client);
  expect(status()).toBe('canceled');
  expect((await account())?.closedAt).not.toBeNull();
  const before = await told(leaving);
  const customer = await customerOf(leaving);
  const ended = { id: subscription, object: 'subscription', customer, status: 'canceled' };
  expect((await send(eventOf('customer.subscription.deleted', ended))).status).toBe(204);
  expect(await told(leaving)).toEqual(before);

  // A checkout completed while the account was being closed.
  stripe.setSubscription(subscription, 'active');
  await store.change(systemAuthor('billing', null), (change) =>
    writeStanding(change, leaving.id, {
      status: 'READY',
      subscriptionId: subscription,
      paymentMethod: null,
      subscriptions: 2,
      checkoutOver: true,
    }),
  );
  await closeAccounts(store, client);
  expect(status()).toBe('canceled');
  expect((await account())?.closedAt).not.toBeNull();
});

test('databases of an organization that does not pay are suspended and kept; events may come in any order', async () => {
  const debtor = await tenant('debtor');
  await setUp(debtor);
  const { id } = await untilReady(debtor, 'first');
  const customer = await customerOf(debtor);
  const subscription = (await findBillingAccount(store.read, debtor.id))?.subscriptionId ?? '';
  const changed = (status: string) =>
    eventOf('customer.subscription.updated', {
      id: subscription,
      object: 'subscription',
      customer,
      status,
    });
  const before = await world.database(debtor.namespace, 'first');
  stripe.setSubscription(subscription, 'past_due');
  const late = changed('active');
  await send(changed('past_due'));
  expect(await billingOf(debtor)).toMatchObject({ status: 'PAST_DUE' });
  expect(await create(debtor, 'another')).toMatchObject({
    status: 402,
    json: { billing: { reason: 'PAYMENT_FAILED' } },
  });
  await untilReady(debtor, 'first');

  stripe.setSubscription(subscription, 'unpaid');
  await send(changed('unpaid'));
  // An older event that comes late: Stripe's current state counts.
  expect((await send(late)).status).toBe(204);
  expect(await billingOf(debtor)).toMatchObject({ status: 'SUSPENDED' });
  const one: Asked = ['getDatabase', 'GET', `/databases/${id}`];
  await eventually('it stands still', async () => {
    expect((await ask(one, debtor.headers)).json.database.status).toBe('SUSPENDED');
    return true;
  });
  const balance: Asked = ['queryAccounts', 'POST', `/databases/${id}/tb/query_accounts`];
  expect(await ask(balance, debtor.headers, {})).toMatchObject({
    status: 402,
    json: { billing: { reason: 'PAYMENT_FAILED', checkoutUrl: returnUrl } },
  });
  const suspended = { suspended: false };
  const preview: Asked = ['previewChange', 'POST', `/databases/${id}/changes/preview`];
  expect((await ask(preview, debtor.headers, suspended)).json.preview.refusal).toMatchObject({
    code: 'billing_required',
  });
  for (const resume of [
    ['resumeDatabase', 'POST', `/databases/${id}/resume`],
    ['createChange', 'POST', `/databases/${id}/changes`],
  ] as const) {
    const body = resume[0] === 'createChange' ? suspended : undefined;
    expect(await ask(resume, debtor.headers, body)).toMatchObject({
      status: 402,
      json: { code: 'billing_required', billing: { reason: 'PAYMENT_FAILED' } },
    });
  }
  const still = await world.database(debtor.namespace, 'first');
  expect(still?.spec.suspend).toBe(true);
  expect(still?.metadata.uid).toBe(before?.metadata.uid);
  expect(still?.metadata.deletionTimestamp).toBeUndefined();

  stripe.setSubscription(subscription, 'active');
  await send(changed('active'), 1);
  await untilReady(debtor, 'first');
  expect((await world.database(debtor.namespace, 'first'))?.spec.suspend).toBe(false);
  expect(await told(debtor)).toEqual([
    'billing.setup_required',
    'billing.setup_completed',
    'billing.payment_failed',
    'billing.setup_required',
    'billing.suspended',
    'billing.recovered',
  ]);
});
