// The table of rights, cell by cell: a second copy of what was promised, to compare with the first.
import { expect, test } from '@jest/globals';
import { authorize } from '../auth/authorize.ts';
import type { MemberPrincipal } from '../auth/principal.ts';
import { roles, type Role } from './access.ts';
import { routes, type OperationId } from '../contract/routes.ts';

const databaseId = 'db_01jd8f3zk5e0v9t3m2q6r8w4x0';
const otherDatabaseId = 'db_01jd8f3zk5e0v9t3m2q6r8w4x1';

const member = (role: Role, databaseIds: readonly string[] | null = null): MemberPrincipal => ({
  type: 'session',
  credentialId: 'ses_1',
  name: role,
  expiresAt: null,
  actor: { type: 'user', id: 'usr_1', display: role },
  user: null,
  administrator: false,
  csrfHash: null,
  organization: {
    id: 'org_1',
    slug: 'acme',
    name: 'Acme',
    namespace: 'org-acme',
    status: 'ACTIVE',
    databasesMax: null,
    auditRetentionDays: 400,
    maintenanceWindow: null,
    suspendedAt: null,
    suspensionReason: null,
    deletedAt: null,
    purgeAt: null,
    purgedAt: null,
    version: 1,
    createdBy: { type: 'system', id: null, display: 'test' },
    createdAt: new Date(0),
    updatedAt: new Date(0),
  },
  role,
  databaseIds,
});

const everybody: readonly Role[] = roles;

const table: readonly {
  readonly line: string;
  readonly operations: readonly OperationId[];
  readonly open: readonly Role[];
}[] = [
  {
    line: 'create a database',
    operations: ['createDatabase'],
    open: ['owner', 'admin', 'developer'],
  },
  {
    line: 'change, delete or restore a database, cancel and retry what is done to it',
    operations: ['updateDatabase', 'deleteDatabase', 'restoreDatabase'],
    open: ['owner', 'admin'],
  },
  {
    line: 'write to a ledger',
    operations: ['createAccounts', 'createTransfers'],
    open: ['owner', 'admin', 'developer'],
  },
  {
    line: 'read a ledger, a database, its jobs',
    operations: [
      'listDatabases',
      'getDatabase',
      'getJob',
      'listDatabaseJobs',
      'lookupAccounts',
      'lookupTransfers',
      'queryAccounts',
      'queryTransfers',
      'getAccountTransfers',
      'getAccountBalances',
      'listChangeStreams',
      'getChangeStream',
    ],
    open: ['owner', 'admin', 'developer', 'viewer'],
  },
  {
    line: 'keys (a developer: their own, which only read)',
    operations: ['createApiKey', 'listApiKeys', 'getApiKey', 'rotateApiKey', 'revokeApiKey'],
    open: ['owner', 'admin', 'developer'],
  },
  {
    line: 'webhooks',
    operations: [
      'createWebhookEndpoint',
      'listWebhookEndpoints',
      'getWebhookEndpoint',
      'updateWebhookEndpoint',
      'deleteWebhookEndpoint',
    ],
    open: ['owner', 'admin'],
  },
  {
    line: 'change streams',
    operations: [
      'createChangeStream',
      'updateChangeStream',
      'deleteChangeStream',
      'showChangeStreamSecret',
      'rotateChangeStreamSecret',
    ],
    open: ['owner', 'admin'],
  },
  {
    line: 'saved queries',
    operations: ['createSavedQuery', 'updateSavedQuery', 'deleteSavedQuery'],
    open: ['owner', 'admin', 'developer', 'viewer'],
  },
  {
    line: 'members',
    operations: [
      'listMembers',
      'getMember',
      'updateMember',
      'removeMember',
      'createInvitation',
      'listInvitations',
      'resendInvitation',
      'revokeInvitation',
    ],
    open: ['owner', 'admin'],
  },
  { line: 'audit log', operations: ['listAuditEvents'], open: ['owner', 'admin'] },
  {
    line: 'what concerns oneself, and the catalog',
    operations: [
      'getSession',
      'closeSession',
      'listOrganizations',
      'getOrganization',
      'acceptInvitation',
      'leaveOrganization',
      'getCreateCatalog',
    ],
    open: everybody,
  },
];

const cells = table.flatMap(({ operations, open }) =>
  operations.flatMap((operation) =>
    roles.map((role) => ({ operation, role, may: open.includes(role) })),
  ),
);

test.each(cells)('$operation, $role: $may', ({ operation, role, may }) => {
  const { access } = routes[operation];
  if (access.kind === 'public') throw new Error('it is open to everybody');
  expect(authorize(access, member(role), databaseId).kind).toBe(may ? 'allowed' : 'refused');
});

test('a member restricted to some databases uses those, sees no other, and makes and changes none', () => {
  const restricted = member('developer', [databaseId]);
  const kind = (operation: OperationId, id?: string) => {
    const { access } = routes[operation];
    if (access.kind === 'public') throw new Error('it is open to everybody');
    return authorize(access, restricted, id).kind;
  };
  expect(kind('createTransfers', databaseId)).toBe('allowed');
  expect(kind('getDatabase', databaseId)).toBe('allowed');
  expect(kind('createTransfers', otherDatabaseId)).toBe('other_database');
  expect(kind('getDatabase', otherDatabaseId)).toBe('other_database');
  expect(kind('createSavedQuery', databaseId)).toBe('allowed');
  expect(kind('createSavedQuery', otherDatabaseId)).toBe('other_database');
  expect(kind('listDatabases')).toBe('allowed');
  expect(kind('createDatabase')).toBe('refused');
});

test('a person without an organization reaches only their own account', () => {
  const { organization: _, role: __, databaseIds: ___, ...person } = member('viewer');
  const guest = { ...person, organization: null, role: null };
  for (const [operation, { access }] of Object.entries(routes)) {
    if (access.kind === 'public') continue;
    const { kind } = authorize(access, guest, undefined);
    expect({ operation, kind }).toEqual({
      operation,
      kind: access.kind === 'self' ? 'allowed' : 'refused',
    });
  }
});
