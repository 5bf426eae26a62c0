import type { PreviewRestoreRequest } from '../../gen/api.ts';
import type { Handler } from '../command.ts';
import { databaseIdOf } from '../database-id.ts';
import { isDryRun } from '../dry-run.ts';
import { ExitCode } from '../exit-code.ts';
import { usageFailure } from '../failure.ts';
import { contractRequest, receive } from '../http/contract.ts';
import type { Input } from '../input.ts';
import { readWaitMs } from '../job-watch.ts';
import { readInteger } from '../ledger/integers.ts';
import { printAnswer } from '../output/answer.ts';
import { previewText, windowText } from '../output/recovery.ts';
import { followDatabase, readEngine, readShape } from './restoring.ts';

const path = '/api/v1/databases/{databaseId}/recovery-window';

export const showWindow: Handler = async (context, input) => {
  const { exchange } = await context.service();
  const databaseId = await databaseIdOf(exchange, input.argument(0));
  const received = await receive(
    exchange,
    contractRequest('get', path, { params: { databaseId } }),
  );
  printAnswer(context, input, received, ({ recoveryWindow }) => windowText(recoveryWindow));
  return ExitCode.Ok;
};

export const previewRestore: Handler = async (context, input) => {
  const body = { ...targetOf(input), ...readEngine(input) };
  const { exchange } = await context.service();
  const databaseId = await databaseIdOf(exchange, input.argument(0));
  const received = await receive(
    exchange,
    contractRequest('post', `${path}/preview`, { params: { databaseId }, body }),
  );
  printAnswer(context, input, received, ({ preview }) => previewText(preview));
  return ExitCode.Ok;
};

export const restoreToMoment: Handler = async (context, input) => {
  const waitMs = readWaitMs(input);
  const body = {
    name: input.argument(1),
    ...targetOf(input),
    ...readShape(input),
    ...readEngine(input),
  };
  const { exchange } = await context.service();
  const databaseId = await databaseIdOf(exchange, input.argument(0));
  const request = contractRequest('post', `${path}/restore`, { params: { databaseId }, body });
  if (await isDryRun(context, input, request)) return ExitCode.Ok;
  return followDatabase(context, input, await receive(exchange, request), waitMs);
};

/** The service reads the time itself: its refusal says what is wrong with it. */
export function targetOf(input: Input): PreviewRestoreRequest {
  const time = input.text('to-time');
  const timestamp = input.text('to-timestamp');
  const op = input.text('to-op');
  if ([time, timestamp, op].filter((one) => one !== undefined).length !== 1)
    throw usageFailure(
      'the moment is not clear',
      'give one of --to-time, --to-timestamp and --to-op',
    );
  if (op !== undefined)
    return { targetOp: Number(readInteger('--to-op', op, { bits: 64, minimum: 1n })) };
  if (timestamp !== undefined)
    return { targetTimestamp: readInteger('--to-timestamp', timestamp, { bits: 64 }) };
  return { targetTime: time ?? '' };
}
