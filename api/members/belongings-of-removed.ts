/** What a removed member has made: it stays, or is revoked with the removal. */
import { revokeApiKey, workingKeysOf, type ApiKey } from '../store/api-keys.ts';
import type { Change } from '../store/change.ts';
import { openInvitationsOf, revokeInvitation, type Invitation } from '../store/invitations.ts';
import type { Member } from '../store/members.ts';

export interface Left {
  readonly apiKeys: readonly ApiKey[];
  readonly invitations: readonly Invitation[];
}

/** Lists what the member has made, in the change that removes them, after revoking what `revoke` names. */
export async function belongingsOfRemoved(
  change: Change,
  { organizationId, userId }: Member,
  revoke: readonly ('apiKeys' | 'invitations')[],
): Promise<Left> {
  const keys = await workingKeysOf(change.db, organizationId, userId);
  const invitations = await openInvitationsOf(change.db, organizationId, userId);
  return {
    apiKeys: revoke.includes('apiKeys')
      ? await each(keys, ({ id }) => revokeApiKey(change, organizationId, id))
      : keys,
    invitations: revoke.includes('invitations')
      ? await each(invitations, ({ id }) => revokeInvitation(change, organizationId, id))
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
