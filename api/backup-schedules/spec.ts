/** Converts requests for schedules of backups to specifications of resources. Pure. */
import { parseCron, periodsOf } from '../../domain/backup-times.ts';
import type { LedgerBackupSchedule } from '../../domain/custom-resources.ts';
import type { FieldChange } from '../model/event.ts';
import type { VerifyPeriod } from '../model/backup-schedule.ts';
import { Refusal } from '../model/refusal.ts';

type Spec = LedgerBackupSchedule['spec'];

const periods = {
  EVERY: 'Every',
  DAILY: 'Daily',
  WEEKLY: 'Weekly',
  NEVER: 'Never',
} as const satisfies Record<VerifyPeriod, Spec['verify']>;

export const verifyPeriodOf = (verify: Spec['verify']): VerifyPeriod =>
  (Object.keys(periods) as VerifyPeriod[]).find((period) => periods[period] === verify) ?? 'NEVER';

interface Keep {
  readonly last?: number | undefined;
  readonly hourly?: number | undefined;
  readonly daily?: number | undefined;
  readonly weekly?: number | undefined;
  readonly monthly?: number | undefined;
  readonly yearly?: number | undefined;
  readonly withinDays?: number | undefined;
  readonly failed?: number | undefined;
}

export interface ScheduleRequest {
  readonly schedule?: string | undefined;
  readonly timeZone?: string | undefined;
  readonly jitterSeconds?: number | undefined;
  readonly keep?: Keep | undefined;
  readonly verify?: VerifyPeriod | undefined;
  readonly suspended?: boolean | undefined;
}

/** The fields of a specification that are in a request. */
export function specOf({ keep = {}, verify, ...request }: ScheduleRequest): Partial<Spec> {
  const fields = {
    schedule: request.schedule,
    timeZone: request.timeZone,
    jitterSeconds: request.jitterSeconds,
    keepLast: keep.last,
    keepHourly: keep.hourly,
    keepDaily: keep.daily,
    keepWeekly: keep.weekly,
    keepMonthly: keep.monthly,
    keepYearly: keep.yearly,
    keepWithinDays: keep.withinDays,
    keepFailed: keep.failed,
    verify: verify && periods[verify],
    suspend: request.suspended,
  };
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as Partial<Spec>;
}

const hourMs = 3_600_000;
/** Enough: two starts within one hour show up among any three runs. */
const gapsLookedAt = 2;

/** Throws a refusal for times that cannot be followed, or that are too frequent. */
export function requireTimes(spec: Pick<Spec, 'schedule' | 'timeZone'>, nowMs: number): void {
  const cron = parseCron(spec);
  if ('problem' in cron) throw wrong('schedule', `cannot be followed: ${cron.problem}`);
  // In UTC, so that a change of clocks makes no hour too short.
  const gaps = periodsOf({ ...spec, timeZone: 'Etc/UTC' }, gapsLookedAt, nowMs);
  if (cron.nextRun(new Date(nowMs)) === null) throw wrong('schedule', 'never comes');
  if (gaps.some((gap) => gap < hourMs)) {
    throw wrong('schedule', 'comes more often than once an hour');
  }
}

const wrong = (field: string, detail: string): Refusal =>
  new Refusal('validation_failed', {
    detail: `${field} ${detail}.`,
    errors: [{ pointer: `#/${field}`, code: 'invalid_value', detail }],
  });

/** Differences that a request makes. */
export const changesOf = (before: Spec, after: Partial<Spec>): readonly FieldChange[] =>
  (Object.keys(after) as (keyof Spec)[]).flatMap((field) => {
    const [from, to] = [before[field] ?? null, after[field] ?? null];
    return from === to ? [] : [{ path: `/${field}`, from, to }];
  });
