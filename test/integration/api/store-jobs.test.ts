/** Jobs and their workers against a real PostgreSQL: leases, killed workers, deadlines, cancelling, waking. */
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { sql } from 'kysely';
import type { JobContext, JobHandler, JobOutcome } from '../../../api/jobs/handler.ts';
import type { Job } from '../../../api/model/job.ts';
import { waitForJob } from '../../../api/jobs/wait-for-job.ts';
import { Worker, type WorkerOptions } from '../../../api/jobs/worker.ts';
import { listEvents } from '../../../api/store/events.ts';
import { uuidOf } from '../../../api/store/ids.ts';
import { endJob, JobLeaseLost, lockLeased, takeJobs } from '../../../api/store/job-leases.ts';
import {
  createJob,
  decideJob,
  findActiveJob,
  findJob,
  listJobs,
  requestJobCancel,
  retryJob,
  supersedeJob,
  wakeJobOf,
} from '../../../api/store/jobs.ts';
import type { Listener } from '../../../api/store/listener.ts';
import type { Organization } from '../../../api/store/organizations.ts';
import type { Store } from '../../../api/store/store.ts';
import { systemTimers, type Timers } from '../../../base/timers.ts';
import { checkout, eventually } from '../../support/shell.ts';
import { TestPostgres } from '../../support/api/postgres.ts';
import {
  anotherOrganization,
  makeDatabase,
  makeJob,
  newJob,
  openTestStore,
  silent,
  startListener,
  tester,
} from '../../support/api/store.ts';

let postgres: TestPostgres;
let store: Store;
let organization: Organization;
let listener: Listener;
let url: string;
const workers: Worker[] = [];
const processes: ChildProcess[] = [];

beforeAll(async () => {
  postgres = await TestPostgres.create();
  ({ store, organization, url } = await openTestStore(postgres));
  listener = startListener(store);
  await eventually('the listener listens', () => Promise.resolve(listener.connected || undefined));
  await sql`CREATE TABLE work_log (number serial, job text, step text, owner text)`.execute(
    store.read,
  );
});

afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.stop(2_000)));
  for (const child of processes.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }
  // The server may still be executing the last statements of a dead process.
  await eventually('the server is done with them', async () => {
    const { rows } = await sql`
      SELECT 1 FROM pg_stat_activity WHERE application_name IN ('doomed', 'survivor', 'leaving', 'next')`.execute(
      store.read,
    );
    return rows.length === 0 || undefined;
  });
  await sql`DELETE FROM jobs`.execute(store.read);
});

afterAll(async () => {
  await listener?.stop();
  await store?.close();
  await postgres?.remove();
});

/** A worker in this process that does the same for all types. */
function work(handler: JobHandler, more: Partial<WorkerOptions> = {}): Worker {
  const worker = new Worker({
    store,
    listener,
    owner: 'test',
    logger: silent,
    hooks: { ended: () => {}, troubled: () => {} },
    handlers: {
      'database.create': handler,
      'database.delete': handler,
      'database.change': handler,
      'database.restore_deleted': handler,
      'backup.create': handler,
      'backup.delete': handler,
      'backup.verify': handler,
    },
    leaseMs: 60_000,
    ...more,
  });
  workers.push(worker);
  worker.start();
  return worker;
}

const says = (outcome: JobOutcome): JobHandler => ({ run: () => Promise.resolve(outcome) });
const now = (job: Job): Promise<Job | undefined> => findJob(store.read, organization.id, job.id);

/** The job once it has ended, or is as asked. */
const until = (job: Job, is: (job: Job) => boolean = ({ finishedAt }) => finishedAt !== null) =>
  eventually('the job is as it should be', async () => {
    const found = await now(job);
    return found !== undefined && is(found) ? found : undefined;
  });

/** Time as it is, but for what is to come in ten minutes or more: that comes when the test says so. */
function woundTimers(): { readonly timers: Timers; readonly strike: () => void } {
  const far = new Set<() => void>();
  const after: Timers['after'] = (ms, callback) => {
    if (ms < 600_000) return systemTimers.after(ms, callback);
    far.add(callback);
    return () => far.delete(callback);
  };
  return { timers: { ...systemTimers, after }, strike: () => far.forEach((due) => due()) };
}
const hourMs = 3_600_000;

const aborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve());
  });

const eventsOf = async (job: Job) =>
  (await listEvents(store.read, organization.id, { subjectId: job.id }, { limit: 100 })).rows
    .map(({ type }) => type)
    .reverse();

/** `steps`: after so many it stands still. */
async function startProcess(
  owner: string,
  stepMs: number,
  leaseMs: number,
  steps = Infinity,
): Promise<ChildProcess> {
  const program = join(checkout, 'test/support/api/job-worker.ts');
  const args = [program, url, owner, ...[stepMs, leaseMs, steps].map(String)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  processes.push(child);
  await once(child.stdout ?? child, 'data');
  return child;
}

const logOf = async (jobs: readonly Job[]) => {
  const { rows } = await sql<{ job: string; step: string; owner: string }>`
    SELECT job, step, owner FROM work_log ORDER BY number`.execute(store.read);
  return jobs.map(({ id }) => rows.filter(({ job }) => job === id));
};

test('two workers, one killed midway: every step of every job is done, and none twice', async () => {
  const doomed = await startProcess('doomed', 150, hourMs, 2);
  const jobs = await Promise.all(Array.from({ length: 6 }, () => makeJob(store, organization)));
  const stepsOf = async (worker: string) =>
    (await logOf(jobs)).flat().filter(({ owner }) => owner === worker).length;
  await eventually(
    'the doomed worker is in the middle, and stays there',
    async () => (await stepsOf('doomed')) === 2 || undefined,
  );
  await startProcess('survivor', 150, hourMs);
  await eventually('the other is', async () => (await stepsOf('survivor')) > 0 || undefined);
  const exited = once(doomed, 'exit');
  doomed.kill('SIGKILL');
  await exited;
  const { rows: held } = await sql`SELECT id FROM jobs WHERE lease_owner = 'doomed'`.execute(
    store.read,
  );
  expect(held.length).toBeGreaterThan(0);
  // As if so much time had passed: nobody renews the lease of the dead one.
  await sql`UPDATE jobs SET lease_until = lease_until - interval '2 hours'
    WHERE lease_owner = 'doomed'`.execute(store.read);
  const ended = await Promise.all(jobs.map((job) => until(job)));
  expect(ended.map(({ status }) => status)).toEqual(jobs.map(() => 'SUCCEEDED'));
  for (const rows of await logOf(jobs)) {
    expect(rows.map(({ step }) => step)).toEqual(['one', 'two', 'three', 'SUCCEEDED']);
  }
  const owners = new Set((await logOf(jobs)).flat().map(({ owner }) => owner));
  expect(owners).toEqual(new Set(['doomed', 'survivor']));
  expect(ended[0]).toMatchObject({ attempt: 1, progress: { percent: 100 }, error: null });
});

test('a worker that is told to stop gives its jobs back at once', async () => {
  // The lease is an hour: another worker gets the job in time only if it was given back.
  const leaving = await startProcess('leaving', 300, hourMs);
  const jobs = await Promise.all(Array.from({ length: 4 }, () => makeJob(store, organization)));
  await eventually(
    'it is in the middle',
    async () => (await logOf(jobs)).flat().length >= 4 || undefined,
  );
  const exited = once(leaving, 'exit');
  leaving.kill('SIGTERM');
  const [code] = (await exited) as [number | null];
  expect(code).toBe(0);
  await startProcess('next', 20, hourMs);
  await Promise.all(jobs.map((job) => until(job)));
  for (const rows of await logOf(jobs)) {
    expect(rows.map(({ step }) => step)).toEqual(['one', 'two', 'three', 'SUCCEEDED']);
  }
});

test('twenty that take at once never take the same job', async () => {
  await Promise.all(Array.from({ length: 30 }, () => makeJob(store, organization)));
  const taken = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      takeJobs(store.read, {
        owner: `worker-${index}`,
        types: ['database.create'],
        leaseMs: 60_000,
        limit: 3,
      }),
    ),
  );
  const ids = taken.flat().map(({ job }) => job.id);
  expect(new Set(ids).size).toBe(ids.length);
  const rest = await takeJobs(store.read, {
    owner: 'last',
    types: ['database.create'],
    leaseMs: 60_000,
    limit: 100,
  });
  expect(ids.length + rest.length).toBe(30);
});

test('a worker whose lease ran out writes nothing of the job any more, and does not end it', async () => {
  const job = await makeJob(store, organization);
  const take = (leaseMs: number) =>
    takeJobs(store.read, { owner: 'one', types: ['database.create'], leaseMs, limit: 1 });
  const [late] = await take(1);
  const [next] = await eventually('it is free again', async () => {
    const taken = await take(60_000);
    return taken.length > 0 ? taken : undefined;
  });
  if (late === undefined || next === undefined) throw new Error('nothing was taken');
  expect(next.job.id).toBe(job.id);
  const end = (leased: typeof late) =>
    store.change(tester, async (change) =>
      endJob(change, await lockLeased(change, leased), {
        status: 'SUCCEEDED',
        error: null,
        retryable: false,
      }),
    );
  await expect(end(late)).rejects.toThrow(JobLeaseLost);
  expect((await now(job))?.status).toBe('RUNNING');
  expect((await end(next)).status).toBe('SUCCEEDED');
  await expect(end(next)).rejects.toThrow(JobLeaseLost);
  expect(await eventsOf(job)).toEqual(['job.succeeded']);
});

test('a database has one job at a time', async () => {
  const { id: databaseId } = await makeDatabase(store, organization, 'one-job');
  const make = () =>
    store.change(tester, (change) => createJob(change, newJob(organization, { databaseId })));
  const made = await Promise.allSettled(Array.from({ length: 8 }, make));
  const jobs = made.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const refusals = made.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
  const [job] = jobs;
  expect(jobs).toHaveLength(1);
  expect(refusals).toHaveLength(7);
  for (const refusal of refusals) {
    expect(refusal).toMatchObject({
      code: 'operation_in_progress',
      occasion: { members: { blockingJobId: job?.id } },
    });
  }
  work(says({ kind: 'succeeded' }));
  await until(job as Job);
  expect(await findActiveJob(store.read, databaseId)).toBeUndefined();
  expect('id' in (await make())).toBe(true);
  // Jobs of no database are not in each other's way.
  await makeJob(store, organization);
  await makeJob(store, organization);
});

test('a job begins as soon as it is committed, without waiting for the next look', async () => {
  work(says({ kind: 'succeeded' }), { pollMs: hourMs });
  await new Promise((resolve) => setTimeout(resolve, 300));
  await until(await makeJob(store, organization));
});

test('jobs are found by looking when nothing is heard of the store', async () => {
  const deaf = startListener({
    pool: { ...store.pool, url: 'postgres://127.0.0.1:1/none' },
  } as Store);
  work(says({ kind: 'succeeded' }), { listener: deaf, pollMs: 200 });
  await until(await makeJob(store, organization));
  await deaf.stop();
});

test('after an exception the job is tried again, and its completed steps stand', async () => {
  let tries = 0;
  const handler: JobHandler = {
    async run({ step }) {
      tries += 1;
      await step('one', 'RUNNING', { message: `try ${tries}` });
      if (tries < 3) throw new Error('the API server is away');
      return { kind: 'succeeded' };
    },
  };
  work(handler);
  const ended = await until(await makeJob(store, organization));
  expect(tries).toBe(3);
  expect(ended).toMatchObject({ status: 'SUCCEEDED', attempt: 1, error: null });
  expect(ended.steps.map(({ status }) => status)).toEqual(['SUCCEEDED', 'SKIPPED', 'SKIPPED']);
});

test('a job that is not done at its deadline fails, and what that means is written with it', async () => {
  const told: string[] = [];
  const { timers, strike } = woundTimers();
  const handler: JobHandler = {
    run: async ({ step, signal }) => {
      await step('one', 'RUNNING');
      strike();
      await aborted(signal);
      throw new Error('aborted');
    },
    ended: (_, job) => {
      told.push(`${job.status} ${job.error?.code}`);
      return Promise.resolve();
    },
  };
  work(handler, { timers });
  const job = await makeJob(store, organization, { timeoutMs: hourMs });
  const ended = await until(job);
  expect(ended).toMatchObject({
    status: 'FAILED',
    retryable: true,
    error: { code: 'job_deadline_exceeded' },
  });
  expect(ended.steps.map(({ status }) => status)).toEqual(['FAILED', 'SKIPPED', 'SKIPPED']);
  expect(told).toEqual(['FAILED job_deadline_exceeded']);
  expect(await eventsOf(job)).toEqual(['job.failed']);
});

/** As if so much time had passed since. */
const later = (hours: number) =>
  sql`UPDATE jobs SET due_at = due_at - ${hours} * interval '1 hour',
    deadline_at = deadline_at - ${hours} * interval '1 hour'
    WHERE finished_at IS NULL`.execute(store.read);

test('a deadline also strikes a job between two looks, or that nobody worked on', async () => {
  const resting = await makeJob(store, organization, { timeoutMs: hourMs });
  let looks = 0;
  const handler: JobHandler = {
    run: () => {
      looks += 1;
      return Promise.resolve({ kind: 'again', afterMs: 2 * hourMs });
    },
  };
  work(handler, { pollMs: 200 });
  await eventually('it was looked at, and given back', async () => {
    const { rows } = await sql`SELECT FROM jobs WHERE lease_token IS NULL
      AND status = 'RUNNING' AND id = ${uuidOf(resting.id)}`.execute(store.read);
    return (looks === 1 && rows.length === 1) || undefined;
  });
  await later(1);
  expect(await until(resting)).toMatchObject({
    status: 'FAILED',
    error: { code: 'job_deadline_exceeded' },
  });
  await Promise.all(workers.splice(0).map((worker) => worker.stop(2_000)));
  const late = await makeJob(store, organization, { timeoutMs: 1 });
  let runs = 0;
  work({
    run: () => {
      runs += 1;
      return Promise.resolve({ kind: 'succeeded' });
    },
  });
  expect(await until(late)).toMatchObject({
    status: 'FAILED',
    error: { code: 'job_deadline_exceeded' },
  });
  expect(runs).toBe(0);
});

test('no deadline runs while a job waits for people, and it has its whole time when they have decided', async () => {
  const job = await makeJob(store, organization, { timeoutMs: hourMs });
  work(
    {
      run: ({ job: { input } }) =>
        Promise.resolve(
          'decision' in (input as object)
            ? { kind: 'succeeded' }
            : { kind: 'again', afterMs: 2 * hourMs, waiting: true },
        ),
    },
    { pollMs: 200 },
  );
  await until(job, ({ status }) => status === 'WAITING');
  await later(3);
  const looked = await until(job, ({ deadlineAt }) => deadlineAt.getTime() > Date.now());
  expect([looked.status, looked.finishedAt]).toEqual(['WAITING', null]);
  await store.change(tester, (change) =>
    decideJob(change, organization.id, job.id, { kind: 'completed' }),
  );
  expect((await until(job)).status).toBe('SUCCEEDED');
});

test('a handler that does not hear of its deadline holds nothing up, and writes nothing later', async () => {
  let written: unknown;
  let goOn = () => {};
  const { timers, strike } = woundTimers();
  const handler: JobHandler = {
    run: async ({ write }) => {
      strike();
      await new Promise<void>((resolve) => {
        goOn = resolve;
      });
      written = await write((_, job) => Promise.resolve(job.id)).catch((error: unknown) => error);
      return { kind: 'succeeded' };
    },
  };
  work(handler, { timers });
  const job = await makeJob(store, organization, { timeoutMs: hourMs });
  expect((await until(job)).status).toBe('FAILED');
  goOn();
  await eventually('it has tried to write', () => Promise.resolve(written));
  expect(written).toBeInstanceOf(JobLeaseLost);
  expect((await now(job))?.status).toBe('FAILED');
});

test('a job that is cancelled is told so at once, and undone by the handler', async () => {
  const did: string[] = [];
  const handler: JobHandler = {
    run: async ({ signal }) => {
      did.push('began');
      await aborted(signal);
      throw new Error('aborted');
    },
    cancel: ({ job }) => {
      did.push(`undid ${job.status}`);
      return Promise.resolve({ kind: 'canceled' });
    },
  };
  // The lease is an hour: no heartbeat comes in time to report the loss.
  work(handler, { leaseMs: hourMs });
  const job = await makeJob(store, organization);
  await eventually('it is begun', () => Promise.resolve(did.length > 0 || undefined));
  const asked = await store.change(tester, (change) =>
    requestJobCancel(change, organization.id, job.id),
  );
  expect(asked).toMatchObject({ status: 'CANCELING' });
  const ended = await until(job);
  expect(ended).toMatchObject({ status: 'CANCELED', retryable: true, error: null });
  expect(did).toEqual(['began', 'undid CANCELING']);
  expect(await eventsOf(job)).toEqual(['job.cancel_requested', 'job.canceled']);
});

test('cancelling a job that cannot be stopped is refused with the reason', async () => {
  const cancel = (id: string) =>
    store.change(tester, (change) => requestJobCancel(change, organization.id, id));
  const fixed = await makeJob(store, organization, { cancellable: false });
  expect(await cancel(fixed.id)).toBe('not_cancellable');
  const job = await makeJob(store, organization);
  expect(await cancel(job.id)).toMatchObject({ status: 'CANCELING' });
  expect(await cancel(job.id)).toMatchObject({ status: 'CANCELING' });
  expect(await eventsOf(job)).toEqual(['job.cancel_requested']);
  work(says({ kind: 'succeeded' }));
  // Its handler undoes nothing, so that a retry would have nothing to do again.
  expect(await until(job)).toMatchObject({ status: 'CANCELED', retryable: false });
  expect(await cancel(job.id)).toBe('not_cancellable');
  const other = await anotherOrganization(store, 'canceller');
  expect(
    await store.change(tester, (change) => requestJobCancel(change, other.id, job.id)),
  ).toBeUndefined();
});

test('a job that was done before it heard of its cancelling has succeeded', async () => {
  const begun = Promise.withResolvers<void>();
  work({
    run: async ({ signal }) => {
      begun.resolve();
      await aborted(signal);
      return { kind: 'succeeded' };
    },
  });
  const job = await makeJob(store, organization);
  await begun.promise;
  await store.change(tester, (change) => requestJobCancel(change, organization.id, job.id));
  expect((await until(job)).status).toBe('SUCCEEDED');
});

test('a failed job can be tried again from its first step, as often as it may', async () => {
  work(
    says({
      kind: 'failed',
      error: { code: 'no_capacity', message: 'No node is free.' },
      retryable: true,
    }),
  );
  const job = await makeJob(store, organization, { maxAttempts: 2 });
  expect(await until(job)).toMatchObject({ status: 'FAILED', retryable: true, attempt: 1 });
  const retry = () => store.change(tester, (change) => retryJob(change, organization.id, job.id));
  const both = await Promise.all([retry(), retry()]);
  expect(both.filter((result) => result === 'not_retryable')).toHaveLength(1);
  const ended = await until(job, ({ finishedAt, attempt }) => finishedAt !== null && attempt === 2);
  expect(ended).toMatchObject({
    status: 'FAILED',
    retryable: false,
    error: { code: 'no_capacity' },
  });
  expect(ended.deadlineAt.getTime()).toBeGreaterThan(job.deadlineAt.getTime());
  expect(await retry()).toBe('not_retryable');
  expect(await eventsOf(job)).toEqual(['job.failed', 'job.retried', 'job.failed']);
});

test('a job is not tried again beside another of its database', async () => {
  const { id: databaseId } = await makeDatabase(store, organization, 'retry-beside');
  work(says({ kind: 'failed', error: { code: 'x', message: 'x' }, retryable: true }));
  const job = await makeJob(store, organization, { databaseId });
  await until(job);
  await Promise.all(workers.splice(0).map((worker) => worker.stop(2_000)));
  const other = await makeJob(store, organization, { databaseId, type: 'database.delete' });
  await expect(
    store.change(tester, (change) => retryJob(change, organization.id, job.id)),
  ).rejects.toMatchObject({
    code: 'operation_in_progress',
    occasion: { members: { blockingJobId: other.id } },
  });
});

test('a job that another one makes pointless ends at once, whichever worker runs it', async () => {
  let context: JobContext | undefined;
  work({
    run: async (given) => {
      context ??= given;
      await aborted(given.signal);
      return { kind: 'succeeded' };
    },
  });
  const { id: databaseId } = await makeDatabase(store, organization, 'superseded');
  const job = await makeJob(store, organization, { databaseId });
  await eventually('it is begun', () => Promise.resolve(context));
  await store.change(tester, async (change) => {
    await supersedeJob(change, job.id, {
      code: 'database_deleted',
      message: 'The database is deleted.',
    });
    await createJob(
      change,
      newJob(organization, { databaseId, type: 'database.delete', timeoutMs: 60_000 }),
    );
  });
  expect(await now(job)).toMatchObject({ status: 'CANCELED', error: { code: 'database_deleted' } });
  await eventually('its worker hears of it', () =>
    Promise.resolve(context?.signal.aborted || undefined),
  );
  await expect(context?.write(() => Promise.resolve())).rejects.toThrow(JobLeaseLost);
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect((await now(job))?.status).toBe('CANCELED');
});

test('a job is woken by the change that it waits for, even while it runs', async () => {
  const { id: databaseId } = await makeDatabase(store, organization, 'woken');
  let runs = 0;
  work({
    run: async () => {
      runs += 1;
      if (runs === 3) return { kind: 'succeeded' };
      // Before this run says that it will wait an hour.
      if (runs === 2) await wakeJobOf(store.read, databaseId);
      return { kind: 'again', afterMs: 3_600_000 };
    },
  });
  const job = await makeJob(store, organization, { databaseId, timeoutMs: 7_200_000 });
  await eventually('it waits', () => Promise.resolve(runs === 1 || undefined));
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(runs).toBe(1);
  await wakeJobOf(store.read, databaseId);
  expect((await until(job)).status).toBe('SUCCEEDED');
  expect(runs).toBe(3);
});

test('a worker takes no more than it may at a time, and all in the end', async () => {
  let [running, most] = [0, 0];
  const full = Promise.withResolvers<void>();
  work(
    {
      run: async () => {
        running += 1;
        most = Math.max(most, running);
        if (running === 3) full.resolve();
        await full.promise;
        await new Promise((resolve) => setTimeout(resolve, 50));
        running -= 1;
        return { kind: 'succeeded' };
      },
    },
    { concurrency: 3 },
  );
  const jobs = await Promise.all(Array.from({ length: 10 }, () => makeJob(store, organization)));
  await Promise.all(jobs.map((job) => until(job)));
  expect(most).toBe(3);
});

test('a job that takes longer than its lease stays its worker’s', async () => {
  let runs = 0;
  const slow: JobHandler = {
    run: async () => {
      runs += 1;
      const { rows } = await sql<{ end: string }>`
        SELECT lease_until::text AS end FROM jobs`.execute(store.read);
      await eventually('the lease that it was taken with would be over', async () => {
        const late = await sql<{ late: boolean }>`
          SELECT clock_timestamp() > ${rows[0]?.end}::timestamptz + interval '1 second' AS late`.execute(
          store.read,
        );
        return late.rows[0]?.late === true || undefined;
      });
      return { kind: 'succeeded' };
    },
  };
  work(slow, { leaseMs: 16_000, pollMs: 100 });
  work(slow, { leaseMs: 16_000, pollMs: 100 });
  expect((await until(await makeJob(store, organization))).status).toBe('SUCCEEDED');
  expect(runs).toBe(1);
});

test('waiting for a job ends when it changes, when the time is over, or when the caller leaves', async () => {
  const job = await makeJob(store, organization);
  const wait = (
    timeoutMs: number,
    signal = new AbortController().signal,
    afterVersion = job.version,
  ) =>
    waitForJob(
      { store, listener },
      { organizationId: organization.id, id: job.id, afterVersion, timeoutMs, signal },
    );
  expect((await wait(10_000, undefined, 0))?.version).toBe(1);
  expect((await wait(300))?.version).toBe(1);
  const gone = new AbortController();
  const leaving = wait(hourMs, gone.signal);
  gone.abort();
  expect((await leaving)?.version).toBe(1);
  const waiting = wait(hourMs);
  await store.change(tester, (change) => requestJobCancel(change, organization.id, job.id));
  expect(await waiting).toMatchObject({ status: 'CANCELING', version: 2 });
  const other = await anotherOrganization(store, 'waiter');
  const elsewhere = await waitForJob(
    { store, listener },
    {
      organizationId: other.id,
      id: job.id,
      afterVersion: 0,
      timeoutMs: 1_000,
      signal: gone.signal,
    },
  );
  expect(elsewhere).toBeUndefined();
});

test('jobs are listed newest first, each once', async () => {
  const own = await anotherOrganization(store, 'lists');
  const made: Job[] = [];
  for (let index = 0; index < 5; index += 1) {
    made.push(
      await store.change(tester, async (change) => {
        return createJob(
          change,
          newJob(own, { type: index === 0 ? 'database.delete' : 'database.create' }),
        );
      }),
    );
  }
  const seen: string[] = [];
  let position: [string, string] | undefined;
  do {
    const page = await listJobs(
      store.read,
      own.id,
      {},
      { limit: 2, ...(position && { position }) },
    );
    seen.push(...page.rows.map(({ id }) => id));
    position = page.next;
  } while (position !== undefined);
  expect([...seen].sort()).toEqual(made.map(({ id }) => id).sort());
  const deletions = await listJobs(
    store.read,
    own.id,
    { types: ['database.delete'] },
    { limit: 10 },
  );
  expect(deletions.rows.map(({ id }) => id)).toEqual([made[0]?.id]);
  const ended = await listJobs(store.read, own.id, { statuses: ['SUCCEEDED'] }, { limit: 10 });
  expect(ended.rows).toEqual([]);
});
