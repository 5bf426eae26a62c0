/** `config`: profiles. */
import type { Argument, Command, Group } from '../command.ts';

const keys = ['base-url', 'api-key', 'organization'];
const key: Argument = { name: 'key', choices: keys };
const handlers = () => import('../handlers/profiles.ts');
const where = 'of the current profile, or of the one that --profile names';

const list: Command = {
  kind: 'command',
  name: 'list',
  summary: 'List profiles',
  arguments: [],
  options: [],
  examples: [{ command: 'config list' }],
  load: async () => (await handlers()).listProfiles,
};

const get: Command = {
  kind: 'command',
  name: 'get',
  summary: `Print a value ${where}`,
  description: 'Prints only the public part of an API key.',
  arguments: [key],
  options: [],
  examples: [{ command: 'config get base-url' }],
  load: async () => (await handlers()).getValue,
};

const set: Command = {
  kind: 'command',
  name: 'set',
  summary: `Set a value ${where}`,
  description:
    'The API key is read from standard input, so it appears in no shell history and no process list.',
  arguments: [key, { name: 'value', optional: true }],
  options: [],
  examples: [
    { command: 'config set base-url https://ledgerhouse.example.com --profile staging' },
    { command: 'config set api-key --profile staging < key.txt' },
  ],
  load: async () => (await handlers()).setValue,
};

const unset: Command = {
  kind: 'command',
  name: 'unset',
  summary: `Remove a value ${where}`,
  arguments: [key],
  options: [],
  examples: [{ command: 'config unset api-key' }],
  load: async () => (await handlers()).unsetValue,
};

const use: Command = {
  kind: 'command',
  name: 'use',
  summary: 'Make a profile the current one',
  arguments: [{ name: 'profile' }],
  options: [],
  examples: [{ command: 'config use staging' }],
  load: async () => (await handlers()).useProfile,
};

const remove: Command = {
  kind: 'command',
  name: 'remove',
  summary: 'Remove a profile with all its values',
  arguments: [{ name: 'profile' }],
  options: [],
  examples: [{ command: 'config remove staging' }],
  load: async () => (await handlers()).removeProfile,
};

const path: Command = {
  kind: 'command',
  name: 'path',
  summary: 'Print the path of the file with the profiles',
  arguments: [],
  options: [],
  examples: [{ command: 'config path' }],
  load: async () => (await handlers()).printPath,
};

export const config: Group = {
  kind: 'group',
  name: 'config',
  summary: 'Manage profiles: a named service with an API key or a sign-in',
  children: [list, get, set, unset, use, remove, path],
};
