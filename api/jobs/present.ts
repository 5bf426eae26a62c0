/** Converts jobs to the contract's shape. */
import type { z } from 'zod';
import type { Immutable } from '../contract/route.ts';
import type { job as jobSchema } from '../contract/schemas/job.ts';
import { assert } from '../../base/assert.ts';
import { etagOf } from '../http/conditional.ts';
import type { Job } from '../model/job.ts';

type ShownJob = Immutable<z.input<typeof jobSchema>>;

export function shownJob(job: Job): ShownJob {
  const { databaseId } = job;
  assert(databaseId !== null, 'every job is of a database');
  return {
    id: job.id,
    type: job.type,
    status: job.status,
    databaseId,
    progress: job.progress,
    steps: job.steps,
    attempt: job.attempt,
    maxAttempts: job.maxAttempts,
    deadlineAt: job.status === 'WAITING' ? null : job.deadlineAt.toISOString(),
    cancellable: job.cancellable && job.finishedAt === null && job.status !== 'CANCELING',
    retryable: job.retryable && job.attempt < job.maxAttempts,
    error: job.error && {
      code: job.error.code,
      title: titles[job.error.code] ?? 'The job failed',
      detail: job.error.message,
    },
    actor: job.actor,
    createdAt: job.createdAt.toISOString(),
    startedAt: job.startedAt?.toISOString() ?? null,
    finishedAt: job.finishedAt?.toISOString() ?? null,
    links: {
      self: `/api/v1/jobs/${job.id}`,
      database: `/api/v1/databases/${databaseId}`,
    },
  };
}

const titles: Readonly<Record<string, string>> = {
  job_deadline_exceeded: 'The job did not end before its deadline',
  name_conflict: 'The name is taken in the cluster',
  refused_by_cluster: 'The cluster refused the database',
  forbidden_by_cluster: 'The service lacks a right in the cluster',
  provisioning_stalled: 'The database cannot be created as requested',
  deletion_protected: 'The database was protected before it was deleted',
  final_backup_failed: 'The last backup could not be made',
  refused_by_provider: 'The provider refused the job',
  changed_meanwhile: 'Somebody else changed the database first',
  overwritten: 'Somebody else wrote over the change',
  refused_by_operator: 'The operator refused the change',
  replica_failing: 'A replica does not start with the change',
  stalled: 'The database waits for a person',
  storage_not_grown: 'The volumes did not grow',
  last_backup_failed: 'The last backup could not be made',
  moment_unavailable: 'The earlier state cannot be had any more',
  backup_not_proven: 'The backup that was made before could not be proven',
  new_shape_not_begun: 'The new replicas could not be made',
  backup_in_the_way: 'Another backup has the name of the last one',
  backup_failed: 'The backup could not be made',
  backup_not_begun: 'The backup did not begin',
  backups_not_configured: 'The service has no store for backups',
  backup_held: 'The backup is held',
  backup_protected: 'The backup is protected',
  backup_not_managed: 'The backup has no resource in Kubernetes',
  superseded: 'Another change made the job obsolete',
};

export const jobEtag = ({ id, version }: Job): string => etagOf(id, version);
