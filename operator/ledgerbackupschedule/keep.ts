/** Chooses the backups of a schedule that stay. Pure: the same backups at the same time give the same choice. */
import { isAhead } from '../../domain/clocks.ts';
import type { LedgerBackupSchedule } from '../../domain/custom-resources.ts';

export type KeepRules = Pick<
  LedgerBackupSchedule['spec'],
  | 'timeZone'
  | 'keepLast'
  | 'keepHourly'
  | 'keepDaily'
  | 'keepWeekly'
  | 'keepMonthly'
  | 'keepYearly'
  | 'keepWithinDays'
  | 'keepFailed'
>;

export interface Candidate {
  readonly name: string;
  /** Time of its making, in milliseconds since the UNIX epoch. */
  readonly atMs: number;
  readonly state: 'running' | 'succeeded' | 'failed';
  readonly verified: boolean;
  readonly protected: boolean;
}

const DAY_MS = 86_400_000;

/**
 * Names of the backups that stay: those that any rule keeps, all that run or are protected, the newest good one, and the newest
 * verified one. One whose time has not come, because a clock was wrong, stays, and takes the place of no other. Rules keep the last good
 * backup of each hour, day, week, month and year that has one, and count these.
 */
export function kept(
  backups: readonly Candidate[],
  rules: KeepRules,
  nowMs: number,
): ReadonlySet<string> {
  const ahead = backups.filter(({ atMs }) => isAhead(atMs, nowMs));
  const newestFirst = backups
    .filter(({ atMs }) => !isAhead(atMs, nowMs))
    .toSorted((one, other) => other.atMs - one.atMs || other.name.localeCompare(one.name));
  const good = newestFirst.filter(({ state }) => state === 'succeeded');
  const failed = newestFirst.filter(({ state }) => state === 'failed');
  const within = nowMs - (rules.keepWithinDays ?? 0) * DAY_MS;
  const calendar = calendarOf(rules.timeZone);
  const stay = [
    ...ahead,
    ...newestFirst.filter((one) => one.state === 'running' || one.protected),
    ...good.slice(0, Math.max(1, rules.keepLast)),
    ...good.filter(({ verified }) => verified).slice(0, 1),
    ...good.filter(({ atMs }) => rules.keepWithinDays !== undefined && atMs > within),
    ...failed.slice(0, rules.keepFailed),
    ...lastOfEach(good, rules.keepHourly, ({ atMs }) => Math.floor(atMs / 3_600_000)),
    ...lastOfEach(good, rules.keepDaily, ({ atMs }) => calendar(atMs).day),
    ...lastOfEach(good, rules.keepWeekly, ({ atMs }) => calendar(atMs).week),
    ...lastOfEach(good, rules.keepMonthly, ({ atMs }) => calendar(atMs).month),
    ...lastOfEach(good, rules.keepYearly, ({ atMs }) => calendar(atMs).year),
  ];
  return new Set(stay.map(({ name }) => name));
}

function lastOfEach(
  newestFirst: readonly Candidate[],
  count = 0,
  periodOf: (one: Candidate) => string | number,
): readonly Candidate[] {
  const last = new Map<string | number, Candidate>();
  for (const one of newestFirst) {
    if (last.size === count) break;
    const period = periodOf(one);
    if (!last.has(period)) last.set(period, one);
  }
  return [...last.values()];
}

interface Periods {
  readonly day: string;
  /** The Monday with which the ISO week begins. */
  readonly week: number;
  readonly month: string;
  readonly year: string;
}

function calendarOf(timeZone: string): (atMs: number) => Periods {
  // Swedish writes dates as ISO 8601 does.
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' });
  return (atMs) => {
    const day = format.format(atMs);
    const days = Math.floor(Date.parse(`${day}T00:00:00Z`) / DAY_MS);
    // The first of January 1970 was a Thursday.
    const week = Math.floor((days + 3) / 7);
    return { day, week, month: day.slice(0, 7), year: day.slice(0, 4) };
  };
}
