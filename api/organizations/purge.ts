import { systemAuthor } from '../model/actor.ts';
import { listOrganizationsToPurge, purgeOrganization } from '../store/organization-lifecycle.ts';
import type { Store } from '../store/store.ts';

const atOnce = 100;

/** Purges some deleted organizations whose retention is over. Returns the number of purged ones; more may be left. */
export async function purgeOrganizations(store: Store): Promise<number> {
  const over = await listOrganizationsToPurge(store.read, atOnce);
  let purged = 0;
  for (const id of over) {
    const author = systemAuthor('housekeeping');
    const done = await store.change(author, (change) => purgeOrganization(change, id));
    if (done !== undefined) purged += 1;
  }
  return purged;
}
