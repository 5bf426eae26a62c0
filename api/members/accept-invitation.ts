import { hashOf } from '../auth/api-key-format.ts';
import type { PersonFacts } from '../auth/principal.ts';
import { requireActive } from '../auth/suspension.ts';
import { Refusal } from '../model/refusal.ts';
import { acceptInvitation } from '../store/invitations.ts';
import type { Change } from '../store/change.ts';

/**
 * Accepts an invitation and returns the ID of its organization. Every fault of the token gets the same answer. A suspended
 * organization takes no members; the invitation stays open.
 */
export async function acceptAs(
  change: Change,
  user: PersonFacts | null,
  token: string,
): Promise<string> {
  const accepted = user && (await acceptInvitation(change, user, hashOf(token), requireActive));
  // The throw rolls back, so that the invitation stays open.
  if (accepted === 'already_member') {
    throw new Refusal('already_member', {
      detail: 'You are already a member of this organization.',
    });
  }
  if (accepted) return accepted.organizationId;
  throw new Refusal('invitation_not_found', {
    detail:
      'No open invitation has this token and your verified address. Sign in with the invited address, or ask for another invitation.',
  });
}
