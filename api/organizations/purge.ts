import { systemAuthor } from '../model/actor.ts';
import { listOrganizationsToPurge, purgeOrganization } from '../store/organization-lifecycle.ts';
import type { Store } from '../store/store.ts';

const atOnce = 100;

/** Purges deleted organizations whose retention is over. Returns the number; more may be left. */
export async function purgeOrganizations(store: Store): Promise<number> {
  const over = await listOrganizationsToPurge(store.read, atOnce);
  for (const id of over) {
    await store.change(systemAuthor('housekeeping'), (change) => purgeOrganization(change, id));
  }
  return over.length;
}
