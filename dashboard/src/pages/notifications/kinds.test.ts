import { expect, test } from '@jest/globals';
import type { Notification } from '../../../../gen/api.ts';
import { aboutOf, placeOf, titleOf, toneOf } from './kinds.ts';

const database = { type: 'database', id: 'db_1', display: 'payments' };
const key = { type: 'api_key', id: 'key_1', display: 'reports' };

test.each<[Notification['kind'], Notification['target'], string | undefined]>([
  ['database_trouble', database, '/o/acme/databases/payments'],
  ['change_failed', database, '/o/acme/databases/payments/configuration'],
  ['change_stream_trouble', database, '/o/acme/databases/payments/configuration'],
  ['key_expiring', key, '/o/acme/settings/keys'],
  ['payment', { type: 'organization', id: null, display: 'Acme' }, '/o/acme/settings/billing'],
  ['database_trouble', key, undefined],
])('a notification of kind %s leads to where something can be done', (kind, target, place) => {
  expect(placeOf('acme', { kind, target })).toBe(place);
});

test('a kind that this build does not know is shown by its name', () => {
  const kind = 'moon_rises' as Notification['kind'];
  expect([titleOf(kind), aboutOf(kind), placeOf('acme', { kind, target: key })]).toEqual([
    'moon_rises',
    '',
    undefined,
  ]);
});

test('trouble and its end have different tones', () => {
  expect(toneOf('database.unavailable')).toBe('bad');
  expect(toneOf('database.recovered')).toBe('good');
  expect(['database.nearly_full', 'database.full', 'database.has_room'].map(toneOf)).toEqual([
    'bad',
    'bad',
    'good',
  ]);
  expect(toneOf('member.joined')).toBe('soft');
});
