/** Commands for signing in, keys, and the audit log. */
import type { Command, Group } from '../command.ts';
import { dryRun } from './payload-options.ts';
import { pageOptions } from './wait-options.ts';

const signIn = () => import('../handlers/sign-in.ts');
const handlers = () => import('../handlers/keys.ts');
const key = { name: 'key-id' } as const;
const id = 'key_01jd8f3zk5e0v9t3m2q6r8w4xy';

export const login: Command = {
  kind: 'command',
  name: 'login',
  summary: 'Sign in: shows a code, and waits until you approve it on a page of the service',
  description:
    'You can open the page on another machine. The profile keeps the sign-in; it is used if no flag or variable gives an API key.',
  arguments: [],
  options: [],
  examples: [
    { command: 'login --base-url https://ledgerhouse.example.com' },
    { command: 'login --profile staging' },
  ],
  load: async () => (await signIn()).login,
};

export const logout: Command = {
  kind: 'command',
  name: 'logout',
  summary: 'End the session that login began, and remove it from the profile',
  arguments: [],
  options: [],
  examples: [{ command: 'logout' }],
  load: async () => (await signIn()).logout,
};

const list: Command = {
  kind: 'command',
  name: 'list',
  summary: 'List API keys',
  arguments: [],
  options: [
    { name: 'search', value: 'text', summary: 'only keys whose name contains this text' },
    {
      name: 'status',
      value: 'status',
      summary: 'only keys with this status; repeatable',
      repeatable: true,
      choices: ['ACTIVE', 'ROTATING', 'EXPIRED', 'REVOKED'],
    },
    { name: 'database', value: 'database', summary: 'only keys for this database alone' },
    {
      name: 'expires-within',
      value: 'days',
      summary: 'only active keys that expire within so many days',
    },
    ...pageOptions,
  ],
  examples: [{ command: 'keys list' }, { command: 'keys list --expires-within 30' }],
  load: async () => (await handlers()).listKeys,
};

const get: Command = {
  kind: 'command',
  name: 'get',
  summary: 'Show an API key',
  arguments: [key],
  options: [],
  examples: [{ command: `keys get ${id}` }],
  load: async () => (await handlers()).getKey,
};

const create: Command = {
  kind: 'command',
  name: 'create',
  summary: 'Create an API key; its secret is printed only once',
  arguments: [{ name: 'name' }],
  options: [
    {
      name: 'permission',
      value: 'permission',
      summary: 'db:read or db:write; repeatable; db:read when absent',
      repeatable: true,
      choices: ['db:read', 'db:write'],
    },
    {
      name: 'database',
      value: 'database',
      summary: 'database that the key may use; all when absent',
    },
    {
      name: 'expires-in',
      value: 'days',
      summary: 'validity in days, 1 to 3650, or never; 90 when absent',
    },
    {
      name: 'allow-ip',
      value: 'address',
      summary:
        'address or CIDR range from which it may be used; repeatable; from anywhere when absent',
      repeatable: true,
    },
    dryRun,
  ],
  examples: [
    { command: 'keys create ci --permission db:read --permission db:write' },
    { command: 'keys create reports --database payments-prod --expires-in never' },
  ],
  load: async () => (await handlers()).createKey,
};

const rotate: Command = {
  kind: 'command',
  name: 'rotate',
  summary: 'Replace an API key by a new one; the new secret is printed only once',
  arguments: [key],
  options: [
    {
      name: 'grace',
      value: 'duration',
      summary: 'time for which the old key still works, such as 0s or 24h; 24h when absent',
    },
    dryRun,
  ],
  examples: [{ command: `keys rotate ${id} --grace 1h` }],
  load: async () => (await handlers()).rotateKey,
};

const renew: Command = {
  kind: 'command',
  name: 'renew',
  summary: 'Give an API key another expiry; its secret stays',
  arguments: [key],
  options: [
    { name: 'expires-in', value: 'days', summary: 'days, 1 to 3650, or never; 90 when absent' },
    dryRun,
  ],
  examples: [{ command: `keys renew ${id} --expires-in 365` }],
  load: async () => (await handlers()).renewKey,
};

const update: Command = {
  kind: 'command',
  name: 'update',
  summary: 'Change the name of an API key, or the addresses from which it may be used',
  arguments: [key],
  options: [
    { name: 'name', value: 'name', summary: 'another name' },
    {
      name: 'allow-ip',
      value: 'address',
      summary: 'address or CIDR range from which it may be used; repeatable; replaces the list',
      repeatable: true,
    },
    { name: 'allow-any-ip', summary: 'let it be used from anywhere' },
    dryRun,
  ],
  examples: [
    { command: `keys update ${id} --name "nightly export"` },
    { command: `keys update ${id} --allow-ip 192.0.2.10 --allow-ip 2001:db8::/32` },
  ],
  load: async () => (await handlers()).updateKey,
};

const revoke: Command = {
  kind: 'command',
  name: 'revoke',
  summary: 'Revoke an API key',
  arguments: [key],
  options: [dryRun],
  examples: [{ command: `keys revoke ${id}` }],
  load: async () => (await handlers()).revokeKey,
};

export const keys: Group = {
  kind: 'group',
  name: 'keys',
  summary: 'Manage API keys; needs a sign-in, because a key cannot make keys',
  children: [list, get, create, update, rotate, renew, revoke],
};

const auditHandlers = () => import('../handlers/audit.ts');
const auditFilter = [
  {
    name: 'type',
    value: 'type',
    summary: 'only events of this type, such as database.created or backup.*; repeatable',
    repeatable: true,
  },
  {
    name: 'outcome',
    value: 'outcome',
    summary: 'only events with this outcome; repeatable',
    repeatable: true,
    choices: ['SUCCESS', 'DENIED', 'FAILED'],
  },
  { name: 'actor', value: 'id', summary: 'only actions of this user or key' },
  { name: 'target', value: 'id', summary: 'only actions on this object' },
  { name: 'database', value: 'database', summary: 'all events of this database' },
  { name: 'after', value: 'time', summary: 'only events at this time (RFC 3339) or later' },
  { name: 'before', value: 'time', summary: 'only events before this time (RFC 3339)' },
];

const auditList: Command = {
  kind: 'command',
  name: 'list',
  summary: 'List the audit events of the organization, the newest first',
  arguments: [],
  options: [...auditFilter, ...pageOptions],
  examples: [{ command: 'audit list --type member.invited --limit 10' }],
  load: async () => (await auditHandlers()).listAudit,
};

const auditExport: Command = {
  kind: 'command',
  name: 'export',
  summary: 'Print all audit events, the oldest first, as NDJSON or CSV',
  arguments: [],
  options: [
    {
      name: 'format',
      value: 'format',
      summary: 'ndjson (default) or csv',
      choices: ['ndjson', 'csv'],
    },
    ...auditFilter,
  ],
  examples: [{ command: 'audit export --format csv --after 2026-01-01T00:00:00Z > audit.csv' }],
  load: async () => (await auditHandlers()).exportAudit,
};

const auditVerify: Command = {
  kind: 'command',
  name: 'verify',
  summary: 'Check that no audit event was changed, added, or removed before its time',
  description:
    'Prints the number and hash of the last event. Keep them elsewhere: a later check must find the same hash at that number.',
  arguments: [],
  options: [],
  examples: [{ command: 'audit verify' }],
  load: async () => (await auditHandlers()).verifyAudit,
};

export const audit: Group = {
  kind: 'group',
  name: 'audit',
  summary: 'Show, export and check the audit log of the organization',
  children: [auditList, auditExport, auditVerify],
};
