/** Checks that a person may still act for an organization, within the change that gives something away. */
import { Refusal } from '../model/refusal.ts';
import type { Change } from '../store/change.ts';
import { findMemberByUser } from '../store/members.ts';
import { lockOrganization } from '../store/organizations.ts';
import type { MemberPrincipal } from './principal.ts';
import { requireActive } from './suspension.ts';

/**
 * Locks the organization until the commit. Throws a `Refusal` if the person was removed, or got another role, after the request
 * was admitted: a removal takes the same lock, so a request that it overtakes cannot make a key or an invitation that the
 * removal has not listed. Also throws if the organization was suspended or deleted meanwhile.
 */
export async function requireStillMember(
  change: Change,
  { user, organization, role }: MemberPrincipal,
): Promise<void> {
  requireActive((await lockOrganization(change, organization.id)) ?? organization);
  // The local administrator is no member.
  if (user === null) return;
  const now = await findMemberByUser(change.db, organization.id, user.id);
  if (now === undefined) {
    throw new Refusal('organization_required', {
      detail: `You are no longer a member of the organization ${organization.slug}.`,
    });
  }
  if (now.role !== role) {
    throw new Refusal('insufficient_scope', {
      detail: `Your role is ${now.role} now. Send the request again if that role allows it.`,
    });
  }
}
