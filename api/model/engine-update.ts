/** Updates of databases' engines that the catalog announces, and those that it forces. */
import type { Actor } from './actor.ts';

/** The part of the service that announces and applies them, as the author of its changes. */
export const engineUpdatesPart = 'engine updates';

/** Days between the announcement that a version is forced, and the earliest time at which it is applied. */
export const noticeDays = 7;
/** Days after that time from which on the maintenance window is not awaited any more: it can be moved again and again. */
const latestDays = 14;
export const latestOf = (notBefore: Date): Date =>
  new Date(notBefore.getTime() + latestDays * 86_400_000);
/** Forced updates that are applied at a time: of the whole installation, and of one organization. */
export const forcedAtOnceMax = { installation: 10, organization: 3 } as const;
/**
 * Numbers of failures that stop a version for a day: in one organization, they stop it there; in so many organizations, they stop
 * it everywhere, if the version may be their cause.
 */
export const forcedFailuresMax = { inOrganization: 3, organizations: 3 } as const;
/** Codes of failures that a person caused by a write to the same resource. The version is not their cause. */
export const causedByPeople = ['overwritten', 'changed_meanwhile', 'field_managed_elsewhere'];

/** Whether the service itself asked for a change, since the catalog forces a version. */
export const isForced = ({ actor: { type, display } }: { readonly actor: Actor }): boolean =>
  type === 'system' && display === engineUpdatesPart;
