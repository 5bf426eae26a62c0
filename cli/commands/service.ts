/** Commands about the service as a whole. */
import type { Command } from '../command.ts';
import { dryRun, payloadOptions } from './payload-options.ts';

export const whoami: Command = {
  kind: 'command',
  name: 'whoami',
  summary: 'Show who you are to the service: whose key or sign-in is used, and what it may do',
  arguments: [],
  options: [],
  examples: [{ command: 'whoami' }],
  load: async () => (await import('../handlers/whoami.ts')).whoami,
};

export const catalog: Command = {
  kind: 'command',
  name: 'catalog',
  summary: 'Show what a database can be made of',
  arguments: [],
  options: [],
  examples: [{ command: 'catalog' }],
  load: async () => (await import('../handlers/catalog.ts')).catalog,
};

export const api: Command = {
  kind: 'command',
  name: 'api',
  summary: 'Send any request to the API, and print the answer as it came',
  description: 'The path is one of the API’s reference; /api/v1 in front may be left out.',
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
