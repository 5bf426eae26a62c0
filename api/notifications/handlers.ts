import { visibleDatabases, type MemberPrincipal } from '../auth/principal.ts';
import type { notificationRoutes } from '../contract/routes/notifications.ts';
import type { HandlersOf } from '../http/handler.ts';
import { readCursor, shownPage } from '../http/paging.ts';
import { databaseNotFound } from '../databases/refusal.ts';
import { eventTypes } from '../model/event-types.ts';
import type { StoredEvent } from '../model/event.ts';
import { kindOfType, kindsOfRole, notificationKinds } from '../model/notification-kinds.ts';
import type { Cursors } from '../store/cursor.ts';
import { findDatabase } from '../store/databases.ts';
import {
  changeNotificationSettings,
  countUnread,
  findNotificationSettings,
  listNotifications,
  readThrough,
  type NotificationFilter,
  type NotificationSettings,
  type Reading,
} from '../store/notifications.ts';
import type { Store } from '../store/store.ts';

interface NotificationServices {
  readonly store: Store;
  readonly cursors: Cursors;
}

export function notificationHandlers({
  store,
  cursors,
}: NotificationServices): HandlersOf<typeof notificationRoutes> {
  const unreadOf = (principal: MemberPrincipal, settings: NotificationSettings) =>
    countUnread(store.read, readingOf(principal), unreadFilter(principal, settings));

  return {
    async listNotifications({ query, principal }) {
      const { limit, cursor, unreadOnly } = query;
      const list = { of: 'notifications', unreadOnly, by: principal.actor };
      const position = readCursor(cursors, list, cursor, 1);
      const settings = await findNotificationSettings(store.read, readingOf(principal));
      const filter = (unreadOnly ? unreadFilter : filterOf)(principal, settings);
      const page = await listNotifications(store.read, readingOf(principal), filter, {
        limit,
        ...(position && { position }),
      });
      const unread = await unreadOf(principal, settings);
      const show = (event: StoredEvent) => shown(event, settings);
      return { status: 200, body: { ...shownPage(cursors, list, limit, page, show), unread } };
    },

    async readNotifications({ body, principal }) {
      const settings = await readThrough(store.read, readingOf(principal), body.readThrough);
      return { status: 200, body: { success: true, unread: await unreadOf(principal, settings) } };
    },

    async getNotificationPreferences({ principal }) {
      const settings = await findNotificationSettings(store.read, readingOf(principal));
      const notificationPreferences = preferencesOf(principal, settings);
      return { status: 200, body: { notificationPreferences } };
    },

    async updateNotificationPreferences({ body, principal }) {
      const { mutedKinds, mutedDatabases } = body;
      for (const id of mutedDatabases ?? []) await requireVisible(store, principal, id);
      const settings = await changeNotificationSettings(store.read, readingOf(principal), {
        ...(mutedKinds && { mutedKinds: [...new Set(mutedKinds)] }),
        ...(mutedDatabases && { mutedDatabases: [...new Set(mutedDatabases)] }),
      });
      const notificationPreferences = preferencesOf(principal, settings);
      return { status: 200, body: { success: true, notificationPreferences } };
    },
  };
}

const readingOf = ({ organization, user }: MemberPrincipal): Reading => ({
  organizationId: organization.id,
  userId: user?.id ?? null,
});

function filterOf(
  principal: MemberPrincipal,
  { mutedKinds, mutedDatabases }: NotificationSettings,
): NotificationFilter {
  const kinds = kindsOfRole(principal.role).filter((kind) => !mutedKinds.includes(kind));
  return {
    types: kinds.flatMap((kind) => notificationKinds[kind].types),
    onlyDatabases: visibleDatabases(principal),
    mutedDatabases,
  };
}

const unreadFilter = (
  principal: MemberPrincipal,
  settings: NotificationSettings,
): NotificationFilter => ({
  ...filterOf(principal, settings),
  afterSequence: settings.readThrough,
});

const preferencesOf = (
  { role }: MemberPrincipal,
  { mutedKinds, mutedDatabases }: NotificationSettings,
) => ({ kinds: kindsOfRole(role), mutedKinds, mutedDatabases });

/** A muted database may have been deleted since; an ID that never existed is a mistake. */
async function requireVisible(
  { read }: Store,
  principal: MemberPrincipal,
  id: string,
): Promise<void> {
  const isVisible = visibleDatabases(principal)?.includes(id) ?? true;
  const found = isVisible ? await findDatabase(read, principal.organization.id, id) : undefined;
  if (found === undefined) throw databaseNotFound(id);
}

function shown(event: StoredEvent, { readThrough: seen }: NotificationSettings) {
  const kind = kindOfType.get(event.type);
  if (kind === undefined) throw new Error(`${event.type} is of no kind`);
  return {
    id: event.id,
    sequence: String(event.sequence),
    kind,
    type: event.type as string,
    summary: `${event.subject.display}: ${eventTypes[event.type].description}`,
    occurredAt: event.occurredAt.toISOString(),
    databaseId: event.databaseId,
    target: event.subject,
    actor: event.author.actor,
    read: event.sequence <= BigInt(seen),
  };
}
