import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { LedgerBackupSchedule } from '../../domain/custom-resources.ts';
import { timesOf } from './times.ts';

const scheduleOf = (spec: Partial<LedgerBackupSchedule['spec']>): LedgerBackupSchedule => ({
  apiVersion: 'ledgerhouse.dev/v1alpha1',
  kind: 'LedgerBackupSchedule',
  metadata: { name: 'nightly', uid: '018f-nightly' },
  spec: {
    database: 'payments',
    schedule: '0 3 * * *',
    timeZone: 'Etc/UTC',
    startingDeadlineSeconds: 43_200,
    jitterSeconds: 0,
    immediate: false,
    keepLast: 7,
    keepFailed: 3,
    reclaimPolicy: 'Delete',
    verify: 'Weekly',
    suspend: false,
    ...spec,
  },
});
const at = (time: string) => Date.parse(time);
const iso = (ms: number | undefined) => (ms === undefined ? undefined : new Date(ms).toISOString());

function times(spec: Partial<LedgerBackupSchedule['spec']>, last: string, now: string) {
  const found = timesOf(scheduleOf(spec), at(last), at(now));
  if ('problem' in found) return found;
  return { due: iso(found.dueMs), missed: iso(found.missedMs), next: iso(found.nextMs) };
}

test('a backup is due from the second of its time on, and once', () => {
  const before = times({}, '2027-01-01T03:00:00Z', '2027-01-02T02:59:59Z');
  expect(before).toMatchObject({ due: undefined, next: '2027-01-02T03:00:00.000Z' });
  const due = times({}, '2027-01-01T03:00:00Z', '2027-01-02T03:00:00Z');
  expect(due).toMatchObject({
    due: '2027-01-02T03:00:00.000Z',
    next: '2027-01-03T03:00:00.000Z',
  });
  const after = times({}, '2027-01-02T03:00:00Z', '2027-01-02T03:00:01Z');
  expect(after).toMatchObject({ due: undefined, missed: undefined });
});

test('the last of many missed backups is made up for, and none that is too late', () => {
  const week = ['2027-01-01T03:00:00Z', '2027-01-08T09:00:00Z'] as const;
  expect(times({}, ...week)).toMatchObject({ due: '2027-01-08T03:00:00.000Z' });
  expect(times({ startingDeadlineSeconds: 3_600 }, ...week)).toMatchObject({
    due: undefined,
    missed: '2027-01-08T03:00:00.000Z',
  });
});

test('a schedule whose last backup is of next year, since a clock was wrong, goes on', () => {
  const year = ['2028-01-01T03:00:00Z', '2027-01-02T03:00:05Z'] as const;
  expect(times({}, ...year)).toMatchObject({ due: '2027-01-02T03:00:00.000Z' });
  // Clocks of two machines differ a little.
  expect(times({}, '2027-01-02T03:00:00Z', '2027-01-02T02:59:00Z')).toMatchObject({
    due: undefined,
    missed: undefined,
  });
});

test('times are those of the time zone, also when its clocks change', () => {
  const vienna = { schedule: '30 2 * * *', timeZone: 'Europe/Vienna' };
  expect(times(vienna, '2027-01-01T00:00:00Z', '2027-01-01T12:00:00Z')).toMatchObject({
    due: '2027-01-01T01:30:00.000Z',
  });
  expect(times(vienna, '2027-07-01T00:00:00Z', '2027-07-01T12:00:00Z')).toMatchObject({
    due: '2027-07-01T00:30:00.000Z',
  });
  // 02:30 does not exist on the day on which summer time begins, and comes twice on the one on which it ends: one backup each.
  for (const [first, last] of [
    ['2027-03-27T12:00:00Z', '2027-03-28T12:00:00Z'],
    ['2027-10-30T12:00:00Z', '2027-10-31T12:00:00Z'],
  ] as const) {
    const dues = new Set<number>();
    let lastMs = at(first);
    for (let nowMs = at(first); nowMs < at(last); nowMs += 60_000) {
      const found = timesOf(scheduleOf(vienna), lastMs, nowMs);
      if ('problem' in found || found.dueMs === undefined) continue;
      dues.add(found.dueMs);
      lastMs = found.dueMs;
    }
    expect(dues.size).toBe(1);
  }
});

test.each([
  ['a pattern that cannot be read', { schedule: '61 3 * * *' }],
  ['six fields', { schedule: '0 0 3 * * *' }],
  ['a day that never comes', { schedule: '0 3 31 2 *' }],
  ['a time zone that does not exist', { timeZone: 'Europe/Atlantis' }],
])('%s is told', (_, spec) => {
  expect(times(spec, '2027-01-01T00:00:00Z', '2027-01-02T00:00:00Z')).toEqual({
    problem: expect.stringContaining('"'),
  });
});

test('whenever it is looked at, each time of the schedule gives at most one backup, none early, and the delay is kept', () => {
  const start = at('2027-05-01T00:00:00Z');
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 7_200 }), { minLength: 1, maxLength: 60 }),
      fc.integer({ min: 0, max: 3_600 }),
      fc.constantFrom('0 * * * *', '*/15 * * * *', '7 3 * * *'),
      (steps, jitterSeconds, schedule) => {
        const one = scheduleOf({ schedule, jitterSeconds });
        let [nowMs, lastMs] = [start, start];
        const delays = new Set<number>();
        for (const step of steps) {
          nowMs += step * 1_000;
          const found = timesOf(one, lastMs, nowMs);
          if ('problem' in found) throw new Error(found.problem);
          expect(found.nextMs).toBeGreaterThan(nowMs - 1_000);
          if (found.dueMs === undefined) continue;
          expect(found.dueMs).toBeGreaterThan(lastMs);
          expect(found.dueMs).toBeLessThanOrEqual(nowMs);
          delays.add(found.nextMs % 60_000);
          lastMs = found.dueMs;
        }
        expect(delays.size).toBeLessThanOrEqual(1);
      },
    ),
  );
});
