import type { Backup, UpdateBackupRequest } from '../../gen/api.ts';
import type { Handler } from '../command.ts';
import { confirmByName, requireConfirmable } from '../confirm.ts';
import type { Context } from '../context.ts';
import { databaseIdOf } from '../database-id.ts';
import { isDryRun } from '../dry-run.ts';
import { ExitCode } from '../exit-code.ts';
import { usageFailure } from '../failure.ts';
import { contractRequest, receive, type Received } from '../http/contract.ts';
import type { Input } from '../input.ts';
import { followJob, readWaitMs } from '../job-watch.ts';
import { readInteger } from '../ledger/integers.ts';
import { readChoices, readLimit } from '../list-options.ts';
import { notePage, printAnswer } from '../output/answer.ts';
import { backupsText, backupText } from '../output/backup.ts';
import { followDatabase, readEngine, readShape } from './restoring.ts';

const statuses = [
  'QUEUED',
  'RUNNING',
  'SUCCEEDED',
  'FAILED',
  'DELETING',
  'DELETED',
  'EXPIRED',
] as const;
const types = ['MANUAL', 'SCHEDULED', 'PRE_CHANGE', 'FINAL'] as const;
const all = '/api/v1/databases/{databaseId}/backups';
const one = '/api/v1/databases/{databaseId}/backups/{backupId}';

export const listBackups: Handler = async (context, input) => {
  const query = {
    ...readLimit(input),
    ...readChoices(input, 'status', statuses),
    ...readChoices(input, 'type', types),
  };
  const { exchange } = await context.service();
  const databaseId = await databaseIdOf(exchange, input.argument(0));
  const received = await receive(
    exchange,
    contractRequest('get', all, { params: { databaseId }, query }),
  );
  printAnswer(context, input, received, ({ data }) => backupsText(data));
  notePage(context, received.document.page);
  return ExitCode.Ok;
};

export const getBackup: Handler = async (context, input) => {
  printBackup(context, input, await readBackup(context, await paramsOf(context, input)));
  return ExitCode.Ok;
};

export const createBackup: Handler = async (context, input) => {
  const waitMs = readWaitMs(input);
  const name = input.text('name');
  const days = input.text('retention-days');
  const body = {
    ...(name !== undefined && { name }),
    ...(days !== undefined && {
      retentionDays: Number(readInteger('--retention-days', days, { bits: 16, minimum: 1n })),
    }),
    ...(input.has('protected') && { protected: true }),
    ...(input.has('files') && { method: 'FILES' as const }),
  };
  const { exchange } = await context.service();
  const databaseId = await databaseIdOf(exchange, input.argument(0));
  const request = contractRequest('post', all, { params: { databaseId }, body });
  if (await isDryRun(context, input, request)) return ExitCode.Ok;
  return follow(context, input, await receive(exchange, request), waitMs);
};

export const updateBackup: Handler = async (context, input) => {
  const body = updateOf(input);
  const params = await paramsOf(context, input);
  const request = contractRequest('patch', one, { params, body });
  if (await isDryRun(context, input, request)) return ExitCode.Ok;
  const { exchange } = await context.service();
  printBackup(context, input, await receive(exchange, request));
  return ExitCode.Ok;
};

export const deleteBackup: Handler = async (context, input) => {
  const waitMs = readWaitMs(input);
  const what = { kind: 'ID', thing: 'backup' };
  if (!input.has('dry-run')) requireConfirmable(input, what);
  const params = await paramsOf(context, input);
  const request = contractRequest('delete', one, { params });
  if (await isDryRun(context, input, request)) return ExitCode.Ok;
  await confirmByName(input, params.backupId, what);
  const { exchange } = await context.service();
  return follow(context, input, await receive(exchange, request), waitMs);
};

export const verifyBackup: Handler = async (context, input) => {
  const waitMs = readWaitMs(input);
  const params = await paramsOf(context, input);
  const request = contractRequest('post', `${one}/verify`, { params });
  if (await isDryRun(context, input, request)) return ExitCode.Ok;
  const { exchange } = await context.service();
  return follow(context, input, await receive(exchange, request), waitMs);
};

export const restoreBackup: Handler = async (context, input) => {
  const waitMs = readWaitMs(input);
  const params = await paramsOf(context, input);
  const request = contractRequest('post', `${one}/restore`, {
    params,
    body: { name: input.argument(2), ...readShape(input), ...readEngine(input) },
  });
  if (await isDryRun(context, input, request)) return ExitCode.Ok;
  const { exchange } = await context.service();
  return followDatabase(context, input, await receive(exchange, request), waitMs);
};

export const holdBackup: Handler = async (context, input) => {
  const reason = input.text('reason');
  if (reason === undefined) throw usageFailure('no reason is given', 'give --reason');
  const params = await paramsOf(context, input);
  const request = contractRequest('put', `${one}/hold`, { params, body: { reason } });
  if (await isDryRun(context, input, request)) return ExitCode.Ok;
  const { exchange } = await context.service();
  printBackup(context, input, await receive(exchange, request));
  return ExitCode.Ok;
};

export const releaseBackup: Handler = async (context, input) => {
  const params = await paramsOf(context, input);
  const request = contractRequest('delete', `${one}/hold`, { params });
  if (await isDryRun(context, input, request)) return ExitCode.Ok;
  const { exchange } = await context.service();
  printBackup(context, input, await receive(exchange, request));
  return ExitCode.Ok;
};

interface BackupParams {
  readonly databaseId: string;
  readonly backupId: string;
}

async function paramsOf({ service }: Context, input: Input): Promise<BackupParams> {
  const { exchange } = await service();
  const databaseId = await databaseIdOf(exchange, input.argument(0));
  return { databaseId, backupId: input.argument(1) };
}

function updateOf(input: Input): UpdateBackupRequest {
  const [on, off] = [input.has('protected'), input.has('no-protected')];
  if (on && off) throw usageFailure('--protected and --no-protected exclude each other');
  const name = input.text('name');
  if (name === undefined && !on && !off) {
    throw usageFailure('no change is given', 'give --name, --protected or --no-protected');
  }
  return { ...(name !== undefined && { name }), ...((on || off) && { protected: on }) };
}

type Accepted = Received<{ readonly backup: Backup; readonly job: { readonly id: string } }>;

function follow(
  context: Context,
  input: Input,
  accepted: Accepted,
  waitMs: number | undefined,
): Promise<ExitCode> {
  const { backup, job } = accepted.document;
  const params = { databaseId: backup.databaseId, backupId: backup.id };
  return followJob(context, {
    subject: `backup ${backup.id}`,
    jobId: job.id,
    waitMs,
    printNow: () => printBackup(context, input, accepted),
    printThen: async () => printBackup(context, input, await readBackup(context, params)),
  });
}

async function readBackup({ service }: Context, params: BackupParams) {
  const { exchange } = await service();
  return receive(exchange, contractRequest('get', one, { params }));
}

const printBackup = (
  context: Context,
  input: Input,
  received: Received<{ readonly backup: Backup }>,
): void => printAnswer(context, input, received, ({ backup }) => backupText(backup));
