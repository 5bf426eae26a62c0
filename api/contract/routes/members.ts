import { z } from 'zod';
import { access, roles } from '../../model/access.ts';
import { answer, empty, jsonBody, type RouteSpec } from '../route.ts';
import { cursor, emptyPage, limit, listOf, success, text } from '../schemas/common.ts';
import {
  acceptInvitationRequest,
  changedMember,
  createInvitationRequest,
  invitation,
  invitationExample,
  member,
  memberExample,
  readMember,
  removedMember,
  removedMemberExample,
  revocable,
  sentInvitation,
  sentInvitationExample,
  updateMemberRequest,
} from '../schemas/member.ts';
import { organization, organizationExample } from '../schemas/organization.ts';

const members = '/api/v1/members';
const invitations = '/api/v1/invitations';
const tag = 'Members';
// No cache may keep a secret, and no proxy may compress it: the compressed length would reveal something about it.
const secretCache = 'no-store, no-transform';
const ownersOnly = 'Only owners can make, change and remove owners.';

export const memberRoutes = {
  listMembers: {
    method: 'GET',
    path: members,
    tag,
    summary: 'List members',
    description: 'In the order in which they joined.',
    access: access.members,
    query: z.strictObject({
      limit,
      cursor,
      q: text(
        100,
        'Part of the name or of the address; the case of letters does not matter.',
      ).optional(),
      role: z.array(z.enum(roles)).min(1).optional().describe('One or several, with commas.'),
    }),
    responses: {
      200: answer('A page of members.', listOf(member).meta({ id: 'MemberList' }), {
        data: [memberExample],
        page: emptyPage,
      }),
    },
    problems: ['invalid_cursor'],
  },
  getMember: {
    method: 'GET',
    path: `${members}/{membershipId}`,
    tag,
    summary: 'Read a member',
    access: access.members,
    responses: { 200: answer('The member.', readMember, { member: memberExample }) },
    problems: [],
    conditional: 'settings',
  },
  updateMember: {
    method: 'PATCH',
    path: `${members}/{membershipId}`,
    tag,
    summary: 'Change a member’s role or databases',
    description: `Takes effect with their next request. ${ownersOnly}`,
    access: access.members,
    body: jsonBody(updateMemberRequest, {
      role: { role: 'viewer' },
      someDatabases: {
        role: 'developer',
        databaseScope: { type: 'DATABASES', databaseIds: ['db_01jd8f3zk5e0v9t3m2q6r8w4x0'] },
      },
    }),
    responses: {
      200: answer('The member is changed.', changedMember, {
        success: true,
        member: memberExample,
      }),
    },
    problems: ['database_not_found', 'last_owner'],
    conditional: 'match',
  },
  removeMember: {
    endsAccess: true,
    method: 'DELETE',
    path: `${members}/{membershipId}`,
    tag,
    summary: 'Remove a member',
    description: `The answer lists the working keys and the open invitations that they made. These stay, because they belong to the organization, unless \`revoke\` names them. An invitation of an owner stays \`OPEN\` if you are none. ${ownersOnly}`,
    access: access.members,
    query: z.strictObject({
      revoke: z
        .array(revocable)
        .min(1)
        .optional()
        .describe('Revoke these with the removal; separate both with a comma.'),
    }),
    responses: {
      200: answer('The member is removed.', removedMember, removedMemberExample),
    },
    problems: ['last_owner'],
  },
  leaveOrganization: {
    method: 'POST',
    path: `${members}/leave`,
    tag,
    summary: 'Leave the organization',
    access: access.anyPerson,
    responses: { 204: empty('You have left the organization.') },
    problems: ['last_owner', 'member_not_found'],
  },
} as const satisfies Record<string, RouteSpec>;

export const invitationRoutes = {
  createInvitation: {
    method: 'POST',
    path: invitations,
    tag,
    summary: 'Invite somebody',
    description: `They get a mail if the service sends mail. ${ownersOnly}`,
    access: access.members,
    body: jsonBody(createInvitationRequest, {
      developer: { email: 'ada@example.com', role: 'developer' },
      oneDatabase: {
        email: 'ada@example.com',
        role: 'viewer',
        databaseScope: { type: 'DATABASES', databaseIds: ['db_01jd8f3zk5e0v9t3m2q6r8w4x0'] },
      },
    }),
    responses: {
      201: answer('The invitation is open.', sentInvitation, sentInvitationExample, ['Location']),
    },
    problems: ['already_member', 'invitation_exists', 'database_not_found'],
    cache: secretCache,
  },
  listInvitations: {
    method: 'GET',
    path: invitations,
    tag,
    summary: 'List invitations',
    description: 'The newest first, also accepted, revoked and expired ones.',
    access: access.members,
    query: z.strictObject({ limit, cursor }),
    responses: {
      200: answer('A page of invitations.', listOf(invitation).meta({ id: 'InvitationList' }), {
        data: [invitationExample],
        page: emptyPage,
      }),
    },
    problems: ['invalid_cursor'],
  },
  resendInvitation: {
    method: 'POST',
    path: `${invitations}/{invitationId}/resend`,
    tag,
    summary: 'Send an invitation again',
    description: 'With a new token, valid for seven days; the previous one stops working.',
    access: access.members,
    responses: { 201: answer('It is sent.', sentInvitation, sentInvitationExample) },
    problems: [],
    cache: secretCache,
  },
  revokeInvitation: {
    endsAccess: true,
    method: 'DELETE',
    path: `${invitations}/{invitationId}`,
    tag,
    summary: 'Revoke an invitation',
    access: access.members,
    responses: { 204: empty('The invitation is revoked.') },
    problems: [],
  },
  acceptInvitation: {
    method: 'POST',
    path: `${invitations}/accept`,
    tag,
    summary: 'Accept an invitation',
    description:
      'The caller must be the invited person: the identity provider must have verified the address. Tokens that are unknown, used, too old or for another address all get the same answer.',
    access: access.ownPerson,
    body: jsonBody(acceptInvitationRequest, { token: { token: 'lhi_…' } }),
    responses: {
      200: answer(
        'You are a member.',
        z.object({ success, organization }).meta({ id: 'AcceptedInvitation' }),
        { success: true, organization: organizationExample },
      ),
    },
    problems: ['invitation_not_found', 'already_member', 'organization_suspended'],
  },
} as const satisfies Record<string, RouteSpec>;
