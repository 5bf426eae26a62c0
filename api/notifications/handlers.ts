import { visibleDatabases, type MemberPrincipal } from '../auth/principal.ts';
import type { notificationRoutes } from '../contract/routes/notifications.ts';
import type { HandlersOf } from '../http/handler.ts';
import { readCursor, shownPage } from '../http/paging.ts';
import { databaseNotFound } from '../databases/refusal.ts';
import type { StoredEvent } from '../model/event.ts';
import {
  kindOfType,
  kindsOfRole,
  mailOf,
  type NotificationKind,
} from '../model/notification-kinds.ts';
import { Refusal } from '../model/refusal.ts';
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
import { filterOf } from './chosen.ts';
import { summaryOf } from './summary.ts';

type Kinds = readonly NotificationKind[];

interface MailLists {
  readonly mailKinds: Kinds;
  readonly digestKinds: Kinds;
}

interface NotificationServices {
  readonly store: Store;
  readonly cursors: Cursors;
  /** Whether the service sends mail. */
  readonly mails: boolean;
}

export function notificationHandlers({
  store,
  cursors,
  mails,
}: NotificationServices): HandlersOf<typeof notificationRoutes> {
  const unreadOf = (principal: MemberPrincipal, settings: NotificationSettings) =>
    countUnread(store.read, readingOf(principal), unreadFilter(principal, settings));

  return {
    async listNotifications({ query, principal }) {
      const { limit, cursor, unreadOnly } = query;
      const list = { of: 'notifications', unreadOnly, by: principal.actor };
      const position = readCursor(cursors, list, cursor, 1);
      const settings = await findNotificationSettings(store.read, readingOf(principal));
      const filter = (unreadOnly ? unreadFilter : filterFor)(principal, settings);
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
      const notificationPreferences = preferencesOf(principal, settings, mails);
      return { status: 200, body: { notificationPreferences } };
    },

    async updateNotificationPreferences({ body, principal }) {
      const { mutedKinds, mutedDatabases, mailKinds, digestKinds } = body;
      for (const id of mutedDatabases ?? []) await requireVisible(store, principal, id);
      const reading = readingOf(principal);
      const mail =
        (mailKinds ?? digestKinds) &&
        chosenMail(principal, await findNotificationSettings(store.read, reading), body);
      const settings = await changeNotificationSettings(store.read, reading, {
        ...(mutedKinds && { mutedKinds: [...new Set(mutedKinds)] }),
        ...(mutedDatabases && { mutedDatabases: [...new Set(mutedDatabases)] }),
        ...mail,
      });
      const notificationPreferences = preferencesOf(principal, settings, mails);
      return { status: 200, body: { success: true, notificationPreferences } };
    },
  };
}

const readingOf = ({ organization, user }: MemberPrincipal): Reading => ({
  organizationId: organization.id,
  userId: user?.id ?? null,
});

const filterFor = (
  principal: MemberPrincipal,
  settings: NotificationSettings,
): NotificationFilter =>
  filterOf({ role: principal.role, onlyDatabases: visibleDatabases(principal), settings });

const unreadFilter = (
  principal: MemberPrincipal,
  settings: NotificationSettings,
): NotificationFilter => ({
  ...filterFor(principal, settings),
  afterSequence: settings.readThrough,
});

const preferencesOf = (
  { role, user }: MemberPrincipal,
  settings: NotificationSettings,
  mails: boolean,
) => ({
  kinds: kindsOfRole(role),
  mutedKinds: settings.mutedKinds,
  mutedDatabases: settings.mutedDatabases,
  ...mailOf(role, settings),
  mailAddress: mails && user?.emailVerified === true ? user.email : null,
});

/** A kind comes by mail at once or in the daily mail: the list that names it takes it from the other. */
function chosenMail(
  { role }: MemberPrincipal,
  settings: NotificationSettings,
  {
    mailKinds,
    digestKinds,
  }: { readonly mailKinds?: Kinds | undefined; readonly digestKinds?: Kinds | undefined },
): MailLists {
  const before = mailOf(role, settings);
  const both = mailKinds?.find((kind) => digestKinds?.includes(kind));
  if (both !== undefined) {
    throw new Refusal('validation_failed', {
      detail: `${both} is in both lists: choose mail at once or the daily mail for it.`,
    });
  }
  const without = (kinds: Kinds, others: Kinds = []) => [
    ...new Set(kinds.filter((kind) => !others.includes(kind))),
  ];
  return {
    mailKinds: without(mailKinds ?? before.mailKinds, digestKinds),
    digestKinds: without(digestKinds ?? before.digestKinds, mailKinds),
  };
}

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
    summary: summaryOf(event),
    occurredAt: event.occurredAt.toISOString(),
    databaseId: event.databaseId,
    target: event.subject,
    actor: event.author.actor,
    read: event.sequence <= BigInt(seen),
  };
}
