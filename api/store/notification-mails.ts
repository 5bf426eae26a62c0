/** Notifications by mail: who may get them, how many went out today, and whose daily mail is due. */
import { sql } from 'kysely';
import { typeIdOfUuid } from '../../domain/type-id.ts';
import type { Role } from '../model/access.ts';
import type { Change } from './change.ts';
import { uuidOf } from './ids.ts';
import {
  lastSequenceOf,
  nextDigestAt,
  settingsOf,
  untouched,
  type NotificationSettings,
} from './notifications.ts';
import type { Reader } from './tables.ts';

/** A member with an address that the identity provider has verified. */
export interface MailReader {
  readonly organizationId: string;
  /** TypeID `usr_…`. */
  readonly userId: string;
  readonly address: string;
  readonly role: Role;
  /** The only databases that they may see; null: all. */
  readonly databaseIds: readonly string[] | null;
  readonly settings: NotificationSettings;
}

/** A person gets so many mails at once in a day (UTC) from an organization, and the rest in the application only. */
export const mailsOfDayMax = 20;

/** Lists the people of an organization whom mail can reach. */
export async function listMailReaders(
  db: Reader,
  organizationId: string,
): Promise<readonly MailReader[]> {
  const organization = uuidOf(organizationId);
  const members = await readers(db)
    .where('memberships.organizationId', '=', organization)
    .execute();
  if (members.length === 0) return [];
  const rows = await db
    .selectFrom('notificationSettings')
    .selectAll()
    .where('organizationId', '=', organization)
    .execute();
  const chosen = new Map(rows.map((row) => [row.person, settingsOf(row)]));
  return members.flatMap((row) => readerOf(row, (person) => chosen.get(person)));
}

/** Counts a mail of today. Returns its number, from 1. */
export async function countMail(
  { db }: Change,
  { organizationId, userId }: Pick<MailReader, 'organizationId' | 'userId'>,
): Promise<number> {
  const today = sql<string>`(clock_timestamp() AT TIME ZONE 'UTC')::date`;
  const { mailsOfDay } = await db
    .insertInto('notificationSettings')
    .values({
      organizationId: uuidOf(organizationId),
      person: userId,
      mailDay: today,
      mailsOfDay: 1,
    })
    .onConflict((conflict) =>
      conflict.columns(['organizationId', 'person']).doUpdateSet({
        mailsOfDay: sql<number>`CASE WHEN notification_settings.mail_day = excluded.mail_day
          THEN notification_settings.mails_of_day + 1 ELSE 1 END`,
        mailDay: today,
      }),
    )
    .returning('mailsOfDay')
    .executeTakeFirstOrThrow();
  return mailsOfDay;
}

/** A daily mail that is due. `reader` is `undefined` if no mail can reach the person any more. */
export interface DueDigest {
  /** TypeIDs. */
  readonly of: { readonly organizationId: string; readonly userId: string };
  readonly reader: MailReader | undefined;
  /** The events after this number, and up to that one. */
  readonly after: string;
  readonly through: string;
}

/**
 * Takes a daily mail that is due, and moves it to the next day; returns `undefined` if none is. A time that is further away than a day
 * was made by a clock that was wrong.
 */
export async function takeDigest({ db }: Change): Promise<DueDigest | undefined> {
  const before = await db
    .selectFrom('notificationSettings')
    .selectAll()
    .where(
      sql<boolean>`(digest_due_at <= clock_timestamp() OR digest_due_at > clock_timestamp() + interval '25 hours')`,
    )
    .orderBy('digestDueAt')
    .limit(1)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst();
  if (before === undefined) return undefined;
  const { organizationId, person } = before;
  const member = await readers(db)
    .where('memberships.organizationId', '=', organizationId)
    .where('memberships.userId', '=', uuidOf(person))
    .executeTakeFirst();
  const [reader] = member === undefined ? [] : readerOf(member, () => settingsOf(before));
  const { digestThrough: through } = await db
    .updateTable('notificationSettings')
    .set({
      digestDueAt: reader === undefined ? null : nextDigestAt,
      digestThrough: lastSequenceOf(organizationId),
    })
    .where('organizationId', '=', organizationId)
    .where('person', '=', person)
    .returning('digestThrough')
    .executeTakeFirstOrThrow();
  const of = { organizationId: typeIdOfUuid('org', organizationId), userId: person };
  return { of, reader, after: before.digestThrough, through };
}

/** Tries a daily mail that could not be written again later; what it tells stays the same. */
export async function postponeDigest(
  db: Reader,
  { organizationId, userId }: DueDigest['of'],
): Promise<void> {
  await db
    .updateTable('notificationSettings')
    .set({ digestDueAt: sql<Date>`clock_timestamp() + interval '1 hour'` })
    .where('organizationId', '=', uuidOf(organizationId))
    .where('person', '=', userId)
    .where('digestDueAt', 'is not', null)
    .execute();
}

/** Ends all mail of notifications to a person of an organization. Nothing happens if they are no member. */
export async function endNotificationMails(
  db: Reader,
  { organizationId, userId }: Pick<MailReader, 'organizationId' | 'userId'>,
): Promise<void> {
  const none = { mailKinds: [], digestKinds: [], digestDueAt: null };
  await db
    .insertInto('notificationSettings')
    .columns(['organizationId', 'person', 'mailKinds', 'digestKinds'])
    .expression((from) =>
      from
        .selectFrom('memberships')
        .select([
          'organizationId',
          sql<string>`${userId}`.as('person'),
          sql<string[]>`'{}'::text[]`.as('mailKinds'),
          sql<string[]>`'{}'::text[]`.as('digestKinds'),
        ])
        .where('organizationId', '=', uuidOf(organizationId))
        .where('userId', '=', uuidOf(userId)),
    )
    .onConflict((conflict) => conflict.columns(['organizationId', 'person']).doUpdateSet(none))
    .execute();
}

const readers = (db: Reader) =>
  db
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.userId')
    .innerJoin('organizations', 'organizations.id', 'memberships.organizationId')
    .select([
      'memberships.organizationId',
      'memberships.userId',
      'memberships.role',
      'memberships.databaseIds',
      'users.email',
    ])
    .where('users.emailVerified', '=', true)
    .where('users.email', 'is not', null)
    .where('organizations.deletedAt', 'is', null);

type ReaderRow = Awaited<ReturnType<ReturnType<typeof readers>['execute']>>[number];

function readerOf(
  row: ReaderRow,
  chosen: (person: string) => NotificationSettings | undefined,
): MailReader[] {
  if (row.email === null) return [];
  const userId = typeIdOfUuid('usr', row.userId);
  return [
    {
      organizationId: typeIdOfUuid('org', row.organizationId),
      userId,
      address: row.email,
      role: row.role as Role,
      databaseIds: row.databaseIds?.map((uuid) => typeIdOfUuid('db', uuid)) ?? null,
      settings: chosen(userId) ?? untouched,
    },
  ];
}
