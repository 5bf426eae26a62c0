/** Change streams to real brokers: API and worker with a real PostgreSQL, a real engine, a RabbitMQ, and a server that speaks Kafka’s protocol. */
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { findOrganization, type Organization } from '../../../api/store/organizations.ts';
import { Store } from '../../../api/store/store.ts';
import type { Client } from '../../../engine/client/client.ts';
import { TransferFlag } from '../../../engine/wire/flags.ts';
import { Operation } from '../../../engine/wire/operations.ts';
import type { ChangeStream } from '../../../gen/api.ts';
import type { Browser } from '../../support/browser/browser.ts';
import { TestKafka } from '../../support/api/kafka.ts';
import { PeopleService } from '../../support/api/people-service.ts';
import { TestRabbit } from '../../support/api/rabbitmq.ts';
import { makeServingDatabase, patient, silent } from '../../support/api/store.ts';
import { TestEngine } from '../../support/engine/engine.ts';
import {
  accountBytes,
  connectTo,
  create,
  created,
  transferBytes,
} from '../../support/engine/ledger.ts';
import { whileOwnJobRuns } from '../../support/engine/own-job.ts';
import { startTigerBeetle, tigerbeetle } from '../../support/engine/tigerbeetle.ts';
import { eventually } from '../../support/shell.ts';

let service: PeopleService;
let store: Store;
let engine: TestEngine;
let client: Client;
let rabbit: TestRabbit;
let kafka: TestKafka;
let administrator: Browser;
let organization: Organization;
let databaseId: string;
let streams: string;

beforeAll(async () => {
  // Each is there for its removal, whichever fails.
  const made = await Promise.allSettled([
    TestRabbit.create().then((one) => (rabbit = one)),
    TestKafka.create({ topics: { books: 1, parted: 4, killed: 1 }, brokers: 2 }).then(
      (one) => (kafka = one),
    ),
    TestEngine.create().then((one) => (engine = one)),
    PeopleService.start({ WEBHOOK_RANGES: '127.0.0.0/8' }).then((one) => (service = one)),
  ]);
  for (const one of made) if (one.status === 'rejected') throw one.reason;
  store = new Store({ url: service.databaseUrl, logger: silent, ...patient });
  await store.start();
  administrator = await service.administrator();
  const organizationId = (await service.ask(administrator, '/session')).json.organization.id;
  const found = await findOrganization(store.read, organizationId);
  if (found === undefined) throw new Error('there is no organization');
  organization = found;
  client = connectTo(engine.port);
  await create(client, Operation.createAccounts, accountBytes([1n, 2n]));
  databaseId = (await makeServingDatabase(store, organization, 'ledger', engine.port)).id;
  streams = `/databases/${databaseId}/change-streams`;
});
afterEach(async () => {
  await store?.read.deleteFrom('changeStreams').execute();
});
afterAll(async () => {
  client?.close();
  await store?.close();
  await service?.stop();
  await engine?.dispose();
  await rabbit?.dispose();
  await kafka?.dispose();
});

const ask = (path: string, method = 'GET', body?: unknown) =>
  service.ask(administrator, path, { method, ...(body !== undefined && { body }) });

async function streamTo(sink: object, more: object = {}): Promise<{ path: string }> {
  const made = await ask(streams, 'POST', { sink, ...more });
  expect(made).toMatchObject({ status: 201, json: { secret: null } });
  return { path: `${streams}/${made.json.changeStream.id}` };
}

const untilIs = ({ path }: { readonly path: string }, wanted: object): Promise<ChangeStream> =>
  eventually(`the stream is ${JSON.stringify(wanted)}`, async () => {
    const stream = (await ask(path)).json.changeStream;
    expect(stream).toMatchObject(wanted);
    return stream;
  });

/** Lets a stream that waits for its next attempt try at once. */
const tryNow = ({ path }: { readonly path: string }) => ask(path, 'PATCH', { state: 'RUNNING' });

let lastId = 100n;

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

/** What a queue has, as bodies and properties. */
async function messagesOf(queue: string) {
  const messages = await rabbit.takeAll(queue);
  return messages.map(({ content, properties, fields }) => ({
    text: content.toString(),
    properties,
    fields,
  }));
}

/** Each where it came first: a worker that a busy machine keeps from renewing its lease, or from hearing an answer, sends a page again. */
const idsIn = (messages: readonly { readonly text: string }[]): readonly string[] => [
  ...new Set(messages.map(({ text }) => String(JSON.parse(text).transfer.id))),
];

/** An exchange of its own with a queue that gets everything. */
async function topic(name: string): Promise<void> {
  await rabbit.use(async (channel) => {
    await channel.assertExchange(name, 'topic', { durable: true });
    await channel.assertQueue(name, { durable: true });
    await channel.bindQueue(name, name, '#');
  });
}

test('a message for each event, in order, persistent, as TigerBeetle’s own job publishes them', async () => {
  await topic('books');
  const made = await streamTo(rabbit.sink({ exchange: 'books', routingKey: 'payments' }));
  const ids = await transfer(2_500);
  const { sentBytes, position } = await untilIs(made, {
    state: 'RUNNING',
    deliveredEvents: '2500',
    lagSeconds: 0,
    lastError: null,
    signing: null,
  });
  const messages = await messagesOf('books');
  expect(idsIn(messages)).toEqual(ids);
  expect(sentBytes).toBe(String(messages.reduce((sum, { text }) => sum + text.length, 0)));
  const [{ text, properties, fields } = { text: '', properties: {}, fields: {} }] = messages;
  const { timestamp } = JSON.parse(text);
  const account = (id: number, debits: number, credits: number) =>
    `{"id":${id},"debits_pending":0,"debits_posted":${debits},"credits_pending":0,"credits_posted":${credits},"user_data_128":0,"user_data_64":0,"user_data_32":0,"code":1,"flags":0,"timestamp":"T"}`;
  expect(text.replaceAll(/"timestamp":"\d+"/g, '"timestamp":"T"')).toBe(
    `{"timestamp":"T","type":"single_phase","ledger":1,"transfer":{"id":${ids[0]},"amount":1,"pending_id":0,"user_data_128":0,"user_data_64":0,"user_data_32":0,"timeout":0,"code":1,"flags":0,"timestamp":"T"},"debit_account":${account(1, 1, 0)},"credit_account":${account(2, 0, 1)}}`,
  );
  expect(fields).toMatchObject({ exchange: 'books', routingKey: 'payments' });
  expect(properties).toMatchObject({
    contentType: 'application/json',
    appId: 'tigerbeetle',
    deliveryMode: 2,
    messageId: `${databaseId}:${timestamp}`,
    timestamp: Number(BigInt(timestamp) / 1_000_000_000n),
    headers: {
      event_type: 'single_phase',
      ledger: 1,
      transfer_code: 1,
      debit_account_code: 1,
      credit_account_code: 1,
    },
  });
  expect(JSON.parse(messages.at(-1)?.text ?? '').timestamp).toBe(position);
});

const judged = tigerbeetle === undefined ? test.skip : test;

judged(
  'TigerBeetle’s own job reads our engine, and publishes what we publish, byte for byte',
  async () => {
    await rabbit.use(async (channel) => {
      await channel.assertQueue('theirs', { durable: true });
      await channel.assertQueue('ours', { durable: true });
    });
    const pending = { debit: 1n, credit: 2n, flags: TransferFlag.pending };
    const [expiring, posted, voided, post, undo] = Array.from(
      { length: 5 },
      () => (lastId += 1n),
    ) as [bigint, bigint, bigint, bigint, bigint];
    const statuses = await create(
      client,
      Operation.createTransfers,
      transferBytes([
        { ...pending, id: expiring, amount: 1n, timeout: 1 },
        { ...pending, id: posted, amount: 2n ** 60n },
        { ...pending, id: voided, amount: 3n },
        {
          id: post,
          pendingId: posted,
          debit: 0n,
          credit: 0n,
          amount: 2n ** 60n,
          flags: TransferFlag.post_pending_transfer,
        },
        {
          id: undo,
          pendingId: voided,
          debit: 0n,
          credit: 0n,
          amount: 0n,
          flags: TransferFlag.void_pending_transfer,
        },
      ]),
    );
    expect(new Set(statuses)).toEqual(new Set([created]));
    await transfer(20);
    const made = await streamTo(rabbit.sink({ routingKey: 'ours' }), { after: 'beginning' });
    const all: Awaited<ReturnType<typeof messagesOf>>[] = [[], []];
    await whileOwnJobRuns({ port: engine.port, rabbit, queue: 'theirs' }, () =>
      eventually('both have published everything, the expiry too', async () => {
        all[0]?.push(...(await messagesOf('theirs')));
        all[1]?.push(...(await messagesOf('ours')));
        expect(all[1]?.some(({ text }) => text.includes('two_phase_expired'))).toBe(true);
        expect(all[0]).toHaveLength(all[1]?.length ?? 0);
        return true;
      }).then(() => {}),
    );
    await untilIs(made, { state: 'RUNNING', lagSeconds: 0 });
    const [theirs = [], ours = []] = all;
    expect(ours.map(({ text }) => text)).toEqual(theirs.map(({ text }) => text));
    const types = new Set(ours.map(({ properties }) => String(properties.headers?.['event_type'])));
    expect([...types].toSorted()).toEqual([
      'single_phase',
      'two_phase_expired',
      'two_phase_pending',
      'two_phase_posted',
      'two_phase_voided',
    ]);
    // Only ours names the event.
    const known = ({ properties }: (typeof ours)[0]) => ({ ...properties, messageId: undefined });
    expect(ours.map(known)).toEqual(theirs.map(known));
  },
);

judged('a stream of a database of TigerBeetle itself has every transfer, in order', async () => {
  const real = await startTigerBeetle();
  const writer = connectTo(real.port);
  try {
    await create(writer, Operation.createAccounts, accountBytes([1n, 2n]));
    await rabbit.use((channel) => channel.assertQueue('real', { durable: true }));
    const { id } = await makeServingDatabase(store, organization, 'real', real.port);
    const made = await ask(`/databases/${id}/change-streams`, 'POST', {
      sink: rabbit.sink({ routingKey: 'real' }),
    });
    expect(made.status).toBe(201);
    // Fits a message of a replica that was started for development.
    const ids = Array.from({ length: 200 }, (_, index) => BigInt(index + 1));
    const transfers = ids.map((one) => ({ id: one, debit: 1n, credit: 2n, amount: 1n }));
    await create(writer, Operation.createTransfers, transferBytes(transfers));
    const path = `/databases/${id}/change-streams/${made.json.changeStream.id}`;
    await untilIs({ path }, { state: 'RUNNING', deliveredEvents: '200', lagSeconds: 0 });
    expect(idsIn(await messagesOf('real'))).toEqual(ids.map(String));
  } finally {
    writer.close();
    await real.dispose();
  }
});

test('while a stream is on, imported transfers are refused, and while it is paused they are not', async () => {
  const path = `/databases/${databaseId}/tb/create_transfers`;
  const imported = {
    id: String((lastId += 1n)),
    debit_account_id: '1',
    credit_account_id: '2',
    amount: '1',
    ledger: 1,
    code: 1,
    timestamp: '1',
    flags: ['imported'],
  };
  await rabbit.use((channel) => channel.assertQueue('imports', { durable: true }));
  const made = await streamTo(rabbit.sink({ routingKey: 'imports' }));
  // The gateway knows it a second later at most.
  await eventually('it is refused', async () => {
    expect(await ask(path, 'POST', [imported])).toMatchObject({
      status: 409,
      json: { code: 'cdc_enabled', outcome: 'not_executed', errors: [{ pointer: '#/0/flags' }] },
    });
    return true;
  });
  await ask(made.path, 'PATCH', { state: 'PAUSED' });
  await eventually('it is judged by the ledger', async () => {
    expect(await ask(path, 'POST', [imported])).toMatchObject({ status: 200 });
    return true;
  });
});

test('in our own format, to a queue by TLS, with a certificate of an authority of one’s own', async () => {
  await rabbit.use((channel) => channel.assertQueue('own', { durable: true }));
  const sink = rabbit.sink({
    url: `amqps://localhost:${rabbit.tlsPort}/payments`,
    routingKey: 'own',
    format: 'LEDGERHOUSE',
  });
  const made = await streamTo(sink);
  const ids = await transfer(3);
  await untilIs(made, {
    state: 'RETRYING',
    lastError: { code: 'CONNECTION_ERROR', message: expect.stringContaining('No known authority') },
  });
  const { password: _, ...rest } = sink;
  const changed = await ask(made.path, 'PATCH', {
    sink: { ...rest, certificateAuthority: rabbit.authority },
  });
  // The password stays for the same user at the same address.
  expect(changed).toMatchObject({
    status: 200,
    json: { changeStream: { sink: { passwordSet: true } } },
  });
  await untilIs(made, { state: 'RUNNING', deliveredEvents: '3' });
  const messages = await messagesOf('own');
  expect(idsIn(messages)).toEqual(ids);
  expect(typeof JSON.parse(messages[0]?.text ?? '').transfer.amount).toBe('string');
  expect(messages[0]?.properties.appId).toBe('ledgerhouse');
});

test('an event that no queue takes is a failure that says what to do, and nothing is lost', async () => {
  await rabbit.use((channel) => channel.assertExchange('nowhere', 'direct', { durable: true }));
  const made = await streamTo(rabbit.sink({ exchange: 'nowhere', routingKey: 'payments' }));
  const ids = await transfer(150);
  const { lagSeconds, lastError } = await untilIs(made, {
    state: 'RETRYING',
    deliveredEvents: '0',
    lastError: { code: 'UNROUTABLE' },
  });
  expect(lagSeconds).toBeGreaterThan(0);
  expect(lastError?.message).toContain('“nowhere” with the routing key “payments”: NO_ROUTE');
  await rabbit.use(async (channel) => {
    await channel.assertQueue('somewhere', { durable: true });
    await channel.bindQueue('somewhere', 'nowhere', 'payments');
  });
  await tryNow(made);
  await untilIs(made, { state: 'RUNNING', deliveredEvents: '150' });
  expect(idsIn(await messagesOf('somewhere'))).toEqual(ids);
});

test.each([
  ['an exchange that is not there', { exchange: 'absent' }, 'NOT_FOUND', 'no exchange ‘absent’'],
  ['a password that is wrong', { routingKey: 'q', password: 'wrong' }, 'ACCESS_REFUSED', 'refused'],
  [
    'a virtual host that is not there',
    { routingKey: 'q', vhost: 'absent' },
    'NOT_FOUND',
    'no such virtual host',
  ],
])(
  '%s is told in the broker’s words',
  async (_, { vhost, ...more }: Record<string, string>, code, text) => {
    const url = `amqp://127.0.0.1:${rabbit.port}/${vhost ?? 'payments'}`;
    const made = await streamTo(rabbit.sink({ url, ...more }));
    await transfer(1);
    const { lastError } = await untilIs(made, { state: 'RETRYING', lastError: { code } });
    expect(lastError?.message.replaceAll(/'(\w+)'/g, '‘$1’')).toContain(text);
  },
);

test('a queue that is full makes the stream wait, and it goes on when there is room', async () => {
  const full = { 'x-max-length': 5, 'x-overflow': 'reject-publish' };
  await rabbit.use((channel) => channel.assertQueue('full', { durable: true, arguments: full }));
  const made = await streamTo(rabbit.sink({ routingKey: 'full' }));
  const ids = await transfer(10);
  await untilIs(made, { state: 'RETRYING', lastError: { code: 'REJECTED' } });
  const seen = new Set<string>();
  // Once: what comes into the queue with room counts as delivered. What is lost here was part of a page that was refused.
  await rabbit.use(async (channel) => {
    await channel.deleteQueue('full');
    await channel.assertQueue('full', { durable: true });
  });
  await eventually('all have come', async () => {
    for (const id of idsIn(await messagesOf('full'))) seen.add(id);
    await tryNow(made);
    if (seen.size < ids.length) throw new Error(`${seen.size} have come`);
    return true;
  });
  expect([...seen].toSorted()).toEqual([...ids].toSorted());
});

test('a broker that takes no messages from anybody is told, and gets them when it does again', async () => {
  await rabbit.use((channel) => channel.assertQueue('blocked', { durable: true }));
  const made = await streamTo(rabbit.sink({ routingKey: 'blocked' }));
  await rabbit.control('set_vm_memory_high_watermark', '0.00001');
  let ids: readonly string[];
  try {
    ids = await transfer(300);
    const { lastError } = await untilIs(made, {
      state: 'RETRYING',
      lastError: { code: 'BLOCKED' },
    });
    expect(lastError?.message).toContain('low on memory');
  } finally {
    await rabbit.control('set_vm_memory_high_watermark', '0.4');
  }
  await tryNow(made);
  await untilIs(made, { state: 'RUNNING', deliveredEvents: '300' });
  expect(idsIn(await messagesOf('blocked')).toSorted()).toEqual([...ids].toSorted());
});

test('a broker that is killed and comes back gets every event, and the order is kept', async () => {
  await topic('killed');
  const made = await streamTo(rabbit.sink({ exchange: 'killed', routingKey: 'x' }));
  const ids = [...(await transfer(4_000))];
  await eventually('some have come', async () => {
    const { deliveredEvents } = (await ask(made.path)).json.changeStream;
    return deliveredEvents !== '0' || undefined;
  });
  await rabbit.stop('SIGKILL');
  ids.push(...(await transfer(4_000)));
  await untilIs(made, { state: 'RETRYING', lastError: { code: 'CONNECTION_ERROR' } });
  await rabbit.start();
  await tryNow(made);
  await untilIs(made, { state: 'RUNNING', deliveredEvents: '8000' });
  expect(idsIn(await messagesOf('killed'))).toEqual(ids);
});

test('a record for each event in one partition, in order, with the ID of the event', async () => {
  const made = await streamTo(kafka.sink('books'));
  const ids = await transfer(2_500);
  const { sentBytes } = await untilIs(made, {
    state: 'RUNNING',
    deliveredEvents: '2500',
    lagSeconds: 0,
    sink: { type: 'KAFKA', topic: 'books', passwordSet: false },
  });
  const records = await kafka.records('books', 2_500);
  expect(idsIn(records)).toEqual(ids);
  expect(sentBytes).toBe(String(records.reduce((sum, { text }) => sum + text.length, 0)));
  const [{ text, key, headers, timestamp }] = records as [(typeof records)[0]];
  const event = JSON.parse(text);
  expect(typeof event.transfer.amount).toBe('string');
  expect([key, headers.get('id')]).toEqual([databaseId, `${databaseId}:${event.timestamp}`]);
  expect(timestamp).toBe(BigInt(event.timestamp) / 1_000_000n);
  expect(new Set(records.map(({ partition }) => partition)).size).toBe(1);
});

test('with the debit account as key, what concerns one account stays in order', async () => {
  const made = await streamTo(
    kafka.sink('parted', { key: 'DEBIT_ACCOUNT', format: 'TIGERBEETLE' }),
  );
  const accounts = Array.from({ length: 20 }, (_, i) => BigInt(i + 1_000));
  await create(client, Operation.createAccounts, accountBytes(accounts));
  const transfers = Array.from({ length: 1_000 }, (_, i) => ({
    id: (lastId += 1n),
    debit: accounts[i % 20] as bigint,
    credit: 2n,
    amount: 1n,
  }));
  await create(client, Operation.createTransfers, transferBytes(transfers));
  await untilIs(made, { state: 'RUNNING', deliveredEvents: '1000' });
  const records = await kafka.records('parted', 1_000);
  expect(new Set(records.map(({ partition }) => partition)).size).toBeGreaterThan(1);
  for (const account of accounts) {
    const own = records.filter(({ key }) => key === String(account));
    expect(new Set(own.map(({ partition }) => partition)).size).toBe(1);
    const ids = transfers.filter(({ debit }) => debit === account).map(({ id }) => String(id));
    expect(idsIn(own)).toEqual(ids);
  }
});

test('with TLS and a user who signs in; what a broker refuses is told', async () => {
  const secured = await TestKafka.create({ topics: { books: 1 }, mechanism: 'SCRAM-SHA-256' });
  try {
    const made = await streamTo(secured.sink('books', { password: 'wrong' }));
    const ids = await transfer(3);
    await untilIs(made, { state: 'RETRYING', lastError: { code: 'ACCESS_REFUSED' } });
    const { certificateAuthority, ...rest } = secured.sink('absent');
    await ask(made.path, 'PATCH', { sink: { ...rest, certificateAuthority } });
    await untilIs(made, { state: 'RETRYING', lastError: { code: 'NOT_FOUND' } });
    // What is absent in the body has its default: the authorities of the public.
    await ask(made.path, 'PATCH', { sink: { ...rest, topic: 'books' } });
    await untilIs(made, {
      state: 'RETRYING',
      lastError: { code: 'CONNECTION_ERROR', message: expect.stringContaining('authority') },
    });
    const { password: _, ...open } = secured.sink('books');
    await ask(made.path, 'PATCH', { sink: open });
    await untilIs(made, { state: 'RUNNING', deliveredEvents: '3' });
    expect(idsIn(await secured.records('books', 3))).toEqual(ids);
  } finally {
    await secured.dispose();
  }
});

test('a cluster that is killed and comes back gets every event, and the order is kept', async () => {
  const made = await streamTo(kafka.sink('killed'));
  const ids = [...(await transfer(4_000))];
  await eventually('some have come', async () => {
    const { deliveredEvents } = (await ask(made.path)).json.changeStream;
    return deliveredEvents !== '0' || undefined;
  });
  await kafka.kill();
  ids.push(...(await transfer(4_000)));
  await untilIs(made, { state: 'RETRYING', lastError: { code: 'CONNECTION_ERROR' } });
  await kafka.start();
  await tryNow(made);
  await untilIs(made, { state: 'RUNNING', deliveredEvents: '8000' });
  const records = await kafka.records('killed', await kafka.count('killed'));
  expect(idsIn(records)).toEqual(ids);
});

test('addresses that are not public, and what cannot be, are refused with what to do', async () => {
  const refused = (pointer: string) => ({
    status: 422,
    json: { code: 'validation_failed', errors: [{ pointer }] },
  });
  for (const url of [
    'amqps://10.0.0.1/',
    'amqps://169.254.169.254/',
    'amqps://[::ffff:10.0.0.1]/',
    'amqps://user:secret@example.com/',
    'amqps://rabbit/',
    'amqps://example.com:25/',
    'amqps://example.com/a/b',
    'amqps://example.com/%zz',
    'amqps://example.com/?heartbeat=1',
    'https://example.com/',
  ]) {
    const sink = { ...rabbit.sink({ routingKey: 'q' }), url };
    expect([url, await ask(streams, 'POST', { sink })]).toMatchObject([url, refused('#/sink/url')]);
  }
  for (const url of [
    'kafkas://10.0.0.1:9092',
    'kafkas://example.com:9092,169.254.169.254:9092',
    'kafkas://[::ffff:10.0.0.1]:9092',
    'kafkas://user:secret@example.com',
    'kafkas://kafka:9092',
    'kafkas://example.com:22',
    'kafkas://example.com:99999',
    'kafkas://example.com/topic',
    'kafkas://',
  ]) {
    const sink = { ...kafka.sink('books'), url };
    expect([url, await ask(streams, 'POST', { sink })]).toMatchObject([url, refused('#/sink/url')]);
  }
  const { password: _, ...open } = rabbit.sink({ routingKey: 'q' });
  expect(await ask(streams, 'POST', { sink: open })).toMatchObject(refused('#/sink/password'));
  expect((await ask(streams, 'POST', { sink: rabbit.sink() })).status).toBe(422);
  const made = await streamTo(rabbit.sink({ routingKey: 'q' }));
  // Whoever may change a stream may not know its password, and must not be able to have it sent elsewhere.
  for (const more of [{ url: 'amqps://thief.example.com/' }, { username: 'another' }]) {
    const answer = await ask(made.path, 'PATCH', { sink: { ...open, ...more } });
    expect(answer).toMatchObject(refused('#/sink/password'));
  }
  const webhook = { type: 'WEBHOOK', url: 'http://127.0.0.1:4000/' };
  expect(await ask(made.path, 'PATCH', { sink: webhook })).toMatchObject(refused('#/sink/type'));
  for (const [path, method] of [
    ['secret', 'GET'],
    ['secret/rotate', 'POST'],
  ] as const) {
    expect(await ask(`${made.path}/${path}`, method)).toMatchObject({
      status: 409,
      json: { code: 'change_stream_not_signed' },
    });
  }
  const shown = JSON.stringify((await ask(streams)).json);
  expect(shown).not.toContain('rabbit-password');
  await service.alter(`UPDATE change_streams SET url = 'amqps://10.0.0.1/'`);
  await transfer(1);
  await untilIs(made, { state: 'RETRYING', lastError: { code: 'BLOCKED_ADDRESS' } });
});
