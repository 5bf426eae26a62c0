import { requireRight } from '../auth/authorize.ts';
import type { MemberPrincipal } from '../auth/principal.ts';
import { hasRight, restrictableRoles, type Role } from '../model/access.ts';
import type { memberRoutes } from '../contract/routes/members.ts';
import { checkMatch, settingsTag } from '../http/conditional.ts';
import { notThere } from '../http/gate.ts';
import type { Handler, HandlersOf } from '../http/handler.ts';
import type { IdempotentRequests } from '../http/idempotent.ts';
import { readCursor, shownPage } from '../http/paging.ts';
import { Refusal } from '../model/refusal.ts';
import type { Change } from '../store/change.ts';
import type { Cursors } from '../store/cursor.ts';
import {
  changeMember,
  findMember,
  findMemberByUser,
  listMembers,
  removeMember,
  type Member,
} from '../store/members.ts';
import type { Store } from '../store/store.ts';
import { shownKey } from '../keys/shown-key.ts';
import { belongingsOfRemoved } from './belongings-of-removed.ts';
import { checkedScope, shownScope } from './database-scope.ts';
import { shownInvitation } from './shown-invitation.ts';

interface MemberServices {
  readonly store: Store;
  readonly requests: IdempotentRequests;
  /** Makes this process forget its cached data about a key. */
  readonly forget: (publicId: string) => void;
  readonly cursors: Cursors;
}

type Handlers = HandlersOf<typeof memberRoutes>;

export const memberHandlers = (services: MemberServices): Handlers => ({
  listMembers: list(services),
  getMember: get(services),
  updateMember: update(services),
  removeMember: remove(services),
  leaveOrganization: leave(services),
});

const list =
  ({ store, cursors }: MemberServices): Handler<'listMembers'> =>
  async ({ query, principal }) => {
    const { limit, cursor, ...asked } = query;
    const { id } = principal.organization;
    const listing = { of: 'members', organization: id, ...asked };
    const position = readCursor(cursors, listing, cursor, 2);
    const { q, role } = asked;
    const filter = { ...(q !== undefined && { search: q }), ...(role && { roles: role }) };
    const page = await listMembers(store.read, id, filter, {
      limit,
      ...(position && { position }),
    });
    return { status: 200, body: shownPage(cursors, listing, limit, page, shownMember) };
  };

const get =
  ({ store }: MemberServices): Handler<'getMember'> =>
  async ({ params, principal }) => {
    const { membershipId } = params;
    const member = await findMember(store.read, principal.organization.id, membershipId);
    if (member === undefined) throw notThere('membershipId', membershipId);
    return { status: 200, etag: tagOf(member), body: { member: shownMember(member) } };
  };

const update =
  ({ store }: MemberServices): Handler<'updateMember'> =>
  async ({ params, body, principal, author, ifMatch }) => {
    const { id: organizationId } = principal.organization;
    const { membershipId: id } = params;
    const changed = await store.change(author, (change) =>
      changeMember(change, { organizationId, id }, async (before) => {
        const role = body.role ?? before.role;
        requireRightOver(principal, before.role);
        requireRightOver(principal, role);
        checkMatch(ifMatch, tagOf(before));
        const scope = body.databaseScope ?? keptScope(before, role);
        const databaseIds = await checkedScope(change.db, organizationId, role, scope);
        return { role, databaseIds };
      }),
    );
    const member = checked(changed, id);
    return {
      status: 200,
      etag: tagOf(member),
      body: { success: true, member: shownMember(member) },
    };
  };

const remove =
  ({ store, forget }: MemberServices): Handler<'removeMember'> =>
  async ({ params, query, principal, author }) => {
    const { membershipId: id } = params;
    const { member, left } = await store.change(author, async (change) => {
      const check = (before: Member) => requireRightOver(principal, before.role);
      const removed = await removeMembership(change, principal, id, check);
      const mayRevoke = ({ role }: { readonly role: Role }) =>
        hasRight(principal.role, rightOver(role));
      const revoked = query.revoke ?? [];
      const belongings = await belongingsOfRemoved(change, removed, revoked, mayRevoke);
      return { member: removed, left: belongings };
    });
    for (const { publicId } of left.apiKeys) forget(publicId);
    return {
      status: 200,
      body: {
        success: true,
        member: shownMember(member),
        apiKeys: left.apiKeys.map(shownKey),
        invitations: left.invitations.map(shownInvitation),
      },
    };
  };

const leave =
  ({ requests }: MemberServices): Handler<'leaveOrganization'> =>
  (request) => {
    const { user, organization } = request.principal;
    return requests.change(request, async (change) => {
      const own = user && (await findMemberByUser(change.db, organization.id, user.id));
      if (!own) {
        throw new Refusal('member_not_found', {
          detail: 'The local administrator is a member of no organization.',
        });
      }
      await removeMembership(change, request.principal, own.id, () => {});
      return { status: 204 };
    });
  };

async function removeMembership(
  change: Change,
  { organization }: MemberPrincipal,
  id: string,
  check: (before: Member) => void,
): Promise<Member> {
  return checked(await removeMember(change, { organizationId: organization.id, id }, check), id);
}

/** A member who may not make owners may not change or remove them either. */
export function requireRightOver(principal: MemberPrincipal, role: Role): void {
  requireRight(principal, rightOver(role));
}

const rightOver = (role: Role) => (role === 'owner' ? 'manageOwners' : 'manageMembers');

/** Removes the restriction if the new role cannot have one. */
const keptScope = ({ databaseIds }: Member, role: Role) =>
  shownScope(restrictableRoles.includes(role) ? databaseIds : null);

function checked(outcome: Member | 'last_owner' | undefined, id: string): Member {
  if (outcome === undefined) throw notThere('membershipId', id);
  if (outcome !== 'last_owner') return outcome;
  throw new Refusal('last_owner', {
    detail: 'This member is the only owner. Make another member an owner first.',
  });
}

const tagOf = ({ id, role, databaseIds }: Member): string =>
  settingsTag(id, { role, databaseIds: databaseIds?.toSorted() ?? null });

const shownMember = (member: Member) => ({
  id: member.id,
  user: { id: member.userId, name: member.name, email: member.email },
  role: member.role,
  databaseScope: shownScope(member.databaseIds),
  createdAt: member.createdAt.toISOString(),
  updatedAt: member.updatedAt.toISOString(),
});
