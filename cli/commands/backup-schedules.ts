/** `backups schedules`: backups of a database by the clock. */
import type { Command, Group, Option } from '../command.ts';
import { dryRun } from './payload-options.ts';

const database = { name: 'database' } as const;
const scheduleId = { name: 'schedule-id' } as const;
const id = 'bks_01jd8f3zk5e0v9t3m2q6r8w4xy';
const byName = 'Give the ID or the name of the database.';
const handlers = () => import('../handlers/backup-schedules.ts');

const times: readonly Option[] = [
  { name: 'time-zone', value: 'zone', summary: 'IANA time zone, such as Europe/Vienna' },
  {
    name: 'jitter',
    value: 'seconds',
    summary: 'begin up to this much later, always by the same delay, 0 to 3600',
  },
  {
    name: 'verify',
    value: 'period',
    summary: 'how often a test restore proves the newest backup',
    choices: ['EVERY', 'DAILY', 'WEEKLY', 'NEVER'],
  },
];

const keeps: readonly Option[] = [
  { name: 'keep-last', value: 'count', summary: 'newest good backups that stay, 1 to 100' },
  { name: 'keep-hourly', value: 'count', summary: 'hours whose last backup stays' },
  { name: 'keep-daily', value: 'count', summary: 'days whose last backup stays' },
  { name: 'keep-weekly', value: 'count', summary: 'weeks whose last backup stays' },
  { name: 'keep-monthly', value: 'count', summary: 'months whose last backup stays' },
  { name: 'keep-yearly', value: 'count', summary: 'years whose last backup stays' },
  { name: 'keep-within-days', value: 'days', summary: 'days for which every backup stays' },
  { name: 'keep-failed', value: 'count', summary: 'newest failed backups that stay' },
];

const list: Command = {
  kind: 'command',
  name: 'list',
  summary: 'List the schedules of a database',
  description: `With the time of the next backup; also those that were applied in Kubernetes. ${byName}`,
  arguments: [database],
  options: [],
  examples: [{ command: 'backups schedules list payments-prod' }],
  load: async () => (await handlers()).listSchedules,
};

const get: Command = {
  kind: 'command',
  name: 'get',
  summary: 'Show a schedule',
  description: byName,
  arguments: [database, scheduleId],
  options: [],
  examples: [{ command: `backups schedules get payments-prod ${id}` }],
  load: async () => (await handlers()).getSchedule,
};

const create: Command = {
  kind: 'command',
  name: 'create',
  summary: 'Schedule backups of a database',
  description: `A backup stays if any of the --keep options keeps it; without one, the last 7 stay. ${byName}`,
  arguments: [database, { name: 'cron' }],
  options: [
    {
      name: 'name',
      value: 'name',
      summary: 'name, unique in the organization; that of the database with -scheduled when absent',
    },
    ...times,
    ...keeps,
    { name: 'immediate', summary: 'make the first backup at once' },
    dryRun,
  ],
  examples: [
    {
      command:
        "backups schedules create payments-prod '0 3 * * *' --time-zone Europe/Vienna --keep-last 3 --keep-daily 7",
      says: 'every night at three',
    },
  ],
  load: async () => (await handlers()).createSchedule,
};

const update: Command = {
  kind: 'command',
  name: 'update',
  summary: 'Change a schedule',
  description: `Options that are not given stay. Backups that no rule keeps any more are removed. ${byName}`,
  arguments: [database, scheduleId],
  options: [
    { name: 'cron', value: 'fields', summary: 'five fields of cron' },
    ...times,
    ...keeps,
    { name: 'suspend', summary: 'make no backups until it is resumed' },
    { name: 'resume', summary: 'make backups again' },
    dryRun,
  ],
  examples: [{ command: `backups schedules update payments-prod ${id} --keep-monthly 12` }],
  load: async () => (await handlers()).updateSchedule,
};

const remove: Command = {
  kind: 'command',
  name: 'delete',
  summary: 'Delete a schedule; its backups stay',
  description: byName,
  arguments: [database, scheduleId],
  options: [dryRun],
  examples: [{ command: `backups schedules delete payments-prod ${id}` }],
  load: async () => (await handlers()).deleteSchedule,
};

export const schedules: Group = {
  kind: 'group',
  name: 'schedules',
  summary: 'Schedules of backups, and the backups that they keep',
  children: [list, get, create, update, remove],
};
