/** Kinds of notifications: the events that somebody should look at, and the people that they concern. */
import { hasRight, type Right, type Role } from './access.ts';
import type { EventType } from './event-types.ts';

interface NotificationKindRow {
  readonly description: string;
  readonly types: readonly EventType[];
  /** Roles with this right get them. */
  readonly right: Right;
  /** Roles with this right get them by mail at once, unless they choose otherwise: the people who can do something. */
  readonly mailRight?: Right;
}

export const notificationKinds = {
  database_trouble: {
    description:
      'A database could not be made, is unavailable, is available again, or is to go back to an earlier state.',
    types: [
      'database.failed',
      'database.unavailable',
      'database.recovered',
      'database.restore_in_place_requested',
    ],
    right: 'readDatabases',
    mailRight: 'changeDatabase',
  },
  database_filling: {
    description: 'A database is full or nearly full, or has room again.',
    types: ['database.nearly_full', 'database.full', 'database.has_room'],
    right: 'readDatabases',
    mailRight: 'changeDatabase',
  },
  change_failed: {
    description: 'A change of a database’s configuration failed.',
    types: ['configuration.change_failed'],
    right: 'readDatabases',
  },
  backup_trouble: {
    description:
      'A backup could not be made, or is damaged, or the archived log has a gap before it.',
    types: ['backup.failed', 'backup.damaged', 'backup.log_incomplete'],
    right: 'readDatabases',
    mailRight: 'changeDatabase',
  },
  change_stream_trouble: {
    description: 'A change stream is stalled or failed, or delivers again.',
    types: ['change_stream.stalled', 'change_stream.failed', 'change_stream.recovered'],
    right: 'readDatabases',
  },
  engine_upgraded: {
    description: 'A database runs another version of its engine.',
    types: ['engine.upgraded'],
    right: 'readDatabases',
  },
  engine_update: {
    description:
      'A database can, or will, get a newer version of its engine, or could not; or its version is deprecated.',
    types: [
      'engine.update_available',
      'engine.deprecation_announced',
      'engine.update_announced',
      'engine.update_failed',
    ],
    right: 'readDatabases',
    mailRight: 'changeDatabase',
  },
  key_expiring: {
    description: 'An API key expires soon.',
    types: ['api_key.expiring'],
    right: 'manageKeys',
  },
  member_changed: {
    description: 'Somebody was invited, joined or left.',
    types: ['member.invited', 'member.joined', 'member.removed'],
    right: 'manageMembers',
  },
  webhook_disabled: {
    description: 'A webhook endpoint was disabled because its receiver does not work.',
    types: ['webhook.endpoint_disabled'],
    right: 'manageWebhooks',
  },
  payment: {
    description: 'A payment failed, databases were suspended for it, or a spend limit is near.',
    types: [
      'billing.payment_failed',
      'billing.suspended',
      'billing.recovered',
      'billing.saved_create_failed',
      'billing.spend_threshold_reached',
    ],
    right: 'manageBilling',
    mailRight: 'manageBilling',
  },
} as const satisfies Readonly<Record<string, NotificationKindRow>>;

export type NotificationKind = keyof typeof notificationKinds;
export const notificationKindNames = Object.keys(notificationKinds) as NotificationKind[];

/** Unread notifications are counted up to this number. */
export const unreadMax = 100;

/** Kinds that concern people of this role. */
export const kindsOfRole = (role: Role): readonly NotificationKind[] =>
  notificationKindNames.filter((kind) => hasRight(role, notificationKinds[kind].right));

/** Kinds that people of this role get by mail at once as long as they chose nothing. */
export const mailKindsOfRole = (role: Role): readonly NotificationKind[] =>
  kindsOfRole(role).filter((kind) => {
    const { mailRight }: NotificationKindRow = notificationKinds[kind];
    return mailRight !== undefined && hasRight(role, mailRight);
  });

/** The choice of a person; null: the default of their role. */
export interface MailChoice {
  readonly mailKinds: readonly NotificationKind[] | null;
  readonly digestKinds: readonly NotificationKind[];
}

/** Kinds that a person of this role gets by mail: at once, and in one mail a day. */
export function mailOf(role: Role, { mailKinds, digestKinds }: MailChoice) {
  const kinds = kindsOfRole(role);
  return {
    mailKinds: (mailKinds ?? mailKindsOfRole(role)).filter((kind) => kinds.includes(kind)),
    digestKinds: digestKinds.filter((kind) => kinds.includes(kind)),
  };
}

/** The kind of each event type that causes notifications. */
export const kindOfType: ReadonlyMap<EventType, NotificationKind> = new Map(
  notificationKindNames.flatMap((kind) =>
    notificationKinds[kind].types.map((type): [EventType, NotificationKind] => [type, kind]),
  ),
);
