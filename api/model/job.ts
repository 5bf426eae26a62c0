/** Jobs: long-running work on a database. */
import type { Actor } from './actor.ts';

export const jobTypes = [
  'database.create',
  'database.delete',
  'database.restore_deleted',
  'database.change',
  'backup.create',
  'backup.delete',
  'backup.verify',
] as const;
export type JobType = (typeof jobTypes)[number];

export const jobStatuses = [
  'QUEUED',
  'RUNNING',
  'WAITING',
  'CANCELING',
  'SUCCEEDED',
  'FAILED',
  'CANCELED',
] as const;
export type JobStatus = (typeof jobStatuses)[number];

export type EndedJobStatus = 'SUCCEEDED' | 'FAILED' | 'CANCELED';

export const stepStatuses = ['PENDING', 'RUNNING', 'SUCCEEDED', 'FAILED', 'SKIPPED'] as const;
export type StepStatus = (typeof stepStatuses)[number];

export interface JobStep {
  readonly name: string;
  readonly status: StepStatus;
  /** RFC 3339. */
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
}

export interface JobProgress {
  readonly percent: number;
  readonly message: string;
  readonly estimatedSecondsRemaining: number | null;
}

/** Why a job failed. */
export interface JobError {
  /** Stable, `lower_snake`. */
  readonly code: string;
  readonly message: string;
}

export interface Job {
  /** TypeID `job_…`. */
  readonly id: string;
  readonly organizationId: string;
  readonly databaseId: string | null;
  readonly type: JobType;
  readonly status: JobStatus;
  /** Input of the job; its shape depends on the job's type. */
  readonly input: unknown;
  readonly progress: JobProgress;
  readonly steps: readonly JobStep[];
  /** Number of the attempt, from 1; a person's retry increments it. */
  readonly attempt: number;
  readonly maxAttempts: number;
  /** Consecutive failed tries in this attempt. */
  readonly failures: number;
  readonly deadlineAt: Date;
  /** Whether no other such job may run on the database at the same time. */
  readonly exclusive: boolean;
  readonly cancellable: boolean;
  /** Whether the job failed or was cancelled and may be tried again. */
  readonly retryable: boolean;
  readonly error: JobError | null;
  readonly actor: Actor;
  readonly requestId: string | null;
  /** Number of changes to the job. A waiting client asks for a later version. */
  readonly version: number;
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  readonly finishedAt: Date | null;
  readonly updatedAt: Date;
}

export interface NewJob {
  readonly organizationId: string;
  readonly databaseId: string | null;
  readonly type: JobType;
  readonly input: object;
  /** Names of the job's steps, in order. */
  readonly steps: readonly string[];
  readonly timeoutMs: number;
  readonly maxAttempts: number;
  /** By default, a job is the only one of its database. */
  readonly exclusive?: boolean;
  readonly cancellable: boolean;
  readonly message: string;
}

/** Decision about a database that people make, because its provider does not do so automatically. */
export type ManualDecision =
  | { readonly kind: 'completed' }
  | { readonly kind: 'refused'; readonly reason: string };

export const decisionOf = ({ input }: Pick<Job, 'input'>): ManualDecision | undefined =>
  (input as { readonly decision?: ManualDecision }).decision;

export const hasEnded = ({ finishedAt }: Job): boolean => finishedAt !== null;

export const jobFact = ({ id, type, status }: Job) => ({ id, type, status });
