import { hashOf } from '../auth/api-key-format.ts';
import type { PersonFacts } from '../auth/principal.ts';
import type { Author } from '../model/actor.ts';
import { Refusal } from '../model/refusal.ts';
import { acceptInvitation } from '../store/invitations.ts';
import type { Store } from '../store/store.ts';

/** Gives the ID of the organization that the person belongs to now. One answer for whatever is wrong with the token. */
export async function acceptAs(
  store: Store,
  user: PersonFacts | null,
  author: Author,
  token: string,
): Promise<string> {
  const accepted =
    user &&
    (await store.change(author, async (change) => {
      const done = await acceptInvitation(change, user, hashOf(token));
      // Thrown here, so that the invitation stays open for a second thought.
      if (done === 'already_member') {
        throw new Refusal('already_member', { detail: 'You are a member of it already.' });
      }
      return done;
    }));
  if (accepted) return accepted.organizationId;
  throw new Refusal('invitation_not_found', {
    detail:
      'There is no open invitation with this token for your verified address; sign in with the address that was invited, or ask for another.',
  });
}
