/** By which mail a person gets notifications of a kind: at once, in the one of the day, or by none. */
import type { NotificationPreferences } from '../../../../gen/api.ts';
import type { Choice } from '../../data/notification-queries.ts';

type Kind = NotificationPreferences['kinds'][number];

export const mailWays = [
  { way: 'at-once', text: 'At once' },
  { way: 'daily', text: 'Once a day' },
  { way: 'none', text: 'None' },
] as const;
type MailWay = (typeof mailWays)[number]['way'];

export function mailOf({ mailKinds, digestKinds }: NotificationPreferences, kind: Kind): MailWay {
  if (mailKinds.includes(kind)) return 'at-once';
  return digestKinds.includes(kind) ? 'daily' : 'none';
}

const toggled = (kinds: readonly Kind[], kind: Kind, isIn: boolean): Kind[] => [
  ...kinds.filter((one) => one !== kind),
  ...(isIn ? [kind] : []),
];

export const withMail = (
  { mailKinds, digestKinds }: NotificationPreferences,
  kind: Kind,
  way: string,
): Choice => ({
  mailKinds: toggled(mailKinds, kind, way === 'at-once'),
  digestKinds: toggled(digestKinds, kind, way === 'daily'),
});

export const withMuted = (
  { mutedKinds }: NotificationPreferences,
  kind: Kind,
  isMuted: boolean,
): Choice => ({ mutedKinds: toggled(mutedKinds, kind, isMuted) });
