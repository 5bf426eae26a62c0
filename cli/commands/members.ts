/** Commands for the members of an organization, and for invitations to it. */
import type { Command, Group, Option } from '../command.ts';
import { dryRun } from './payload-options.ts';
import { pageOptions } from './wait-options.ts';

const handlers = () => import('../handlers/members.ts');
const invitationHandlers = () => import('../handlers/invitations.ts');
const member = { name: 'member-id' } as const;
const invitation = { name: 'invitation-id' } as const;
const mem = 'mem_01jd8f3zk5e0v9t3m2q6r8w4xy';
const inv = 'inv_01jd8f3zk5e0v9t3m2q6r8w4xy';

export const roles = ['owner', 'admin', 'developer', 'viewer', 'billing'] as const;

const role: Option = {
  name: 'role',
  value: 'role',
  summary: 'owner, admin, developer, viewer or billing; only owners make owners',
  choices: roles,
};
const database: Option = {
  name: 'database',
  value: 'database',
  summary: 'name or ID of a database that they may use; repeatable; for developers and viewers',
  repeatable: true,
};

const list: Command = {
  kind: 'command',
  name: 'list',
  summary: 'List the members of the organization, in the order in which they joined',
  arguments: [],
  options: [
    { name: 'search', value: 'text', summary: 'only those whose name or address contains this' },
    {
      name: 'role',
      value: 'role',
      summary: 'only those with this role; repeatable',
      repeatable: true,
      choices: roles,
    },
    ...pageOptions,
  ],
  examples: [{ command: 'members list' }, { command: 'members list --role owner --role admin' }],
  load: async () => (await handlers()).listMembers,
};

const get: Command = {
  kind: 'command',
  name: 'get',
  summary: 'Show a member',
  arguments: [member],
  options: [],
  examples: [{ command: `members get ${mem}` }],
  load: async () => (await handlers()).getMember,
};

const update: Command = {
  kind: 'command',
  name: 'update',
  summary: 'Change the role of a member, or the databases that they may use',
  description:
    'Takes effect with their next request. --database replaces the list. A role that sees all databases removes the restriction.',
  arguments: [member],
  options: [
    role,
    database,
    { name: 'all-databases', summary: 'let them use all databases' },
    dryRun,
  ],
  examples: [
    { command: `members update ${mem} --role admin` },
    { command: `members update ${mem} --role viewer --database payments-prod` },
    { command: `members update ${mem} --all-databases` },
  ],
  load: async () => (await handlers()).updateMember,
};

const remove: Command = {
  kind: 'command',
  name: 'remove',
  summary: 'Remove a member from the organization',
  description:
    'The keys and invitations that they made belong to the organization and stay; the answer lists them. Without --confirm, the terminal asks for the address of the member, or for the ID of one without an address.',
  arguments: [member],
  options: [
    { name: 'revoke-keys', summary: 'revoke the API keys that they made, too' },
    { name: 'revoke-invitations', summary: 'revoke the invitations that they made, too' },
    {
      name: 'confirm',
      value: 'address',
      summary: 'the address of the member (the ID of one without), to confirm the removal',
    },
    dryRun,
  ],
  examples: [
    {
      command: `members remove ${mem} --revoke-keys --revoke-invitations --confirm ada@example.com`,
    },
  ],
  load: async () => (await handlers()).removeMember,
};

const leave: Command = {
  kind: 'command',
  name: 'leave',
  summary: 'Leave the organization yourself',
  description:
    'Keys and invitations that you made stay. Only an invitation brings you back. Without --confirm, the terminal asks for the slug of the organization.',
  arguments: [],
  options: [
    { name: 'confirm', value: 'slug', summary: 'the slug of the organization, to confirm it' },
    dryRun,
  ],
  examples: [
    { command: 'members leave --organization org_01jd8f3zk5e0v9t3m2q6r8w4xy --confirm acme' },
  ],
  load: async () => (await handlers()).leaveOrganization,
};

export const members: Group = {
  kind: 'group',
  name: 'members',
  summary: 'Show and change the members of the organization; needs a sign-in',
  children: [list, get, update, remove, leave],
};

const listInvitations: Command = {
  kind: 'command',
  name: 'list',
  summary: 'List invitations, the newest first, also accepted, revoked and expired ones',
  arguments: [],
  options: pageOptions,
  examples: [{ command: 'invitations list' }],
  load: async () => (await invitationHandlers()).listInvitations,
};

const create: Command = {
  kind: 'command',
  name: 'create',
  summary: 'Invite somebody; the link for accepting is printed only once',
  description:
    'They get a mail if the service sends mail; otherwise hand the link over. Only a person with this address can accept it.',
  arguments: [{ name: 'address' }],
  options: [role, database, dryRun],
  examples: [
    { command: 'invitations create ada@example.com --role developer' },
    { command: 'invitations create bob@example.com --role viewer --database payments-prod' },
  ],
  load: async () => (await invitationHandlers()).createInvitation,
};

const resend: Command = {
  kind: 'command',
  name: 'resend',
  summary: 'Send an invitation again, with a new link; the previous one stops working',
  arguments: [invitation],
  options: [dryRun],
  examples: [{ command: `invitations resend ${inv}` }],
  load: async () => (await invitationHandlers()).resendInvitation,
};

const revoke: Command = {
  kind: 'command',
  name: 'revoke',
  summary: 'Revoke an invitation',
  arguments: [invitation],
  options: [dryRun],
  examples: [{ command: `invitations revoke ${inv}` }],
  load: async () => (await invitationHandlers()).revokeInvitation,
};

const accept: Command = {
  kind: 'command',
  name: 'accept',
  summary: 'Accept an invitation; its link or token is read from standard input',
  description:
    'You must be signed in as the invited person: the identity provider must have verified the address.',
  arguments: [],
  options: [],
  examples: [
    { command: 'invitations accept', says: 'asks for the link' },
    { command: 'invitations accept < link.txt' },
  ],
  load: async () => (await invitationHandlers()).acceptInvitation,
};

export const invitations: Group = {
  kind: 'group',
  name: 'invitations',
  summary: 'Invite people to the organization, and accept invitations; needs a sign-in',
  children: [listInvitations, create, resend, revoke, accept],
};
