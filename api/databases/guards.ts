/** Guards of every operation that leads to a running database: a create, a restore, a retry of either. */
import { requireActive } from '../auth/suspension.ts';
import { Refusal } from '../model/refusal.ts';
import type { Change } from '../store/change.ts';
import { countDatabases } from '../store/databases.ts';
import { findOrganization, lockOrganization, type Organization } from '../store/organizations.ts';
import type { Reader } from '../store/tables.ts';
import type { BillingBlock } from './billing-guard.ts';
import type { DatabaseServices } from './database-service.ts';

/** Throws a `Refusal` unless the organization may have a running database. For requests that are not saved for later. */
export async function requireMayRun(
  { billing, store }: Pick<DatabaseServices, 'billing' | 'store'>,
  organization: Organization,
): Promise<void> {
  // The caller's copy of the organization may be some seconds old.
  requireActive((await findOrganization(store.read, organization.id)) ?? organization);
  const state = await billing.ensureReady(organization.id);
  if (!state.ready) throw billingRequired(state, null);
}

/**
 * Locks the organization until the commit, so that of two concurrent requests the second counts the first one's database.
 * Throws a `Refusal` if there would be too many; `databasesMax`: maximum of an organization that has none of its own; `more`:
 * number that the change adds. Deleted databases count until they are purged, since their volumes are kept.
 */
export async function requireRoom(
  change: Change,
  organizationId: string,
  databasesMax: number,
  more: 0 | 1,
): Promise<void> {
  const organization = await lockOrganization(change, organizationId);
  if (organization !== undefined) requireActive(organization);
  await requireQuota(change.db, organizationId, organization?.databasesMax ?? databasesMax, more);
}

/** The same for an answer that makes nothing: without a lock. `most`: maximum of the organization. */
export async function requireQuota(
  db: Reader,
  organizationId: string,
  most: number,
  more: 0 | 1,
): Promise<void> {
  const { living, deleted } = await countDatabases(db, organizationId);
  if (living + deleted + more <= most) return;
  const kept =
    deleted === 0 ? '' : ` (${deleted} of them deleted, which count until their data are purged)`;
  throw new Refusal('quota_exceeded', {
    detail: `The organization has ${living + deleted} databases${kept}; its maximum is ${most}. Delete one, or ask for a larger quota.`,
  });
}

const advice = ({ checkoutUrl }: BillingBlock, draftId: string | null): string => {
  if (checkoutUrl === null) {
    return 'The spend limit of this month is reached. Raise it (PATCH /api/v1/billing), then send the request again.';
  }
  return draftId === null
    ? 'Set billing up at billing.checkoutUrl, then send the request again.'
    : 'Set billing up at billing.checkoutUrl; the database is then created from this request.';
};

/** `draftId`: ID of the saved create. */
export const billingRequired = (block: BillingBlock, draftId: string | null): Refusal =>
  new Refusal('billing_required', {
    detail: advice(block, draftId),
    members: {
      success: false,
      billing: {
        checkoutUrl: block.checkoutUrl,
        expiresAt: block.expiresAt?.toISOString() ?? null,
        reason: block.reason,
        sessionId: block.sessionId,
        draftId,
      },
      provisioning: {
        status: 'BLOCKED_BY_BILLING',
        started: false,
        message: 'Set billing up to create databases.',
        estimatedSeconds: null,
      },
    },
  });
