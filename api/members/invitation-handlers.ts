import { hashOf, randomDigits } from '../auth/api-key-format.ts';
import type { invitationRoutes } from '../contract/routes/members.ts';
import { notThere } from '../http/gate.ts';
import type { HandlersOf } from '../http/handler.ts';
import { readCursor, shownPage } from '../http/paging.ts';
import { Refusal } from '../model/refusal.ts';
import { shownOrganization } from '../organizations/shown-organization.ts';
import type { Change } from '../store/change.ts';
import type { Cursors } from '../store/cursor.ts';
import {
  createInvitation,
  listInvitations,
  invitationsPerAddressAndHour,
  invitationsPerHour,
  renewInvitation,
  resendSeconds,
  revokeInvitation,
  type Invitation,
} from '../store/invitations.ts';
import { enqueueMail } from '../store/mails.ts';
import { isMemberByEmail, listBelongings } from '../store/members.ts';
import type { Sealer } from '../store/sealing.ts';
import type { Store } from '../store/store.ts';
import { acceptAs } from './accept-invitation.ts';
import { checkedScope, shownScope } from './database-scope.ts';
import { requireRightOver } from './handlers.ts';
import { invitationMail } from './invitation-mail.ts';

export interface InvitationServices {
  readonly store: Store;
  readonly cursors: Cursors;
  readonly sealer: Sealer;
  /** URL at which people reach the service, without a path. */
  readonly publicUrl: string;
  /** Whether the service sends mail. */
  readonly mails: boolean;
}

const tokenPrefix = 'lhi_';
/** Characters of a token: 238 bits. */
const tokenLength = 40;

type Handlers = HandlersOf<typeof invitationRoutes>;

export const invitationHandlers = (services: InvitationServices): Handlers => ({
  ...senders(services),
  ...enders(services),
});

function senders(
  services: InvitationServices,
): Pick<Handlers, 'createInvitation' | 'resendInvitation'> {
  const { store } = services;
  return {
    async createInvitation({ body, principal, author }) {
      const { organization } = principal;
      const { role } = body;
      requireRightOver(principal, role);
      const email = body.email.toLowerCase();
      const databaseIds = await checkedScope(store.read, organization.id, role, body.databaseScope);
      if (await isMemberByEmail(store.read, organization.id, email)) {
        throw new Refusal('already_member', { detail: `${email} is a member already.` });
      }
      const token = newToken();
      const invited = { organizationId: organization.id, email, role, databaseIds };
      const invitation = await store.change(author, async (change) => {
        const made = await createInvitation(change, invited, hashOf(token));
        if (typeof made === 'object') await mail(services, change, made, token, organization.name);
        return made;
      });
      if (invitation === 'exists') {
        throw new Refusal('invitation_exists', {
          detail: `${email} has an open invitation; send that one again, or take it back.`,
        });
      }
      if (invitation === 'too_many') {
        throw new Refusal('rate_limited', {
          detail: `An organization sends at most ${invitationsPerHour} invitations in an hour.`,
          retryAfterSeconds: 3_600,
        });
      }
      if (invitation === 'too_many_to_address') {
        throw new Refusal('rate_limited', {
          detail: `An organization sends at most ${invitationsPerAddressAndHour} invitations to one address in an hour.`,
          retryAfterSeconds: 3_600,
        });
      }
      const { id } = invitation;
      return {
        ...sent(services, invitation, token),
        headers: { Location: `/api/v1/invitations/${id}` },
      };
    },
    async resendInvitation({ params, principal, author }) {
      const { id: organizationId, name } = principal.organization;
      const { invitationId: id } = params;
      const token = newToken();
      const invitation = await store.change(author, async (change) => {
        const renewed = await renewInvitation(change, organizationId, id, hashOf(token));
        if (renewed === undefined || renewed === 'too_soon') return renewed;
        requireRightOver(principal, renewed.role);
        await mail(services, change, renewed, token, name);
        return renewed;
      });
      if (invitation === undefined) throw notThere('invitationId', id);
      if (invitation === 'too_soon') {
        throw new Refusal('rate_limited', {
          detail: `An invitation is sent again at most once in ${resendSeconds / 60} minutes.`,
          retryAfterSeconds: resendSeconds,
        });
      }
      return sent(services, invitation, token);
    },
  };
}

function enders({
  store,
  cursors,
}: InvitationServices): Pick<
  Handlers,
  'listInvitations' | 'revokeInvitation' | 'acceptInvitation'
> {
  return {
    async listInvitations({ query, principal }) {
      const { limit, cursor } = query;
      const { id } = principal.organization;
      const list = { of: 'invitations', organization: id };
      const position = readCursor(cursors, list, cursor, 2);
      const page = await listInvitations(store.read, id, { limit, ...(position && { position }) });
      return { status: 200, body: shownPage(cursors, list, limit, page, shownInvitation) };
    },
    async revokeInvitation({ params, principal, author }) {
      const { invitationId: id } = params;
      const revoked = await store.change(author, async (change) => {
        const found = await revokeInvitation(change, principal.organization.id, id);
        if (found !== undefined) requireRightOver(principal, found.role);
        return found;
      });
      if (revoked === undefined) throw notThere('invitationId', id);
      return { status: 204 };
    },
    async acceptInvitation({ body, principal, author }) {
      const organizationId = await acceptAs(store, principal.user, author, body.token);
      const { rows } = await listBelongings(store.read, principal.user?.id ?? '', {
        limit: 1,
        organizationId,
      });
      const [belonging] = rows;
      if (belonging === undefined) throw notThere('organizationId', organizationId);
      const { organization, role } = belonging;
      return {
        status: 200,
        body: { success: true, organization: shownOrganization(organization, role) },
      };
    },
  };
}

const newToken = () => `${tokenPrefix}${randomDigits(tokenLength)}`;

const acceptUrl = (publicUrl: string, token: string) => `${publicUrl}/invitation?token=${token}`;

async function mail(
  { sealer, publicUrl, mails }: InvitationServices,
  change: Change,
  invitation: Invitation,
  token: string,
  organization: string,
): Promise<void> {
  if (!mails) return;
  const url = acceptUrl(publicUrl, token);
  const inviter = change.author.actor.display;
  const { role } = invitation;
  await enqueueMail(change, sealer, {
    to: invitation.email,
    ...invitationMail({ organization, role, inviter, url, expiresAt: invitation.expiresAt }),
  });
}

const sent = ({ publicUrl, mails }: InvitationServices, invitation: Invitation, token: string) => ({
  status: 201 as const,
  body: {
    success: true as const,
    invitation: shownInvitation(invitation),
    token,
    acceptUrl: acceptUrl(publicUrl, token),
    mailed: mails,
  },
});

const shownInvitation = (invitation: Invitation) => ({
  id: invitation.id,
  email: invitation.email,
  role: invitation.role,
  databaseScope: shownScope(invitation.databaseIds),
  status: invitation.status,
  createdAt: invitation.createdAt.toISOString(),
  createdBy: invitation.createdBy,
  sentAt: invitation.sentAt.toISOString(),
  expiresAt: invitation.expiresAt.toISOString(),
});
