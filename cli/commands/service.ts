/** Commands about the service as a whole. */
import type { Command } from '../command.ts';
import { dryRun, payloadOptions } from './payload-options.ts';

export const whoami: Command = {
  kind: 'command',
  name: 'whoami',
  summary: 'Show the key or sign-in that is used, its owner and its permissions',
  arguments: [],
  options: [],
  examples: [{ command: 'whoami' }],
  load: async () => (await import('../handlers/whoami.ts')).whoami,
};

export const catalog: Command = {
  kind: 'command',
  name: 'catalog',
  summary: 'Show the choices for a new database',
  arguments: [],
  options: [],
  examples: [{ command: 'catalog' }],
  load: async () => (await import('../handlers/catalog.ts')).catalog,
};

export const api: Command = {
  kind: 'command',
  name: 'api',
  summary: 'Send any request to the API and print the raw answer',
  description: 'The API’s reference lists the paths; you may omit the prefix /api/v1.',
  arguments: [
    { name: 'method', choices: ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'] },
    { name: 'path' },
  ],
  options: [...payloadOptions, dryRun],
  examples: [
    { command: "api GET '/databases?limit=1'" },
    { command: `api PATCH /databases/db_01jd8f3zk5e0v9t3m2q6r8w4xy --payload '{"labels":{}}'` },
  ],
  load: async () => (await import('../handlers/api.ts')).api,
};
