/** `changes`: changes of a database's configuration, and the commands of `databases` that are changes. */
import type { Command, Group, Option } from '../command.ts';
import { dryRun, payloadOptions } from './payload-options.ts';
import { pageOptions, waitOptions } from './wait-options.ts';

const statuses = ['QUEUED', 'APPLYING', 'APPLIED', 'FAILED', 'CANCELED'];
const database = { name: 'database' } as const;
const changeId = { name: 'change-id' } as const;
const id = 'chg_01jd8f3zk5e0v9t3m2q6r8w4xy';
const byName = 'Give the ID or the name of the database.';
const handlers = () => import('../handlers/changes.ts');

const size: Option = {
  name: 'cluster-size',
  value: 'id',
  summary: 'cores and memory of each replica',
};
const storage: readonly Option[] = [
  {
    name: 'selected-storage-gb',
    value: 'gb',
    summary: 'storage of each replica in GiB; it never shrinks',
  },
  { name: 'autogrow-limit-gb', value: 'gb', summary: 'let storage grow by itself up to this size' },
  { name: 'no-autogrow', summary: 'storage no longer grows by itself' },
];
const version: Option = {
  name: 'engine-version',
  value: 'version',
  summary: 'version of the engine',
};
const applyAt: Option = {
  name: 'apply-at',
  value: 'time',
  summary: 'now (the default), maintenance_window, or a time such as 2026-11-22T03:00:00Z',
};
const plan: Option = {
  name: 'plan',
  summary: 'show the difference, the impact and the price; changes nothing',
};
const archiving: readonly Option[] = [
  {
    name: 'archive-within-seconds',
    value: 'seconds',
    summary: 'archive the log, so that the database can be restored to any moment; 1 to 300',
  },
  { name: 'no-archive', summary: 'the log is no longer archived' },
];
const wanted: readonly Option[] = [
  {
    name: 'cluster-configuration',
    value: 'id',
    choices: ['single', 'ha-3', 'ha-6'],
    summary: 'one, three or six replicas; a change of its own, during which nobody can write',
  },
  size,
  ...storage,
  version,
  ...archiving,
  {
    name: 'parameter',
    value: 'name=value',
    repeatable: true,
    summary: 'an engine parameter; repeatable',
  },
  {
    name: 'reset-parameter',
    value: 'name',
    repeatable: true,
    summary: 'an engine parameter to take back to its default; repeatable',
  },
  {
    name: 'revision',
    value: 'number',
    summary: 'the configuration of this earlier revision, as a way back',
  },
];

const list: Command = {
  kind: 'command',
  name: 'list',
  summary: 'List the changes of a database',
  description: `The newest first, also those that were made in Kubernetes. ${byName}`,
  arguments: [database],
  options: [
    {
      name: 'status',
      value: 'status',
      summary: 'only changes with this status; repeatable',
      repeatable: true,
      choices: statuses,
    },
    ...pageOptions,
  ],
  examples: [{ command: 'changes list payments-prod --status QUEUED' }],
  load: async () => (await handlers()).listChanges,
};

const get: Command = {
  kind: 'command',
  name: 'get',
  summary: 'Show a change',
  arguments: [database, changeId],
  options: [],
  examples: [{ command: `changes get payments-prod ${id}` }],
  load: async () => (await handlers()).getChange,
};

const preview: Command = {
  kind: 'command',
  name: 'preview',
  summary: 'Show the effects of a change',
  description: `Its difference, its impact and its price, together with a change that waits if it would join that; nothing is changed. ${byName}`,
  arguments: [database],
  options: [...wanted, applyAt, ...payloadOptions, dryRun],
  examples: [{ command: 'changes preview payments-prod --cluster-size lh-40' }],
  load: async () => (await handlers()).previewChange,
};

const create: Command = {
  kind: 'command',
  name: 'create',
  summary: 'Change a database',
  description: `While another change is applied, this one waits, and further ones join it. ${byName}`,
  arguments: [database],
  options: [...wanted, applyAt, ...payloadOptions, dryRun, ...waitOptions],
  examples: [
    { command: 'changes create payments-prod --parameter limitConnections=512' },
    {
      says: 'in the next maintenance window',
      command: 'changes create payments-prod --cluster-size lh-40 --apply-at maintenance_window',
    },
    { says: 'the way back', command: 'changes create payments-prod --revision 3' },
    {
      says: 'three replicas instead of one',
      command: 'changes create payments-prod --cluster-configuration ha-3 --wait',
    },
  ],
  load: async () => (await handlers()).createChange,
};

const withdraw: Command = {
  kind: 'command',
  name: 'withdraw',
  summary: 'Withdraw a change that waits',
  arguments: [database, changeId],
  options: [dryRun],
  examples: [{ command: `changes withdraw payments-prod ${id}` }],
  load: async () => (await handlers()).withdrawChange,
};

const begin: Command = {
  kind: 'command',
  name: 'begin',
  summary: 'Begin a change that waits for a time or a maintenance window',
  description: 'It begins within seconds once nothing else is applied.',
  arguments: [database, changeId],
  options: [dryRun],
  examples: [{ command: `changes begin payments-prod ${id}` }],
  load: async () => (await handlers()).beginChange,
};

export const changes: Group = {
  kind: 'group',
  name: 'changes',
  summary: 'Preview, make, show, begin and withdraw changes of a database',
  children: [list, get, preview, create, begin, withdraw],
};

export const resize: Command = {
  kind: 'command',
  name: 'resize',
  summary: 'Give a database another size or more storage',
  description: byName,
  arguments: [database],
  options: [size, ...storage, applyAt, plan, dryRun, ...waitOptions],
  examples: [
    { command: 'databases resize payments-prod --cluster-size lh-40' },
    {
      says: 'what it would cost',
      command: 'databases resize payments-prod --selected-storage-gb 200 --plan',
    },
  ],
  load: async () => (await handlers()).createChange,
};

export const upgrade: Command = {
  kind: 'command',
  name: 'upgrade',
  summary: 'Run a database with another version of its engine',
  description: byName,
  arguments: [database],
  options: [version, applyAt, plan, dryRun, ...waitOptions],
  examples: [{ command: 'databases upgrade payments-prod --engine-version 0.2.0' }],
  load: async () => (await handlers()).createChange,
};

export const archive: Command = {
  kind: 'command',
  name: 'archive',
  summary: 'Switch the archiving of a database’s log on or off',
  description: `While its log is archived, a database can be restored to any moment. This is a change of the database; --plan previews it, and backups window shows the state. ${byName}`,
  arguments: [database],
  options: [...archiving, applyAt, plan, dryRun, ...waitOptions],
  examples: [
    { command: 'backups archive payments-prod --archive-within-seconds 5' },
    {
      says: 'a preview of switching it off',
      command: 'backups archive payments-prod --no-archive --plan',
    },
  ],
  load: async () => (await handlers()).createChange,
};

export const suspendStreams: Command = {
  kind: 'command',
  name: 'suspend',
  summary: 'Suspend all change streams of a database at once',
  description: `This is a change of the database, without an interruption. Nothing is lost: each stream goes on where it was. ${byName}`,
  arguments: [database],
  options: [plan, dryRun, ...waitOptions],
  examples: [{ command: 'cdc suspend payments-prod' }],
  load: async () => (await handlers()).suspendStreams,
};

export const resumeStreams: Command = {
  kind: 'command',
  name: 'resume-all',
  summary: 'Resume the change streams of a database after cdc suspend',
  description: `Streams that were paused stay paused. ${byName}`,
  arguments: [database],
  options: [plan, dryRun, ...waitOptions],
  examples: [{ command: 'cdc resume-all payments-prod' }],
  load: async () => (await handlers()).resumeStreams,
};

export const suspend: Command = {
  kind: 'command',
  name: 'suspend',
  summary: 'Stop a database; its data stay',
  description: `Nobody can use it until it is resumed. Only its storage is charged meanwhile. ${byName}`,
  arguments: [database],
  options: [plan, dryRun, ...waitOptions],
  examples: [{ command: 'databases suspend payments-dev' }],
  load: async () => (await handlers()).suspendDatabase,
};

export const resume: Command = {
  kind: 'command',
  name: 'resume',
  summary: 'Start a stopped database',
  description: byName,
  arguments: [database],
  options: [plan, dryRun, ...waitOptions],
  examples: [{ command: 'databases resume payments-dev' }],
  load: async () => (await handlers()).resumeDatabase,
};
