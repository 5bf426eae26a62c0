/** Change streams from a transfer to the receiver: API and worker with a real PostgreSQL, a real engine, and receivers that verify. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { freshMs } from '../../../api/change-streams/stream-run.ts';
import { markDeleted } from '../../../api/databases/mark-deleted.ts';
import { suspendChangeStreams } from '../../../api/store/change-streams.ts';
import { lockDatabase } from '../../../api/store/databases.ts';
import { findOrganization } from '../../../api/store/organizations.ts';
import { Store } from '../../../api/store/store.ts';
import type { Client } from '../../../engine/client/client.ts';
import { Operation } from '../../../engine/wire/operations.ts';
import type { ChangeStream } from '../../../gen/api.ts';
import type { Browser } from '../../support/browser/browser.ts';
import { batchOf, eventsOf, eventsOnce, lastOf } from '../../support/api/change-stream.ts';
import { PeopleService } from '../../support/api/people-service.ts';
import { TestReceiver } from '../../support/api/receiver.ts';
import { makeServingDatabase, patient, silent, tester } from '../../support/api/store.ts';
import { TestEngine } from '../../support/engine/engine.ts';
import {
  accountBytes,
  connectTo,
  create,
  created,
  transferBytes,
} from '../../support/engine/ledger.ts';
import { freePorts } from '../../../tools/cluster/free-ports.ts';
import { eventually } from '../../support/shell.ts';

let service: PeopleService;
let store: Store;
let engine: TestEngine;
let client: Client;
let administrator: Browser;
let organizationId: string;
let streams: string;
const receivers: TestReceiver[] = [];

beforeAll(async () => {
  engine = await TestEngine.create();
  service = await PeopleService.start({ WEBHOOK_RANGES: '127.0.0.0/8' });
  store = new Store({ url: service.databaseUrl, logger: silent, ...patient });
  await store.start();
  administrator = await service.administrator();
  organizationId = (await service.ask(administrator, '/session')).json.organization.id;
  client = connectTo(engine.port);
  await create(client, Operation.createAccounts, accountBytes([1n, 2n]));
  streams = `/databases/${await database('ledger')}/change-streams`;
});
afterEach(async () => {
  await store.read.deleteFrom('changeStreams').execute();
  for (const receiver of receivers.splice(0)) await receiver.stop();
});
afterAll(async () => {
  client?.close();
  await store?.close();
  await service?.stop();
  await engine?.dispose();
});

/** A database with the engine. Returns its ID. */
async function database(name: string): Promise<string> {
  const organization = await findOrganization(store.read, organizationId);
  if (organization === undefined) throw new Error('there is no organization');
  return (await makeServingDatabase(store, organization, name, engine.port)).id;
}

/** The database of a path to its streams. */
const databaseOf = (path: string): string => path.split('/')[2] ?? '';

const ask = (path: string, method = 'GET', body?: unknown) =>
  service.ask(administrator, path, { method, ...(body !== undefined && { body }) });

interface Made {
  readonly receiver: TestReceiver;
  readonly path: string;
  readonly id: string;
  readonly secret: string;
}

async function streamWith(more: Readonly<Record<string, unknown>> = {}): Promise<Made> {
  const receiver = await TestReceiver.start();
  receivers.push(receiver);
  const body = { sink: { type: 'WEBHOOK', url: receiver.url }, ...more };
  const made = await ask(streams, 'POST', body);
  expect(made).toMatchObject({ status: 201 });
  const { id } = made.json.changeStream;
  return { receiver, id, path: `${streams}/${id}`, secret: made.json.secret };
}

const read = async ({ path }: Pick<Made, 'path'>): Promise<ChangeStream> =>
  (await ask(path)).json.changeStream;

const untilIs = (made: Pick<Made, 'path'>, wanted: Partial<ChangeStream>) =>
  eventually(`the stream is ${JSON.stringify(wanted)}`, async () => {
    const stream = await read(made);
    expect(stream).toMatchObject(wanted);
    return stream;
  });

/**
 * Whoever works on a stream sends for a second by what the store has said: after that, nothing that was stopped or replaced is sent or
 * signs any more.
 */
const untilAskedAgain = () => sleep(freshMs + 1);

let lastId = 0n;

/** Makes transfers. Returns their IDs. */
async function transfer(count: number): Promise<readonly string[]> {
  const transfers = Array.from({ length: count }, () => ({
    id: (lastId += 1n),
    debit: 1n,
    credit: 2n,
    amount: 1n,
  }));
  const statuses = await create(client, Operation.createTransfers, transferBytes(transfers));
  expect(new Set(statuses)).toEqual(new Set([created]));
  return transfers.map(({ id }) => String(id));
}

const idsOf = (receiver: TestReceiver): readonly string[] =>
  eventsOnce(receiver).map((event) => event.transfer.id);
const untilAll = (receiver: TestReceiver, ids: readonly string[]) =>
  eventually('all events have come', async () => {
    const have = new Set(idsOf(receiver));
    const missing = ids.filter((id) => !have.has(id));
    if (missing.length > 0) throw new Error(`${missing.length} are missing`);
    return true;
  });

/** Types of the events of the organization about streams. */
async function told(): Promise<readonly string[]> {
  const rows = await store.read
    .selectFrom('events')
    .select('type')
    .where('type', 'like', 'change_stream.%' as never)
    .orderBy('sequence')
    .execute();
  return rows.map(({ type }) => type);
}

test('a stream pushes what comes after now, in order, signed by Standard Webhooks, and tells how far it is', async () => {
  await transfer(1);
  const made = await streamWith();
  const before = (await read(made)).startedAfter;
  const ids = await transfer(250);
  await untilAll(made.receiver, ids);
  expect(idsOf(made.receiver)).toEqual(ids);
  made.receiver.verify(made.secret);
  const [first] = made.receiver.received;
  if (first === undefined) throw new Error('nothing came');
  expect(batchOf(first)).toMatchObject({
    type: 'change_events',
    streamId: made.id,
    after: before,
  });
  // Each request begins where the one before ended, so that a receiver sees that nothing is missing.
  const requests = [
    ...new Map(made.receiver.received.map((one) => [batchOf(one).after, one])).values(),
  ];
  const ends = requests.map((one) => eventsOf(one).at(-1)?.timestamp);
  const begins = requests.map((one) => batchOf(one).after);
  expect(begins).toEqual([before, ...ends.slice(0, -1)]);
  expect(
    Math.max(...made.receiver.received.map((one) => eventsOf(one).length)),
  ).toBeLessThanOrEqual(100);
  await untilIs(made, {
    state: 'RUNNING',
    position: lastOf(made.receiver),
    deliveredEvents: '250',
    lagSeconds: 0,
    lastError: null,
  });
  expect((await ask(streams)).json.data).toMatchObject([{ id: made.id }]);
});

test('a suspended stream stands still while others go on, and goes on where it was', async () => {
  const suspend = (isSuspended: boolean) =>
    store.change(tester, (change) =>
      suspendChangeStreams(change, databaseOf(streams), isSuspended),
    );
  const made = await streamWith();
  const first = await transfer(1);
  await untilAll(made.receiver, first);
  await suspend(true);
  await untilIs(made, { state: 'RUNNING', suspended: true });
  // Whoever works on it sends no more than what it had begun, and gives it back.
  const second = await transfer(1);
  await eventually('nobody works on it', async () => {
    const { leaseOwner } = await store.read
      .selectFrom('changeStreams')
      .select('leaseOwner')
      .executeTakeFirstOrThrow();
    return leaseOwner === null ? true : undefined;
  });
  const other = await streamWith();
  expect((await read(other)).suspended).toBe(false);
  const third = await transfer(3);
  await untilAll(other.receiver, third);
  expect(idsOf(made.receiver).filter((id) => third.includes(id))).toEqual([]);
  expect(await read(made)).toMatchObject({ suspended: true });
  await suspend(false);
  await untilAll(made.receiver, [...second, ...third]);
  await untilIs(made, { state: 'RUNNING', suspended: false, lagSeconds: 0 });
});

test('every byte that is sent is counted, also when the receiver refuses it', async () => {
  const made = await streamWith();
  made.receiver.answer(500);
  const ids = await transfer(20);
  await untilIs(made, { state: 'RETRYING' });
  made.receiver.beFine();
  await untilAll(made.receiver, ids);
  await untilIs(made, { state: 'RUNNING', deliveredEvents: '20' });
  const texts = made.receiver.received.map(({ text }) => Buffer.byteLength(text));
  expect(texts.length).toBeGreaterThan(1);
  const { sentBytes } = await read(made);
  expect(sentBytes).toBe(String(texts.reduce((all, one) => all + one, 0)));
});

test('while the ledger does not answer, its lag is unknown and not zero, in the metrics as well', async () => {
  const [port = 0] = await freePorts(1);
  const organization = await findOrganization(store.read, organizationId);
  if (organization === undefined) throw new Error('there is no organization');
  const deaf = await makeServingDatabase(store, organization, 'deaf', port);
  const path = `/databases/${deaf.id}/change-streams`;
  const sink = { type: 'WEBHOOK', url: 'http://127.0.0.1:4000/' };
  const { id } = (await ask(path, 'POST', { sink, after: 'beginning' })).json.changeStream;
  const { lastError } = await untilIs(
    { path: `${path}/${id}` },
    { state: 'RETRYING', lagSeconds: null, lagUnknown: 'LEDGER_UNAVAILABLE' },
  );
  expect(lastError).toMatchObject({ code: 'ledger_unavailable' });
  await eventually('the metrics say so', async () => {
    const text = await service.workerMetrics();
    expect(text).toMatch(/^ledgerhouse_worker_change_streams_lag_unknown 1$/m);
    expect(text).toMatch(/^ledgerhouse_worker_change_stream_lag_seconds nan$/im);
    return true;
  });
});

test('a stream whose secret nobody can open says so at once, and goes on with another one', async () => {
  const seen = (await told()).length;
  const made = await streamWith();
  await service.alter(`UPDATE change_streams SET sealed_secret = '\\x00', lease_token = NULL`);
  // A worker that had taken it before signs with the secret that it read.
  await untilAskedAgain();
  const ids = await transfer(2);
  const { lastError } = await untilIs(made, {
    state: 'RETRYING',
    lagSeconds: null,
    lagUnknown: 'NOT_READ',
  });
  expect(lastError).toMatchObject({ code: 'secret_unreadable' });
  expect(made.receiver.received).toEqual([]);
  await eventually('it is told', async () => {
    expect((await told()).slice(seen)).toEqual(['change_stream.created', 'change_stream.stalled']);
    return true;
  });
  const rotated = await ask(`${made.path}/secret/rotate`, 'POST', { gracePeriodSeconds: 0 });
  await service.alter('UPDATE change_streams SET due_at = now()');
  await untilAll(made.receiver, ids);
  made.receiver.verify(rotated.json.secret);
  await untilIs(made, { state: 'RUNNING', deliveredEvents: '2' });
  await eventually('the recovery is told', async () => {
    expect((await told()).at(-1)).toBe('change_stream.recovered');
    return true;
  });
});

test('a member who may only read sees the host of a receiver', async () => {
  const made = await streamWith({
    sink: { type: 'WEBHOOK', url: 'http://127.0.0.1:4000/t0ken?key=t0ken' },
  });
  expect((await read(made)).sink.url).toBe('http://127.0.0.1:4000/t0ken?key=t0ken');
  const body = { name: 'reader', permissions: ['db:read', 'db:write'] };
  const { secret } = (await ask('/api-keys', 'POST', body)).json;
  for (const path of [streams, made.path]) {
    const asked = await service.ask(undefined, path, { headers: { 'x-api-key': secret } });
    expect(asked.status).toBe(200);
    const text = JSON.stringify(asked.json);
    expect(text).toContain('http://127.0.0.1:4000/•••');
    expect(text).not.toContain('t0ken');
  }
  await ask(made.path, 'PATCH', { sink: { type: 'WEBHOOK', url: 'http://127.0.0.1:4000/t0ken2' } });
  const events = await store.read
    .selectFrom('events')
    .select(['data', 'changes'])
    .where('type', 'in', ['change_stream.created', 'change_stream.changed'] as never)
    .execute();
  expect(JSON.stringify(events)).toContain('http://127.0.0.1:4000/•••');
  expect(JSON.stringify(events)).not.toContain('t0ken');
});

test('streams of a suspended organization can be paused, and nothing else but deleted', async () => {
  const made = await streamWith();
  const organization = `/organizations/${organizationId}`;
  await ask(`${organization}/suspend`, 'POST', { reason: 'unpaid' });
  const refused = { status: 403, json: { code: 'organization_suspended' } };
  try {
    await eventually('the suspension holds', async () => {
      expect(await ask(`${made.path}/secret/rotate`, 'POST', {})).toMatchObject(refused);
      return true;
    });
    for (const body of [
      { state: 'RUNNING' },
      { state: 'PAUSED', description: 'x' },
      { sink: { type: 'WEBHOOK', url: 'http://127.0.0.1:4000/' } },
    ]) {
      expect([body, await ask(made.path, 'PATCH', body)]).toMatchObject([body, refused]);
    }
    expect((await ask(made.path, 'PATCH', { state: 'PAUSED' })).json.changeStream).toMatchObject({
      state: 'PAUSED',
      lagUnknown: 'PAUSED',
    });
    expect(await ask(made.path, 'DELETE')).toMatchObject({ status: 204 });
  } finally {
    await ask(`${organization}/resume`, 'POST');
    await eventually('the suspension is over', async () => {
      expect(await ask(`${made.path}/secret/rotate`, 'POST', {})).not.toMatchObject(refused);
      return true;
    });
  }
});

test('a stream begins at the beginning, or after a timestamp', async () => {
  const ids = await transfer(3);
  const all = await streamWith({ after: 'beginning' });
  await untilAll(all.receiver, ids);
  const events = eventsOnce(all.receiver);
  expect(events.map((event) => event.transfer.id)).toEqual(
    Array.from({ length: Number(lastId) }, (_, i) => String(i + 1)),
  );
  const some = await streamWith({ after: events.at(-3)?.timestamp });
  await untilAll(some.receiver, ids.slice(1));
  expect(idsOf(some.receiver)).toEqual(ids.slice(1));
});

test('a paused stream keeps its place, gets nothing, and goes on there, also at another URL', async () => {
  const made = await streamWith();
  const before = await transfer(2);
  await untilAll(made.receiver, before);
  expect((await ask(made.path, 'PATCH', { state: 'PAUSED' })).json.changeStream).toMatchObject({
    state: 'PAUSED',
    lagSeconds: null,
  });
  await untilAskedAgain();
  const meanwhile = await transfer(2);
  const other = await streamWith();
  // Another stream shows that the worker has looked since.
  const later = await transfer(1);
  await untilAll(other.receiver, later);
  expect(idsOf(made.receiver)).toEqual(before);
  const next = await TestReceiver.start();
  receivers.push(next);
  const sink = { type: 'WEBHOOK', url: next.url };
  const { etag = '' } = await ask(made.path);
  await ask(made.path, 'PATCH', { description: 'books' });
  const late = { method: 'PATCH', headers: { 'if-match': etag }, body: { sink } };
  expect((await service.ask(administrator, made.path, late)).status).toBe(412);
  const resumed = await ask(made.path, 'PATCH', { state: 'RUNNING', sink });
  expect(resumed.json.changeStream).toMatchObject({ state: 'RUNNING', sink });
  await untilAll(next, [...meanwhile, ...later]);
  expect(idsOf(next)).toEqual([...meanwhile, ...later]);
  expect(idsOf(made.receiver)).toEqual(before);
});

/** Makes a receiver answer nothing. Returns how many requests are open, and how many were at once. */
function hang({ receiver }: Pick<Made, 'receiver'>) {
  const open = { now: 0, most: 0 };
  receiver.behave = (_, response) => {
    open.most = Math.max(open.most, (open.now += 1));
    response.once('close', () => (open.now -= 1));
  };
  return open;
}

test('a receiver that fails gets the same events again, and nobody else waits for it', async () => {
  const ill = await streamWith();
  const hanging = await streamWith();
  const well = await streamWith();
  ill.receiver.answer(503, { 'retry-after': '1' });
  const open = hang(hanging);
  const ids = await transfer(120);
  await untilAll(well.receiver, ids);
  await eventually('the first request', async () => open.most > 0 || undefined);
  expect(open.most).toBe(1);
  const retrying = await untilIs(ill, {
    state: 'RETRYING',
    deliveredEvents: '0',
    lastError: {
      code: 'HTTP_ERROR',
      message: 'The receiver answered 503.',
      at: expect.any(String) as never,
    },
  });
  expect(retrying.lagSeconds).toBeGreaterThan(0);
  expect(retrying.failingSince).not.toBeNull();
  ill.receiver.beFine();
  await untilIs(ill, { state: 'RUNNING', deliveredEvents: '120', failingSince: null });
  const [first] = ill.receiver.received;
  const again = ill.receiver.received.find((one, i) => i > 0 && one.text === first?.text);
  // The same events have the same ID.
  expect(again?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
  ill.receiver.verify(ill.secret);
});

test('trouble that lasts is told, a stream that failed for a day stops, and goes on where it was', async () => {
  const seen = (await told()).length;
  const made = await streamWith();
  made.receiver.answer(500);
  const ids = await transfer(5);
  await untilIs(made, { state: 'RETRYING' });
  const past = (text: string) =>
    service.alter(
      `UPDATE change_streams SET failing_since = now() - interval '${text}', due_at = now()`,
    );
  await past('6 minutes');
  const untilTold = (types: readonly string[]) =>
    eventually(`${types.join()} are told`, async () => {
      expect((await told()).slice(seen)).toEqual(types);
      return true;
    });
  await untilTold(['change_stream.created', 'change_stream.stalled']);
  await past('25 hours');
  await untilIs(made, {
    state: 'FAILED',
    stateReason: 'Every attempt of the last 24 hours failed.',
    nextAttemptAt: null,
  });
  made.receiver.beFine();
  await ask(made.path, 'PATCH', { state: 'RUNNING' });
  await untilAll(made.receiver, ids);
  await untilIs(made, { state: 'RUNNING', deliveredEvents: '5', stateReason: null });
  await untilTold([
    'change_stream.created',
    'change_stream.stalled',
    'change_stream.failed',
    'change_stream.changed',
  ]);
});

test('trouble after a resume is told again, and what ends by itself is told too', async () => {
  const seen = (await told()).length;
  const made = await streamWith();
  made.receiver.answer(500);
  const ids = await transfer(1);
  const past = () =>
    service.alter(
      `UPDATE change_streams SET failing_since = now() - interval '6 minutes', due_at = now() WHERE failing IS NOT NULL`,
    );
  const untilTold = (count: number, type: string) =>
    eventually(`${type} is told ${count} times`, async () => {
      const times = (await told()).slice(seen).filter((one) => one === type);
      expect(times).toHaveLength(count);
      return true;
    });
  await untilIs(made, { state: 'RETRYING' });
  await past();
  await untilTold(1, 'change_stream.stalled');
  await ask(made.path, 'PATCH', { state: 'PAUSED' });
  await ask(made.path, 'PATCH', { state: 'RUNNING' });
  await untilIs(made, { state: 'RETRYING' });
  await past();
  await untilTold(2, 'change_stream.stalled');
  made.receiver.beFine();
  await untilAll(made.receiver, ids);
  await untilTold(1, 'change_stream.recovered');
});

test('a stream whose database was away for a day has not failed in that time', async () => {
  const made = await streamWith();
  made.receiver.answer(500);
  const ids = await transfer(1);
  const { failingSince } = await untilIs(made, { state: 'RETRYING' });
  await service.alter(
    `UPDATE change_streams SET failing_since = now() - interval '30 hours', due_at = now() - interval '29 hours'`,
  );
  await eventually('it failed again', async () => {
    const stream = await read(made);
    expect(stream.state).toBe('RETRYING');
    expect(Date.parse(stream.failingSince ?? '')).toBeGreaterThan(Date.parse(failingSince ?? ''));
    return true;
  });
  made.receiver.beFine();
  await untilAll(made.receiver, ids);
});

test('however often the secret is rotated, a receiver that hangs has one request at a time', async () => {
  const hanging = await streamWith();
  const open = hang(hanging);
  const well = await streamWith();
  await transfer(1);
  await eventually('the first request', async () => open.most > 0 || undefined);
  for (let turn = 0; turn < 3; turn += 1) {
    const rotated = await ask(`${hanging.path}/secret/rotate`, 'POST', {});
    expect(rotated.status).toBe(200);
    // Another stream, which the same worker takes anew, shows that it has looked for what is due since.
    await ask(well.path, 'PATCH', { state: 'PAUSED' });
    await ask(well.path, 'PATCH', { state: 'RUNNING' });
    await untilAll(well.receiver, await transfer(1));
  }
  expect(open.most).toBe(1);
});

test('a receiver that says that it is gone ends its stream at once', async () => {
  const made = await streamWith();
  made.receiver.answer(410);
  await transfer(1);
  await untilIs(made, {
    state: 'FAILED',
    stateReason: 'The receiver answered 410: it is gone.',
  });
  expect(made.receiver.received).toHaveLength(1);
});

test('no event leaves for an address that is not public, whatever the record says', async () => {
  for (const url of [
    'https://10.0.0.1/',
    'https://169.254.169.254/latest/',
    'https://[::ffff:10.0.0.1]/',
    'https://user:secret@example.com/',
    'https://postgres/',
  ]) {
    const answer = await ask(streams, 'POST', { sink: { type: 'WEBHOOK', url } });
    expect([url, answer]).toMatchObject([
      url,
      { status: 422, json: { code: 'validation_failed', errors: [{ pointer: '#/sink/url' }] } },
    ]);
  }
  const made = await streamWith();
  // As every change of the address, it withdraws the lease: a worker that goes on by the address of before records nothing.
  await service.alter(`UPDATE change_streams SET url = 'https://10.0.0.1/', lease_token = NULL`);
  await transfer(1);
  await untilIs(made, {
    state: 'RETRYING',
    lastError: {
      code: 'BLOCKED_ADDRESS',
      message: expect.any(String) as never,
      at: expect.any(String) as never,
    },
  });
});

test('another secret signs from then on, beside the one before while its grace lasts', async () => {
  const made = await streamWith();
  await untilAll(made.receiver, await transfer(1));
  const rotated = await ask(`${made.path}/secret/rotate`, 'POST', {});
  expect(rotated.json.secret).not.toBe(made.secret);
  expect(rotated.json.changeStream.previousSecretUntil).not.toBeNull();
  expect((await ask(`${made.path}/secret`)).json.secret).toBe(rotated.json.secret);
  await untilAskedAgain();
  await untilAll(made.receiver, await transfer(1));
  made.receiver.verify(made.secret);
  const second = made.receiver.received.at(-1);
  expect(second?.headers['webhook-signature']?.split(' ')).toHaveLength(2);
  const alone = await ask(`${made.path}/secret/rotate`, 'POST', { gracePeriodSeconds: 0 });
  await untilAskedAgain();
  made.receiver.received.splice(0);
  await untilAll(made.receiver, await transfer(1));
  made.receiver.verify(alone.json.secret);
  expect(made.receiver.received[0]?.headers['webhook-signature']?.split(' ')).toHaveLength(1);
});

test('a database has four streams, and what cannot be is refused with what to do', async () => {
  for (let index = 0; index < 4; index += 1) await streamWith();
  const sink = { type: 'WEBHOOK', url: 'http://127.0.0.1:4000/' };
  expect(await ask(streams, 'POST', { sink })).toMatchObject({
    status: 403,
    json: { code: 'quota_exceeded', detail: expect.stringContaining('4 change streams') },
  });
  for (const after of ['yesterday', '-1', '9223372036854775807']) {
    expect(await ask(streams, 'POST', { sink, after })).toMatchObject({
      status: 422,
      json: { code: 'validation_failed', errors: [{ pointer: '#/after' }] },
    });
  }
  const { secret } = (
    await ask('/api-keys', 'POST', { name: 'a', permissions: ['db:read', 'db:write'] })
  ).json;
  const asKey = (method: string, body?: unknown) =>
    service.ask(undefined, streams, { method, body, headers: { 'x-api-key': secret } });
  expect((await asKey('GET')).json.data).toHaveLength(4);
  // A key cannot carry a ledger out of the service.
  expect(await asKey('POST', { sink })).toMatchObject({ json: { code: 'session_required' } });
});

test('a deleted stream gets nothing, and one of a deleted database is paused until somebody resumes it', async () => {
  const other = await database('going');
  const receiver = await TestReceiver.start();
  receivers.push(receiver);
  const sink = { type: 'WEBHOOK', url: receiver.url };
  const path = `/databases/${other}/change-streams`;
  const { id } = (await ask(path, 'POST', { sink })).json.changeStream;
  await untilAll(receiver, await transfer(1));
  await store.change(tester, async (change) => {
    const before = await lockDatabase(change, other);
    if (before === undefined) throw new Error('it is not there');
    await markDeleted(change, before, {
      deletedAt: new Date(),
      purgeAt: new Date(Date.now() + 60_000),
    });
  });
  expect((await ask(`${path}/${id}`)).json.changeStream).toMatchObject({
    state: 'PAUSED',
    stateReason: 'The database was deleted.',
  });
  const notThere = { status: 404, json: { code: 'database_not_found' } };
  expect(await ask(path, 'POST', { sink, after: 'beginning' })).toMatchObject(notThere);
  expect(await ask(`${path}/${id}`, 'PATCH', { state: 'RUNNING' })).toMatchObject(notThere);
  expect(await ask(`${path}/${id}`, 'DELETE')).toMatchObject({ status: 204 });
  expect(await ask(`${path}/${id}`)).toMatchObject({
    status: 404,
    json: { code: 'change_stream_not_found' },
  });
});
