import type { Notification, NotificationPreferences } from '../../gen/api.ts';
import type { Handler } from '../command.ts';
import type { Context } from '../context.ts';
import { databaseIdOf } from '../database-id.ts';
import { isDryRun } from '../dry-run.ts';
import { ExitCode } from '../exit-code.ts';
import { usageFailure } from '../failure.ts';
import { contractRequest, receive } from '../http/contract.ts';
import { readLimit } from '../list-options.ts';
import { notePage, printAnswer } from '../output/answer.ts';
import { printable } from '../output/printable.ts';
import { fields, table } from '../output/table.ts';

const all = '/api/v1/notifications';
const preferences = '/api/v1/notification-preferences';

export const listNotifications: Handler = async (context, input) => {
  const query = { ...readLimit(input), ...(input.has('unread') && { unreadOnly: true }) };
  const { exchange } = await context.service();
  const received = await receive(exchange, contractRequest('get', all, { query }));
  printAnswer(context, input, received, ({ data }) => notificationsText(data));
  notePage(context, received.document.page);
  return ExitCode.Ok;
};

export const readAll: Handler = async (context, input) => {
  const { exchange } = await context.service();
  const newest = contractRequest('get', all, { query: { limit: 1 } });
  const [last] = (await receive(exchange, newest)).document.data;
  const request = contractRequest('patch', all, { body: { readThrough: last?.sequence ?? '0' } });
  if (await isDryRun(context, input, request)) return ExitCode.Ok;
  const received = await receive(exchange, request);
  printAnswer(context, input, received, ({ unread }) => `${unread} unread\n`);
  return ExitCode.Ok;
};

export const showPreferences: Handler = async (context, input) => {
  const { exchange } = await context.service();
  const received = await receive(exchange, contractRequest('get', preferences));
  printAnswer(context, input, received, ({ notificationPreferences: own }) => preferencesText(own));
  return ExitCode.Ok;
};

export const mute: Handler = (context, input) =>
  change(context, input, (muted, one) => [...new Set([...muted, one])]);

export const unmute: Handler = (context, input) =>
  change(context, input, (muted, one) => muted.filter((other) => other !== one));

const times = ['at-once', 'daily', 'never'];

export const chooseMail: Handler = async (context, input) => {
  const [word, time] = [input.argument(0), input.argument(1)];
  if (!times.includes(time)) {
    throw usageFailure(`${time} is none of ${times.join(', ')}`);
  }
  const { exchange } = await context.service();
  const { document } = await receive(exchange, contractRequest('get', preferences));
  const { kinds, mailKinds, digestKinds } = document.notificationPreferences;
  const kind = kinds.find((one) => one === word);
  if (kind === undefined) {
    throw usageFailure(`${word} is none of the kinds that you get: ${kinds.join(', ')}`);
  }
  const others = (list: typeof kinds) => list.filter((one) => one !== kind);
  const body = {
    mailKinds: [...others(mailKinds), ...(time === 'at-once' ? [kind] : [])],
    digestKinds: [...others(digestKinds), ...(time === 'daily' ? [kind] : [])],
  };
  const request = contractRequest('patch', preferences, { body });
  if (await isDryRun(context, input, request)) return ExitCode.Ok;
  const received = await receive(exchange, request);
  printAnswer(context, input, received, ({ notificationPreferences: own }) => preferencesText(own));
  return ExitCode.Ok;
};

async function change(
  context: Context,
  input: Parameters<Handler>[1],
  alter: <T extends string>(muted: readonly T[], one: T) => T[],
): Promise<ExitCode> {
  const { exchange } = await context.service();
  const { document } = await receive(exchange, contractRequest('get', preferences));
  const { kinds, mutedKinds, mutedDatabases } = document.notificationPreferences;
  const word = input.argument(0);
  const kind = [...kinds, ...mutedKinds].find((one) => one === word);
  const body =
    kind === undefined
      ? { mutedDatabases: alter(mutedDatabases, await databaseIdOf(exchange, word)) }
      : { mutedKinds: alter(mutedKinds, kind) };
  const request = contractRequest('patch', preferences, { body });
  if (await isDryRun(context, input, request)) return ExitCode.Ok;
  const received = await receive(exchange, request);
  printAnswer(context, input, received, ({ notificationPreferences: own }) => preferencesText(own));
  return ExitCode.Ok;
}

const notificationsText = (notifications: readonly Notification[]): string =>
  notifications.length === 0
    ? '(nothing)\n'
    : table(
        [
          { title: '', cell: ({ read }) => (read ? '' : 'new') },
          { title: 'TIME', cell: ({ occurredAt }) => occurredAt },
          { title: 'KIND', cell: ({ kind }) => kind },
          { title: 'WHAT', cell: ({ summary }) => printable(summary) },
        ],
        notifications,
      );

const preferencesText = ({
  kinds,
  mutedKinds,
  mutedDatabases,
  mailKinds,
  digestKinds,
  mailAddress,
}: NotificationPreferences): string =>
  fields([
    ['kinds', kinds.filter((kind) => !mutedKinds.includes(kind)).join(', ') || 'none'],
    ['muted kinds', mutedKinds.join(', ') || 'none'],
    ['muted databases', mutedDatabases.join(', ') || 'none'],
    ['mail at once', mailKinds.join(', ') || 'none'],
    ['daily mail', digestKinds.join(', ') || 'none'],
    ['mail goes to', mailAddress ?? 'nobody: no verified address, or no mail in this service'],
  ]);
