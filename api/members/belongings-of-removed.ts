/** Keys and invitations that a removed member has made: they stay, or are revoked with the removal. */
import { revokeApiKey, workingKeysOf, type ApiKey } from '../store/api-keys.ts';
import type { Change } from '../store/change.ts';
import { openInvitationsOf, revokeInvitation, type Invitation } from '../store/invitations.ts';
import type { Member } from '../store/members.ts';

interface Left {
  readonly apiKeys: readonly ApiKey[];
  readonly invitations: readonly Invitation[];
}

/**
 * Revokes the kinds in `revoke`, then lists what the member has made, in the change that removes them. An invitation that the
 * remover may not revoke stays open and is listed as open.
 */
export async function belongingsOfRemoved(
  change: Change,
  { organizationId, userId }: Member,
  revoke: readonly ('apiKeys' | 'invitations')[],
  mayRevoke: (invitation: Invitation) => boolean,
): Promise<Left> {
  const keys = await workingKeysOf(change.db, organizationId, userId);
  const invitations = await openInvitationsOf(change.db, organizationId, userId);
  return {
    apiKeys: revoke.includes('apiKeys')
      ? await each(keys, ({ id }) => revokeApiKey(change, organizationId, id))
      : keys,
    invitations: revoke.includes('invitations')
      ? await each(invitations, async (one) =>
          mayRevoke(one) ? revokeInvitation(change, organizationId, one.id) : one,
        )
      : invitations,
  };
}

/** One after the other: they share the change's connection. */
async function each<Thing>(
  things: readonly Thing[],
  revoke: (thing: Thing) => Promise<Thing | undefined>,
): Promise<readonly Thing[]> {
  const revoked: Thing[] = [];
  for (const thing of things) revoked.push((await revoke(thing)) ?? thing);
  return revoked;
}
