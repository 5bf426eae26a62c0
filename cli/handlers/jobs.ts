import type { Handler } from '../command.ts';
import { databaseIdOf } from '../database-id.ts';
import { isDryRun } from '../dry-run.ts';
import { ExitCode } from '../exit-code.ts';
import { usageFailure } from '../failure.ts';
import { contractRequest, receive } from '../http/contract.ts';
import { readWaitTimeoutMs, watchJob } from '../job-watch.ts';
import { readChoices, readLimit } from '../list-options.ts';
import { notePage, printAnswer } from '../output/answer.ts';
import { jobsText, jobText } from '../output/database.ts';

const statuses = [
  'QUEUED',
  'RUNNING',
  'WAITING',
  'CANCELING',
  'SUCCEEDED',
  'FAILED',
  'CANCELED',
] as const;

export const listJobs: Handler = async (context, input) => {
  const query = { ...readLimit(input), ...readChoices(input, 'status', statuses) };
  const { exchange } = await context.service();
  const databaseId = await databaseIdOf(exchange, input.argument(0));
  const received = await receive(
    exchange,
    contractRequest('get', '/api/v1/databases/{databaseId}/jobs', {
      params: { databaseId },
      query,
    }),
  );
  printAnswer(context, input, received, ({ data }) => jobsText(data));
  notePage(context, received.document.page);
  return ExitCode.Ok;
};

export const getJob: Handler = async (context, input) => {
  const { exchange } = await context.service();
  const request = contractRequest('get', '/api/v1/jobs/{jobId}', {
    params: { jobId: input.argument(0) },
  });
  printAnswer(context, input, await receive(exchange, request), ({ job }) => jobText(job));
  return ExitCode.Ok;
};

export const watchJobToItsEnd: Handler = async (context, input) => {
  const received = await watchJob(context, input.argument(0), readWaitTimeoutMs(input));
  printAnswer(context, input, received, ({ job }) => jobText(job));
  return ExitCode.Ok;
};

export const cancelJob: Handler = async (context, input) => {
  const { exchange } = await context.service();
  const request = contractRequest('post', '/api/v1/jobs/{jobId}/cancel', {
    params: { jobId: input.argument(0) },
  });
  if (await isDryRun(context, input, request)) return ExitCode.Ok;
  printAnswer(context, input, await receive(exchange, request), ({ job }) => jobText(job));
  return ExitCode.Ok;
};

export const retryJob: Handler = async (context, input) => {
  const { exchange } = await context.service();
  const request = contractRequest('post', '/api/v1/jobs/{jobId}/retry', {
    params: { jobId: input.argument(0) },
  });
  if (await isDryRun(context, input, request)) return ExitCode.Ok;
  const received = await receive(exchange, request);
  printAnswer(context, input, received, ({ job }) => jobText(job));
  context.output.note(`to wait for it: ledgerhouse jobs watch ${received.document.job.id}`);
  return ExitCode.Ok;
};

export const completeJob: Handler = async (context, input) => {
  const { exchange } = await context.service();
  const request = contractRequest('post', '/api/v1/jobs/{jobId}/complete', {
    params: { jobId: input.argument(0) },
  });
  if (await isDryRun(context, input, request)) return ExitCode.Ok;
  const received = await receive(exchange, request);
  printAnswer(context, input, received, ({ job }) => jobText(job));
  return ExitCode.Ok;
};

export const refuseJob: Handler = async (context, input) => {
  const reason = input.text('reason');
  if (reason === undefined) {
    throw usageFailure('--reason is missing', 'give the reason, which the requester sees');
  }
  const { exchange } = await context.service();
  const request = contractRequest('post', '/api/v1/jobs/{jobId}/refuse', {
    params: { jobId: input.argument(0) },
    body: { reason },
  });
  if (await isDryRun(context, input, request)) return ExitCode.Ok;
  const received = await receive(exchange, request);
  printAnswer(context, input, received, ({ job }) => jobText(job));
  return ExitCode.Ok;
};
