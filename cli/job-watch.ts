/** Waits for a job with long polls and reports each change once, until the job ends or the time is over. */
import { sleep } from '../base/timers.ts';
import type { Job, JobAnswer } from '../gen/api.ts';
import type { Context } from './context.ts';
import { readDurationMs } from './duration.ts';
import { CliFailure, isPassing, usageFailure } from './failure.ts';
import { ExitCode } from './exit-code.ts';
import { contractRequest, type Received } from './http/contract.ts';
import type { Input } from './input.ts';
import { printable } from './output/output.ts';

/** Longer than the longest deadline of a job, so that by default the job itself reports that it took too long. */
const waitDefault = '35m';
/** Maximum wait of the API. */
const pollSecondsMax = 25;
const retryMs = 5_000;
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
  const { output, timers } = context;
  const endMs = timers.nowMs() + waitMs;
  let etag: string | undefined;
  let told = '';
  for (;;) {
    const leftMs = endMs - timers.nowMs();
    const startedMs = timers.nowMs();
    const received = await poll(context, jobId, { etag, leftMs });
    if (received !== undefined) {
      const { job } = received.document;
      etag = received.answer.headers.get('etag') ?? undefined;
      const line = progressLine(job);
      if (line !== told) output.note(line);
      told = line;
      if (ended.has(job.status)) return finished(received);
    }
    if (timers.nowMs() >= endMs) throw stillRunning(jobId, waitMs);
    // Prevents a busy loop with an API that answers at once instead of waiting.
    const restMs = Math.min(1_000 - (timers.nowMs() - startedMs), endMs - timers.nowMs());
    if (restMs > 0) await sleep(timers, restMs);
  }
}

/** `undefined`: no change, or no answer this time. A restart of the service must not end the wait. */
async function poll(
  { service, output, timers }: Context,
  jobId: string,
  { etag, leftMs }: { readonly etag: string | undefined; readonly leftMs: number },
): Promise<Received<JobAnswer> | undefined> {
  const waitSeconds = Math.max(0, Math.min(pollSecondsMax, Math.floor(leftMs / 1_000)));
  const request = contractRequest('get', '/api/v1/jobs/{jobId}', {
    params: { jobId },
    // The first poll does not wait.
    query: { waitSeconds: etag === undefined ? 0 : waitSeconds },
    ...(etag === undefined ? {} : { ifNoneMatch: etag }),
  });
  const { exchange } = await service();
  try {
    const answer = await exchange.send(request);
    if (answer.status === 304) return undefined;
    return { answer, document: answer.document() as unknown as JobAnswer };
  } catch (error) {
    if (!(error instanceof CliFailure) || !isPassing(error) || leftMs <= retryMs) throw error;
    output.note(`${printable(error.message)}; asking again in ${retryMs / 1_000} s`);
    await sleep(timers, retryMs);
    return undefined;
  }
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
