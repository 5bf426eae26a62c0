/** Kinds of notifications: their words, and the page on which something can be done. */
import type { Notification } from '../../../../gen/api.ts';
import type { Tone } from '../../ui/States.tsx';

type Kind = Notification['kind'];

interface KindWords {
  readonly title: string;
  readonly about: string;
  /** Page of the organization, or with `database`, of the notification's database. */
  readonly page: string;
}

const kinds: Readonly<Record<Kind, KindWords>> = {
  database_trouble: {
    title: 'Trouble of a database',
    about:
      'It could not be made, is unavailable, is available again, or is to go back to an earlier state.',
    page: 'database',
  },
  database_filling: {
    title: 'Filling database',
    about: 'It is full or nearly full, or has room again.',
    page: 'database/configuration',
  },
  change_failed: {
    title: 'Failed change',
    about: 'A change of a database’s configuration failed.',
    page: 'database/configuration',
  },
  backup_trouble: {
    title: 'Trouble of a backup',
    about: 'A backup could not be made, or is damaged.',
    page: 'database/backups',
  },
  change_stream_trouble: {
    title: 'Trouble of a change stream',
    about: 'It is stalled or failed, or delivers again.',
    page: 'database/configuration',
  },
  engine_upgraded: {
    title: 'Engine upgraded',
    about: 'A database runs another version of its engine.',
    page: 'database',
  },
  engine_update: {
    title: 'Engine update',
    about: 'A newer version can be chosen, or will come in the window, or could not be applied.',
    page: 'database/configuration',
  },
  key_expiring: {
    title: 'Expiring key',
    about: 'An API key expires soon.',
    page: 'settings/keys',
  },
  member_changed: {
    title: 'Members',
    about: 'Somebody was invited, joined or left.',
    page: 'settings/members',
  },
  webhook_disabled: {
    title: 'Disabled webhook',
    about: 'A webhook endpoint was disabled because its receiver does not work.',
    page: 'settings/webhooks',
  },
  payment: {
    title: 'Payment',
    about: 'A payment failed, databases were suspended for it, or a spend limit is near.',
    page: 'settings/billing',
  },
};

/** A newer service may have more kinds: they are shown by their names. */
const wordsOf = (kind: string): KindWords | undefined =>
  Object.entries(kinds).find(([name]) => name === kind)?.[1];

export const titleOf = (kind: string): string => wordsOf(kind)?.title ?? kind;
export const aboutOf = (kind: string): string => wordsOf(kind)?.about ?? '';

const bad =
  /\.(failed|unavailable|nearly_full|full|stalled|change_failed|update_failed|payment_failed|suspended|endpoint_disabled)$/;

/** The tone of an event: an end of trouble is good. */
export function toneOf(type: string): Tone {
  if (/\.(recovered|has_room)$/.test(type)) return 'good';
  return bad.test(type) ? 'bad' : 'soft';
}

/** The address of the page where something can be done about it; `undefined`: there is none. */
export function placeOf(
  slug: string,
  { kind, target }: Pick<Notification, 'kind' | 'target'>,
): string | undefined {
  const page = wordsOf(kind)?.page;
  if (page === undefined) return undefined;
  if (!page.startsWith('database')) return `/o/${slug}/${page}`;
  if (target.type !== 'database') return undefined;
  return `/o/${slug}/databases/${encodeURIComponent(target.display)}${page.slice('database'.length)}`;
}
