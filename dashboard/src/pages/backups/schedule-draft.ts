/** The choices of a schedule in a form, and the request made from them. */
import type { BackupSchedule } from '../../../../gen/api.ts';

export interface ScheduleDraft {
  readonly schedule: string;
  readonly timeZone: string;
  readonly last: string;
  readonly daily: string;
  readonly weekly: string;
  readonly monthly: string;
  readonly verify: BackupSchedule['verify'];
}

export const draftOf = (schedule: BackupSchedule | undefined): ScheduleDraft =>
  schedule === undefined
    ? {
        schedule: '0 3 * * *',
        timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
        last: '3',
        daily: '7',
        weekly: '4',
        monthly: '12',
        verify: 'WEEKLY',
      }
    : {
        schedule: schedule.schedule,
        timeZone: schedule.timeZone,
        last: String(schedule.keep.last),
        daily: String(schedule.keep.daily),
        weekly: String(schedule.keep.weekly),
        monthly: String(schedule.keep.monthly),
        verify: schedule.verify,
      };

/** An empty field keeps nothing; the service refuses text that is no number. */
const countOf = (text: string): number => (text === '' ? 0 : Number.parseInt(text, 10));

export const requestOf = ({ schedule, timeZone, verify, ...keep }: ScheduleDraft) => ({
  schedule: schedule.trim(),
  timeZone: timeZone.trim(),
  verify,
  keep: {
    last: countOf(keep.last),
    daily: countOf(keep.daily),
    weekly: countOf(keep.weekly),
    monthly: countOf(keep.monthly),
  },
});

/** What people set, a line for each field. */
export const settingsWords = (schedule: BackupSchedule): string => {
  const { verify, suspended, timeZone, keep } = schedule;
  return [
    `${schedule.schedule} (${timeZone})${suspended ? ', suspended' : ''}`,
    `${keep.last} newest, ${keep.daily} days, ${keep.weekly} weeks, ${keep.monthly} months`,
    `test restores: ${verify.toLowerCase()}`,
  ].join('\n');
};

/** The patterns that people choose most often. */
export const patterns = [
  ['0 * * * *', 'every hour'],
  ['0 */6 * * *', 'every six hours'],
  ['0 3 * * *', 'every night at three'],
  ['0 3 * * 1', 'every Monday at three'],
] as const;
