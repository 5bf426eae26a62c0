import { expect, test } from '@jest/globals';
import type { Database } from '../store/database-record.ts';
import type { Observation } from './observed.ts';
import { reasonOf, transitionOf } from './transition.ts';

const now = new Date('2026-01-01T00:00:00Z');
const database = (fields: Partial<Database>) =>
  ({ status: 'READY', health: 'HEALTHY', readyAt: now, statusReason: null, ...fields }) as Database;
const shown = (fields: Partial<Observation['standing']>): Observation => ({
  clusterId: '7',
  standing: {
    status: 'READY',
    health: 'HEALTHY',
    reason: undefined,
    stalled: undefined,
    ...fields,
  },
  observed: {} as Observation['observed'],
});
const eventsOf = (before: Partial<Database>, after: Partial<Observation['standing']>) =>
  transitionOf(database(before), shown(after), now).events;

test('the first time that it serves is told once', () => {
  const fresh = { status: 'PROVISIONING', health: 'UNKNOWN', readyAt: null } as const;
  const { patch, events, becameReady } = transitionOf(database(fresh), shown({}), now);
  expect([patch.status, patch.readyAt, events, becameReady]).toEqual([
    'READY',
    now,
    ['database.ready'],
    true,
  ]);
  expect(eventsOf({}, {})).toEqual([]);
});

test('one that was deleted serves again: restored, not ready for the first time', () => {
  expect(eventsOf({ status: 'PROVISIONING' }, {})).toEqual(['database.restored']);
});

test.each([
  ['HEALTHY', 'DEGRADED', ['database.degraded']],
  ['HEALTHY', 'UNAVAILABLE', ['database.unavailable']],
  ['DEGRADED', 'UNAVAILABLE', ['database.unavailable']],
  ['UNAVAILABLE', 'DEGRADED', ['database.degraded']],
  ['DEGRADED', 'HEALTHY', ['database.recovered']],
  ['HEALTHY', 'UNKNOWN', []],
  ['UNKNOWN', 'HEALTHY', []],
] as const)('health from %s to %s tells %j', (before, after, events) => {
  expect(eventsOf({ health: before }, { health: after })).toEqual(events);
});

test('suspended and resumed', () => {
  expect(eventsOf({}, { status: 'SUSPENDED', health: 'UNAVAILABLE' })).toEqual([
    'database.suspended',
  ]);
  expect(eventsOf({ status: 'SUSPENDED', health: 'UNAVAILABLE' }, {})).toEqual([
    'database.resumed',
  ]);
});

test('an older state of the cluster does not undo a decision of the API', () => {
  for (const status of ['DELETING', 'DELETED', 'FAILED'] as const) {
    const standing = shown({ status: 'PROVISIONING' });
    expect(transitionOf(database({ status }), standing, now).patch.status).toBe(status);
  }
});

test('a database that failed and serves after all is READY', () => {
  const failed = database({ status: 'FAILED', readyAt: null });
  expect(transitionOf(failed, shown({}), now)).toMatchObject({
    patch: { status: 'READY', statusReason: null },
    events: ['database.ready'],
  });
});

test.each([
  [undefined, 'Enough', []],
  ['Enough', 'NearLimit', ['database.nearly_full']],
  [undefined, 'NearLimit', ['database.nearly_full']],
  ['NearLimit', 'NearLimit', []],
  ['NearLimit', 'Full', ['database.full']],
  ['Full', 'NearLimit', []],
  ['Full', 'Enough', ['database.has_room']],
  ['NearLimit', 'Enough', ['database.has_room']],
  ['Full', undefined, []],
] as const)('room from %s to %s tells %j', (was, is, told) => {
  const capacityOf = (level: 'Enough' | 'NearLimit' | 'Full' | undefined) =>
    level === undefined ? null : { level, message: level };
  const before = database({
    observed: { capacity: capacityOf(was) } as NonNullable<Database['observed']>,
  });
  const seen = { ...shown({}), observed: { capacity: capacityOf(is) } as Observation['observed'] };
  const { events, patch } = transitionOf(before, seen, now);
  expect(events).toEqual(told);
  // What is known stays known while no engine answers.
  expect(patch.observed?.capacity?.level).toBe(is ?? was);
  for (const event of events) {
    const reason = reasonOf(event, { ...before, observed: seen.observed });
    expect(reason).toEqual(is === 'Enough' ? null : { code: is, message: is });
  }
});
