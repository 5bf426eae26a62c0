/**
 * What is done for a type of job. A handler is called again and again until it says that the job has ended: after each wait,
 * after trouble, after a crash in the middle, maybe on another machine. So it looks at what there is and does what is missing.
 */
import type { Change } from '../store/change.ts';
import type {
  EndedJobStatus,
  Job,
  JobError,
  JobProgress,
  JobType,
  StepStatus,
} from '../model/job.ts';

export type JobOutcome =
  | { readonly kind: 'succeeded' }
  /** Not done yet: look again then, or when something wakes it. `waiting`: for something outside. */
  | { readonly kind: 'again'; readonly afterMs: number; readonly waiting?: boolean }
  /** Trying on is no use. `retryable`: a person may, when the cause is gone. */
  | { readonly kind: 'failed'; readonly error: JobError; readonly retryable: boolean }
  /** Of one that is being cancelled: all is undone. */
  | { readonly kind: 'canceled' };

export interface JobContext {
  /** As it was when it was taken. `CANCELING`: undo. */
  readonly job: Job;
  /** Its work is to end: deadline, cancelled, the lease is lost, the process stops. */
  readonly signal: AbortSignal;
  /** One change, of nothing unless the job is still this worker's. Throws `JobLeaseLost`. */
  readonly write: <T>(work: (change: Change, job: Job) => Promise<T>) => Promise<T>;
  /** Shows how far it is. A step that begins ends those before it. */
  readonly step: (
    name: string,
    status: StepStatus,
    progress?: Partial<JobProgress>,
  ) => Promise<void>;
}

export interface JobHandler {
  /** What it throws is trouble that may pass: it is logged, and tried again later, until the deadline. */
  run(context: JobContext): Promise<JobOutcome>;
  /** Undoes what was done. Without it a job that is cancelled ends at once. */
  cancel?(context: JobContext): Promise<JobOutcome>;
  /** What the end means, however it came: in the same change, or not at all. */
  ended?(change: Change, job: Job): Promise<void>;
}

/** Who is told how the work goes. */
export interface JobHooks {
  ended(type: JobType, status: EndedJobStatus): void;
  /** A try ended in trouble and will be repeated. */
  troubled(type: JobType): void;
}
