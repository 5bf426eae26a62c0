/** Which events are notifications of a person: by role, databases, and what they muted. */
import type { Role } from '../model/access.ts';
import type { StoredEvent } from '../model/event.ts';
import {
  kindOfType,
  kindsOfRole,
  notificationKinds,
  type NotificationKind,
} from '../model/notification-kinds.ts';
import type { NotificationFilter, NotificationSettings } from '../store/notifications.ts';

interface Person {
  readonly role: Role;
  /** The only databases that they may see; `undefined`: all. */
  readonly onlyDatabases: readonly string[] | undefined;
  readonly settings: Pick<NotificationSettings, 'mutedKinds' | 'mutedDatabases'>;
}

/** `of`: only these kinds; `undefined`: all of the role. */
export function filterOf(
  { role, onlyDatabases, settings: { mutedKinds, mutedDatabases } }: Person,
  of?: readonly NotificationKind[],
): NotificationFilter {
  const kinds = kindsOfRole(role).filter(
    (kind) => !mutedKinds.includes(kind) && (of?.includes(kind) ?? true),
  );
  return {
    types: kinds.flatMap((kind) => notificationKinds[kind].types),
    onlyDatabases,
    mutedDatabases,
  };
}

/** The same as the store's, for an event at hand. */
export const isNotified = (
  { types, onlyDatabases, mutedDatabases }: NotificationFilter,
  userId: string,
  { type, databaseId, author }: StoredEvent,
): boolean =>
  types.includes(type) &&
  author.actor.id !== userId &&
  (databaseId === null ||
    (!mutedDatabases.includes(databaseId) && (onlyDatabases?.includes(databaseId) ?? true)));

export const isOfAKind = ({ type }: StoredEvent): boolean => kindOfType.has(type);
