/** `maintenance-window`: the weekly time in which changes begin that wait for it. */
import type { Argument, Command, Group, Option } from '../command.ts';
import { dryRun } from './payload-options.ts';

const database: Argument = { name: 'database', optional: true };
const whose =
  'Give the ID or the name of a database, or nothing for the organization. The window of the organization applies to databases without their own.';
const handlers = () => import('../handlers/maintenance-windows.ts');

const options: readonly Option[] = [
  {
    name: 'weekday',
    value: 'day',
    summary: 'day of the week on which it begins',
    choices: ['SUNDAY', 'MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY'],
  },
  { name: 'start', value: 'time', summary: 'time of day in its time zone, such as 02:30' },
  {
    name: 'length',
    value: 'duration',
    summary: 'time in which changes may begin, 30m to 24h; default 4h',
  },
  { name: 'time-zone', value: 'zone', summary: 'IANA time zone, such as Europe/Vienna' },
];

const get: Command = {
  kind: 'command',
  name: 'get',
  summary: 'Show a maintenance window, and when it is open next',
  description: whose,
  arguments: [database],
  options: [],
  examples: [{ command: 'maintenance-window get payments-prod' }],
  load: async () => (await handlers()).getWindow,
};

const set: Command = {
  kind: 'command',
  name: 'set',
  summary: 'Set a maintenance window',
  description: `Changes that wait for the window then wait for the new one. ${whose}`,
  arguments: [database],
  options: [...options, dryRun],
  examples: [
    {
      says: 'for all databases of the organization',
      command:
        'maintenance-window set --weekday SUNDAY --start 02:00 --length 4h --time-zone Europe/Vienna',
    },
    {
      says: 'for one database',
      command:
        'maintenance-window set payments-prod --weekday MONDAY --start 22:30 --time-zone America/New_York',
    },
  ],
  load: async () => (await handlers()).setWindow,
};

const reset: Command = {
  kind: 'command',
  name: 'reset',
  summary: 'Reset a database to the window of the organization, or the organization to the default',
  description: whose,
  arguments: [database],
  options: [dryRun],
  examples: [{ command: 'maintenance-window reset payments-prod' }],
  load: async () => (await handlers()).resetWindow,
};

export const maintenanceWindow: Group = {
  kind: 'group',
  name: 'maintenance-window',
  summary: 'Show and set the weekly time in which changes begin that wait for it',
  children: [get, set, reset],
};
