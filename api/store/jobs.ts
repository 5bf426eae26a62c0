/** Jobs, for all code but the worker: makes, reads, cancels, retries and wakes them. */
import { sql, type Selectable } from 'kysely';
import { newTypeId, typeIdOfUuid } from '../../domain/type-id.ts';
import type { Actor } from '../model/actor.ts';
import type { EventType } from '../model/event-types.ts';
import { Refusal } from '../model/refusal.ts';
import {
  decisionOf,
  hasEnded,
  jobFact,
  type Job,
  type JobError,
  type JobProgress,
  type JobStatus,
  type JobStep,
  type JobType,
  type ManualDecision,
  type NewJob,
} from '../model/job.ts';
import type { Change } from './change.ts';
import { typeIdOrNull, uuidOf, uuidOrNull } from './ids.ts';
import { beyond, pageOf, type Page } from './page.ts';
import type { JobsTable, Reader } from './tables.ts';

const now = sql<Date>`clock_timestamp()`;
const inMs = (ms: number) => sql<Date>`clock_timestamp() + ${ms} * interval '1 millisecond'`;
const nextVersion = { version: sql<number>`version + 1`, updatedAt: now };

/**
 * Makes a job; it starts after the commit. Throws the `Refusal` `operation_in_progress` if it is to be the only one of its database
 * and another such job is unfinished.
 */
export async function createJob(change: Change, job: NewJob): Promise<Job> {
  const { steps, message, input, ...rest } = job;
  const row = await change.db
    .insertInto('jobs')
    .values({
      ...rest,
      id: uuidOf(newTypeId('job')),
      organizationId: uuidOf(job.organizationId),
      databaseId: uuidOrNull(job.databaseId),
      status: 'QUEUED',
      input: JSON.stringify(input),
      progress: JSON.stringify(freshProgress(message)),
      steps: JSON.stringify(freshSteps(steps)),
      deadlineAt: inMs(job.timeoutMs),
      actor: JSON.stringify(change.author.actor),
      requestId: change.author.requestId,
    })
    .onConflict((conflict) =>
      conflict
        .column('databaseId')
        .where('finishedAt', 'is', null)
        .where(sql<boolean>`exclusive`)
        .doNothing(),
    )
    .returningAll()
    .executeTakeFirst();
  if (row !== undefined) return jobOf(row);
  const other =
    job.databaseId === null ? undefined : await findActiveJob(change.db, job.databaseId);
  throw operationInProgress(other?.id);
}

export const operationInProgress = (blockingJobId: string | undefined): Refusal =>
  new Refusal('operation_in_progress', {
    detail: 'Another job works on this database. Wait until it ends.',
    ...(blockingJobId !== undefined && { members: { blockingJobId } }),
    retryAfterSeconds: 2,
  });

const freshProgress = (message: string): JobProgress => ({
  percent: 0,
  message,
  estimatedSecondsRemaining: null,
});
const freshSteps = (names: readonly string[]): JobStep[] =>
  names.map((name) => ({ name, status: 'PENDING', startedAt: null, finishedAt: null }));

/** Returns a job. Returns `undefined` if the organization has no such job. */
export async function findJob(
  db: Reader,
  organizationId: string,
  id: string,
): Promise<Job | undefined> {
  const row = await db
    .selectFrom('jobs')
    .selectAll()
    .where('id', '=', uuidOf(id))
    .where('organizationId', '=', uuidOf(organizationId))
    .executeTakeFirst();
  return row && jobOf(row);
}

/** Versions of jobs by UUID; jobs that no longer exist are left out. */
export async function jobVersions(
  db: Reader,
  ids: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .selectFrom('jobs')
    .select(['id', 'version'])
    .where('id', 'in', ids)
    .execute();
  return new Map(rows.map(({ id, version }) => [id, version]));
}

/** Returns the database's job that has not ended and that excludes others. */
export async function findActiveJob(db: Reader, databaseId: string): Promise<Job | undefined> {
  const row = await db
    .selectFrom('jobs')
    .selectAll()
    .where('databaseId', '=', uuidOf(databaseId))
    .where('finishedAt', 'is', null)
    .where('exclusive', '=', true)
    .executeTakeFirst();
  return row && jobOf(row);
}

/** Returns the unfinished job of this type that works on a backup. */
export async function findBackupJob(
  db: Reader,
  type: JobType,
  backupId: string,
): Promise<Job | undefined> {
  const row = await db
    .selectFrom('jobs')
    .selectAll()
    .where('type', '=', type)
    .where(sql<boolean>`input ->> 'backupId' = ${backupId}`)
    .where('finishedAt', 'is', null)
    .executeTakeFirst();
  return row && jobOf(row);
}

interface JobFilter {
  readonly databaseId?: string;
  readonly statuses?: readonly JobStatus[];
  readonly types?: readonly JobType[];
}

/** Lists jobs, newest first. */
export async function listJobs(
  db: Reader,
  organizationId: string,
  filter: JobFilter,
  page: { limit: number; position?: readonly [createdAt: string, id: string] },
): Promise<Page<Job, [string, string]>> {
  let query = db
    .selectFrom('jobs')
    .selectAll()
    .where('organizationId', '=', uuidOf(organizationId))
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(page.limit + 1);
  if (filter.databaseId !== undefined) {
    query = query.where('databaseId', '=', uuidOf(filter.databaseId));
  }
  if (filter.statuses !== undefined) query = query.where('status', 'in', filter.statuses);
  if (filter.types !== undefined) query = query.where('type', 'in', filter.types);
  if (page.position !== undefined) {
    query = query.where(beyond(['createdAt', 'id'], '<', page.position));
  }
  return pageOf(await query.execute(), page.limit, jobOf, (row) => [
    row.createdAt.toISOString(),
    row.id,
  ]);
}

/** Locks a job until the commit. */
async function lockJob(change: Change, organizationId: string, id: string) {
  const row = await change.db
    .selectFrom('jobs')
    .selectAll()
    .where('id', '=', uuidOf(id))
    .where('organizationId', '=', uuidOf(organizationId))
    .forUpdate()
    .executeTakeFirst();
  return row && jobOf(row);
}

/** Asks a worker to undo the job. Asking again changes nothing. Returns `undefined` if there is no such job. */
export async function requestJobCancel(
  change: Change,
  organizationId: string,
  id: string,
): Promise<Job | 'not_cancellable' | undefined> {
  const found = await lockJob(change, organizationId, id);
  if (found === undefined || found.status === 'CANCELING') return found;
  if (hasEnded(found) || !found.cancellable) return 'not_cancellable';
  const row = await change.db
    .updateTable('jobs')
    .set({ ...nextVersion, status: 'CANCELING', dueAt: now, woken: true, failures: 0 })
    .where('id', '=', uuidOf(id))
    .returningAll()
    .executeTakeFirstOrThrow();
  const job = jobOf(row);
  tell(change, 'job.cancel_requested', job);
  return job;
}

/** From then on the job cannot be cancelled. Its row must be locked. */
export async function passReturn(change: Change, id: string): Promise<void> {
  await change.db
    .updateTable('jobs')
    .set({ ...nextVersion, cancellable: false })
    .where('id', '=', uuidOf(id))
    .execute();
}

/**
 * Ends a job at once, because the next one (a deletion) makes its work pointless. A worker that has the job loses its lease: from
 * the commit on, none of its writes counts. Returns `undefined` if the job has ended already.
 */
export async function supersedeJob(
  change: Change,
  id: string,
  error: JobError,
): Promise<Job | undefined> {
  const row = await change.db
    .updateTable('jobs')
    .set({
      ...nextVersion,
      status: 'CANCELED',
      finishedAt: now,
      error: JSON.stringify(error),
      retryable: false,
      leaseOwner: null,
      leaseToken: null,
      leaseUntil: null,
    })
    .where('id', '=', uuidOf(id))
    .where('finishedAt', 'is', null)
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const job = jobOf(row);
  tell(change, 'job.canceled', job, { error });
  return job;
}

/** Restarts a job with a new deadline. Throws the `Refusal` `operation_in_progress` if the database has another job. */
export async function retryJob(
  change: Change,
  organizationId: string,
  id: string,
): Promise<Job | 'not_retryable' | undefined> {
  const found = await lockJob(change, organizationId, id);
  if (found === undefined) return undefined;
  if (!found.retryable) return 'not_retryable';
  const other =
    found.databaseId === null || !found.exclusive
      ? undefined
      : await findActiveJob(change.db, found.databaseId);
  if (other !== undefined) throw operationInProgress(other.id);
  const row = await change.db
    .updateTable('jobs')
    .set({
      ...nextVersion,
      status: 'QUEUED',
      attempt: sql<number>`attempt + 1`,
      failures: 0,
      error: null,
      retryable: false,
      finishedAt: null,
      startedAt: null,
      dueAt: now,
      woken: false,
      deadlineAt: sql<Date>`clock_timestamp() + timeout_ms * interval '1 millisecond'`,
      progress: JSON.stringify(freshProgress('Queued again.')),
      steps: JSON.stringify(freshSteps(found.steps.map(({ name }) => name))),
      // People must decide again.
      input: JSON.stringify({ ...(found.input as object), decision: undefined }),
    })
    .where('id', '=', uuidOf(id))
    .returningAll()
    .executeTakeFirstOrThrow();
  const job = jobOf(row);
  tell(change, 'job.retried', job);
  return job;
}

/** Records people's decision. Returns `not_waiting` if the job does not wait for it, or already has it. */
export async function decideJob(
  change: Change,
  organizationId: string,
  id: string,
  decision: ManualDecision,
): Promise<Job | 'not_waiting' | undefined> {
  const found = await lockJob(change, organizationId, id);
  if (found === undefined) return undefined;
  if (found.status !== 'WAITING' || decisionOf(found) !== undefined) return 'not_waiting';
  const row = await change.db
    .updateTable('jobs')
    .set({
      ...nextVersion,
      dueAt: now,
      woken: true,
      input: JSON.stringify({ ...(found.input as object), decision }),
      deadlineAt: sql<Date>`clock_timestamp() + timeout_ms * interval '1 millisecond'`,
    })
    .where('id', '=', uuidOf(id))
    .returningAll()
    .executeTakeFirstOrThrow();
  const job = jobOf(row);
  tell(change, decision.kind === 'completed' ? 'job.completed' : 'job.refused', job, {
    ...(decision.kind === 'refused' && {
      error: { code: 'refused_by_provider', message: decision.reason },
    }),
  });
  return job;
}

const tell = (
  change: Change,
  type: EventType & `job.${string}`,
  job: Job,
  more: { readonly error?: JobError } = {},
): string =>
  change.emit({
    organizationId: job.organizationId,
    type,
    subject: { type: 'job', id: job.id, display: job.type },
    databaseId: job.databaseId,
    data: { job: jobFact(job), ...more },
  });

/** Makes the database's jobs due at once, because they may be waiting for what has just happened. */
export async function wakeJobOf(db: Reader, databaseId: string): Promise<void> {
  await db
    .updateTable('jobs')
    .set({ dueAt: now, woken: true })
    .where('databaseId', '=', uuidOf(databaseId))
    .where('finishedAt', 'is', null)
    .where('woken', '=', false)
    .execute();
}

export const jobOf = (row: Selectable<JobsTable>): Job => ({
  id: typeIdOfUuid('job', row.id),
  organizationId: typeIdOfUuid('org', row.organizationId),
  databaseId: typeIdOrNull('db', row.databaseId),
  type: row.type as JobType,
  status: row.status as JobStatus,
  input: row.input,
  progress: row.progress as JobProgress,
  steps: row.steps as JobStep[],
  attempt: row.attempt,
  maxAttempts: row.maxAttempts,
  failures: row.failures,
  deadlineAt: row.deadlineAt,
  exclusive: row.exclusive,
  cancellable: row.cancellable,
  retryable: row.retryable,
  error: row.error as JobError | null,
  actor: row.actor as Actor,
  requestId: row.requestId,
  version: row.version,
  createdAt: row.createdAt,
  startedAt: row.startedAt,
  finishedAt: row.finishedAt,
  updatedAt: row.updatedAt,
});
