import type { Handler } from '../command.ts';
import { confirmByName, requireConfirmable } from '../confirm.ts';
import { databaseIdOf } from '../database-id.ts';
import { isDryRun } from '../dry-run.ts';
import { ExitCode } from '../exit-code.ts';
import { usageFailure } from '../failure.ts';
import { contractRequest, receive } from '../http/contract.ts';
import type { Input } from '../input.ts';
import { readWaitMs } from '../job-watch.ts';
import { printAnswer } from '../output/answer.ts';
import { inPlacePreviewText } from '../output/recovery.ts';
import { followChange } from './changes.ts';
import { targetOf } from './recovery.ts';

const path = '/api/v1/databases/{databaseId}/restore-in-place';

export const restoreInPlace: Handler = async (context, input) => {
  const waitMs = readWaitMs(input);
  const origin = originOf(input);
  const asks = !input.has('plan') && !input.has('dry-run');
  if (asks) requireConfirmable(input, undefined, 'a restore in place');
  const { exchange } = await context.service();
  const databaseId = await databaseIdOf(exchange, input.argument(0));
  const params = { databaseId };
  if (input.has('plan')) {
    const body = origin;
    const request = {
      ...contractRequest('post', `${path}/preview`, { params, body }),
      writes: false,
    };
    if (await isDryRun(context, input, request)) return ExitCode.Ok;
    printAnswer(context, input, await receive(exchange, request), inPlacePreviewText);
    return ExitCode.Ok;
  }
  const one = contractRequest('get', '/api/v1/databases/{databaseId}', { params });
  const { name } = (await receive(exchange, one)).document.database;
  const body = { ...origin, confirmName: name };
  const request = contractRequest('post', path, { params, body });
  if (await isDryRun(context, input, request)) return ExitCode.Ok;
  await confirmByName(input, name, undefined, 'to set it back');
  return followChange(context, input, await receive(exchange, request), waitMs);
};

function originOf(input: Input): ReturnType<typeof targetOf> & { readonly backupId?: string } {
  const backupId = input.text('backup');
  if (backupId === undefined) return targetOf(input);
  if (['to-time', 'to-timestamp', 'to-op'].some((name) => input.text(name) !== undefined))
    throw usageFailure('give a backup or a moment', 'the backup before the moment is found');
  return { backupId };
}
