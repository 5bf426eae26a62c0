/**
 * Leases: a worker takes a job for a while, keeps it by heartbeats, and gives it back or ends it. Every write names the lease's
 * token, so that a worker whose lease ran out cannot write to another worker's job. Times are the server's.
 */
import { sql } from 'kysely';
import { uuidOf } from './ids.ts';
import {
  jobFact,
  type EndedJobStatus,
  type Job,
  type JobError,
  type JobProgress,
  type JobStep,
  type JobType,
} from '../model/job.ts';
import type { Change } from './change.ts';
import { jobOf } from './jobs.ts';
import type { Reader } from './tables.ts';

/** The job belongs to another worker by now, or has ended. The write was not done. */
export class JobLeaseLost extends Error {
  override readonly name = 'JobLeaseLost';
  readonly code = 'job_lease_lost';
}

export interface LeasedJob {
  readonly job: Job;
  readonly token: string;
  /** Time until the deadline; negative when it has passed. */
  readonly deadlineInMs: number;
}

const now = sql<Date>`clock_timestamp()`;
const inMs = (ms: number) => sql<Date>`clock_timestamp() + ${ms} * interval '1 millisecond'`;
const nextVersion = { version: sql<number>`version + 1`, updatedAt: now };
const noLease = { leaseOwner: null, leaseToken: null, leaseUntil: null };

/** Takes jobs that are due and not leased, longest due first. Concurrent workers get different jobs. */
export async function takeJobs(
  db: Reader,
  wanted: { owner: string; types: readonly JobType[]; leaseMs: number; limit: number },
): Promise<LeasedJob[]> {
  const rows = await db
    .updateTable('jobs')
    .set({
      leaseOwner: wanted.owner,
      leaseToken: sql<string>`gen_random_uuid()`,
      leaseUntil: inMs(wanted.leaseMs),
      woken: false,
      status: sql<string>`CASE status WHEN 'QUEUED' THEN 'RUNNING' ELSE status END`,
      startedAt: sql<Date>`coalesce(started_at, clock_timestamp())`,
      updatedAt: now,
      version: sql<number>`CASE status WHEN 'QUEUED' THEN version + 1 ELSE version END`,
    })
    .where('id', 'in', (select) =>
      select
        .selectFrom('jobs')
        .select('id')
        .where('finishedAt', 'is', null)
        .where('dueAt', '<=', now)
        .where('type', 'in', wanted.types)
        .where((where) =>
          where.or([where('leaseUntil', 'is', null), where('leaseUntil', '<', now)]),
        )
        .orderBy('dueAt')
        .limit(wanted.limit)
        .forUpdate()
        .skipLocked(),
    )
    .returningAll()
    .returning(
      // While a job waits for people, its deadline does not run, even if no worker is alive.
      sql<number>`CASE status WHEN 'WAITING' THEN timeout_ms
        ELSE (extract(epoch FROM deadline_at - clock_timestamp()) * 1000)::float8 END`.as(
        'deadlineInMs',
      ),
    )
    .execute();
  return rows.map((row) => ({
    job: jobOf(row),
    token: row.leaseToken ?? '',
    deadlineInMs: row.deadlineInMs,
  }));
}

/** Time until the next job may be taken; `undefined` if there is none. */
export async function nextDueInMs(
  db: Reader,
  types: readonly JobType[],
): Promise<number | undefined> {
  const row = await db
    .selectFrom('jobs')
    .select(
      sql<number | null>`(extract(epoch FROM
        min(greatest(due_at, coalesce(lease_until, due_at))) - clock_timestamp()) * 1000)::float8`.as(
        'ms',
      ),
    )
    .where('finishedAt', 'is', null)
    .where('type', 'in', types)
    .executeTakeFirst();
  return row?.ms ?? undefined;
}

/** Extends the lease from now on. Returns the job's status, or `lost`. */
export async function renewLease(
  db: Reader,
  { job, token }: LeasedJob,
  leaseMs: number,
): Promise<Job['status'] | 'lost'> {
  const row = await db
    .updateTable('jobs')
    .set({ leaseUntil: inMs(leaseMs) })
    .where('id', '=', uuidOf(job.id))
    .where('leaseToken', '=', token)
    .returning('status')
    .executeTakeFirst();
  return row === undefined ? 'lost' : (row.status as Job['status']);
}

/** Locks the job until the commit. Throws `JobLeaseLost`. */
export async function lockLeased(change: Change, { job, token }: LeasedJob): Promise<Job> {
  const row = await change.db
    .selectFrom('jobs')
    .selectAll()
    .where('id', '=', uuidOf(job.id))
    .where('leaseToken', '=', token)
    .forUpdate()
    .executeTakeFirst();
  if (row === undefined) throw new JobLeaseLost(`${job.id} is no longer this worker's`);
  return jobOf(row);
}

/** Writes the progress for clients. The job must be locked by `lockLeased` in the same change. */
export async function writeProgress(
  change: Change,
  job: Job,
  { progress, steps }: { progress: JobProgress; steps: readonly JobStep[] },
): Promise<void> {
  await change.db
    .updateTable('jobs')
    .set({
      ...nextVersion,
      failures: 0,
      progress: JSON.stringify(progress),
      steps: JSON.stringify(steps),
    })
    .where('id', '=', uuidOf(job.id))
    .execute();
}

interface Release {
  /** Time until the job may be taken again, unless something wakes it or its deadline comes first. */
  readonly afterMs: number;
  readonly failures: number;
  /** Whether the job waits for something outside: a window, an upload. */
  readonly waiting: boolean;
}

/** Gives the job back. Throws `JobLeaseLost`. */
export async function releaseJob(
  db: Reader,
  { job, token }: LeasedJob,
  { afterMs, failures, waiting }: Release,
): Promise<void> {
  const status = waiting ? 'WAITING' : 'RUNNING';
  const row = await db
    .updateTable('jobs')
    .set({
      ...noLease,
      failures,
      dueAt: sql<Date>`CASE WHEN woken THEN clock_timestamp()
        WHEN ${waiting} THEN clock_timestamp() + ${afterMs} * interval '1 millisecond'
        ELSE least(clock_timestamp() + ${afterMs} * interval '1 millisecond', deadline_at) END`,
      // The deadline starts again when the waiting ends.
      ...(waiting && {
        deadlineAt: sql<Date>`clock_timestamp() + timeout_ms * interval '1 millisecond'`,
      }),
      status: sql<string>`CASE status WHEN 'CANCELING' THEN status ELSE ${status} END`,
      version: sql<number>`CASE WHEN status IN ('CANCELING', ${status}) THEN version ELSE version + 1 END`,
    })
    .where('id', '=', uuidOf(job.id))
    .where('leaseToken', '=', token)
    .returning('id')
    .executeTakeFirst();
  if (row === undefined) throw new JobLeaseLost(`${job.id} is no longer this worker's`);
}

export interface JobEnd {
  readonly status: EndedJobStatus;
  readonly error: JobError | null;
  /** Whether a person may retry the job; never beyond `maxAttempts`. */
  readonly retryable: boolean;
}

/** Ends a job in the change that carries out the consequences. The job must be locked by `lockLeased` in the same change. */
export async function endJob(change: Change, job: Job, end: JobEnd): Promise<Job> {
  const succeeded = end.status === 'SUCCEEDED';
  const at = new Date().toISOString();
  const steps = job.steps.map((step): JobStep => {
    if (step.status === 'RUNNING') {
      return { ...step, status: succeeded ? 'SUCCEEDED' : 'FAILED', finishedAt: at };
    }
    return step.status === 'PENDING' ? { ...step, status: 'SKIPPED' } : step;
  });
  const progress: JobProgress = {
    percent: succeeded ? 100 : job.progress.percent,
    message: end.error?.message ?? (succeeded ? 'Done.' : 'Cancelled.'),
    estimatedSecondsRemaining: null,
  };
  const row = await change.db
    .updateTable('jobs')
    .set({
      ...nextVersion,
      ...noLease,
      status: end.status,
      finishedAt: now,
      error: end.error === null ? null : JSON.stringify(end.error),
      retryable: end.retryable && job.attempt < job.maxAttempts,
      steps: JSON.stringify(steps),
      progress: JSON.stringify(progress),
    })
    .where('id', '=', uuidOf(job.id))
    .returningAll()
    .executeTakeFirstOrThrow();
  const ended = jobOf(row);
  const types = {
    SUCCEEDED: 'job.succeeded',
    FAILED: 'job.failed',
    CANCELED: 'job.canceled',
  } as const;
  change.emit({
    organizationId: ended.organizationId,
    type: types[end.status],
    subject: { type: 'job', id: ended.id, display: ended.type },
    databaseId: ended.databaseId,
    outcome: end.status === 'FAILED' ? 'FAILED' : 'SUCCESS',
    data: { job: jobFact(ended), ...(end.error === null ? {} : { error: end.error }) },
  });
  return ended;
}
