/**
 * Jobs as workers see them: taken for a while, kept by heartbeats, given back or ended. Every write names the lease's token, so
 * that a worker whose lease ran out, and whose job another has by now, can write nothing of it any more. Time is the server's.
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

/** The job is another's by now, or has been ended. What was to be written was not. */
export class JobLeaseLost extends Error {
  override readonly name = 'JobLeaseLost';
  readonly code = 'job_lease_lost';
}

export interface LeasedJob {
  readonly job: Job;
  readonly token: string;
  /** Until its deadline; negative when that is past. */
  readonly deadlineInMs: number;
}

const now = sql<Date>`clock_timestamp()`;
const inMs = (ms: number) => sql<Date>`clock_timestamp() + ${ms} * interval '1 millisecond'`;
const nextVersion = { version: sql<number>`version + 1`, updatedAt: now };
const noLease = { leaseOwner: null, leaseToken: null, leaseUntil: null };

/** Those that are due and nobody's, the longest due first. Two workers at once get different ones. */
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
      // Nobody's deadline runs while people are waited for, however long no worker lived.
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

/** Until the next job may be taken; `undefined`: none is there. */
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

/** Keeps it for that long from now on. Gives the job's status, or `lost`. */
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

/** What is shown of its work. The job must be locked by `lockLeased` in the same change. */
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

export interface Release {
  /** Until it may be taken again, unless something wakes it or its deadline comes first. */
  readonly afterMs: number;
  readonly failures: number;
  /** It waits for something outside: a window, an upload. */
  readonly waiting: boolean;
}

/** Gives it back. Throws `JobLeaseLost`. */
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
      // The deadline begins anew when the waiting ends.
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
  /** Whether a person may try it again; not beyond its attempts. */
  readonly retryable: boolean;
}

/** In the change that does what its end means. The job must be locked by `lockLeased` in the same change. */
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
