/**
 * Handler of a type of job. It is called repeatedly until it reports that the job has ended: after each wait, after a failure,
 * after a crash, maybe on another machine. So it must inspect the present state and do the missing work.
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
  /**
   * Not done yet: the handler is called again after `afterMs`, or when something wakes the job. `waiting`: it waits for
   * something outside.
   */
  | { readonly kind: 'again'; readonly afterMs: number; readonly waiting?: boolean }
  /** No further try helps. `retryable`: a person may retry when the cause is gone. */
  | { readonly kind: 'failed'; readonly error: JobError; readonly retryable: boolean }
  /** All work of a job that is being cancelled is undone. `retryable`: a retry may do it again. Default true. */
  | { readonly kind: 'canceled'; readonly retryable?: boolean };

export interface JobContext {
  /** The job as it was when it was taken. If its status is `CANCELING`, the handler must undo its work. */
  readonly job: Job;
  /** Aborted when the work must end: the deadline, a cancellation, a lost lease, or the end of the process. */
  readonly signal: AbortSignal;
  /** Runs one change, if the job still belongs to this worker. Throws `JobLeaseLost` otherwise. */
  readonly write: <T>(work: (change: Change, job: Job) => Promise<T>) => Promise<T>;
  /** Shows the progress. A step that begins ends those before it. */
  readonly step: (
    name: string,
    status: StepStatus,
    progress?: Partial<JobProgress>,
  ) => Promise<void>;
}

/** Throws `JobLeaseLost` if the job no longer belongs to this worker: what it has read may be out of date, and it must write nothing elsewhere. */
export const mustBeOurs = ({ write }: JobContext): Promise<void> => write(async () => {});

export interface JobHandler {
  /** Does the work. An error counts as temporary: it is logged, and the call is repeated later, until the deadline. */
  run(context: JobContext): Promise<JobOutcome>;
  /**
   * Undoes the work, which a retry does again unless the outcome says otherwise. Without this function, a job that is cancelled ends at once
   * and for good: who wants its work after all asks for it anew.
   */
  cancel?(context: JobContext): Promise<JobOutcome>;
  /** Carries out the consequences of any end, in the change that ends the job. */
  ended?(change: Change, job: Job): Promise<void>;
}

/** Receives reports about the work. */
export interface JobHooks {
  ended(type: JobType, status: EndedJobStatus): void;
  /** A try failed and will be repeated. */
  troubled(type: JobType): void;
}
