/** What the administrator of the installation does with organizations. An owner may rename the own one. */
import type { organizationRoutes } from '../contract/routes/organizations.ts';
import { notThere } from '../http/gate.ts';
import type { HandlersOf } from '../http/handler.ts';
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
import { shownOrganization } from './shown-organization.ts';

export interface AdministrationServices {
  readonly store: Store;
  readonly requests: IdempotentRequests;
  /** Called when this process must forget what it caches about an organization. */
  readonly forget: (organizationId: string) => void;
}

type Person = Exclude<Caller, KeyPrincipal>;
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
  const answered = (organization: Organization | undefined, id: string) => {
    if (organization === undefined) throw notThere('organizationId', id);
    forget(id);
    const body = { success: true as const, organization: shownOrganization(organization, 'owner') };
    return { status: 200 as const, body };
  };
  return {
    updateOrganization: ({ params: { organizationId: id }, body, principal, author }) =>
      store.change(author, async (change) => {
        if (!principal.administrator) await requireOwner(change.db, principal, id, body);
        return answered(await changeOrganization(change, id, body), id);
      }),
    suspendOrganization: (request) =>
      requests.change(request, async (change) => {
        const { organizationId: id } = request.params;
        requireAdministrator(request.principal);
        return answered(await suspendOrganization(change, id, request.body.reason), id);
      }),
    resumeOrganization: (request) =>
      requests.change(request, async (change) => {
        const { organizationId: id } = request.params;
        requireAdministrator(request.principal);
        return answered(await resumeOrganization(change, id), id);
      }),
    deleteOrganization: ({ params: { organizationId: id }, principal, author }) =>
      store.change(author, async (change) => {
        requireAdministrator(principal);
        return answered(await deleted(change, id), id);
      }),
    restoreOrganization: (request) =>
      requests.change(request, async (change) => {
        const { organizationId: id } = request.params;
        requireAdministrator(request.principal);
        return answered(await restored(change, id), id);
      }),
  };
}

export function requireAdministrator({ administrator }: Person): void {
  if (administrator) return;
  throw new Refusal('provisioning_not_permitted', {
    detail: 'Only the administrator of the installation may do this.',
  });
}

/** For members who are no administrators: an owner may rename the organization, and set nothing else. */
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
  if (belonging.role === 'owner' && databasesMax === undefined) return;
  throw new Refusal('provisioning_not_permitted', {
    detail:
      databasesMax === undefined
        ? 'Only an owner, or the administrator of the installation, renames an organization.'
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
