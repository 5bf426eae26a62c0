/** Updates of databases' engines that the catalog announces, and those that it forces. */
import type { Actor } from './actor.ts';

/** The part of the service that announces and applies them, as the author of its changes. */
export const engineUpdatesPart = 'engine updates';

/** Days between the announcement that a version is forced, and the earliest time at which it is applied. */
export const noticeDays = 7;
/** Forced updates that are applied at a time, of the whole installation. */
export const forcedAtOnceMax = 10;
/** Failures of one version within a day after which no further database gets it by force that day. */
export const forcedFailuresMax = 3;

/** Whether the service itself asked for a change, since the catalog forces a version. */
export const isForced = ({ actor: { type, display } }: { readonly actor: Actor }): boolean =>
  type === 'system' && display === engineUpdatesPart;
