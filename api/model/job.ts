/** Jobs: long-running things done to a database. */
import type { Actor } from './actor.ts';

export const jobTypes = ['database.create', 'database.delete', 'database.restore_deleted'] as const;
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

/** Why it failed. */
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
  /** What it works from; its type's own. */
  readonly input: unknown;
  readonly progress: JobProgress;
  readonly steps: readonly JobStep[];
  /** From 1; a person's retry counts it up. */
  readonly attempt: number;
  readonly maxAttempts: number;
  /** Of this attempt: tries in a row that ended in trouble. */
  readonly failures: number;
  readonly deadlineAt: Date;
  readonly cancellable: boolean;
  /** Failed or cancelled, and may be tried again. */
  readonly retryable: boolean;
  readonly error: JobError | null;
  readonly actor: Actor;
  readonly requestId: string | null;
  /** Counts its changes: whoever waits asks for a later one. */
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
  /** Names of its steps in their order. */
  readonly steps: readonly string[];
  readonly timeoutMs: number;
  readonly maxAttempts: number;
  readonly cancellable: boolean;
  readonly message: string;
}

/** What people decided about a database that they make, of a provider whose databases are not made automatically. */
export type ManualDecision =
  | { readonly kind: 'completed' }
  | { readonly kind: 'refused'; readonly reason: string };

export const decisionOf = ({ input }: Pick<Job, 'input'>): ManualDecision | undefined =>
  (input as { readonly decision?: ManualDecision }).decision;

export const hasEnded = ({ finishedAt }: Job): boolean => finishedAt !== null;

export const jobFact = ({ id, type, status }: Job) => ({ id, type, status });
