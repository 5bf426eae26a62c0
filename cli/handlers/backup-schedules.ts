import type {
  BackupSchedule,
  CreateBackupScheduleRequest,
  UpdateBackupScheduleRequest,
} from '../../gen/api.ts';
import type { Handler } from '../command.ts';
import type { Context } from '../context.ts';
import { databaseIdOf } from '../database-id.ts';
import { isDryRun } from '../dry-run.ts';
import { ExitCode } from '../exit-code.ts';
import { usageFailure } from '../failure.ts';
import { contractRequest, execute, receive, type Received } from '../http/contract.ts';
import type { Input } from '../input.ts';
import { readInteger } from '../ledger/integers.ts';
import { readChoices } from '../list-options.ts';
import { printAnswer } from '../output/answer.ts';
import { scheduleText, schedulesText } from '../output/backup-schedule.ts';

const all = '/api/v1/databases/{databaseId}/backup-schedules';
const one = '/api/v1/databases/{databaseId}/backup-schedules/{scheduleId}';
const periods = ['EVERY', 'DAILY', 'WEEKLY', 'NEVER'] as const;

export const listSchedules: Handler = async (context, input) => {
  const { exchange } = await context.service();
  const databaseId = await databaseIdOf(exchange, input.argument(0));
  const request = contractRequest('get', all, { params: { databaseId } });
  printAnswer(context, input, await receive(exchange, request), ({ data }) => schedulesText(data));
  return ExitCode.Ok;
};

export const getSchedule: Handler = async (context, input) => {
  const { exchange } = await context.service();
  const request = contractRequest('get', one, { params: await paramsOf(context, input) });
  printSchedule(context, input, await receive(exchange, request));
  return ExitCode.Ok;
};

export const createSchedule: Handler = async (context, input) => {
  const name = input.text('name');
  const body: CreateBackupScheduleRequest = {
    schedule: input.argument(1),
    ...(name !== undefined && { name }),
    ...(input.has('immediate') && { immediate: true }),
    ...choicesOf(input),
  };
  const { exchange } = await context.service();
  const databaseId = await databaseIdOf(exchange, input.argument(0));
  const request = contractRequest('post', all, { params: { databaseId }, body });
  if (await isDryRun(context, input, request)) return ExitCode.Ok;
  printSchedule(context, input, await receive(exchange, request));
  return ExitCode.Ok;
};

export const updateSchedule: Handler = async (context, input) => {
  const body = updateOf(input);
  const params = await paramsOf(context, input);
  const request = contractRequest('patch', one, { params, body });
  if (await isDryRun(context, input, request)) return ExitCode.Ok;
  const { exchange } = await context.service();
  printSchedule(context, input, await receive(exchange, request));
  return ExitCode.Ok;
};

export const deleteSchedule: Handler = async (context, input) => {
  const params = await paramsOf(context, input);
  const request = contractRequest('delete', one, { params });
  if (await isDryRun(context, input, request)) return ExitCode.Ok;
  const { exchange } = await context.service();
  await execute(exchange, request);
  context.output.note(`${params.scheduleId} is deleted; the backups that it made stay`);
  return ExitCode.Ok;
};

async function paramsOf({ service }: Context, input: Input) {
  const { exchange } = await service();
  const databaseId = await databaseIdOf(exchange, input.argument(0));
  return { databaseId, scheduleId: input.argument(1) };
}

function updateOf(input: Input): UpdateBackupScheduleRequest {
  const [off, on] = [input.has('suspend'), input.has('resume')];
  if (on && off) throw usageFailure('--suspend and --resume exclude each other');
  const cron = input.text('cron');
  const body = {
    ...(cron !== undefined && { schedule: cron }),
    ...choicesOf(input),
    ...((on || off) && { suspended: off }),
  };
  if (Object.keys(body).length > 0) return body;
  throw usageFailure('no change is given', 'see --help for what can be changed');
}

const keepOptions = {
  'keep-last': 'last',
  'keep-hourly': 'hourly',
  'keep-daily': 'daily',
  'keep-weekly': 'weekly',
  'keep-monthly': 'monthly',
  'keep-yearly': 'yearly',
  'keep-within-days': 'withinDays',
  'keep-failed': 'failed',
} as const;

/** The choices that creating and changing have in common. */
function choicesOf(input: Input): UpdateBackupScheduleRequest {
  const timeZone = input.text('time-zone');
  const jitter = readCount(input, 'jitter');
  const [verify] = readChoices(input, 'verify', periods).verify ?? [];
  const keep = Object.entries(keepOptions).flatMap(([option, member]) => {
    const count = readCount(input, option);
    return count === undefined ? [] : [[member, count] as const];
  });
  return {
    ...(timeZone !== undefined && { timeZone }),
    ...(jitter !== undefined && { jitterSeconds: jitter }),
    ...(verify !== undefined && { verify }),
    ...(keep.length > 0 && { keep: Object.fromEntries(keep) }),
  };
}

function readCount(input: Input, option: string): number | undefined {
  const text = input.text(option);
  return text === undefined ? undefined : Number(readInteger(`--${option}`, text, { bits: 16 }));
}

const printSchedule = (
  context: Context,
  input: Input,
  received: Received<{ readonly backupSchedule: BackupSchedule }>,
): void =>
  printAnswer(context, input, received, ({ backupSchedule }) => scheduleText(backupSchedule));
