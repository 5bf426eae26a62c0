/** `organizations`: tenants of the installation, for its administrator. */
import type { Command, Group } from '../command.ts';
import { dryRun } from './payload-options.ts';
import { pageOptions } from './wait-options.ts';

const handlers = () => import('../handlers/organizations.ts');
const organization = { name: 'organization-id' } as const;
const id = 'org_01jd8f3zk5e0v9t3m2q6r8w4xy';

const list: Command = {
  kind: 'command',
  name: 'list',
  summary: 'List organizations',
  description: 'Those that you belong to; all of them for the administrator of the installation.',
  arguments: [],
  options: [
    { name: 'include-deleted', summary: 'deleted ones that can be restored, too' },
    ...pageOptions,
  ],
  examples: [{ command: 'organizations list' }],
  load: async () => (await handlers()).listOrganizations,
};

const get: Command = {
  kind: 'command',
  name: 'get',
  summary: 'Show an organization',
  arguments: [organization],
  options: [],
  examples: [{ command: `organizations get ${id}` }],
  load: async () => (await handlers()).getOrganization,
};

const create: Command = {
  kind: 'command',
  name: 'create',
  summary: 'Create an organization',
  description: 'Its databases are in the Kubernetes namespace org- and the slug.',
  arguments: [{ name: 'slug' }],
  options: [{ name: 'name', value: 'name', summary: 'for people; the slug when absent' }, dryRun],
  examples: [{ command: 'organizations create acme --name Acme' }],
  load: async () => (await handlers()).createOrganization,
};

const update: Command = {
  kind: 'command',
  name: 'update',
  summary: 'Rename an organization, or set its quota or the retention of its audit log',
  description:
    'An owner may rename their own organization and set its retention; the administrator may do all of it. For a week after another retention is set, no audit event is removed.',
  arguments: [organization],
  options: [
    { name: 'name', value: 'name', summary: 'for people; slug and namespace stay' },
    {
      name: 'databases-max',
      value: 'count',
      summary: 'how many databases it may have, or default for that of the installation',
    },
    {
      name: 'audit-retention-days',
      value: 'days',
      summary: 'how long audit events are kept, 90 to 2557 days',
    },
    dryRun,
  ],
  examples: [
    { command: `organizations update ${id} --name "Acme Payments"` },
    { command: `organizations update ${id} --databases-max 200` },
    { command: `organizations update ${id} --audit-retention-days 2557` },
  ],
  load: async () => (await handlers()).updateOrganization,
};

const suspend: Command = {
  kind: 'command',
  name: 'suspend',
  summary: 'Suspend an organization',
  description:
    'It can be read, its databases can be deleted, and access can be revoked; all else is refused. Its databases run on.',
  arguments: [organization],
  options: [{ name: 'reason', value: 'text', summary: 'reason, which its members see' }, dryRun],
  examples: [{ command: `organizations suspend ${id} --reason "The contract has ended."` }],
  load: async () => (await handlers()).suspendOrganization,
};

const resume: Command = {
  kind: 'command',
  name: 'resume',
  summary: 'End the suspension of an organization',
  arguments: [organization],
  options: [dryRun],
  examples: [{ command: `organizations resume ${id}` }],
  load: async () => (await handlers()).resumeOrganization,
};

const remove: Command = {
  kind: 'command',
  name: 'delete',
  summary: 'Delete an organization that has no databases',
  description:
    'It can be restored for seven days; its keys and members have no access meanwhile. Without --confirm, the terminal asks for the slug.',
  arguments: [organization],
  options: [
    {
      name: 'confirm',
      value: 'slug',
      summary: 'the slug of the organization, to confirm the deletion',
    },
    dryRun,
  ],
  examples: [{ command: `organizations delete ${id} --confirm acme` }],
  load: async () => (await handlers()).deleteOrganization,
};

const restore: Command = {
  kind: 'command',
  name: 'restore',
  summary: 'Restore a deleted organization',
  arguments: [organization],
  options: [dryRun],
  examples: [{ command: `organizations restore ${id}` }],
  load: async () => (await handlers()).restoreOrganization,
};

export const organizations: Group = {
  kind: 'group',
  name: 'organizations',
  summary: 'Organizations of the installation; needs a sign-in',
  children: [list, get, create, update, suspend, resume, remove, restore],
};
