import { hashOf, randomDigits } from '../auth/api-key-format.ts';
import { requireStillMember } from '../auth/still-member.ts';
import type { invitationRoutes } from '../contract/routes/members.ts';
import { notThere } from '../http/gate.ts';
import type { Handler, HandlersOf } from '../http/handler.ts';
import type { IdempotentRequests } from '../http/idempotent.ts';
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
import { checkedScope } from './database-scope.ts';
import { requireRightOver } from './handlers.ts';
import { invitationMail } from './invitation-mail.ts';
import { shownInvitation } from './shown-invitation.ts';

interface InvitationServices {
  readonly store: Store;
  readonly requests: IdempotentRequests;
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
  createInvitation: create(services),
  resendInvitation: resend(services),
  listInvitations: list(services),
  revokeInvitation: revoke(services),
  acceptInvitation: accept(services),
});

const create =
  (services: InvitationServices): Handler<'createInvitation'> =>
  (request) => {
    const { requests } = services;
    const { body, principal } = request;
    return requests.change(request, async (change) => {
      await requireStillMember(change, principal);
      const { organization } = principal;
      const { role, databaseScope } = body;
      requireRightOver(principal, role);
      const email = body.email.toLowerCase();
      const databaseIds = await checkedScope(change.db, organization.id, role, databaseScope);
      if (await isMemberByEmail(change.db, organization.id, email)) {
        throw new Refusal('already_member', { detail: `${email} is a member already.` });
      }
      const token = newToken();
      const invited = { organizationId: organization.id, email, role, databaseIds };
      const made = await createInvitation(change, invited, hashOf(token));
      if (typeof made === 'string') throw notInvited(made, email);
      await mail(services, change, made, token, organization.name);
      return {
        ...sent(services, made, token),
        headers: { Location: `/api/v1/invitations/${made.id}` },
      };
    });
  };

const resend =
  (services: InvitationServices): Handler<'resendInvitation'> =>
  (request) => {
    const { requests } = services;
    const { params, principal } = request;
    return requests.change(request, async (change) => {
      await requireStillMember(change, principal);
      const { id: organizationId, name } = principal.organization;
      const { invitationId: id } = params;
      const token = newToken();
      const renewed = await renewInvitation(change, organizationId, id, hashOf(token));
      if (renewed === undefined) throw notThere('invitationId', id);
      if (renewed === 'too_soon') {
        throw new Refusal('rate_limited', {
          detail: `An invitation can be sent again only once in ${resendSeconds / 60} minutes.`,
          retryAfterSeconds: resendSeconds,
        });
      }
      requireRightOver(principal, renewed.role);
      await mail(services, change, renewed, token, name);
      return sent(services, renewed, token);
    });
  };

function notInvited(reason: 'exists' | 'too_many' | 'too_many_to_address', email: string): Refusal {
  if (reason === 'exists') {
    return new Refusal('invitation_exists', {
      detail: `${email} has an open invitation. Send that one again, or revoke it.`,
    });
  }
  const sending =
    reason === 'too_many'
      ? `${invitationsPerHour} invitations`
      : `${invitationsPerAddressAndHour} invitations to one address`;
  return new Refusal('rate_limited', {
    detail: `An organization can send at most ${sending} in an hour. Try again later.`,
    retryAfterSeconds: 3_600,
  });
}

const list =
  ({ store, cursors }: InvitationServices): Handler<'listInvitations'> =>
  async ({ query, principal }) => {
    const { limit, cursor } = query;
    const { id } = principal.organization;
    const listing = { of: 'invitations', organization: id };
    const position = readCursor(cursors, listing, cursor, 2);
    const page = await listInvitations(store.read, id, { limit, ...(position && { position }) });
    return { status: 200, body: shownPage(cursors, listing, limit, page, shownInvitation) };
  };

const revoke =
  ({ store }: InvitationServices): Handler<'revokeInvitation'> =>
  async ({ params, principal, author }) => {
    const { invitationId: id } = params;
    const revoked = await store.change(author, async (change) => {
      const found = await revokeInvitation(change, principal.organization.id, id);
      if (found !== undefined) requireRightOver(principal, found.role);
      return found;
    });
    if (revoked === undefined) throw notThere('invitationId', id);
    return { status: 204 };
  };

const accept =
  ({ requests }: InvitationServices): Handler<'acceptInvitation'> =>
  (request) => {
    const { user } = request.principal;
    return requests.change(request, async (change) => {
      const organizationId = await acceptAs(change, user, request.body.token);
      const { rows } = await listBelongings(change.db, user?.id ?? '', {
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
    });
  };

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
