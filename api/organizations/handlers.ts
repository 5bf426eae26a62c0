import type { Principal } from '../auth/principal.ts';
import type { organizationRoutes } from '../contract/routes/organizations.ts';
import { notThere } from '../http/gate.ts';
import type { HandlersOf } from '../http/handler.ts';
import { readCursor, shownPage } from '../http/paging.ts';
import { Refusal } from '../http/refusal.ts';
import type { Cursors } from '../store/cursor.ts';
import { createOrganization, findOrganization, listOrganizations } from '../store/organizations.ts';
import type { Store } from '../store/store.ts';
import { shownOrganization } from './shown-organization.ts';

export interface OrganizationServices {
  readonly store: Store;
  readonly cursors: Cursors;
}

const list = { of: 'organizations' };

export const organizationHandlers = ({
  store,
  cursors,
}: OrganizationServices): HandlersOf<typeof organizationRoutes> => ({
  async createOrganization({ body, principal, author }) {
    if (!isAdministrator(principal)) {
      throw new Refusal('provisioning_not_permitted', {
        detail: 'Only the administrator of the installation makes organizations.',
      });
    }
    const made = await store.change(author, (change) => createOrganization(change, body));
    if (made === 'slug_taken') {
      throw new Refusal('organization_slug_taken', {
        detail: `There is an organization ${body.slug} already.`,
        errors: [{ pointer: '#/slug', code: 'taken', detail: 'It is another organization’s.' }],
      });
    }
    return {
      status: 201,
      headers: { Location: `/api/v1/organizations/${made.id}` },
      body: { success: true, organization: shownOrganization(made, 'owner') },
    };
  },
  async listOrganizations({ query, principal }) {
    const { limit, cursor } = query;
    if (!isAdministrator(principal)) {
      const data = [shownOrganization(principal.organization, roleOf(principal))];
      return { status: 200, body: { data, page: { limit, nextCursor: null, hasMore: false } } };
    }
    const position = readCursor(cursors, list, cursor, 2);
    const page = await listOrganizations(store.read, { limit, ...(position && { position }) });
    const body = shownPage(cursors, list, limit, page, (row) => shownOrganization(row, 'owner'));
    return { status: 200, body };
  },
  async getOrganization({ params, principal }) {
    const { organizationId } = params;
    const isOwn = principal.organization.id === organizationId;
    const found =
      isOwn || isAdministrator(principal)
        ? await findOrganization(store.read, organizationId)
        : undefined;
    if (found === undefined) throw notThere('organizationId', organizationId);
    return { status: 200, body: { organization: shownOrganization(found, roleOf(principal)) } };
  },
});

const isAdministrator = (principal: Principal): boolean =>
  principal.type === 'session' && principal.administrator;

const roleOf = (principal: Principal) => (principal.type === 'session' ? principal.role : null);
