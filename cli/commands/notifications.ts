/** Commands for a person's notifications. */
import type { Command, Group } from '../command.ts';
import { dryRun } from './payload-options.ts';
import { pageOptions } from './wait-options.ts';

const handlers = () => import('../handlers/notifications.ts');
const what = { name: 'kind-or-database' } as const;

const list: Command = {
  kind: 'command',
  name: 'list',
  summary: 'List your notifications, the newest first',
  arguments: [],
  options: [{ name: 'unread', summary: 'only unread ones' }, ...pageOptions],
  examples: [{ command: 'notifications list --unread' }],
  load: async () => (await handlers()).listNotifications,
};

const readAll: Command = {
  kind: 'command',
  name: 'read-all',
  summary: 'Mark all present notifications as read',
  arguments: [],
  options: [dryRun],
  examples: [{ command: 'notifications read-all' }],
  load: async () => (await handlers()).readAll,
};

const preferences: Command = {
  kind: 'command',
  name: 'preferences',
  summary: 'Show which notifications you get, by kind and database',
  arguments: [],
  options: [],
  examples: [{ command: 'notifications preferences' }],
  load: async () => (await handlers()).showPreferences,
};

const mute: Command = {
  kind: 'command',
  name: 'mute',
  summary: 'Get no more notifications of a kind, or of a database',
  arguments: [what],
  options: [dryRun],
  examples: [
    { command: 'notifications mute engine_upgraded' },
    { command: 'notifications mute payments-test' },
  ],
  load: async () => (await handlers()).mute,
};

const unmute: Command = {
  kind: 'command',
  name: 'unmute',
  summary: 'Get notifications of a kind, or of a database, again',
  arguments: [what],
  options: [dryRun],
  examples: [{ command: 'notifications unmute engine_upgraded' }],
  load: async () => (await handlers()).unmute,
};

const mail: Command = {
  kind: 'command',
  name: 'mail',
  summary: 'Choose whether a kind comes by mail: at-once, daily or never',
  arguments: [{ name: 'kind' }, { name: 'when' }],
  options: [dryRun],
  examples: [
    { command: 'notifications mail database_trouble at-once' },
    { command: 'notifications mail change_failed daily' },
  ],
  load: async () => (await handlers()).chooseMail,
};

export const notifications: Group = {
  kind: 'group',
  name: 'notifications',
  summary: 'Show and choose your notifications; needs a sign-in',
  children: [list, readAll, preferences, mute, unmute, mail],
};
