/** Executes saved creates as if they were requested now, each once. */
import { planCreation, createPlanned, type CreateRequest } from '../databases/create.ts';
import type { DatabaseServices } from '../databases/database-service.ts';
import { Refusal } from '../model/refusal.ts';
import { findOrganization, type Organization } from '../store/organizations.ts';
import {
  claimSavedCreate,
  endSavedCreate,
  SavedCreateEnded,
  type SavedCreate,
} from '../store/saved-creates.ts';

/** Refusals that may pass: the catalog is not read yet, the spend limit is reached, the organization was suspended just now. */
const passing = new Set<Refusal['code']>([
  'service_unavailable',
  'billing_required',
  'organization_suspended',
]);

/** Executes all saved creates that may be made now. Returns how many were made or given up. */
export async function makeSavedCreates(services: DatabaseServices): Promise<number> {
  let ended = 0;
  for (;;) {
    const saved = await claimSavedCreate(services.store.read);
    if (saved === undefined) return ended;
    const organization = await findOrganization(services.store.read, saved.organizationId);
    if (organization !== undefined && (await make(services, organization, saved))) ended += 1;
  }
}

async function make(
  services: DatabaseServices,
  organization: Organization,
  saved: SavedCreate,
): Promise<boolean> {
  const caller = { organization, author: saved.author };
  const request = saved.request as CreateRequest;
  try {
    const plan = await planCreation(services, caller, request, 'saved');
    const { labels = {} } = request;
    await createPlanned(services, caller, plan, labels, (change, { database }) =>
      endSavedCreate(change, saved.id, { databaseId: database.id }),
    );
    return true;
  } catch (error) {
    // This process took longer than its lease, and another one took over.
    if (error instanceof SavedCreateEnded) return false;
    if (error instanceof Refusal) return giveUp(services, organization, saved, error);
    throw error;
  }
}

async function giveUp(
  { store }: DatabaseServices,
  organization: Organization,
  saved: SavedCreate,
  { code, occasion }: Refusal,
): Promise<boolean> {
  if (passing.has(code)) return false;
  const reason = { code, message: occasion.detail };
  await store.change(saved.author, async (change) => {
    await endSavedCreate(change, saved.id, { error: reason });
    change.emit({
      organizationId: organization.id,
      type: 'billing.saved_create_failed',
      outcome: 'FAILED',
      subject: { type: 'organization', id: organization.id, display: organization.name },
      data: { name: saved.name, reason },
    });
  });
  return true;
}
