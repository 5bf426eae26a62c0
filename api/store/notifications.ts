/** Notifications of people: events that concern them, and which of them they have read and muted. */
import { sql, type Selectable } from 'kysely';
import { typeIdOfUuid } from '../../domain/type-id.ts';
import type { StoredEvent } from '../model/event.ts';
import type { EventType } from '../model/event-types.ts';
import { unreadMax, type NotificationKind } from '../model/notification-kinds.ts';
import { eventOf } from './events.ts';
import { uuidOf } from './ids.ts';
import { pageOf, type Page } from './page.ts';
import type { NotificationSettingsTable, Reader } from './tables.ts';

/** A person in an organization. */
export interface Reading {
  readonly organizationId: string;
  /** TypeID `usr_…`; null: the local administrator. */
  readonly userId: string | null;
}

export interface NotificationSettings {
  /** Number of the last event that counts as read, with all before it. */
  readonly readThrough: string;
  readonly mutedKinds: readonly NotificationKind[];
  /** TypeIDs. */
  readonly mutedDatabases: readonly string[];
  /** Kinds that come by mail at once; null: the default of the role. */
  readonly mailKinds: readonly NotificationKind[] | null;
  /** Kinds that come in one mail a day. */
  readonly digestKinds: readonly NotificationKind[];
}

export interface NotificationFilter {
  readonly types: readonly EventType[];
  /** TypeIDs of the only databases that the person may see; `undefined`: all. */
  readonly onlyDatabases: readonly string[] | undefined;
  readonly mutedDatabases: readonly string[];
  /** Only events with higher numbers. */
  readonly afterSequence?: string;
}

/** Number of days for which notifications are shown; the audit log keeps the events. */
const notificationDays = 90;

export const untouched: NotificationSettings = {
  readThrough: '0',
  mutedKinds: [],
  mutedDatabases: [],
  mailKinds: null,
  digestKinds: [],
};

export async function findNotificationSettings(
  db: Reader,
  reading: Reading,
): Promise<NotificationSettings> {
  const row = await db
    .selectFrom('notificationSettings')
    .selectAll()
    .where('organizationId', '=', uuidOf(reading.organizationId))
    .where('person', '=', reading.userId ?? '')
    .executeTakeFirst();
  return row === undefined ? untouched : settingsOf(row);
}

/**
 * Counts everything up to this event as read. An earlier number changes nothing; a number beyond the last event means all
 * events.
 */
export async function readThrough(
  db: Reader,
  reading: Reading,
  sequence: string,
): Promise<NotificationSettings> {
  const organization = uuidOf(reading.organizationId);
  const known = sql<string>`least(${sequence}::bigint, ${lastSequenceOf(organization)})`;
  const row = await db
    .insertInto('notificationSettings')
    .values({ organizationId: organization, person: reading.userId ?? '', readThrough: known })
    .onConflict((conflict) =>
      conflict.columns(['organizationId', 'person']).doUpdateSet({
        readThrough: sql<string>`greatest(notification_settings.read_through, excluded.read_through)`,
      }),
    )
    .returningAll()
    .executeTakeFirstOrThrow();
  return settingsOf(row);
}

export async function changeNotificationSettings(
  db: Reader,
  reading: Reading,
  patch: Partial<Omit<NotificationSettings, 'readThrough'>>,
): Promise<NotificationSettings> {
  const { mutedKinds, mutedDatabases, mailKinds, digestKinds } = patch;
  const organizationId = uuidOf(reading.organizationId);
  const columns = {
    ...(mutedKinds !== undefined && { mutedKinds: [...mutedKinds] }),
    ...(mutedDatabases !== undefined && { mutedDatabases: mutedDatabases.map(uuidOf) }),
    ...(mailKinds !== undefined && { mailKinds: mailKinds && [...mailKinds] }),
    ...(digestKinds !== undefined && { digestKinds: [...digestKinds] }),
  };
  const hasDigest = (digestKinds?.length ?? 0) > 0 && reading.userId !== null;
  const digest = {
    digestDueAt: hasDigest ? nextDigestAt : null,
    digestThrough: lastSequenceOf(organizationId),
  };
  // A daily mail that is on its way already begins where it would have begun.
  const kept = {
    digestDueAt: hasDigest
      ? sql<Date>`coalesce(notification_settings.digest_due_at, excluded.digest_due_at)`
      : null,
    digestThrough: sql<string>`CASE WHEN notification_settings.digest_due_at IS NULL
      THEN excluded.digest_through ELSE notification_settings.digest_through END`,
  };
  const person = reading.userId ?? '';
  const row = await db
    .insertInto('notificationSettings')
    .values({ organizationId, person, ...columns, ...(digestKinds && digest) })
    .onConflict((conflict) =>
      conflict
        .columns(['organizationId', 'person'])
        .doUpdateSet({ organizationId, ...columns, ...(digestKinds && kept) }),
    )
    .returningAll()
    .executeTakeFirstOrThrow();
  return settingsOf(row);
}

/** The newest first. `position`: the number of the last row of the page before. */
export async function listNotifications(
  db: Reader,
  reading: Reading,
  filter: NotificationFilter,
  { limit, position }: { readonly limit: number; readonly position?: readonly [string] },
): Promise<Page<StoredEvent, [string]>> {
  if (filter.types.length === 0) return { rows: [], next: undefined };
  let query = notified(db, reading, filter)
    .selectAll()
    .orderBy('sequence', 'desc')
    .limit(limit + 1);
  if (position !== undefined) query = query.where('sequence', '<', position[0]);
  return pageOf(await query.execute(), limit, eventOf, (row) => [row.sequence]);
}

/** Number of notifications after the last one that was read; at most `unreadMax`. */
export async function countUnread(
  db: Reader,
  reading: Reading,
  filter: NotificationFilter,
): Promise<number> {
  if (filter.types.length === 0) return 0;
  const { count } = await db
    .selectFrom(notified(db, reading, filter).select('sequence').limit(unreadMax).as('unread'))
    .select((select) => select.fn.countAll().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Nobody is notified of what they did themselves. */
function notified(
  db: Reader,
  { organizationId, userId }: Reading,
  { types, onlyDatabases, mutedDatabases, afterSequence }: NotificationFilter,
) {
  let query = db
    .selectFrom('events')
    .where('organizationId', '=', uuidOf(organizationId))
    .where('type', 'in', types)
    .where(sql<boolean>`occurred_at > clock_timestamp() - ${notificationDays} * interval '1 day'`);
  if (userId !== null) query = query.where(sql<boolean>`actor_id IS DISTINCT FROM ${userId}`);
  if (afterSequence !== undefined) query = query.where('sequence', '>', afterSequence);
  if (mutedDatabases.length > 0) {
    query = query.where(
      sql<boolean>`(database_id IS NULL OR database_id <> ALL (${mutedDatabases.map(uuidOf)}))`,
    );
  }
  if (onlyDatabases !== undefined) {
    query = query.where(
      sql<boolean>`(database_id IS NULL OR database_id = ANY (${onlyDatabases.map(uuidOf)}))`,
    );
  }
  return query;
}

/** Number of an organization's last event, in a statement. `organization`: a UUID. */
export const lastSequenceOf = (organization: string) =>
  sql<string>`coalesce((SELECT sequence FROM event_heads WHERE organization_id = ${organization}), 0)`;

/** The hour of digests in UTC: before work begins in Europe. */
export const digestHour = 6;

export const nextDigestAt = sql<Date>`(date_trunc('day', (clock_timestamp() - ${digestHour} * interval '1 hour') AT TIME ZONE 'UTC')
  + interval '1 day' + ${digestHour} * interval '1 hour') AT TIME ZONE 'UTC'`;

export const settingsOf = (
  row: Pick<
    Selectable<NotificationSettingsTable>,
    'readThrough' | 'mutedKinds' | 'mutedDatabases' | 'mailKinds' | 'digestKinds'
  >,
): NotificationSettings => ({
  readThrough: row.readThrough,
  mutedKinds: row.mutedKinds as NotificationKind[],
  mutedDatabases: row.mutedDatabases.map((uuid) => typeIdOfUuid('db', uuid)),
  mailKinds: row.mailKinds as NotificationKind[] | null,
  digestKinds: row.digestKinds as NotificationKind[],
});
