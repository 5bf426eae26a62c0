/** `import` and `imports`: databases that begin with data files, or rows, from elsewhere. */
import type { Command, Group } from '../command.ts';
import { sharedCreateOptions } from './databases.ts';
import { dryRun } from './payload-options.ts';
import { pageOptions, waitOptions } from './wait-options.ts';

const id = 'imp_01jd8f3zk5e0v9t3m2q6r8w4xy';
const importId = { name: 'import-id' } as const;
const handlers = () => import('../handlers/imports.ts');

export const importCommand: Command = {
  kind: 'command',
  name: 'import',
  summary: 'Upload data files, or accounts and transfers, and begin a new database with them',
  description:
    "Give the exported file of each replica, 1, 3 or 6, in any order and under any name: their heads tell the replica. The tool compares them before it sends anything. The upload waits through outages of up to 15 minutes. After an interruption, the same command with --resume uploads the missing parts only; an import that is READY needs no files. Make data files with 'ledger-engine export', or take those of all replicas of a TigerBeetle cluster that was stopped. Or give a file with accounts and one with transfers, in CSV or NDJSON: the names of their columns tell which is which. The service tries every row before a database is made, and tells faults by line.",
  arguments: [{ name: 'file', optional: true, repeatable: true }],
  options: [
    { name: 'name', value: 'name', summary: 'name of the new database; required without --trial' },
    {
      name: 'trial',
      summary: 'only tell what is wrong with accounts and transfers; make no database',
    },
    {
      name: 'ignore-balances',
      summary: 'balances in the file with accounts need not be those that the transfers give',
    },
    {
      name: 'cluster-configuration',
      value: 'id',
      summary: 'topology: number of replicas, of rows; that of data files is theirs',
      choices: ['single', 'ha-3', 'ha-6'],
    },
    { name: 'resume', value: 'import-id', summary: 'continue this import' },
    ...sharedCreateOptions,
    ...waitOptions,
  ],
  examples: [
    { command: 'import 77_0.ledger --name payments-prod --selected-storage-gb 100' },
    { says: 'three replicas', command: 'import staged/77_*.ledger --name payments-prod' },
    { says: 'rows, tried only', command: 'import accounts.csv transfers.csv --trial' },
    {
      says: 'rows become a database',
      command: 'import accounts.csv transfers.csv --name payments-prod',
    },
    {
      says: 'continue after an interruption',
      command: `import staged/77_*.ledger --name payments-prod --resume ${id}`,
    },
  ],
  load: async () => (await import('../handlers/import.ts')).importFiles,
};

const list: Command = {
  kind: 'command',
  name: 'list',
  summary: 'List imports',
  description: 'The newest first, also used and expired ones of the last 90 days.',
  arguments: [],
  options: [...pageOptions],
  examples: [{ command: 'imports list' }],
  load: async () => (await handlers()).listImports,
};

const show: Command = {
  kind: 'command',
  name: 'show',
  summary: 'Show an import, the progress of its files, and the report of a trial',
  arguments: [importId],
  options: [],
  examples: [{ command: `imports show ${id}` }],
  load: async () => (await handlers()).showImport,
};

const remove: Command = {
  kind: 'command',
  name: 'delete',
  summary: 'End an import and remove its files',
  description:
    'A database that was made from it stays. While a database is being made from it, the import cannot be deleted. Without --confirm, the terminal asks for the ID of the import.',
  arguments: [importId],
  options: [
    { name: 'confirm', value: 'id', summary: 'the ID of the import, to confirm its removal' },
    dryRun,
  ],
  examples: [{ command: `imports delete ${id} --confirm ${id}` }],
  load: async () => (await handlers()).deleteImport,
};

export const imports: Group = {
  kind: 'group',
  name: 'imports',
  summary: 'Show and remove uploads of data files and rows',
  children: [list, show, remove],
};
