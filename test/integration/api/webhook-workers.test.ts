/** Several worker processes share webhooks and change streams, and are killed while they send: nothing is lost. */
import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { newTypeId } from '../../../domain/type-id.ts';
import { Sealer } from '../../../api/store/sealing.ts';
import { createWebhookEndpoint } from '../../../api/store/webhook-endpoints.ts';
import { uuidOf } from '../../../api/store/ids.ts';
import { createChangeStream, findChangeStream } from '../../../api/store/change-streams.ts';
import { Operation } from '../../../engine/wire/operations.ts';
import { eventsOf, lastOf } from '../../support/api/change-stream.ts';
import { TestReceiver } from '../../support/api/receiver.ts';
import { makeServingDatabase, signingKeys, tester } from '../../support/api/store.ts';
import { WebhookWorkers } from '../../support/api/webhook-workers.ts';
import { TestEngine } from '../../support/engine/engine.ts';
import { accountBytes, connectTo, create, transferBytes } from '../../support/engine/ledger.ts';
import { eventually } from '../../support/shell.ts';

const sealer = new Sealer(signingKeys);
let workers: WebhookWorkers;
const receivers: TestReceiver[] = [];

beforeAll(async () => {
  workers = await WebhookWorkers.create();
});
afterEach(async () => {
  // A worker that a failed test left would send what the next one wants to see.
  await workers.endAll();
  await workers.store.read.deleteFrom('webhookEndpoints').execute();
  for (const receiver of receivers.splice(0)) await receiver.stop();
});
afterAll(() => workers?.stop());

async function receiverWith(): Promise<{ receiver: TestReceiver; secret: string }> {
  const receiver = await TestReceiver.start();
  receivers.push(receiver);
  const { organizationId, store } = workers;
  const made = await store.change(tester, (change) =>
    createWebhookEndpoint(change, sealer, {
      organizationId,
      url: receiver.url,
      description: '',
      eventTypes: ['job.*'],
      databaseId: null,
    }),
  );
  if (made === 'too_many') throw new Error('there are too many endpoints');
  return { receiver, secret: made.secret };
}

/** Commits events of these databases, one after the other. Returns their IDs. */
async function happen(count: number, databases: readonly (string | null)[]): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const databaseId = databases[index % databases.length] ?? null;
    ids.push(
      await workers.store.change(tester, async (change) => {
        const id = newTypeId('job');
        return change.emit({
          organizationId: workers.organizationId,
          type: 'job.succeeded',
          subject: { type: 'job', id, display: 'database.create' },
          databaseId,
          data: { job: { id, type: 'database.create', status: 'SUCCEEDED' } },
        });
      }),
    );
  }
  return ids;
}

async function streamTo(url: string, databaseId: string) {
  const made = await workers.store.change(tester, (change) =>
    createChangeStream(change, sealer, {
      organizationId: workers.organizationId,
      databaseId,
      description: '',
      sink: { type: 'WEBHOOK', url },
      password: undefined,
      after: 0n,
      suspended: false,
    }),
  );
  if (made === 'too_many') throw new Error('there are too many streams');
  return made;
}

const idsOf = ({ received }: TestReceiver) => received.map(({ body }) => body.id);

/** A receiver that a stalled machine makes miss two attempts gets the third one after five minutes. */
const hangMs = 400_000;

/** What the store says of the deliveries of the first of these events. */
async function standingOf([id = '']: readonly string[]): Promise<string> {
  const deliveries = await workers.store.read
    .selectFrom('webhookDeliveries')
    .selectAll()
    .where('eventId', '=', uuidOf(id))
    .execute();
  if (deliveries.length === 0) return `nothing was made of ${id}`;
  const attempts = await workers.store.read
    .selectFrom('webhookAttempts')
    .select(['deliveryId', 'outcome', 'error', 'startedAt'])
    .where(
      'deliveryId',
      'in',
      deliveries.map((one) => one.id),
    )
    .execute();
  return JSON.stringify({ id, deliveries, attempts });
}

const untilAll = (receiver: TestReceiver, ids: readonly string[]) =>
  eventually(
    'all events have come',
    async () => {
      const have = new Set(idsOf(receiver));
      const missing = ids.filter((id) => !have.has(id));
      if (missing.length === 0) return true;
      throw new Error(`${missing.length} are missing: ${await standingOf(missing)}`);
    },
    hangMs,
  );

const statuses = async () => {
  const rows = await workers.store.read.selectFrom('webhookDeliveries').select('status').execute();
  return new Set(rows.map(({ status }) => status));
};

test('three workers send each event once, in the order of its database', async () => {
  const children = await Promise.all([workers.start(), workers.start(), workers.start()]);
  const all = await Promise.all([receiverWith(), receiverWith(), receiverWith()]);
  const databases = [null, newTypeId('db'), newTypeId('db')];
  const ids = await happen(150, databases);
  for (const { receiver, secret } of all) {
    await untilAll(receiver, ids);
    expect(idsOf(receiver)).toHaveLength(150);
    receiver.verify(secret);
    for (const database of databases) {
      const own = receiver.received.filter(({ body }) => body.databaseId === database);
      const numbers = own.map(({ body }) => Number(body.sequence));
      expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
    }
  }
  await eventually('all is recorded', async () => {
    expect(await statuses()).toEqual(new Set(['SUCCEEDED']));
    return true;
  });
  await Promise.all(children.map((child) => workers.end(child, 'SIGTERM')));
});

test('a worker that is killed between sending and recording loses nothing: another one sends again', async () => {
  const { receiver, secret } = await receiverWith();
  let killing: Promise<void> | undefined;
  const first = await workers.start();
  // The request has arrived, and the worker dies before it hears the answer.
  receiver.behave = async (_, answer) => {
    if (receiver.received.length === 10) {
      killing = workers.end(first, 'SIGKILL');
      await killing;
    }
    answer.writeHead(204).end();
  };
  const making = happen(40, [null]);
  await eventually('the worker is killed', async () => {
    if (killing === undefined) throw new Error('not yet');
    await killing;
    return true;
  });
  const second = await workers.start();
  const ids = await making;
  await untilAll(receiver, ids);
  receiver.verify(secret);
  const counts = Map.groupBy(idsOf(receiver), (id) => id);
  const twice = [...counts.values()].filter((one) => one.length > 1);
  // The one whose answer was not heard, and those that were not recorded yet.
  expect(twice.length).toBeGreaterThanOrEqual(1);
  expect([...counts.keys()].sort()).toEqual([...ids].sort());
  await eventually('all is recorded', async () => {
    expect(await statuses()).toEqual(new Set(['SUCCEEDED']));
    return true;
  });
  await workers.end(second, 'SIGTERM');
});

test('a worker that is frozen for longer than its lease, and goes on, records nothing over what another one did', async () => {
  const { receiver, secret } = await receiverWith();
  const frozen = await workers.start();
  let isFrozen = false;
  receiver.behave = async (_, answer) => {
    if (receiver.received.length === 10) {
      frozen.kill('SIGSTOP');
      isFrozen = true;
    }
    answer.writeHead(204).end();
  };
  const before = await happen(40, [null]);
  await eventually('it is frozen', async () => (isFrozen ? true : undefined));
  const second = await workers.start();
  await untilAll(receiver, before);
  frozen.kill('SIGCONT');
  const after = await happen(40, [null]);
  await untilAll(receiver, after);
  receiver.verify(secret);
  await eventually('all is recorded', async () => {
    expect(await statuses()).toEqual(new Set(['SUCCEEDED']));
    return true;
  });
  const times = (id: string) => idsOf(receiver).filter((one) => one === id).length;
  // Those whose answers it had not recorded came again, and were recorded once.
  expect(Math.max(...before.map(times))).toBeLessThanOrEqual(2);
  expect(after.map(times)).toEqual(after.map(() => 1));
  const attempts = await workers.store.read
    .selectFrom('webhookAttempts')
    .select(['deliveryId', 'outcome'])
    .execute();
  expect(new Set(attempts.map(({ outcome }) => outcome))).toEqual(new Set(['SUCCESS']));
  expect(attempts).toHaveLength(before.length + after.length);
  await Promise.all([frozen, second].map((child) => workers.end(child, 'SIGTERM')));
});

test('workers are killed again and again while events happen: what arrives is what happened', async () => {
  const both = await Promise.all([receiverWith(), receiverWith()]);
  const databases = [null, newTypeId('db')];
  const ids: string[] = [];
  for (let kills = 0; kills < 3; kills += 1) {
    const before = both[0].receiver.received.length;
    const making = happen(60, databases);
    const child = await workers.start();
    await eventually(
      'it has sent something',
      async () => {
        const now = both[0].receiver.received.length;
        if (now < before + 5) throw new Error(`${now} have come`);
        return true;
      },
      hangMs,
    );
    await workers.end(child, 'SIGKILL');
    ids.push(...(await making));
  }
  const last = await workers.start();
  for (const { receiver, secret } of both) {
    await untilAll(receiver, ids);
    expect([...new Set(idsOf(receiver))].sort()).toEqual([...ids].sort());
    receiver.verify(secret);
  }
  await workers.end(last, 'SIGTERM');
});

test('a worker that stops gives its change streams back while a webhook still waits for an answer', async () => {
  const engine = await TestEngine.create();
  try {
    const { receiver } = await receiverWith();
    const database = await makeServingDatabase(
      workers.store,
      workers.organization,
      'idle',
      engine.port,
    );
    const made = await streamTo('http://127.0.0.1:4000/', database.id);
    const child = await workers.start();
    const ended = once(child, 'exit').then(() => true);
    const waiting = Promise.withResolvers<void>();
    receiver.behave = (_, answer) => void waiting.promise.then(() => answer.writeHead(204).end());
    await happen(1, [null]);
    await eventually('both are worked on', async () => {
      expect(receiver.received).toHaveLength(1);
      expect(await holder()).not.toBe('');
      return true;
    });
    child.kill('SIGTERM');
    let isOver = false;
    void ended.then(() => (isOver = true));
    await eventually('the stream is given back', async () => {
      expect(await holder()).toBe('');
      return true;
    });
    // The request is cut off after ten seconds: until then the worker has not ended.
    expect([isOver, made.stream.state]).toEqual([false, 'RUNNING']);
    waiting.resolve();
    await ended;
  } finally {
    await workers.store.read.deleteFrom('changeStreams').execute();
    await engine.dispose();
  }
});

const count = 12_000;

/** Makes transfers 1 to `count` in a ledger. */
async function fill({ port }: TestEngine): Promise<void> {
  const client = connectTo(port);
  await create(client, Operation.createAccounts, accountBytes([1n, 2n]));
  for (let from = 0; from < count; from += 6_000) {
    const transfers = Array.from({ length: 6_000 }, (_, i) => ({
      id: BigInt(from + i + 1),
      debit: 1n,
      credit: 2n,
      amount: 1n,
    }));
    await create(client, Operation.createTransfers, transferBytes(transfers));
  }
  client.close();
}

/** The worker that has the lease of the change stream. */
const holder = async (): Promise<string> => {
  const { leaseOwner } = await workers.store.read
    .selectFrom('changeStreams')
    .select('leaseOwner')
    .executeTakeFirstOrThrow();
  return leaseOwner ?? '';
};

/** As if the time of this worker's lease had passed. Another one, which may have it already, keeps it. */
const endLease = (owner: string) =>
  sql`UPDATE change_streams SET lease_until = clock_timestamp() WHERE lease_owner = ${owner}`.execute(
    workers.store.read,
  );

test('workers of a change stream are killed and frozen: every event arrives in order, a batch again for each', async () => {
  const engine = await TestEngine.create();
  const receiver = await TestReceiver.start();
  receivers.push(receiver);
  try {
    await fill(engine);
    const { store, organization } = workers;
    const database = await makeServingDatabase(store, organization, 'ledger', engine.port);
    const { stream, secret } = await streamTo(receiver.url, database.id);
    const first = await workers.start();
    let killing: Promise<void> | undefined;
    // The request has arrived, and the worker dies before it hears the answer.
    receiver.behave = async (_, answer) => {
      if (receiver.received.length === 30) {
        killing = workers.end(first, 'SIGKILL');
        await killing;
      }
      answer.writeHead(204).end();
    };
    await eventually('the first worker is killed', async () => killing?.then(() => true), hangMs);
    const killed = await holder();
    let isFrozen = false;
    const second = await workers.start();
    receiver.behave = (_, answer) => {
      if (!isFrozen && receiver.received.length >= 60) {
        second.kill('SIGSTOP');
        isFrozen = true;
      }
      answer.writeHead(204).end();
    };
    await endLease(killed);
    await eventually('the second worker is frozen', async () => isFrozen || undefined);
    const stopped = await holder();
    const third = await workers.start();
    const before = receiver.received.length;
    receiver.behave = (_, answer) => {
      if (receiver.received.length === before + 20) second.kill('SIGCONT');
      answer.writeHead(204).end();
    };
    await endLease(stopped);
    await eventually('all is recorded', async () => {
      const now = await findChangeStream(store.read, database.id, stream.id);
      return now?.delivered === BigInt(count) || undefined;
    });
    receiver.verify(secret ?? '');
    const events = receiver.received.flatMap(eventsOf);
    const once = new Map(events.map((event) => [event.timestamp, event.transfer.id]));
    // In the order in which each came first.
    expect([...once.values()]).toEqual(Array.from({ length: count }, (_, i) => String(i + 1)));
    const timestamps = [...once.keys()].map(BigInt);
    expect(timestamps).toEqual(timestamps.toSorted((a, b) => (a < b ? -1 : 1)));
    // One batch for the one that was killed, one for the one that was frozen, and one for each lease that a busy machine loses.
    expect(events.length - count).toBeGreaterThanOrEqual(100);
    expect(events.length - count).toBeLessThanOrEqual(1_000);
    const after = await findChangeStream(store.read, database.id, stream.id);
    expect(String(after?.position)).toBe(lastOf(receiver));
    await Promise.all([second, third].map((child) => workers.end(child, 'SIGTERM')));
  } finally {
    await workers.store.read.deleteFrom('changeStreams').execute();
    await engine.dispose();
  }
});
