/** A PostgreSQL that is away: at the start, in the middle, for a while; and one that takes connections and says nothing. */
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { sql } from 'kysely';
import pino from 'pino';
import { waitForJob } from '../../../api/jobs/wait-for-job.ts';
import { Worker } from '../../../api/jobs/worker.ts';
import {
  countDatabases,
  createDatabase,
  findDatabaseByName,
} from '../../../api/store/databases.ts';
import { listEvents } from '../../../api/store/events.ts';
import { findJob, requestJobCancel } from '../../../api/store/jobs.ts';
import { findOrganization, type Organization } from '../../../api/store/organizations.ts';
import { StoreUnavailable } from '../../../api/store/store-errors.ts';
import { Store } from '../../../api/store/store.ts';
import { eventually } from '../../support/shell.ts';
import { TestPostgres } from '../../support/api/postgres.ts';
import {
  anotherOrganization,
  choice,
  makeDatabase,
  makeJob,
  newDatabase,
  openTestStore,
  patient,
  signingKeys,
  silent,
  startListener,
  tester,
} from '../../support/api/store.ts';

let postgres: TestPostgres;
/** Store with long deadlines, for operations that must succeed on a slow machine too. */
let store: Store;
/** Store with short deadlines, for operations that must exceed them. */
let hasty: Store;
let organization: Organization;
let url: string;
const deadlines = { connectTimeoutMs: 1_000, statementTimeoutMs: 1_000 };

beforeAll(async () => {
  postgres = await TestPostgres.create();
  ({ store, organization, url } = await openTestStore(postgres));
  hasty = new Store({ url, logger: silent, signingKeys, ...deadlines });
});

afterEach(async () => {
  await postgres.resume();
  await postgres.start();
});

afterAll(async () => {
  await hasty?.close();
  await store?.close();
  await postgres?.remove();
});

const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'it succeeded',
    (error: unknown) => error,
  );

const unavailable = (outcome: 'not_done' | 'unknown' = 'not_done') =>
  expect.objectContaining({ name: 'StoreUnavailable', code: 'store_unavailable', outcome });

const isBack = (through = store) =>
  eventually('the store answers', async () => {
    await sql`SELECT 1`.execute(through.read);
    return true;
  });

/** Number of statements of this kind that the server is executing. */
async function active(like: string): Promise<number> {
  const { rows } = await sql`
    SELECT 1 FROM pg_stat_activity
    WHERE query LIKE ${like} AND state = 'active' AND pid <> pg_backend_pid()`.execute(store.read);
  return rows.length;
}

test('a start waits for a server that is away, says so, and goes on when it is there', async () => {
  await postgres.stop();
  const said: { msg?: string; reason?: string; retryInMs?: number }[] = [];
  const logger = pino({}, { write: (line: string) => said.push(JSON.parse(line) as object) });
  const late = new Store({ url, logger, ...patient });
  const started = late.start();
  await eventually('it has tried again', () =>
    Promise.resolve(
      said.filter(({ msg }) => msg?.startsWith('the store cannot be reached')).length > 1 ||
        undefined,
    ),
  );
  expect(late.ready).toBe(false);
  expect(said[0]).toMatchObject({ reason: expect.stringContaining('ECONNREFUSED') as unknown });
  await postgres.start();
  await started;
  expect(late.ready).toBe(true);
  expect(said.at(-1)?.msg).toBe('the store is ready');
  expect(await findOrganization(late.read, organization.id)).toEqual(organization);
  await late.close();
});

test('a start that is given up ends', async () => {
  await postgres.stop();
  const giveUp = new AbortController();
  const late = new Store({ url, logger: silent, signingKeys, ...deadlines });
  const started = failureOf(late.start(giveUp.signal));
  giveUp.abort();
  expect(await started).toEqual(unavailable());
  await late.close();
});

test('a server that is killed costs the calls that were under way; the next ones find it when it is back', async () => {
  // No deadline of its own ends a call.
  const hour = { connectTimeoutMs: 3_600_000, statementTimeoutMs: 3_600_000 };
  const calm = new Store({ url, logger: silent, signingKeys, ...hour });
  const slow = failureOf(sql`SELECT pg_sleep(600)`.execute(calm.read));
  const changing = failureOf(
    calm.change(tester, async (change) => {
      await createDatabase(change, newDatabase(organization, 'cut'), choice);
      await sql`SELECT pg_sleep(600)`.execute(change.db);
    }),
  );
  await eventually(
    'both are under way',
    async () => (await active('SELECT pg_sleep(600)%')) === 2 || undefined,
  );
  await postgres.kill();
  expect(await slow).toEqual(unavailable());
  expect(await changing).toEqual(unavailable());
  // Neither waits for a connection.
  expect(await failureOf(findOrganization(calm.read, organization.id))).toEqual(unavailable());
  expect(await failureOf(makeDatabase(calm, organization, 'down'))).toEqual(unavailable());
  await postgres.start();
  await isBack(calm);
  expect(await findOrganization(calm.read, organization.id)).toEqual(organization);
  expect(await findDatabaseByName(calm.read, organization.id, 'cut')).toBeUndefined();
  await makeDatabase(calm, organization, 'cut');
  await calm.close();
});

test('changes committed before the server was killed are there afterwards', async () => {
  const { id } = await makeDatabase(store, organization, 'durable');
  await postgres.kill();
  await postgres.start();
  await isBack();
  expect((await findDatabaseByName(store.read, organization.id, 'durable'))?.id).toBe(id);
});

test('a server that says nothing costs each call its deadline, and its late answers go to nobody', async () => {
  // Opens connections, on which a hanging server still accepts data.
  await eventually('all connections are there', async () =>
    Promise.all(Array.from({ length: 5 }, () => sql`SELECT pg_sleep(0.05)`.execute(hasty.read))),
  );
  await postgres.pause();
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => failureOf(findOrganization(hasty.read, organization.id))),
  );
  expect(answers).toEqual(answers.map(() => unavailable()));
  const changing = await failureOf(makeDatabase(hasty, organization, 'hanging'));
  expect(changing).toBeInstanceOf(StoreUnavailable);
  await postgres.resume();
  await isBack(hasty);
  const numbers = await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      // On a slow machine one may run into its deadline again; whatever answer comes is its own.
      eventually(`the answer ${index}`, async () => {
        const { rows } = await sql<{ n: number }>`SELECT ${index}::int AS n`.execute(hasty.read);
        return rows[0]?.n;
      }),
    ),
  );
  expect(numbers).toEqual(Array.from({ length: 50 }, (_, index) => index));
  // Not left over in some connection's open transaction either.
  await makeDatabase(store, organization, 'hanging');
});

test('a statement that takes too long is ended on the server too', async () => {
  expect(await failureOf(sql`SELECT pg_sleep(3600)`.execute(hasty.read))).toEqual(unavailable());
  await eventually(
    'the server has ended it',
    async () => (await active('SELECT pg_sleep(3600)%')) === 0 || undefined,
  );
});

test('a mistake in a statement is no trouble of the server’s', async () => {
  const failure = await failureOf(sql`SELECT * FROM nowhere`.execute(store.read));
  expect(failure).not.toBeInstanceOf(StoreUnavailable);
  expect(failure).toMatchObject({ code: '42P01' });
});

test('more calls than may wait are told so, and those that wait are served', async () => {
  const busy = new Store({ url, logger: silent, ...patient });
  const working = Array.from({ length: 10 }, () => sql`SELECT pg_sleep(0.5)`.execute(busy.read));
  const answers = await Promise.all(
    Array.from({ length: 600 }, () => failureOf(sql`SELECT 1`.execute(busy.read))),
  );
  const refused = answers.filter((answer) => answer instanceof StoreUnavailable);
  const served = answers.filter((answer) => answer === 'it succeeded');
  expect(refused.length).toBeGreaterThanOrEqual(90);
  expect(served.length).toBeGreaterThan(400);
  expect(refused.length + served.length).toBe(600);
  await Promise.all(working);
  await busy.close();
});

/** Between store and server; cuts the connection when the word is said, before or after the server hears it. */
async function startCutter(
  word: string,
  when: 'before' | 'after',
): Promise<{ url: string; stop: () => void }> {
  const sockets: Socket[] = [];
  const server = createServer((client) => {
    const upstream = connect(postgres.port, '127.0.0.1');
    sockets.push(client, upstream);
    for (const socket of [client, upstream]) socket.on('error', () => {});
    upstream.pipe(client);
    upstream.on('close', () => client.destroy());
    client.on('close', () => upstream.end());
    client.on('data', (chunk) => {
      if (!chunk.includes(word)) {
        upstream.write(chunk);
        return;
      }
      upstream.unpipe(client);
      if (when === 'before') client.destroy();
      else upstream.write(chunk, () => setTimeout(() => client.destroy(), 200));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const stop = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return { url: url.replace(/:\d+\//, `:${port}/`), stop };
}

test.each([
  ['before', 0],
  ['after', 1],
] as const)(
  'a connection cut %s the server hears of the commit: the outcome is unknown, and whole',
  async (when, made) => {
    const own = await anotherOrganization(store, `cut-${when}`);
    const cutter = await startCutter('commit', when);
    // The schema exists already, so the first commit is that of the change.
    const applicationName = `cut-${when}`;
    const through = new Store({ url: cutter.url, logger: silent, ...patient, applicationName });
    const failure = await failureOf(
      through.change(tester, async (change) => {
        const database = await createDatabase(change, newDatabase(own, 'cut'), choice);
        const { id, name, status } = database.database;
        change.emit({
          organizationId: own.id,
          type: 'database.created',
          subject: { type: 'database', id, display: name },
          data: { database: { id, name, status } },
        });
      }),
    );
    expect(failure).toEqual(unavailable('unknown'));
    // A commit that fails gives its connection back: none is in use.
    expect(through.figures.open).toBe(through.figures.idle);
    await through.close();
    cutter.stop();
    await eventually('the server is done with it', async () => {
      const { rows } = await sql`
      SELECT 1 FROM pg_stat_activity WHERE application_name = ${applicationName}`.execute(
        store.read,
      );
      return rows.length === 0 || undefined;
    });
    expect((await countDatabases(store.read, own.id)).living).toBe(made);
    // The organization's own event, and the database's with the database.
    expect((await listEvents(store.read, own.id, {}, { limit: 10 })).rows).toHaveLength(1 + made);
  },
);

test('a job goes on where it was when the server comes back, and the worker needs no restart', async () => {
  const listener = startListener(store);
  const steps: string[] = [];
  let goOn = () => {};
  const worker = new Worker({
    store,
    listener,
    owner: 'test',
    logger: silent,
    hooks: { ended: () => {}, troubled: () => {} },
    leaseMs: 10_000,
    pollMs: 300,
    handlers: Object.fromEntries(
      ['database.create', 'database.delete', 'database.restore_deleted'].map((type) => [
        type,
        {
          run: async ({ job, step }) => {
            if (job.steps[0]?.status !== 'SUCCEEDED') {
              await step('one', 'SUCCEEDED');
              steps.push('one');
              await new Promise<void>((resolve) => {
                goOn = resolve;
              });
            }
            await step('two', 'SUCCEEDED');
            steps.push('two');
            return { kind: 'succeeded' };
          },
        },
      ]),
    ) as ConstructorParameters<typeof Worker>[0]['handlers'],
  });
  worker.start();
  const job = await makeJob(store, organization);
  await eventually('the first step is done', () => Promise.resolve(steps.length > 0 || undefined));
  await postgres.kill();
  goOn();
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  expect(steps).toEqual(['one']);
  await postgres.start();
  const ended = await eventually('the job has ended', async () => {
    const found = await findJob(store.read, organization.id, job.id);
    return found?.finishedAt === null ? undefined : found;
  });
  expect(ended).toMatchObject({ status: 'SUCCEEDED', attempt: 1 });
  expect(steps).toEqual(['one', 'two']);
  // And it hears again: of a job that is made now, at once.
  await eventually('it listens again', () => Promise.resolve(listener.connected || undefined));
  const fresh = await makeJob(store, organization, { cancellable: true });
  const waiting = waitForJob(
    { store, listener },
    {
      organizationId: organization.id,
      id: fresh.id,
      afterVersion: 1,
      timeoutMs: 600_000,
      signal: new AbortController().signal,
    },
  );
  await store.change(tester, (change) => requestJobCancel(change, organization.id, fresh.id));
  expect((await waiting)?.version).toBeGreaterThan(1);
  goOn();
  await worker.stop(3_000);
  await listener.stop();
});
