/** `databases`: commands of the control plane for databases. */
import type { Command, Group, Option } from '../command.ts';
import { resize, resume, suspend, upgrade } from './changes.ts';
import { configuration, parameters, revisions } from './configuration.ts';
import { dryRun, payloadOptions } from './payload-options.ts';
import { pageOptions, waitOptions } from './wait-options.ts';

const statuses = ['PROVISIONING', 'READY', 'SUSPENDED', 'FAILED', 'DELETING', 'DELETED'];
const database = { name: 'database' } as const;
const byName = 'Give the ID or the name of the database.';
const label: Option = {
  name: 'label',
  value: 'key=value',
  summary: 'a label; repeatable',
  repeatable: true,
};
const protection: readonly Option[] = [
  { name: 'deletion-protection', summary: 'refuse to delete it' },
  { name: 'no-deletion-protection', summary: 'allow it to be deleted' },
];
/** Options of `databases create` and of `import`. */
export const sharedCreateOptions: readonly Option[] = [
  { name: 'provider', value: 'id', summary: 'provider of the catalog' },
  { name: 'region', value: 'id', summary: 'region of the provider' },
  { name: 'cluster-size', value: 'id', summary: 'cores and memory of each replica' },
  { name: 'storage-tier', value: 'id', summary: 'storage tier' },
  { name: 'selected-storage-gb', value: 'gb', summary: 'storage of each replica in GiB' },
  { name: 'engine-version', value: 'version', summary: 'version of the engine' },
  {
    name: 'archive-within-seconds',
    value: 'seconds',
    summary: 'archive the log, so that the database can be restored to any moment; 1 to 300',
  },
  label,
  ...protection,
];
const handlers = () => import('../handlers/databases.ts');

const list: Command = {
  kind: 'command',
  name: 'list',
  summary: 'List databases',
  arguments: [],
  options: [
    {
      name: 'status',
      value: 'status',
      summary: 'only databases with this status; repeatable',
      repeatable: true,
      choices: statuses,
    },
    { name: 'name', value: 'name', summary: 'only the database with exactly this name' },
    { name: 'search', value: 'text', summary: 'only databases whose name contains this text' },
    { name: 'provider', value: 'id', summary: 'only databases at this provider' },
    { name: 'region', value: 'id', summary: 'only databases in this region' },
    { ...label, value: 'key[=value]', summary: 'only databases with this label; repeatable' },
    { name: 'include-deleted', summary: 'also deleted databases that can be restored' },
    {
      name: 'sort',
      value: 'order',
      summary:
        'createdAt, -createdAt (the newest first, the default) or name; with a dash: --sort=-createdAt',
      choices: ['createdAt', '-createdAt', 'name'],
    },
    ...pageOptions,
  ],
  examples: [{ command: 'databases list --status READY --sort name' }],
  load: async () => (await handlers()).listDatabases,
};

const get: Command = {
  kind: 'command',
  name: 'get',
  summary: 'Show a database',
  description: byName,
  arguments: [database],
  options: [],
  examples: [{ command: 'databases get payments-prod' }],
  load: async () => (await handlers()).getDatabase,
};

const create: Command = {
  kind: 'command',
  name: 'create',
  summary: 'Create a database',
  description:
    'Choices that you leave out become the defaults of the catalog (see: ledgerhouse catalog). Give the name here, or in --payload or --file.',
  arguments: [{ name: 'name', optional: true }],
  options: [
    {
      name: 'cluster-configuration',
      value: 'id',
      summary: 'topology: number of replicas',
      choices: ['single', 'ha-3', 'ha-6'],
    },
    { name: 'engine', value: 'name', summary: 'engine', choices: ['Builtin', 'TigerBeetle'] },
    ...sharedCreateOptions,
    {
      name: 'plan',
      summary: 'check the request and show the result with its price; creates nothing',
    },
    ...payloadOptions,
    dryRun,
    ...waitOptions,
  ],
  examples: [
    { says: 'with all defaults', command: 'databases create payments-dev' },
    {
      command:
        'databases create payments-prod --cluster-configuration ha-3 --cluster-size lh-40 --selected-storage-gb 100 --label team=payments',
    },
    {
      says: 'the result and its price, without creating it',
      command: 'databases create payments-prod --plan',
    },
  ],
  load: async () => (await handlers()).createDatabase,
};

const update: Command = {
  kind: 'command',
  name: 'update',
  summary: 'Change protection and labels of a database',
  description: `${byName} --label adds or replaces a label, --remove-label removes one; the others stay.`,
  arguments: [database],
  options: [
    label,
    {
      name: 'remove-label',
      value: 'key',
      repeatable: true,
      summary: 'a label to remove; repeatable',
    },
    ...protection,
    ...payloadOptions,
    dryRun,
  ],
  examples: [{ command: 'databases update payments-dev --no-deletion-protection' }],
  load: async () => (await handlers()).updateDatabase,
};

const remove: Command = {
  kind: 'command',
  name: 'delete',
  summary: 'Delete a database',
  description: `${byName} It stops answering at once. It can be restored for some days. Without --confirm, the terminal asks for the name.`,
  arguments: [database],
  options: [
    {
      name: 'confirm',
      value: 'name',
      summary: 'the name of the database, to confirm the deletion',
    },
    {
      name: 'final-backup',
      summary:
        'make a last backup, then delete the data at once; only the backup can restore it then',
    },
    dryRun,
    ...waitOptions,
  ],
  examples: [{ command: 'databases delete payments-dev --confirm payments-dev' }],
  load: async () => (await handlers()).deleteDatabase,
};

const restore: Command = {
  kind: 'command',
  name: 'restore',
  summary: 'Restore a deleted database',
  description: byName,
  arguments: [database],
  options: [
    { name: 'name', value: 'name', summary: 'another name, if the old one is in use' },
    dryRun,
    ...waitOptions,
  ],
  examples: [
    { command: 'databases restore db_01jd8f3zk5e0v9t3m2q6r8w4xy --name payments-restored' },
  ],
  load: async () => (await handlers()).restoreDatabase,
};

export const databases: Group = {
  kind: 'group',
  name: 'databases',
  summary: 'Create, show, change, stop, delete and restore databases',
  children: [
    list,
    get,
    create,
    update,
    resize,
    upgrade,
    suspend,
    resume,
    remove,
    restore,
    configuration,
    parameters,
    revisions,
  ],
};
