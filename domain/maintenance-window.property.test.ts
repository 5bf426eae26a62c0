import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  defaultWindow,
  isOpen,
  timeZoneProblem,
  weekdays,
  windowAt,
  type MaintenanceWindow,
} from './maintenance-window.ts';

const minute = 60_000;
const day = 24 * 60 * minute;
const iso = (window: MaintenanceWindow, at: string) => {
  const { beginsAt, endsAt } = windowAt(window, new Date(at));
  return [beginsAt.toISOString(), endsAt.toISOString()];
};

/** With clocks that change by an hour, by half an hour, never, in the southern half, and around midnight. */
const zones = [
  'Etc/UTC',
  'Europe/Vienna',
  'America/New_York',
  'America/St_Johns',
  'Asia/Kathmandu',
  'Asia/Beirut',
  'Australia/Lord_Howe',
  'America/Santiago',
  'Pacific/Chatham',
  'Africa/Casablanca',
];
const windows: fc.Arbitrary<MaintenanceWindow> = fc.record({
  weekday: fc.constantFrom(...weekdays),
  startTime: fc
    .tuple(fc.nat(23), fc.nat(59))
    .map((parts) => parts.map((part) => String(part).padStart(2, '0')).join(':')),
  lengthMinutes: fc.integer({ min: 30, max: 1_440 }),
  timeZone: fc.constantFrom(...zones),
});
const times = fc.date({
  min: new Date('2026-01-01T00:00:00Z'),
  max: new Date('2036-01-01T00:00:00Z'),
  noInvalidDate: true,
});

function localOf({ timeZone }: MaintenanceWindow, at: Date) {
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    weekday: 'long',
    hour: '2-digit',
    minute: '2-digit',
  }).formatToParts(at);
  const part = (wanted: string) => parts.find(({ type }) => type === wanted)?.value ?? '';
  return { weekday: part('weekday').toUpperCase(), time: `${part('hour')}:${part('minute')}` };
}

test('a window has its length, ends in the future, and is at most a week away', () => {
  fc.assert(
    fc.property(windows, times, (window, at) => {
      const { beginsAt, endsAt } = windowAt(window, at);
      expect(endsAt.getTime() - beginsAt.getTime()).toBe(window.lengthMinutes * minute);
      expect(endsAt.getTime()).toBeGreaterThan(at.getTime());
      expect(beginsAt.getTime() - at.getTime()).toBeLessThanOrEqual(7 * day + 120 * minute);
    }),
  );
});

test('a window begins at its time in its zone, or right after clocks that skip it', () => {
  fc.assert(
    fc.property(windows, times, (window, at) => {
      const { beginsAt } = windowAt(window, at);
      const local = localOf(window, beginsAt);
      if (local.weekday === window.weekday && local.time === window.startTime) return;
      // Only where clocks were set forward in the hours before.
      const hourBefore = localOf(window, new Date(beginsAt.getTime() - 60 * minute));
      const skipped = minutesOf(local.time) - minutesOf(hourBefore.time);
      expect({ local, hourBefore, skips: (skipped + 1_440) % 1_440 > 60 }).toMatchObject({
        skips: true,
      });
    }),
    { numRuns: 300 },
  );
});

test('all moments of a window find the same window, and the moment of its end the one a week later', () => {
  fc.assert(
    fc.property(
      windows,
      times,
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      (window, at, part) => {
        const found = windowAt(window, at);
        const length = found.endsAt.getTime() - found.beginsAt.getTime();
        const inside = new Date(found.beginsAt.getTime() + Math.floor(length * part));
        expect(windowAt(window, inside)).toEqual(found);
        expect(isOpen(found, inside)).toBe(true);
        expect(isOpen(found, new Date(found.beginsAt.getTime() - 1))).toBe(false);
        const next = windowAt(window, found.endsAt);
        const apart = next.beginsAt.getTime() - found.beginsAt.getTime();
        // An hour more or less where clocks change in between.
        expect(Math.abs(apart - 7 * day)).toBeLessThanOrEqual(60 * minute);
      },
    ),
  );
});

const minutesOf = (time: string): number => {
  const [hour = 0, minutes = 0] = time.split(':').map(Number);
  return 60 * hour + minutes;
};

const night: MaintenanceWindow = {
  weekday: 'SUNDAY',
  startTime: '02:30',
  lengthMinutes: 60,
  timeZone: 'Europe/Vienna',
};

test('the clocks of summer time: a start that is skipped comes once, and so does one that comes twice', () => {
  // 02:30 on 28 March 2027 does not exist: clocks go from 02:00 to 03:00.
  const skipped = ['2027-03-28T01:00:00.000Z', '2027-03-28T02:00:00.000Z'];
  expect(iso(night, '2027-03-27T12:00:00Z')).toEqual(skipped);
  expect(iso(night, '2027-03-28T01:59:59Z')).toEqual(skipped);
  expect(iso(night, '2027-03-28T02:00:00Z')[0]).toBe('2027-04-04T00:30:00.000Z');
  // 02:30 on 31 October 2027 comes at 00:30 and at 01:30 UTC.
  const twice = ['2027-10-31T00:30:00.000Z', '2027-10-31T01:30:00.000Z'];
  expect(iso(night, '2027-10-30T12:00:00Z')).toEqual(twice);
  expect(iso(night, '2027-10-31T01:29:59Z')).toEqual(twice);
  for (const after of ['2027-10-31T01:30:00Z', '2027-10-31T01:45:00Z', '2027-10-31T02:31:00Z']) {
    expect(iso(night, after)[0]).toBe('2027-11-07T01:30:00.000Z');
  }
});

test('a window that begins before midnight is open after it, also from one year to the next', () => {
  const late = { ...defaultWindow, weekday: 'FRIDAY', startTime: '23:00' } as const;
  expect(iso(late, '2027-01-02T02:59:59Z')[0]).toBe('2027-01-01T23:00:00.000Z');
  expect(iso(late, '2027-01-02T03:00:00Z')[0]).toBe('2027-01-08T23:00:00.000Z');
});

test.each(['Europe/Atlantis', 'Etc/UTC; DROP', '../etc/passwd', 'Europe/Vienna\u0000', '🜁'])(
  'the time zone %j is told to be none',
  (timeZone) => {
    expect(timeZoneProblem(timeZone)).toContain('no time zone');
    expect(() => windowAt({ ...defaultWindow, timeZone }, new Date())).toThrow(RangeError);
  },
);
