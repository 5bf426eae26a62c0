import { expect, test } from '@jest/globals';
import type { Condition, DatabaseStatus } from '../../domain/custom-resources.ts';
import { StatusPace } from './status-pace.ts';

const status = (
  conditions: Readonly<Record<string, Condition['status']>>,
  { active = '0.1.0', reason = 'Because' }: { active?: string | null; reason?: string } = {},
): DatabaseStatus => ({
  version: { rolled: 0, ...(active === null ? {} : { active }) },
  conditions: Object.entries(conditions).map(([type, value]) => ({
    type,
    status: value,
    reason,
    message: 'words',
    lastTransitionTime: '2026-11-21T10:00:00Z',
  })),
});
const starting = status({ Ready: 'False', StorageReady: 'False' });
const bound = status({ Ready: 'False', StorageReady: 'True' });
const ready = status({ Ready: 'True', StorageReady: 'True' });

test('details are written a second after the last write, and at once when nothing was written lately', () => {
  const pace = new StatusPace();
  expect(pace.waitMs('a', 10_000, starting, bound)).toBe(0);
  pace.noteWrite('a', 10_000);
  expect(pace.waitMs('a', 10_300, starting, bound)).toBe(700);
  expect(pace.waitMs('b', 10_300, starting, bound)).toBe(0);
  expect(pace.waitMs('a', 11_000, starting, bound)).toBe(0);
});

test('a status that others wait for is written at once', () => {
  const pace = new StatusPace();
  pace.noteWrite('a', 10_000);
  expect(pace.waitMs('a', 10_001, bound, ready)).toBe(0);
  expect(pace.waitMs('a', 10_001, undefined, starting)).toBe(0);
});

const making = status({ Ready: 'False', StorageReady: 'False' }, { active: null });

test('details of a database that is first made wait five seconds', () => {
  const pace = new StatusPace();
  const next = status({ Ready: 'False', StorageReady: 'True' }, { active: null });
  pace.noteWrite('a', 10_000);
  expect(pace.waitMs('a', 11_000, making, next)).toBe(4_000);
  expect(pace.waitMs('a', 15_000, making, next)).toBe(0);
});

test('a fault while a database is first made is written at once', () => {
  const pace = new StatusPace();
  const { conditions = [] } = status(
    { Ready: 'False' },
    { active: null, reason: 'ReplicaFailing' },
  );
  pace.noteWrite('a', 10_000);
  expect(pace.waitMs('a', 10_001, making, { ...making, conditions })).toBe(0);
});

test('a clock that is put back holds no status up', () => {
  const pace = new StatusPace();
  pace.noteWrite('a', 10_000_000);
  expect(pace.waitMs('a', 10_000, starting, bound)).toBe(0);
});

test('the times of databases that rest are forgotten', () => {
  const pace = new StatusPace();
  pace.noteWrite('a', 10_000);
  pace.noteWrite('b', 15_500);
  expect(pace.waitMs('a', 10_100, starting, bound)).toBe(0);
  expect(pace.waitMs('b', 15_600, starting, bound)).toBe(900);
});
