/** The quota of API keys of an organization. */
import { Refusal } from '../model/refusal.ts';
import { countActiveApiKeys } from '../store/api-keys.ts';
import type { Change } from '../store/change.ts';

/**
 * Maximum number of working keys. Revoked and expired keys and those being replaced do not count, so a rotation always has room.
 */
export const apiKeysMax = 500;

/**
 * Throws a `Refusal` when the quota is used up. The caller holds the organization's lock: of two requests at once, the second
 * counts the key of the first.
 */
export async function requireKeyRoom(change: Change, organizationId: string): Promise<void> {
  const active = await countActiveApiKeys(change.db, organizationId);
  if (active < apiKeysMax) return;
  throw new Refusal('quota_exceeded', {
    detail: `The organization has ${active} active API keys; the maximum is ${apiKeysMax}. Revoke an unused one (DELETE /api/v1/api-keys/{keyId}), then send the request again.`,
  });
}
