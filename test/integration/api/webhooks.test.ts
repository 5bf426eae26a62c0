/** Webhooks from a change to the receiver: API and worker with a real PostgreSQL, and receivers that verify what they get. */
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { typeIdOfUuid } from '../../../domain/type-id.ts';
import { uuidV7 } from '../../../base/uuid-v7.ts';
import { uuidOf } from '../../../api/store/ids.ts';
import { Store } from '../../../api/store/store.ts';
import { sweepDeliveries } from '../../../api/store/webhook-deliveries.ts';
import type { WebhookAttempt, WebhookDelivery } from '../../../gen/api.ts';
import type { Browser } from '../../support/browser/browser.ts';
import { undocumentedWebhook } from '../../support/api/openapi.ts';
import { PeopleService } from '../../support/api/people-service.ts';
import { TestReceiver } from '../../support/api/receiver.ts';
import { eventually } from '../../support/shell.ts';
import { patient, silent, tester } from '../../support/api/store.ts';

const anna = {
  sub: 'anna',
  name: 'Anna',
  email: 'anna@example.com',
  email_verified: true,
};
let service: PeopleService;
let store: Store;
let administrator: Browser;
let organizationId: string;
const receivers: TestReceiver[] = [];

beforeAll(async () => {
  service = await PeopleService.start({ WEBHOOK_RANGES: '127.0.0.0/8' });
  store = new Store({ url: service.databaseUrl, logger: silent, ...patient });
  await store.start();
  administrator = await service.administrator();
  const { json } = await service.ask(administrator, '/session');
  organizationId = json.organization.id;
});
afterEach(async () => {
  const { json } = await service.ask(administrator, '/webhook-endpoints');
  for (const { id } of json.data) {
    await service.ask(administrator, `/webhook-endpoints/${id}`, { method: 'DELETE' });
  }
  for (const receiver of receivers.splice(0)) await receiver.stop();
});
afterAll(async () => {
  await store?.close();
  await service?.stop();
});

interface Endpoint {
  readonly id: string;
  readonly secret: string;
  readonly path: string;
}

async function receiverWith(
  more: Readonly<Record<string, unknown>> = {},
): Promise<{ receiver: TestReceiver; endpoint: Endpoint }> {
  const receiver = await TestReceiver.start();
  receivers.push(receiver);
  const body = { url: receiver.url, eventTypes: ['job.*'], ...more };
  const made = await service.ask(administrator, '/webhook-endpoints', { method: 'POST', body });
  expect(made).toMatchObject({ status: 201 });
  const { id } = made.json.webhookEndpoint;
  return {
    receiver,
    endpoint: { id, secret: made.json.secret, path: `/webhook-endpoints/${id}` },
  };
}

const newId = (prefix: string) => typeIdOfUuid(prefix, uuidV7());

/** Commits an event, as every change does. Returns its ID. */
const happen = (databaseId: string | null = null): Promise<string> =>
  store.change(tester, async (change) => {
    const id = newId('job');
    return change.emit({
      organizationId,
      type: 'job.succeeded',
      subject: { type: 'job', id, display: 'database.create' },
      databaseId,
      data: { job: { id, type: 'database.create', status: 'SUCCEEDED' } },
    });
  });

const until = (receiver: TestReceiver, count: number) =>
  eventually(`${count} requests have come`, async () => {
    if (receiver.received.length < count) throw new Error(`${receiver.received.length} have come`);
    return true;
  });

const ask = (path: string, method = 'GET', body?: unknown) =>
  service.ask(administrator, path, { method, ...(body !== undefined && { body }) });

const deliveriesOf = async ({ id }: Endpoint): Promise<readonly WebhookDelivery[]> =>
  (await ask(`/webhook-deliveries?endpointId=${id}`)).json.data;

const untilStatus = (endpoint: Endpoint, statuses: readonly string[]) =>
  eventually(`deliveries are ${statuses.join()}`, async () => {
    const found = (await deliveriesOf(endpoint)).map(({ status }) => status);
    if (found.join() !== statuses.join()) throw new Error(found.join());
    return true;
  });

const attemptsOf = async (delivery: WebhookDelivery | undefined) =>
  (await ask(`/webhook-deliveries/${delivery?.id}/attempts`)).json.data as WebhookAttempt[];

const alter = (text: string) => service.alter(text);

test('a change reaches the receiver, signed by Standard Webhooks, as the document says, and its attempt is kept', async () => {
  const { receiver, endpoint } = await receiverWith();
  receiver.answer(200);
  const eventId = await happen();
  await until(receiver, 1);
  receiver.verify(endpoint.secret);
  const [received] = receiver.received;
  expect(received?.headers['webhook-id']).toBe(eventId);
  expect(received?.body).toMatchObject({ id: eventId, type: 'job.succeeded' });
  expect(undocumentedWebhook(received?.body ?? { type: '' })).toEqual([]);
  await untilStatus(endpoint, ['SUCCEEDED']);
  const [delivery] = await deliveriesOf(endpoint);
  expect(delivery).toMatchObject({ eventId, attemptCount: 1, lastStatusCode: 200 });
  expect(await attemptsOf(delivery)).toEqual([
    {
      number: 1,
      trigger: 'SCHEDULED',
      outcome: 'SUCCESS',
      requestHeaders: expect.objectContaining({
        'webhook-id': eventId,
        'webhook-signature': received?.headers['webhook-signature'],
      }),
      statusCode: 200,
      error: null,
      responseExcerpt: 'it is 200',
      startedAt: expect.any(String),
      durationMs: expect.any(Number),
    },
  ]);
  const { json } = await ask(`/webhook-deliveries/${delivery?.id}`);
  expect(json.requestBody).toBe(received?.text);
  expect((await ask(endpoint.path)).json.webhookEndpoint.stats24h).toEqual({
    success: 1,
    failed: 0,
    pending: 0,
  });
});

test('a receiver that keeps up gets the events of each database in their order', async () => {
  const { receiver, endpoint } = await receiverWith();
  receiver.behave = (_, answer) => void setTimeout(() => answer.end(), Math.random() * 10);
  const databases = [null, newId('db'), newId('db')];
  for (let round = 0; round < 20; round += 1) {
    await Promise.all(databases.map((database) => happen(database)));
  }
  await until(receiver, 60);
  expect(receiver.received).toHaveLength(60);
  for (const database of databases) {
    const numbers = receiver.received
      .filter(({ body }) => body.databaseId === database)
      .map(({ body }) => Number(body.sequence));
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
    expect(numbers).toHaveLength(20);
  }
  receiver.verify(endpoint.secret);
});

test('an endpoint of one database gets no events of others, and of the types that it names only', async () => {
  const { receiver } = await receiverWith({ eventTypes: ['api_key.*', 'job.failed'] });
  const all = await receiverWith();
  await happen();
  await until(all.receiver, 1);
  await ask('/api-keys', 'POST', { name: 'ci', permissions: ['db:read'] });
  await until(receiver, 1);
  expect(receiver.types).toEqual(['api_key.created']);
  expect(undocumentedWebhook(receiver.received[0]?.body ?? { type: '' })).toEqual([]);
});

test('a failed attempt is repeated with the same ID, and those behind it do not wait', async () => {
  const { receiver, endpoint } = await receiverWith();
  receiver.behave = (_, answer) => {
    // It is due again in an hour, however slow the machine is.
    const fails = receiver.received.length === 1;
    answer.writeHead(fails ? 500 : 204, fails ? { 'retry-after': '3600' } : {}).end();
  };
  const first = await happen();
  await until(receiver, 1);
  const second = await happen();
  await untilStatus(endpoint, ['SUCCEEDED', 'PENDING']);
  await untilNobodySends(endpoint);
  // The hour passes.
  await alter(`UPDATE webhook_deliveries SET next_attempt_at = now() WHERE status = 'PENDING'`);
  await alter(`UPDATE webhook_endpoints SET due_at = now()`);
  await until(receiver, 3);
  expect(receiver.received.map(({ body }) => body.id)).toEqual([first, second, first]);
  const [one, , again] = receiver.received;
  expect(again?.headers['webhook-id']).toBe(first);
  expect(again?.text).toBe(one?.text);
  receiver.verify(endpoint.secret);
  await untilStatus(endpoint, ['SUCCEEDED', 'SUCCEEDED']);
  const [, delivery] = await deliveriesOf(endpoint);
  expect((await attemptsOf(delivery)).map(({ outcome, error }) => [outcome, error])).toEqual([
    ['SUCCESS', null],
    ['HTTP_ERROR', 'The receiver answered 500.'],
  ]);
  await eventually('the endpoint does not fail any more', async () => {
    expect((await ask(endpoint.path)).json.webhookEndpoint.failingSince).toBeNull();
    return true;
  });
});

test('a receiver that asks for time gets it: nothing comes before Retry-After is over', async () => {
  const { receiver, endpoint } = await receiverWith();
  // Long enough that a busy machine sees the pause before it is over.
  receiver.answer(429, { 'retry-after': '20' });
  await happen();
  await until(receiver, 1);
  receiver.beFine();
  await happen();
  const shown = await eventually('the endpoint is throttled', async () => {
    const { webhookEndpoint } = (await ask(endpoint.path)).json;
    if (webhookEndpoint.throttledUntil === null) throw new Error('not yet');
    return webhookEndpoint;
  });
  await until(receiver, 3);
  const [before, after] = receiver.received;
  expect(Date.parse(shown.throttledUntil) - (before?.atMs ?? 0)).toBeGreaterThan(19_500);
  expect((after?.atMs ?? 0) - (before?.atMs ?? 0)).toBeGreaterThan(19_500);
  await untilStatus(endpoint, ['SUCCEEDED', 'SUCCEEDED']);
});

test('a receiver that can take no more and asks for no pause is left alone for five seconds', async () => {
  const { receiver } = await receiverWith();
  receiver.answer(503, { 'retry-after': '0' });
  for (let count = 0; count < 10; count += 1) await happen();
  await until(receiver, 2);
  const [before, after] = receiver.received;
  expect((after?.atMs ?? 0) - (before?.atMs ?? 0)).toBeGreaterThan(4_500);
});

test('an endpoint that was moved waits for nothing that the receiver before asked for', async () => {
  const { receiver, endpoint } = await receiverWith();
  const next = await moved();
  receiver.answer(429, { 'retry-after': '3600' });
  await happen();
  await eventually('the endpoint is throttled', async () => {
    expect((await ask(endpoint.path)).json.webhookEndpoint.throttledUntil).not.toBeNull();
    return true;
  });
  await ask(endpoint.path, 'PATCH', { url: next.url });
  const eventId = await happen();
  await until(next, 1);
  expect(next.received.map(({ body }) => body.id)).toEqual([eventId]);
});

test.each([
  ['410', {}],
  ['503', { 'retry-after': '3600' }],
] as const)(
  'what the receiver before answered, %s, does not count for an endpoint that was moved meanwhile',
  async (status, headers) => {
    const { receiver, endpoint } = await receiverWith();
    const next = await moved();
    receiver.behave = async (_, answer) => {
      await ask(endpoint.path, 'PATCH', { url: next.url });
      answer.writeHead(Number(status), headers).end();
    };
    await happen();
    await eventually('the attempt is recorded', async () => {
      const [delivery] = await deliveriesOf(endpoint);
      expect(delivery?.lastStatusCode).toBe(Number(status));
      return true;
    });
    const eventId = await happen();
    await until(next, 1);
    expect(next.received.map(({ body }) => body.id)).toEqual([eventId]);
    expect((await ask(endpoint.path)).json.webhookEndpoint).toMatchObject({
      status: 'ENABLED',
      throttledUntil: null,
      failingSince: null,
    });
  },
);

/** Another receiver, which is up. */
async function moved(): Promise<TestReceiver> {
  const receiver = await TestReceiver.start();
  receivers.push(receiver);
  return receiver;
}

/** A worker has the endpoint while it sends to it. */
const untilNobodySends = ({ id }: Endpoint) =>
  eventually('no worker sends', async () => {
    const { leaseOwner } = await store.read
      .selectFrom('webhookEndpoints')
      .select('leaseOwner')
      .where('id', '=', uuidOf(id))
      .executeTakeFirstOrThrow();
    return leaseOwner === null || undefined;
  });

test('repeated deliveries come in the order of the events', async () => {
  const { receiver, endpoint } = await receiverWith();
  receiver.answer(500);
  for (let count = 0; count < 30; count += 1) await happen();
  await eventually('each was tried', async () => {
    const tried = await store.read
      .selectFrom('webhookDeliveries')
      .select('id')
      .where('endpointId', '=', uuidOf(endpoint.id))
      .where('attemptCount', '>', 0)
      .execute();
    return tried.length === 30 || undefined;
  });
  // Nothing is under way that would write its result over what follows.
  await ask(endpoint.path, 'PATCH', { status: 'DISABLED' });
  await untilNobodySends(endpoint);
  // They failed for good, the newest first, so that the table has them in another order than they happened.
  await alter(`DO $$ DECLARE failed record; BEGIN
    FOR failed IN SELECT id FROM webhook_deliveries ORDER BY created_at DESC LOOP
      UPDATE webhook_deliveries SET status = 'FAILED', next_attempt_at = NULL WHERE id = failed.id;
    END LOOP;
  END $$`);
  await ask(endpoint.path, 'PATCH', { status: 'ENABLED' });
  receiver.beFine();
  receiver.received.splice(0);
  const { json } = await ask('/webhook-deliveries/replay', 'POST', { endpointId: endpoint.id });
  expect(json.replayed).toBe(30);
  await until(receiver, 30);
  const numbers = receiver.received.map(({ body }) => Number(body.sequence));
  expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
});

test('a receiver that answers 410 gets no more, its owners get a mail, and other endpoints the event', async () => {
  await service.signIn(anna);
  await addOwner();
  const { receiver, endpoint } = await receiverWith();
  const other = await receiverWith({ eventTypes: ['webhook.endpoint_disabled'] });
  receiver.answer(410);
  await happen();
  await until(other.receiver, 1);
  expect(other.receiver.received[0]?.body).toMatchObject({
    type: 'webhook.endpoint_disabled',
    data: { endpoint: { id: endpoint.id }, reason: expect.stringContaining('410') },
  });
  expect(undocumentedWebhook(other.receiver.received[0]?.body ?? { type: '' })).toEqual([]);
  expect((await ask(endpoint.path)).json.webhookEndpoint).toMatchObject({
    status: 'AUTO_DISABLED',
    disabledReason: expect.stringContaining('410'),
  });
  expect(await service.mailTo(anna.email)).toContain(`webhooks enable ${endpoint.id}`);
  await happen();
  await untilStatus(endpoint, ['FAILED']);
  expect(receiver.received).toHaveLength(1);
});

/** Anna becomes an owner: the local administrator has no address. */
async function addOwner(): Promise<void> {
  await alter(`INSERT INTO memberships (id, organization_id, user_id, role)
    SELECT gen_random_uuid(), (SELECT id FROM organizations LIMIT 1), id, 'owner' FROM users WHERE email = '${anna.email}'`);
}

test('an endpoint whose every attempt has failed for five days is disabled; replays do not count', async () => {
  const { receiver, endpoint } = await receiverWith();
  // The next scheduled attempt is far: it would count, and disable the endpoint.
  receiver.answer(500, { 'retry-after': '3600' });
  await happen();
  await untilStatus(endpoint, ['PENDING']);
  await until(receiver, 1);
  await eventually('the failure is noted', async () => {
    const { webhookEndpoint } = (await ask(endpoint.path)).json;
    if (webhookEndpoint.failingSince === null) throw new Error('not yet');
    return true;
  });
  await alter(
    `UPDATE webhook_endpoints SET failing_since = now() - interval '6 days' WHERE status = 'ENABLED'`,
  );
  const [delivery] = await deliveriesOf(endpoint);
  expect((await ask(`/webhook-deliveries/${delivery?.id}/replay`, 'POST')).status).toBe(202);
  await eventually('the manual attempt is recorded', async () => {
    const attempts = await attemptsOf(delivery);
    const [attempt] = attempts;
    const number = attempts.length;
    expect(attempt).toMatchObject({ number, trigger: 'MANUAL', outcome: 'HTTP_ERROR' });
    expect(receiver.received).toHaveLength(number);
    return true;
  });
  expect((await ask(endpoint.path)).json.webhookEndpoint.status).toBe('ENABLED');
  receiver.behave = (_, answer) => void answer.destroy();
  await happen();
  await eventually('the endpoint is disabled', async () => {
    const { webhookEndpoint } = (await ask(endpoint.path)).json;
    expect(webhookEndpoint.status).toBe('AUTO_DISABLED');
    return true;
  });
  await untilStatus(endpoint, ['CANCELED', 'CANCELED']);
  // Enabled again, it starts anew.
  receiver.beFine();
  const enabled = await ask(endpoint.path, 'PATCH', { status: 'ENABLED' });
  expect(enabled.json.webhookEndpoint).toMatchObject({ status: 'ENABLED', failingSince: null });
  const filter = { endpointId: endpoint.id };
  // What the last answer was, and which delivery or event it is, choose alike for the list and for what is sent again.
  const found = async (chosen: Record<string, string>) => {
    const query = new URLSearchParams({ ...filter, ...chosen }).toString();
    const list = await ask(`/webhook-deliveries?${query}`);
    const again = await ask('/webhook-deliveries/replay', 'POST', {
      ...filter,
      ...chosen,
      dryRun: true,
    });
    expect(again.json.replayed).toBe(list.json.data.length);
    return (list.json.data as WebhookDelivery[]).map(({ id }) => id);
  };
  const tried = delivery?.id ?? '';
  expect(await found({ answer: '500' })).toEqual([tried]);
  expect(await found({ answer: '5xx', eventId: delivery?.eventId ?? '' })).toEqual([tried]);
  expect(await found({ answer: '4xx' })).toEqual([]);
  const unheard = await found({ answer: 'none' });
  expect(unheard).toHaveLength(1);
  expect(unheard).not.toEqual([tried]);
  expect(await found({ deliveryId: tried })).toEqual([tried]);
  expect(await found({ deliveryId: tried, answer: '200' })).toEqual([]);
  expect((await ask('/webhook-deliveries?answer=5')).status).toBe(400);
  const counted = await ask('/webhook-deliveries/replay', 'POST', { ...filter, dryRun: true });
  expect(counted.json).toMatchObject({ dryRun: true, replayed: 2, expedited: 0, skipped: 0 });
  await untilStatus(endpoint, ['CANCELED', 'CANCELED']);
  expect((await ask('/webhook-deliveries/replay', 'POST', filter)).json).toMatchObject({
    replayed: 2,
    more: false,
  });
  await untilStatus(endpoint, ['SUCCEEDED', 'SUCCEEDED']);
  const { data } = (await ask('/audit-events?type=webhook.deliveries_replayed')).json;
  const newest = data.slice(0, 2).map((event: { data: object }) => event.data);
  expect(newest).toEqual([{ count: 2 }, { count: 1 }]);
});

test('a delivery that succeeded is made again with the same ID when somebody asks', async () => {
  const { receiver, endpoint } = await receiverWith();
  const eventId = await happen();
  await untilStatus(endpoint, ['SUCCEEDED']);
  const [delivery] = await deliveriesOf(endpoint);
  const path = `/webhook-deliveries/${delivery?.id}/replay`;
  const replayed = await ask(path, 'POST');
  expect(replayed.json.webhookDelivery).toMatchObject({ status: 'PENDING', replayGeneration: 1 });
  await until(receiver, 2);
  expect(receiver.received.map(({ body }) => body.id)).toEqual([eventId, eventId]);
  await untilStatus(endpoint, ['SUCCEEDED']);
  expect((await attemptsOf(delivery)).map(({ trigger }) => trigger)).toEqual([
    'MANUAL',
    'SCHEDULED',
  ]);
  await ask(endpoint.path, 'PATCH', { status: 'DISABLED' });
  expect(await ask(path, 'POST')).toMatchObject({
    status: 409,
    json: { code: 'webhook_endpoint_disabled' },
  });
});

test('a disabled endpoint gets nothing; what was pending goes on when it is enabled again', async () => {
  const { receiver, endpoint } = await receiverWith();
  // Disabled before the attempt fails, and so before the next one is due.
  receiver.behave = async (_, answer) => {
    await ask(endpoint.path, 'PATCH', { status: 'DISABLED' });
    answer.writeHead(500).end();
  };
  const eventId = await happen();
  await eventually('the attempt is recorded', async () => {
    const [delivery] = await deliveriesOf(endpoint);
    expect(delivery?.lastStatusCode).toBe(500);
    return true;
  });
  await untilNobodySends(endpoint);
  receiver.beFine();
  await alter(`UPDATE webhook_deliveries SET next_attempt_at = now() WHERE status = 'PENDING';
    UPDATE webhook_endpoints SET due_at = now() WHERE status = 'DISABLED'`);
  const other = await receiverWith();
  // Whoever sends the second event to the other endpoint has looked for what is due since.
  for (const count of [1, 2]) {
    await happen();
    await until(other.receiver, count);
  }
  expect(receiver.received).toHaveLength(1);
  await ask(endpoint.path, 'PATCH', { status: 'ENABLED' });
  await until(receiver, 2);
  expect(receiver.received[1]?.body.id).toBe(eventId);
  await untilStatus(endpoint, ['SUCCEEDED']);
});

test('a test reaches the endpoint that is tested, and no other, once in 20 seconds', async () => {
  const { receiver, endpoint } = await receiverWith({ eventTypes: ['database.ready'] });
  const other = await receiverWith({ eventTypes: ['*'] });
  const tested = await ask(`${endpoint.path}/test`, 'POST');
  expect(tested).toMatchObject({
    status: 202,
    json: { webhookDelivery: { eventType: 'webhook.test', status: 'PENDING' } },
  });
  // At once: on a slow machine the first one may take its time.
  expect(await ask(`${endpoint.path}/test`, 'POST')).toMatchObject({
    status: 429,
    json: { code: 'rate_limited' },
  });
  await until(receiver, 1);
  expect(receiver.types).toEqual(['webhook.test']);
  expect(undocumentedWebhook(receiver.received[0]?.body ?? { type: '' })).toEqual([]);
  receiver.verify(endpoint.secret);
  await happen();
  await eventually('the other endpoint has the job’s event', async () => {
    expect(other.receiver.types).toContain('job.succeeded');
    return true;
  });
  expect(other.receiver.types).not.toContain('webhook.test');
  await ask(endpoint.path, 'PATCH', { status: 'DISABLED' });
  expect((await ask(`${endpoint.path}/test`, 'POST')).json.code).toBe('webhook_endpoint_disabled');
});

test('a rotated secret signs beside the new one until the grace is over; who looked at it is in the audit log', async () => {
  const { receiver, endpoint } = await receiverWith();
  const shown = await ask(`${endpoint.path}/secret`);
  expect(shown.json).toEqual({ secret: endpoint.secret });
  const rotated = await ask(`${endpoint.path}/secret/rotate`, 'POST', { gracePeriodSeconds: 60 });
  expect(rotated.json.secret).not.toBe(endpoint.secret);
  await happen();
  await until(receiver, 1);
  receiver.verify(endpoint.secret);
  receiver.verify(rotated.json.secret);
  await alter(`UPDATE webhook_endpoints SET previous_secret_until = now()`);
  receiver.received.length = 0;
  await happen();
  await until(receiver, 1);
  receiver.verify(rotated.json.secret);
  const [last] = receiver.received;
  const verifyOld = () =>
    new Webhook(endpoint.secret).verify(last?.text ?? '', last?.headers ?? {});
  expect(verifyOld).toThrow('No matching signature');
  const types = 'webhook.endpoint_secret_shown,webhook.endpoint_secret_rotated';
  const { data } = (await ask(`/audit-events?type=${types}&targetId=${endpoint.id}`)).json;
  expect(data.map(({ type }: { type: string }) => type)).toEqual(types.split(',').reverse());
  expect(JSON.stringify(data)).not.toContain('whsec_');
});

test('a change that leads events elsewhere for a moment, or stops them, leaves the former setting in the audit log', async () => {
  const { endpoint } = await receiverWith();
  const { url, eventTypes } = (await ask(endpoint.path)).json.webhookEndpoint;
  const thief = 'https://thief.example.com/';
  await ask(endpoint.path, 'PATCH', { url: thief, eventTypes: ['*'] });
  await ask(endpoint.path, 'PATCH', { url, eventTypes });
  await ask(endpoint.path, 'PATCH', { status: 'DISABLED' });
  await ask(endpoint.path, 'PATCH', { status: 'ENABLED', url });
  const path = `/audit-events?type=webhook.endpoint_changed&targetId=${endpoint.id}`;
  const { data } = (await ask(path)).json;
  const there = [
    { path: '/url', from: url, to: thief },
    { path: '/eventTypes', from: eventTypes, to: ['*'] },
  ];
  const back = there.map((change) => ({ ...change, from: change.to, to: change.from }));
  expect(data.map(({ changes }: { changes: unknown }) => changes)).toEqual([
    [{ path: '/status', from: 'DISABLED', to: 'ENABLED' }],
    [{ path: '/status', from: 'ENABLED', to: 'DISABLED' }],
    back,
    there,
  ]);
});

test.each([
  [{ url: 'https://10.0.0.1/' }, '#/url', 'not public'],
  [{ url: 'https://hooks.example.com:22/' }, '#/url', 'port'],
  [{ url: 'https://a:b@hooks.example.com/' }, '#/url', 'password'],
  [{ url: 'https://postgres/' }, '#/url', 'full host name'],
  [
    { url: 'https://hooks.example.com/', eventTypes: ['database.redy'] },
    '#/eventTypes/0',
    'no event',
  ],
  [
    { url: 'https://hooks.example.com/', eventTypes: ['session.opened'] },
    '#/eventTypes/0',
    'no event',
  ],
])('%j is refused, with the reason', async (body, pointer, detail) => {
  const answer = await ask('/webhook-endpoints', 'POST', body);
  expect(answer).toMatchObject({
    status: 422,
    json: { errors: [{ pointer, detail: expect.stringContaining(detail) }] },
  });
});

test('an endpoint whose secret no signing key opens stops no other, says so, and works again with another secret', async () => {
  const broken = await receiverWith();
  await alter(`UPDATE webhook_endpoints SET sealed_secret = 'broken'`);
  const { receiver } = await receiverWith();
  await happen();
  await until(receiver, 1);
  await happen();
  await until(receiver, 2);
  expect(broken.receiver.received).toEqual([]);
  await eventually('it is told', async () => {
    const errors = (await deliveriesOf(broken.endpoint)).map(({ lastError }) => lastError);
    return errors.some((error) => error?.includes('Rotate the secret')) || undefined;
  });
  await untilStatus(broken.endpoint, ['PENDING', 'PENDING']);
  // The one before, which cannot be opened, does not matter any more.
  const rotated = await ask(`${broken.endpoint.path}/secret/rotate`, 'POST', {
    gracePeriodSeconds: 60,
  });
  expect(rotated.status).toBe(200);
  await alter(`UPDATE webhook_endpoints SET throttled_until = NULL, due_at = now()`);
  await alter(`UPDATE webhook_deliveries SET next_attempt_at = now() WHERE status = 'PENDING'`);
  await happen();
  await until(broken.receiver, 1);
  broken.receiver.verify(rotated.json.secret);
});

test('deliveries and their attempts are kept for 30 days', async () => {
  const { endpoint } = await receiverWith();
  await happen();
  await untilStatus(endpoint, ['SUCCEEDED']);
  const [delivery] = await deliveriesOf(endpoint);
  await alter(`UPDATE webhook_deliveries SET created_at = now() - interval '29 days'`);
  expect(await sweepDeliveries(store.read)).toBe(0);
  await alter(`UPDATE webhook_deliveries SET created_at = now() - interval '31 days'`);
  expect(await sweepDeliveries(store.read)).toBeGreaterThan(0);
  expect((await ask(`/webhook-deliveries/${delivery?.id}`)).json.code).toBe(
    'webhook_delivery_not_found',
  );
});

test('only owners and administrators of the organization see deliveries', async () => {
  const { endpoint } = await receiverWith();
  await happen();
  await untilStatus(endpoint, ['SUCCEEDED']);
  const made = await ask('/api-keys', 'POST', {
    name: 'all',
    permissions: ['db:read', 'db:write'],
  });
  const headers = { 'x-api-key': made.json.secret };
  for (const path of ['/webhook-deliveries', `${endpoint.path}/secret`]) {
    expect((await service.ask(undefined, path, { headers })).json.code).toBe('session_required');
  }
});
