/** How many API keys an organization may have. */
import { Refusal } from '../model/refusal.ts';
import { countActiveApiKeys } from '../store/api-keys.ts';
import type { Change } from '../store/change.ts';
import { lockOrganization } from '../store/organizations.ts';

/** Keys that work. Those that are revoked, expired or being replaced do not count, so that a rotation always has room. */
export const apiKeysMax = 500;

/**
 * Locks the organization until the commit, so that of two requests at once the second counts what the first made. Throws a
 * `Refusal` when the organization has as many keys as it may.
 */
export async function requireKeyRoom(change: Change, organizationId: string): Promise<void> {
  await lockOrganization(change, organizationId);
  const active = await countActiveApiKeys(change.db, organizationId);
  if (active < apiKeysMax) return;
  throw new Refusal('quota_exceeded', {
    detail: `The organization has ${active} API keys that work, and may have ${apiKeysMax}. Revoke one that nobody uses (DELETE /api/v1/api-keys/{keyId}), then send the request again.`,
  });
}
