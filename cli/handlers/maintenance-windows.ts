import type { MaintenanceWindowAnswer, MaintenanceWindowRequest } from '../../gen/api.ts';
import type { Handler } from '../command.ts';
import type { Context } from '../context.ts';
import { databaseIdOf } from '../database-id.ts';
import { isDryRun } from '../dry-run.ts';
import { readDurationMs } from '../duration.ts';
import { ExitCode } from '../exit-code.ts';
import { usageFailure, valueFailure } from '../failure.ts';
import { contractRequest, receive, type Received } from '../http/contract.ts';
import type { Input } from '../input.ts';
import { readChoices } from '../list-options.ts';
import { printAnswer } from '../output/answer.ts';
import { fields } from '../output/table.ts';

const ofOrganization = '/api/v1/maintenance-window';
const ofDatabase = '/api/v1/databases/{databaseId}/maintenance-window';
const weekdays = [
  'SUNDAY',
  'MONDAY',
  'TUESDAY',
  'WEDNESDAY',
  'THURSDAY',
  'FRIDAY',
  'SATURDAY',
] as const;

export const getWindow: Handler = async (context, input) => {
  const { exchange } = await context.service();
  const params = await paramsOf(context, input);
  print(
    context,
    input,
    params === undefined
      ? await receive(exchange, contractRequest('get', ofOrganization, {}))
      : await receive(exchange, contractRequest('get', ofDatabase, { params })),
  );
  return ExitCode.Ok;
};

export const setWindow: Handler = async (context, input) => {
  const body = wantedOf(input);
  const { exchange } = await context.service();
  const params = await paramsOf(context, input);
  const request =
    params === undefined
      ? contractRequest('put', ofOrganization, { body })
      : contractRequest('put', ofDatabase, { params, body });
  if (await isDryRun(context, input, request)) return ExitCode.Ok;
  print(context, input, await receive(exchange, request));
  return ExitCode.Ok;
};

export const resetWindow: Handler = async (context, input) => {
  const { exchange } = await context.service();
  const params = await paramsOf(context, input);
  const request =
    params === undefined
      ? contractRequest('delete', ofOrganization, {})
      : contractRequest('delete', ofDatabase, { params });
  if (await isDryRun(context, input, request)) return ExitCode.Ok;
  print(context, input, await receive(exchange, request));
  return ExitCode.Ok;
};

/** `undefined`: the window of the organization. */
async function paramsOf({ service }: Context, { arguments: [word] }: Input) {
  if (word === undefined) return undefined;
  const { exchange } = await service();
  return { databaseId: await databaseIdOf(exchange, word) };
}

function wantedOf(input: Input): MaintenanceWindowRequest {
  const [weekday] = readChoices(input, 'weekday', weekdays).weekday ?? [];
  const [startTime, timeZone] = [input.text('start'), input.text('time-zone')];
  if (weekday === undefined || startTime === undefined || timeZone === undefined) {
    throw usageFailure(
      'a window needs a weekday, a start and a time zone',
      'give --weekday, --start and --time-zone',
    );
  }
  const length = input.text('length');
  return {
    weekday,
    startTime,
    timeZone,
    ...(length !== undefined && { lengthMinutes: minutesOf(length) }),
  };
}

function minutesOf(text: string): number {
  const minutes = readDurationMs('--length', text) / 60_000;
  if (Number.isInteger(minutes)) return minutes;
  throw valueFailure(`--length must be whole minutes, not "${text}"`);
}

const print = (context: Context, input: Input, received: Received<MaintenanceWindowAnswer>) =>
  printAnswer(context, input, received, ({ maintenanceWindow }) => windowText(maintenanceWindow));

const sources = {
  DATABASE: 'set for this database',
  ORGANIZATION: 'set for the organization',
  DEFAULT: 'the default; none is set',
} as const;

function windowText({
  weekday,
  startTime,
  lengthMinutes,
  timeZone,
  from,
  next,
}: MaintenanceWindowAnswer['maintenanceWindow']): string {
  return fields([
    ['window', `${weekday} ${startTime} ${timeZone}, for ${lengthMinutes} minutes`],
    ['from', sources[from]],
    ['next', `${next.beginsAt} to ${next.endsAt}`],
  ]);
}
