/** Commands of `databases` that show its configuration: what `changes create` can change, and which way leads back. */
import type { Command } from '../command.ts';
import { pageOptions } from './wait-options.ts';

const handlers = () => import('../handlers/configuration.ts');
const database = { name: 'database' } as const;
const byName = 'Give the ID or the name of the database.';

export const configuration: Command = {
  kind: 'command',
  name: 'configuration',
  summary: 'Show the active configuration of a database, with its price and capacity',
  description: byName,
  arguments: [database],
  options: [],
  examples: [{ command: 'databases configuration payments-prod' }],
  load: async () => (await handlers()).showConfiguration,
};

export const parameters: Command = {
  kind: 'command',
  name: 'parameters',
  summary: 'List the parameters of the engine of a database, with their limits and values',
  description: `${byName} To set one: changes create --parameter.`,
  arguments: [database],
  options: [],
  examples: [{ command: 'databases parameters payments-prod' }],
  load: async () => (await handlers()).listParameters,
};

export const revisions: Command = {
  kind: 'command',
  name: 'revisions',
  summary: 'List the revisions of the configuration of a database, the newest first',
  description: `Each change makes one, with its differences and author. ${byName} The way back to one: changes create --revision.`,
  arguments: [database],
  options: pageOptions,
  examples: [{ command: 'databases revisions payments-prod' }],
  load: async () => (await handlers()).listRevisions,
};
