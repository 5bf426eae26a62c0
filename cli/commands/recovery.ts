/** `backups window`, `preview`, `restore-to`, `restore-in-place`: a database as it was at any moment. */
import type { Command, Option } from '../command.ts';
import { dryRun } from './payload-options.ts';
import { engineOptions, shapeOptions } from './shape-options.ts';
import { waitOptions } from './wait-options.ts';

const database = { name: 'database' } as const;
const byName = 'Give the ID or the name of the database; a deleted one is found by its ID only.';
const handlers = () => import('../handlers/recovery.ts');

const targetOptions: readonly Option[] = [
  {
    name: 'to-time',
    value: 'time',
    summary: 'the last operation at or before it: RFC 3339, up to nine digits after the second',
  },
  { name: 'to-timestamp', value: 'ns', summary: 'the same, in nanoseconds since 1970' },
  { name: 'to-op', value: 'op', summary: 'this operation' },
];

const window: Command = {
  kind: 'command',
  name: 'window',
  summary: 'Show the moments to which a database can be restored',
  description: `Prints the earliest and the latest moment, and the gaps between them. The log must be or have been archived. ${byName}`,
  arguments: [database],
  options: [],
  examples: [{ command: 'backups window payments-prod' }],
  load: async () => (await handlers()).showWindow,
};

const preview: Command = {
  kind: 'command',
  name: 'preview',
  summary: 'Preview a restore to a moment; makes nothing',
  description: `A moment that cannot be restored is refused with the nearest ones. ${byName}`,
  arguments: [database],
  options: [...targetOptions, ...engineOptions],
  examples: [{ command: 'backups preview payments-prod --to-time 2027-01-31T12:02:59.5Z' }],
  load: async () => (await handlers()).previewRestore,
};

const restoreTo: Command = {
  kind: 'command',
  name: 'restore-to',
  summary: 'Make a new database from another one’s state at a moment',
  description: `It has every operation up to the moment, and its own ID, cluster ID, keys and addresses; the other one stays as it is. ${byName}`,
  arguments: [database, { name: 'name' }],
  options: [...targetOptions, ...shapeOptions, ...engineOptions, dryRun, ...waitOptions],
  examples: [
    {
      command: 'backups restore-to payments-prod payments-again --to-time 2027-01-31T12:02:59.5Z',
    },
  ],
  load: async () => (await handlers()).restoreToMoment,
};

const restoreInPlace: Command = {
  kind: 'command',
  name: 'restore-in-place',
  summary: 'Set a database back to an earlier state',
  description:
    'For owners. The database keeps its ID, name, keys and address over HTTP, and loses everything that was written after the moment; a last backup keeps it, and restoring that in place undoes it. Nobody can use the database for some minutes. Without --confirm, the terminal asks for the name.',
  arguments: [database],
  options: [
    { name: 'backup', value: 'id', summary: 'this backup of the database' },
    ...targetOptions,
    { name: 'confirm', value: 'name', summary: 'the name of the database, to confirm it' },
    { name: 'plan', summary: 'show what would be lost and what follows; changes nothing' },
    dryRun,
    ...waitOptions,
  ],
  examples: [
    {
      command: 'backups restore-in-place payments-prod --to-time 2027-01-31T14:01:00Z --plan',
    },
  ],
  load: async () => (await import('../handlers/in-place-restore.ts')).restoreInPlace,
};

export const momentCommands: readonly Command[] = [window, preview, restoreTo, restoreInPlace];
