/** `backups`: backups of databases, and new databases that begin with one. */
import type { Command, Group, Option } from '../command.ts';
import { schedules } from './backup-schedules.ts';
import { archive } from './changes.ts';
import { dryRun } from './payload-options.ts';
import { momentCommands } from './recovery.ts';
import { engineOptions, shapeOptions } from './shape-options.ts';
import { pageOptions, waitOptions } from './wait-options.ts';

const statuses = ['QUEUED', 'RUNNING', 'SUCCEEDED', 'FAILED', 'DELETING', 'DELETED', 'EXPIRED'];
const types = ['MANUAL', 'SCHEDULED', 'PRE_CHANGE', 'FINAL'];
const database = { name: 'database' } as const;
const backupId = { name: 'backup-id' } as const;
const id = 'bkp_01jd8f3zk5e0v9t3m2q6r8w4xy';
const byName = 'Give the ID or the name of the database; a deleted one is found by its ID only.';
const handlers = () => import('../handlers/backups.ts');

const name: Option = { name: 'name', value: 'text', summary: 'name of the backup, for people' };

const list: Command = {
  kind: 'command',
  name: 'list',
  summary: 'List the backups of a database',
  description: `The newest first, also those of schedules and those that were applied in Kubernetes. ${byName}`,
  arguments: [database],
  options: [
    {
      name: 'status',
      value: 'status',
      summary: 'only backups with this status; repeatable; all but DELETED and EXPIRED when absent',
      repeatable: true,
      choices: statuses,
    },
    {
      name: 'type',
      value: 'type',
      summary: 'only backups of this type; repeatable',
      repeatable: true,
      choices: types,
    },
    ...pageOptions,
  ],
  examples: [{ command: 'backups list payments-prod --type MANUAL' }],
  load: async () => (await handlers()).listBackups,
};

const get: Command = {
  kind: 'command',
  name: 'get',
  summary: 'Show a backup',
  description: byName,
  arguments: [database, backupId],
  options: [],
  examples: [{ command: `backups get payments-prod ${id}` }],
  load: async () => (await handlers()).getBackup,
};

const create: Command = {
  kind: 'command',
  name: 'create',
  summary: 'Back a database up',
  description: `It contains everything that was answered before; the database goes on meanwhile. ${byName}`,
  arguments: [database],
  options: [
    name,
    {
      name: 'retention-days',
      value: 'days',
      summary: 'days until it is removed, 1 to 365; it stays for good when absent',
    },
    { name: 'protected', summary: 'let nothing remove it until it is updated' },
    {
      name: 'files',
      summary:
        'copy the data files of a suspended TigerBeetle database as they are, and not its rows',
    },
    dryRun,
    ...waitOptions,
  ],
  examples: [
    { command: 'backups create payments-prod --name before-migration --retention-days 30' },
    {
      says: 'data files of a suspended TigerBeetle database',
      command: 'backups create payments-prod --files',
    },
  ],
  load: async () => (await handlers()).createBackup,
};

const update: Command = {
  kind: 'command',
  name: 'update',
  summary: 'Change name and protection of a backup',
  description: byName,
  arguments: [database, backupId],
  options: [
    name,
    { name: 'protected', summary: 'let nothing remove it' },
    { name: 'no-protected', summary: 'allow it to be removed' },
    dryRun,
  ],
  examples: [{ command: `backups update payments-prod ${id} --no-protected` }],
  load: async () => (await handlers()).updateBackup,
};

const remove: Command = {
  kind: 'command',
  name: 'delete',
  summary: 'Remove a backup for good',
  description: `${byName} Without --confirm, the terminal asks for the ID of the backup.`,
  arguments: [database, backupId],
  options: [
    { name: 'confirm', value: 'id', summary: 'the ID of the backup, to confirm its removal' },
    dryRun,
    ...waitOptions,
  ],
  examples: [{ command: `backups delete payments-prod ${id} --confirm ${id}` }],
  load: async () => (await handlers()).deleteBackup,
};

const hold: Command = {
  kind: 'command',
  name: 'hold',
  summary: 'Hold a backup: nothing removes it until it is released',
  description: `Author, time and reason are in the backup and in the audit log. ${byName}`,
  arguments: [database, backupId],
  options: [
    { name: 'reason', value: 'text', summary: 'why, such as the number of a case' },
    dryRun,
  ],
  examples: [{ command: `backups hold payments-prod ${id} --reason 'case 2026-117'` }],
  load: async () => (await handlers()).holdBackup,
};

const release: Command = {
  kind: 'command',
  name: 'release',
  summary: 'Release a backup that is held',
  description: byName,
  arguments: [database, backupId],
  options: [dryRun],
  examples: [{ command: `backups release payments-prod ${id}` }],
  load: async () => (await handlers()).releaseBackup,
};

const verify: Command = {
  kind: 'command',
  name: 'verify',
  summary: 'Test a backup by restoring it, and wait for the result',
  description: `It makes no database. The command fails if the backup is damaged. ${byName}`,
  arguments: [database, backupId],
  options: [dryRun, ...waitOptions],
  examples: [{ command: `backups verify payments-prod ${id}` }],
  load: async () => (await handlers()).verifyBackup,
};

const restore: Command = {
  kind: 'command',
  name: 'restore',
  summary: 'Make a new database from a backup',
  description: `The new database has its own ID, cluster ID, keys and addresses; the other one stays as it is. ${byName}`,
  arguments: [database, backupId, { name: 'name' }],
  options: [...shapeOptions, ...engineOptions, dryRun, ...waitOptions],
  examples: [
    { command: `backups restore payments-prod ${id} payments-again --cluster-configuration ha-3` },
  ],
  load: async () => (await handlers()).restoreBackup,
};

export const backups: Group = {
  kind: 'group',
  name: 'backups',
  summary: 'Make, show, test, remove and restore backups of databases',
  children: [
    list,
    get,
    create,
    update,
    hold,
    release,
    remove,
    verify,
    restore,
    archive,
    ...momentCommands,
    schedules,
  ],
};
