import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { kept, type Candidate, type KeepRules } from './keep.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const now = Date.parse('2027-06-30T12:00:00Z');
const none: KeepRules = { timeZone: 'Etc/UTC', keepLast: 1, keepFailed: 0 };

const good = (name: string, atMs: number, more: Partial<Candidate> = {}): Candidate => ({
  name,
  atMs,
  state: 'succeeded',
  verified: false,
  protected: false,
  ...more,
});
/** One a day at noon, `day-0` today. */
const daily = (count: number) =>
  Array.from({ length: count }, (_, index) => good(`day-${index}`, now - index * DAY));
const names = (backups: readonly Candidate[], rules: Partial<KeepRules>) =>
  [...kept(backups, { ...none, ...rules }, now)].sort();

test('the newest, and the last of each day, week, month and year that has one', () => {
  expect(names(daily(400), { keepLast: 3 })).toEqual(['day-0', 'day-1', 'day-2']);
  // 30 June 2027 is a Wednesday: weeks end on Sundays, 3 and 10 days ago.
  expect(names(daily(400), { keepWeekly: 3 })).toEqual(['day-0', 'day-10', 'day-3']);
  expect(names(daily(400), { keepMonthly: 3 })).toEqual(['day-0', 'day-30', 'day-61']);
  expect(names(daily(400), { keepYearly: 2 })).toEqual(['day-0', 'day-181']);
  expect(names(daily(9), { keepWithinDays: 4 })).toEqual(['day-0', 'day-1', 'day-2', 'day-3']);
});

test('a gap does not count: rules count the periods that have a backup', () => {
  const backups = [good('now', now), good('may', now - 40 * DAY), good('january', now - 170 * DAY)];
  expect(names(backups, { keepMonthly: 3 })).toEqual(['january', 'may', 'now']);
  expect(names(backups, { keepHourly: 2 })).toEqual(['may', 'now']);
});

test('days are those of the time zone', () => {
  const backups = [
    good('late', Date.parse('2027-06-30T11:00:00Z')),
    good('early', Date.parse('2027-06-29T23:00:00Z')),
  ];
  expect(names(backups, { keepDaily: 2 })).toEqual(['early', 'late']);
  expect(names(backups, { keepDaily: 2, timeZone: 'Europe/Vienna' })).toEqual(['late']);
});

const candidates = fc.uniqueArray(
  fc.record({
    name: fc.integer({ min: 0, max: 99 }).map((id) => `b${id}`),
    atMs: fc.integer({ min: now - 900 * DAY, max: now }),
    state: fc.constantFrom('running' as const, 'succeeded' as const, 'failed' as const),
    verified: fc.boolean(),
    protected: fc.boolean(),
  }),
  { selector: ({ name }) => name, maxLength: 60 },
);
const count = fc.option(fc.integer({ min: 0, max: 5 }), { nil: undefined });
const rulesOf = fc
  .record({
    keepLast: fc.integer({ min: 1, max: 5 }),
    keepHourly: count,
    keepDaily: count,
    keepWeekly: count,
    keepMonthly: count,
    keepYearly: count,
    keepWithinDays: count,
    keepFailed: fc.integer({ min: 0, max: 3 }),
    timeZone: fc.constantFrom('Etc/UTC', 'Europe/Vienna', 'Asia/Kolkata', 'America/St_Johns'),
  })
  .map((rules) => {
    const set = Object.entries(rules).filter(([, value]) => value !== undefined);
    return Object.fromEntries(set) as unknown as KeepRules;
  });

test('never deleted, whatever the rules say: what runs, what is protected, the newest good and the newest verified one', () => {
  fc.assert(
    fc.property(candidates, rulesOf, (backups, rules) => {
      const stay = kept(backups, rules, now);
      const newest = (all: readonly Candidate[]) =>
        all.toSorted((a, b) => b.atMs - a.atMs || b.name.localeCompare(a.name))[0]?.name;
      const all = backups.filter((one) => one.state === 'succeeded');
      for (const one of backups)
        if (one.protected || one.state === 'running') expect(stay).toContain(one.name);
      for (const name of [newest(all), newest(all.filter(({ verified }) => verified))])
        if (name !== undefined) expect([...stay]).toContain(name);
    }),
  );
});

test('a choice holds: what is kept is kept again, and the order in which backups are listed does not matter', () => {
  fc.assert(
    fc.property(candidates, rulesOf, (backups, rules) => {
      const stay = kept(backups, rules, now);
      const rest = backups.filter(({ name }) => stay.has(name));
      expect(kept(rest, rules, now)).toEqual(new Set(rest.map(({ name }) => name)));
      expect(kept(backups.toReversed(), rules, now)).toEqual(stay);
    }),
  );
});

test('a rule only adds: with more to keep, nothing goes that stayed before', () => {
  fc.assert(
    fc.property(candidates, rulesOf, fc.integer({ min: 1, max: 9 }), (backups, rules, more) => {
      const wider = {
        ...rules,
        keepLast: rules.keepLast + more,
        keepDaily: (rules.keepDaily ?? 0) + more,
        keepWeekly: (rules.keepWeekly ?? 0) + more,
        keepFailed: rules.keepFailed + more,
      };
      const stay = kept(backups, wider, now);
      for (const name of kept(backups, rules, now)) expect([...stay]).toContain(name);
    }),
  );
});

test('followed day by day for a year, no more stay than the rules add up to, and each period has its backup', () => {
  const rules: KeepRules = { ...none, keepLast: 3, keepDaily: 7, keepWeekly: 4, keepMonthly: 6 };
  let backups: Candidate[] = [];
  for (let day = 0; day < 365; day += 1) {
    const atMs = now + day * DAY;
    backups.push(good(`d${day}`, atMs));
    const stay = kept(backups, rules, atMs);
    backups = backups.filter(({ name }) => stay.has(name));
    expect(backups.length).toBeLessThanOrEqual(7 + 4 + 6);
  }
  const months = new Set(backups.map(({ atMs }) => new Date(atMs).toISOString().slice(0, 7)));
  expect(months.size).toBe(6);
});
