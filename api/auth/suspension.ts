/** Effects of an organization's suspension. */
import { isStoppedBySuspension } from '../contract/problems-of-route.ts';
import type { RouteSpec } from '../contract/route.ts';
import { Refusal } from '../model/refusal.ts';
import type { Organization } from '../store/organizations.ts';
import type { Caller } from './principal.ts';

/** Throws a `Refusal` if the caller's organization is suspended and the route is not among those that stay usable. */
export function checkSuspension(route: RouteSpec, { organization }: Caller): void {
  if (organization?.status !== 'SUSPENDED' || !isStoppedBySuspension(route)) return;
  throw organizationSuspended(organization);
}

/** Throws a `Refusal` while the organization is suspended or deleted. */
export function requireActive(organization: Organization): void {
  const { status, deletedAt, id } = organization;
  if (deletedAt !== null) {
    throw new Refusal('organization_not_found', { detail: `There is no organization ${id}.` });
  }
  if (status === 'SUSPENDED') throw organizationSuspended(organization);
}

function organizationSuspended({ slug, suspensionReason }: Organization): Refusal {
  const why = suspensionReason === null ? '' : ` (${suspensionReason})`;
  return new Refusal('organization_suspended', {
    detail: `The organization ${slug} is suspended${why}: its databases can only be read and deleted.`,
  });
}
