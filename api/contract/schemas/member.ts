import { z } from 'zod';
import { restrictableRoles, roles } from '../../model/access.ts';
import { invitationStatuses } from '../../model/invitation-status.ts';
import { apiKey, apiKeyExample } from './api-key.ts';
import { actor, exampleId, exampleTime, id, success, time } from './common.ts';

const role = z.enum(roles);

export const memberScope = z
  .discriminatedUnion('type', [
    z.strictObject({ type: z.literal('ALL') }),
    z.strictObject({
      type: z.literal('DATABASES'),
      databaseIds: z.array(id('db', 'Database ID.')).min(1).max(100),
    }),
  ])
  .describe(`The databases that they may use; some only for ${restrictableRoles.join(' and ')}.`)
  .meta({ id: 'MemberDatabaseScope' });

export const member = z
  .object({
    id: id('mem', 'Membership ID.'),
    user: z.object({
      id: id('usr', 'User ID.'),
      name: z.string(),
      email: z.string().nullable(),
    }),
    role,
    databaseScope: memberScope,
    createdAt: time('When they joined.'),
    updatedAt: time('When they were changed last.'),
  })
  .meta({ id: 'Member' });

export const readMember = z.object({ member }).meta({ id: 'MemberAnswer' });
export const changedMember = z.object({ success, member }).meta({ id: 'ChangedMember' });

/** Things that a removed member has made and that can be revoked with the removal. */
export const revocable = z.enum(['apiKeys', 'invitations']);

export const updateMemberRequest = z
  .strictObject({ role: role.optional(), databaseScope: memberScope.optional() })
  .meta({ id: 'UpdateMemberRequest' });

export const createInvitationRequest = z
  .strictObject({
    email: z
      .email()
      // No mail is delivered to longer ones (RFC 5321, section 4.5.3.1).
      .regex(/^[^@]{1,64}@/)
      .max(254)
      .describe('The person who accepts must have verified this address.'),
    role,
    databaseScope: memberScope.default({ type: 'ALL' }),
  })
  .meta({ id: 'CreateInvitationRequest' });

export const invitation = z
  .object({
    id: id('inv', 'Invitation ID.'),
    email: z.string(),
    role,
    databaseScope: memberScope,
    status: z.enum(invitationStatuses),
    createdAt: time('When it was made.'),
    createdBy: actor,
    sentAt: time('When it was sent last.'),
    expiresAt: time('Time after which it cannot be accepted.'),
  })
  .meta({ id: 'Invitation' });

export const removedMember = z
  .object({
    success,
    member,
    apiKeys: z.array(apiKey).describe('The keys that they made and that worked until now.'),
    invitations: z.array(invitation).describe('The invitations that they made and that were open.'),
  })
  .meta({ id: 'RemovedMember' });

export const sentInvitation = z
  .object({
    success,
    invitation,
    token: z.string().describe('Token for accepting it; shown only once.'),
    acceptUrl: z.string().describe('The page on which it is accepted.'),
    mailed: z.boolean().describe('Whether a mail was queued; if not, hand `acceptUrl` over.'),
  })
  .meta({ id: 'SentInvitation' });

export const acceptInvitationRequest = z
  .strictObject({ token: z.string().min(1).max(128).describe('Token of the invitation.') })
  .meta({ id: 'AcceptInvitationRequest' });

export const memberExample: z.input<typeof member> = {
  id: exampleId('mem'),
  user: { id: exampleId('usr'), name: 'Ada', email: 'ada@example.com' },
  role: 'developer',
  databaseScope: { type: 'DATABASES', databaseIds: [exampleId('db')] },
  createdAt: exampleTime,
  updatedAt: exampleTime,
};

export const invitationExample: z.input<typeof invitation> = {
  id: exampleId('inv'),
  email: 'ada@example.com',
  role: 'developer',
  databaseScope: { type: 'ALL' },
  status: 'OPEN',
  createdAt: exampleTime,
  createdBy: { type: 'user', id: exampleId('usr', '1'), display: 'Grace' },
  sentAt: exampleTime,
  expiresAt: exampleTime,
};

export const removedMemberExample: z.input<typeof removedMember> = {
  success: true,
  member: memberExample,
  apiKeys: [apiKeyExample],
  invitations: [],
};

export const sentInvitationExample: z.input<typeof sentInvitation> = {
  success: true,
  invitation: invitationExample,
  token: 'lhi_0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0uV1wX2yZ3',
  acceptUrl:
    'https://ledgerhouse.example.com/invitation?token=lhi_0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0uV1wX2yZ3',
  mailed: true,
};
