import { hashOf } from '../auth/api-key-format.ts';
import type { PersonFacts } from '../auth/principal.ts';
import { Refusal } from '../model/refusal.ts';
import { acceptInvitation } from '../store/invitations.ts';
import type { Change } from '../store/change.ts';

/** Accepts an invitation and returns the ID of its organization. Every fault of the token gets the same answer. */
export async function acceptAs(
  change: Change,
  user: PersonFacts | null,
  token: string,
): Promise<string> {
  const accepted = user && (await acceptInvitation(change, user, hashOf(token)));
  // The throw rolls back, so that the invitation stays open.
  if (accepted === 'already_member') {
    throw new Refusal('already_member', { detail: 'You are a member of it already.' });
  }
  if (accepted) return accepted.organizationId;
  throw new Refusal('invitation_not_found', {
    detail:
      'There is no open invitation with this token for your verified address; sign in with the address that was invited, or ask for another.',
  });
}
