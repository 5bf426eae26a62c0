/** `connection`: programs that reach a database, and checks that a client does. */
import type { Command, Group, Option } from '../command.ts';
import { dryRun } from './payload-options.ts';

const database = { name: 'database' } as const;
const checkId = { name: 'check-id' } as const;
const id = 'chk_01jd8f3zk5e0v9t3m2q6r8w4xy';
const byName = 'Give the ID or the name of the database.';
const handlers = () => import('../handlers/connection.ts');

export const languages = ['node', 'go', 'java', 'dotnet', 'python', 'rust', 'curl', 'cli'] as const;
const language: Option = {
  name: 'language',
  value: 'language',
  summary: 'language of the program; node when absent',
  choices: languages,
};

const snippet: Command = {
  kind: 'command',
  name: 'snippet',
  summary: 'Show a program that looks up one account, with what to install and how to run it',
  description: byName,
  arguments: [database],
  options: [
    language,
    { name: 'check', value: 'id', summary: 'look up the account of this connection check' },
    { name: 'program', summary: 'print the program alone' },
  ],
  examples: [
    { command: 'connection snippet payments-prod --language go' },
    { command: 'connection snippet payments-prod --language python --program > main.py' },
  ],
  load: async () => (await handlers()).showSnippet,
};

const create: Command = {
  kind: 'command',
  name: 'create',
  summary: 'Begin a connection check; prints the ID of an account to look up',
  description: `The account does not exist. When a client looks it up within 15 minutes, the check is VERIFIED. ${byName}`,
  arguments: [database],
  options: [{ ...language, summary: 'language that you use, for your own records' }, dryRun],
  examples: [
    { command: 'connection checks create payments-prod' },
    { command: 'connection checks create payments-prod --language go --json' },
  ],
  load: async () => (await handlers()).createCheck,
};

const get: Command = {
  kind: 'command',
  name: 'get',
  summary: 'Show a connection check, with the attempts that failed',
  description: byName,
  arguments: [database, checkId],
  options: [],
  examples: [{ command: `connection checks get payments-prod ${id}` }],
  load: async () => (await handlers()).getCheck,
};

const watch: Command = {
  kind: 'command',
  name: 'watch',
  summary: 'Wait for the lookup of a connection check, and show attempts that fail meanwhile',
  description: `Exits with 0 when the check is VERIFIED, with 1 when it has expired. ${byName}`,
  arguments: [database, checkId],
  options: [
    {
      name: 'wait-timeout',
      value: 'duration',
      summary: 'longest wait, such as 90s or 5m; until the check expires when absent',
    },
  ],
  examples: [{ command: `connection checks watch payments-prod ${id}` }],
  load: async () => (await handlers()).watchCheck,
};

const checks: Group = {
  kind: 'group',
  name: 'checks',
  summary: 'Connection checks: one lookup shows that a client reaches a database',
  children: [create, get, watch],
};

export const connection: Group = {
  kind: 'group',
  name: 'connection',
  summary: 'Show programs that reach a database, and check that a client reaches it',
  children: [snippet, checks],
};
