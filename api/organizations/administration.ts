/** Operations of the installation's administrator on organizations. An owner may change their own, except for its quota. */
import type { organizationRoutes } from '../contract/routes/organizations.ts';
import { checkMatch } from '../http/conditional.ts';
import { notThere } from '../http/gate.ts';
import type { HandlersOf, RequestTo } from '../http/handler.ts';
import type { IdempotentRequests } from '../http/idempotent.ts';
import { Refusal } from '../model/refusal.ts';
import type { Change } from '../store/change.ts';
import { listBelongings } from '../store/members.ts';
import {
  changeOrganization,
  deleteOrganization,
  restoreOrganization,
  resumeOrganization,
  suspendOrganization,
} from '../store/organization-lifecycle.ts';
import type { Organization } from '../store/organizations.ts';
import type { Reader } from '../store/tables.ts';
import type { Store } from '../store/store.ts';
import type { Caller, KeyPrincipal } from '../auth/principal.ts';
import { requireActive } from '../auth/suspension.ts';
import { organizationTag, shownOrganization } from './shown-organization.ts';

interface AdministrationServices {
  readonly store: Store;
  readonly requests: IdempotentRequests;
  /** Called when this process must forget its cached data about an organization. */
  readonly forget: (organizationId: string) => void;
}

type Person = Exclude<Caller, KeyPrincipal>;
type Administering = Pick<
  RequestTo<'resumeOrganization'>,
  'params' | 'principal' | 'author' | 'idempotency'
>;
type Handlers = Pick<
  HandlersOf<typeof organizationRoutes>,
  | 'updateOrganization'
  | 'suspendOrganization'
  | 'resumeOrganization'
  | 'deleteOrganization'
  | 'restoreOrganization'
>;

/** Time for which a deleted organization can be restored. */
const retentionMs = 7 * 24 * 60 * 60_000;

export function administrationHandlers({
  store,
  requests,
  forget,
}: AdministrationServices): Handlers {
  /** Forgets after the commit: a read before it would return the earlier organization. */
  const forgetting = async <Answer>(id: string, work: Promise<Answer>): Promise<Answer> => {
    const reply = await work;
    forget(id);
    return reply;
  };
  const once = (
    request: Administering,
    work: (change: Change, id: string) => Promise<Organization | undefined>,
  ) => {
    const { organizationId: id } = request.params;
    const changed = requests.change(request, async (change) => {
      requireAdministrator(request.principal);
      return answered(await work(change, id), id);
    });
    return forgetting(id, changed);
  };
  return {
    updateOrganization: ({ params: { organizationId: id }, body, principal, author, ifMatch }) =>
      forgetting(
        id,
        store.change(author, async (change) => {
          if (!principal.administrator) await requireOwner(change.db, principal, id, body);
          const check = (before: Organization) => checkMatch(ifMatch, organizationTag(before));
          const changed = await changeOrganization(change, id, body, check);
          return { ...answered(changed, id), ...(changed && { etag: organizationTag(changed) }) };
        }),
      ),
    suspendOrganization: (request) =>
      once(request, (change, id) => suspendOrganization(change, id, request.body.reason)),
    resumeOrganization: (request) => once(request, resumeOrganization),
    deleteOrganization: ({ params: { organizationId: id }, principal, author }) =>
      forgetting(
        id,
        store.change(author, async (change) => {
          requireAdministrator(principal);
          return answered(await deleted(change, id), id);
        }),
      ),
    restoreOrganization: (request) => once(request, restored),
  };
}

function answered(organization: Organization | undefined, id: string) {
  if (organization === undefined) throw notThere('organizationId', id);
  const body = { success: true as const, organization: shownOrganization(organization, 'owner') };
  return { status: 200 as const, body };
}

export function requireAdministrator({ administrator }: Person): void {
  if (administrator) return;
  throw new Refusal('provisioning_not_permitted', {
    detail: 'Only the administrator of the installation may do this.',
  });
}

/** For members who are not administrators: an owner may change everything but the quota. */
async function requireOwner(
  db: Reader,
  { user }: Person,
  organizationId: string,
  { databasesMax }: { readonly databasesMax?: number | null | undefined },
): Promise<void> {
  const { rows } =
    user === null ? { rows: [] } : await listBelongings(db, user.id, { limit: 1, organizationId });
  const [belonging] = rows;
  if (belonging === undefined) throw notThere('organizationId', organizationId);
  if (belonging.role === 'owner' && databasesMax === undefined) {
    requireActive(belonging.organization);
    return;
  }
  throw new Refusal('provisioning_not_permitted', {
    detail:
      databasesMax === undefined
        ? 'Only an owner, or the administrator of the installation, changes an organization.'
        : 'Only the administrator of the installation sets the quota of an organization.',
  });
}

async function deleted(change: Change, id: string): Promise<Organization | undefined> {
  const done = await deleteOrganization(change, id, retentionMs);
  if (done !== 'not_empty') return done;
  throw new Refusal('organization_not_empty', {
    detail: 'The organization has databases. Delete them first, and wait until they are DELETED.',
  });
}

async function restored(change: Change, id: string): Promise<Organization | undefined> {
  const done = await restoreOrganization(change, id);
  if (done === 'purged') return undefined;
  if (done !== 'not_deleted') return done;
  throw new Refusal('organization_not_deleted', {
    detail: 'The organization is not deleted: there is nothing to restore.',
  });
}
