import { z } from 'zod';
import {
  notificationKindNames,
  notificationKinds,
  unreadMax,
} from '../../model/notification-kinds.ts';
import { actor, exampleId, exampleTime, id, listOf, success, time } from './common.ts';

const kind = z
  .enum(notificationKindNames)
  .describe(
    notificationKindNames
      .map((name) => `\`${name}\`: ${notificationKinds[name].description}`)
      .join(' '),
  );

const sequence = z.string().regex(/^[0-9]{1,18}$/);

const notification = z
  .object({
    id: id('evt', 'The event’s ID, the same as in the audit log and in webhooks.'),
    sequence: sequence.describe('Decimal; increases within the organization.'),
    kind,
    type: z.string().describe('Type of the event, such as `database.unavailable`.'),
    summary: z.string().describe('Description of the event, for people.'),
    occurredAt: time('When it happened.'),
    databaseId: id('db', 'The database of the event.').nullable(),
    target: z.object({ type: z.string(), id: z.string().nullable(), display: z.string() }),
    actor,
    read: z.boolean(),
  })
  .meta({ id: 'Notification' });

const unread = z
  .int()
  .min(0)
  .max(unreadMax)
  .describe(`Number of unread notifications; ${unreadMax} stands for ${unreadMax} or more.`);

export const notificationList = listOf(notification)
  .extend({ unread })
  .meta({ id: 'NotificationList' });

export const readNotificationsRequest = z
  .strictObject({
    readThrough: sequence.describe(
      '`sequence` of the newest notification that you have seen: it and all before it are read.',
    ),
  })
  .meta({ id: 'ReadNotificationsRequest' });

export const readNotifications = z.object({ success, unread }).meta({ id: 'ReadNotifications' });

const databaseIds = z.array(id('db', 'A database.')).max(100);

const notificationPreferences = z
  .object({
    kinds: z.array(kind).describe('The kinds that your role gets.'),
    mutedKinds: z.array(kind).describe('Kinds that you muted.'),
    mutedDatabases: databaseIds.describe('Databases that you muted.'),
    mailKinds: z
      .array(kind)
      .describe('Kinds that you also get by mail, at once. Muted notifications are in no mail.'),
    digestKinds: z
      .array(kind)
      .describe('Kinds that you get in one mail a day, if there are any notifications.'),
    mailAddress: z
      .string()
      .nullable()
      .describe(
        'Where mail goes: your address that the identity provider has verified. Null: there is none, or the service sends no mail.',
      ),
  })
  .meta({ id: 'NotificationPreferences' });

const mailList = z.array(kind).max(notificationKindNames.length);

export const updateNotificationPreferencesRequest = z
  .strictObject({
    mutedKinds: z.array(kind).max(notificationKindNames.length).optional(),
    mutedDatabases: databaseIds.optional(),
    mailKinds: mailList.optional().describe('Takes its kinds from `digestKinds`.'),
    digestKinds: mailList.optional().describe('Takes its kinds from `mailKinds`.'),
  })
  .describe('Absent properties stay as they are.')
  .meta({ id: 'UpdateNotificationPreferencesRequest' });

export const readNotificationPreferences = z
  .object({ notificationPreferences })
  .meta({ id: 'NotificationPreferencesAnswer' });
export const changedNotificationPreferences = z
  .object({ success, notificationPreferences })
  .meta({ id: 'ChangedNotificationPreferences' });

export const notificationExample: z.input<typeof notification> = {
  id: exampleId('evt'),
  sequence: '184467',
  kind: 'database_trouble',
  type: 'database.unavailable',
  summary: 'payments-prod: a database does not answer.',
  occurredAt: exampleTime,
  databaseId: exampleId('db'),
  target: { type: 'database', id: exampleId('db'), display: 'payments-prod' },
  actor: { type: 'system', id: null, display: 'watch' },
  read: false,
};

export const notificationPreferencesExample: z.input<typeof notificationPreferences> = {
  kinds: [...notificationKindNames],
  mutedKinds: ['engine_upgraded'],
  mutedDatabases: [],
  mailKinds: ['database_trouble', 'database_filling', 'backup_trouble', 'payment'],
  digestKinds: ['change_failed'],
  mailAddress: 'ada@example.com',
};
