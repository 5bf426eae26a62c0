import type { Caller, KeyPrincipal } from '../auth/principal.ts';
import { listBelongings, type Belonging } from '../store/members.ts';
import { listOrganizations } from '../store/organizations.ts';
import type { Page } from '../store/page.ts';
import type { Store } from '../store/store.ts';

/** Returns a person's organizations and roles. The local administrator owns all organizations. */
export async function belongingsOf(
  { read }: Store,
  { user }: Exclude<Caller, KeyPrincipal>,
  page: { limit: number; position?: readonly [string, string]; includeDeleted?: boolean },
): Promise<Page<Belonging, [string, string]>> {
  if (user !== null) return listBelongings(read, user.id, page);
  const { rows, next } = await listOrganizations(read, page);
  const owned = rows.map((organization) => ({
    organization,
    role: 'owner' as const,
    databaseIds: null,
  }));
  return { rows: owned, next };
}
