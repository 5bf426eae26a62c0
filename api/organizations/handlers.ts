import type { Caller } from '../auth/principal.ts';
import type { organizationRoutes } from '../contract/routes/organizations.ts';
import { notThere } from '../http/gate.ts';
import type { HandlersOf } from '../http/handler.ts';
import type { IdempotentRequests } from '../http/idempotent.ts';
import { readCursor, shownPage } from '../http/paging.ts';
import { Refusal } from '../model/refusal.ts';
import type { Cursors } from '../store/cursor.ts';
import { listBelongings } from '../store/members.ts';
import { createOrganization, findOrganization } from '../store/organizations.ts';
import type { Store } from '../store/store.ts';
import { administrationHandlers, requireAdministrator } from './administration.ts';
import { belongingsOf } from './belongings.ts';
import { organizationTag, shownOrganization } from './shown-organization.ts';

interface OrganizationServices {
  readonly store: Store;
  readonly requests: IdempotentRequests;
  readonly cursors: Cursors;
  /** Called when this process must forget its cached data about an organization. */
  readonly forget: (organizationId: string) => void;
}

type Handlers = HandlersOf<typeof organizationRoutes>;

export const organizationHandlers = (services: OrganizationServices): Handlers => ({
  ...readersAndMaker(services),
  ...administrationHandlers(services),
});

const readersAndMaker = ({
  store,
  requests,
  cursors,
}: OrganizationServices): Pick<
  Handlers,
  'createOrganization' | 'listOrganizations' | 'getOrganization'
> => ({
  createOrganization(request) {
    const { body, principal } = request;
    return requests.change(request, async (change) => {
      requireAdministrator(principal);
      const made = await createOrganization(change, body);
      if (made === 'slug_taken') {
        throw new Refusal('organization_slug_taken', {
          detail: `Another organization has the slug ${body.slug}. Choose another one.`,
          errors: [
            { pointer: '#/slug', code: 'taken', detail: 'Another organization has this slug.' },
          ],
        });
      }
      return {
        status: 201,
        headers: { Location: `/api/v1/organizations/${made.id}` },
        body: { success: true, organization: shownOrganization(made, 'owner') },
      };
    });
  },
  async listOrganizations({ query, principal }) {
    const { limit, cursor, includeDeleted } = query;
    if (principal.type === 'api_key') {
      const data = [shownOrganization(principal.organization, null)];
      return { status: 200, body: { data, page: { limit, nextCursor: null, hasMore: false } } };
    }
    const own = { of: 'organizations', user: principal.user?.id, includeDeleted };
    const position = readCursor(cursors, own, cursor, 2);
    const page = await belongingsOf(store, principal, {
      limit,
      includeDeleted,
      ...(position && { position }),
    });
    const body = shownPage(cursors, own, limit, page, ({ organization, role }) =>
      shownOrganization(organization, role),
    );
    return { status: 200, body };
  },
  async getOrganization({ params, principal }) {
    const { organizationId } = params;
    const shown = await visibleOrganization(store, principal, organizationId);
    if (shown === undefined) throw notThere('organizationId', organizationId);
    return { status: 200, etag: organizationTag(shown), body: { organization: shown } };
  },
});

async function visibleOrganization({ read }: Store, caller: Caller, organizationId: string) {
  if (caller.type === 'api_key') {
    const { organization } = caller;
    return organization.id === organizationId ? shownOrganization(organization, null) : undefined;
  }
  if (caller.user === null) {
    const found = await findOrganization(read, organizationId);
    return found?.purgedAt === null ? shownOrganization(found, 'owner') : undefined;
  }
  const { rows } = await listBelongings(read, caller.user.id, { limit: 1, organizationId });
  return rows[0] && shownOrganization(rows[0].organization, rows[0].role);
}
