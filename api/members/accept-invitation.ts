import { hashOf } from '../auth/api-key-format.ts';
import type { PersonFacts } from '../auth/principal.ts';
import type { Author } from '../model/actor.ts';
import { Refusal } from '../model/refusal.ts';
import { acceptInvitation } from '../store/invitations.ts';
import type { Store } from '../store/store.ts';

/** Accepts an invitation and returns the ID of its organization. Every fault of the token gets the same answer. */
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
      // The throw rolls back, so that the invitation stays open.
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
