import { expect, test } from '@jest/globals';
import type { NotificationPreferences } from '../../../../gen/api.ts';
import { mailOf, mailWays, withMail } from './mail-choice.ts';

const preferences: NotificationPreferences = {
  kinds: ['payment', 'change_failed', 'key_expiring'],
  mutedKinds: [],
  mutedDatabases: [],
  mailKinds: ['payment'],
  digestKinds: ['change_failed'],
  mailAddress: 'ada@example.com',
};

test('the chosen mail of a kind is the only one, and other kinds keep theirs', () => {
  for (const kind of preferences.kinds) {
    for (const { way } of mailWays) {
      const chosen = { ...preferences, ...withMail(preferences, kind, way) };
      expect([kind, mailOf(chosen, kind)]).toEqual([kind, way]);
      expect(chosen.mailKinds.filter((one) => chosen.digestKinds.includes(one))).toEqual([]);
      for (const other of preferences.kinds.filter((one) => one !== kind)) {
        expect(mailOf(chosen, other)).toBe(mailOf(preferences, other));
      }
    }
  }
});
