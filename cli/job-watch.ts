/** Waits for a job with long polls and reports each change once, until the job ends or the time is over. */
import type { Job, JobAnswer } from '../gen/api.ts';
import type { Context } from './context.ts';
import { readDurationMs } from './duration.ts';
import { CliFailure, usageFailure } from './failure.ts';
import { ExitCode } from './exit-code.ts';
import { contractRequest, type Received } from './http/contract.ts';
import type { Input } from './input.ts';
import { longPoll } from './long-poll.ts';
import { printable } from './output/printable.ts';

/** Longer than the longest deadline of a job, so that by default the job itself reports that it took too long. */
const waitDefault = '35m';
const ended: ReadonlySet<string> = new Set(['SUCCEEDED', 'FAILED', 'CANCELED']);

/** `undefined` if the user does not want to wait. */
export function readWaitMs(input: Input): number | undefined {
  if (input.has('no-wait')) {
    if (!input.has('wait') && !input.has('wait-timeout')) return undefined;
    throw usageFailure('--no-wait excludes --wait and --wait-timeout');
  }
  return readWaitTimeoutMs(input);
}

export const readWaitTimeoutMs = (input: Input): number =>
  readDurationMs('--wait-timeout', input.text('wait-timeout') ?? waitDefault);

interface Followed {
  /** Noun and ID of the job's object. */
  readonly subject: string;
  readonly jobId: string;
  /** `undefined`: the user does not wait. */
  readonly waitMs: number | undefined;
  /** Prints the service's answer. */
  readonly printNow: () => void;
  /** Reads and prints the object when the job has succeeded. */
  readonly printThen: () => Promise<void>;
}

/** Waits for a job if the user wants to, and prints the object afterwards. */
export async function followJob(
  context: Context,
  { subject, jobId, waitMs, printNow, printThen }: Followed,
): Promise<ExitCode> {
  if (waitMs === undefined) {
    printNow();
    context.output.note(`to wait for it: ledgerhouse jobs watch ${jobId}`);
    return ExitCode.Ok;
  }
  context.output.note(`${subject}, job ${jobId}: the job goes on even if this command ends`);
  await watchJob(context, jobId, waitMs);
  await printThen();
  return ExitCode.Ok;
}

/** Returns the last state of a job that succeeded. Throws in any other case. */
export async function watchJob(
  context: Context,
  jobId: string,
  waitMs: number,
): Promise<Received<JobAnswer>> {
  let etag: string | undefined;
  let told = '';
  const last = await longPoll(context, waitMs, {
    // The first poll does not wait.
    ask: (waitSeconds) => poll(context, jobId, etag === undefined ? {} : { etag, waitSeconds }),
    look: (received) => {
      const { job } = received.document;
      etag = received.answer.headers.get('etag') ?? undefined;
      const line = progressLine(job);
      if (line !== told) context.output.note(line);
      told = line;
      return ended.has(job.status) ? received : undefined;
    },
  });
  if (last === undefined) throw stillRunning(jobId, waitMs);
  return finished(last);
}

/** `undefined`: no change. */
async function poll(
  { service }: Context,
  jobId: string,
  { etag, waitSeconds = 0 }: { readonly etag?: string; readonly waitSeconds?: number },
): Promise<Received<JobAnswer> | undefined> {
  const request = contractRequest('get', '/api/v1/jobs/{jobId}', {
    params: { jobId },
    query: { waitSeconds },
    ...(etag === undefined ? {} : { ifNoneMatch: etag }),
  });
  const { exchange } = await service();
  const answer = await exchange.send(request);
  if (answer.status === 304) return undefined;
  return { answer, document: answer.document() as unknown as JobAnswer };
}

function progressLine({ status, type, progress }: Job): string {
  const message = progress.message === '' ? '' : ` ${progress.message}`;
  return printable(`${type} ${status} ${progress.percent}%${message}`);
}

function finished(received: Received<JobAnswer>): Received<JobAnswer> {
  const { job } = received.document;
  if (job.status === 'SUCCEEDED') return received;
  const { id, error, retryable } = job;
  throw new CliFailure({
    exitCode: ExitCode.General,
    code: error?.code ?? `job_${job.status.toLowerCase()}`,
    title: error?.title ?? 'The job did not succeed',
    detail: error?.detail ?? `the job ${id} is ${job.status}`,
    nextSteps: retryable ? [`ledgerhouse jobs retry ${id}`] : [`ledgerhouse jobs get ${id}`],
    problem: { jobId: id, jobStatus: job.status },
  });
}

const stillRunning = (jobId: string, waitMs: number): CliFailure =>
  new CliFailure({
    exitCode: ExitCode.Unknown,
    code: 'wait_timeout',
    title: 'The job has not ended',
    detail: `the job ${jobId} has not ended within ${waitMs / 1_000} s; it goes on in the service`,
    nextSteps: [`ledgerhouse jobs watch ${jobId}`],
    problem: { jobId },
  });
