/**
 * Maintenance windows: a time of each week in which changes begin that wait for it. A window says when a change may begin; one
 * that has begun is carried through, also beyond the end. Pure.
 */
import { parseCron } from './backup-times.ts';

export const weekdays = [
  'SUNDAY',
  'MONDAY',
  'TUESDAY',
  'WEDNESDAY',
  'THURSDAY',
  'FRIDAY',
  'SATURDAY',
] as const;

export interface MaintenanceWindow {
  readonly weekday: (typeof weekdays)[number];
  /** Time of day in the zone, `HH:MM`. Where clocks skip it, the window begins when they have; where it comes twice, once. */
  readonly startTime: string;
  /** Elapsed time, whatever the clocks of the zone do meanwhile. */
  readonly lengthMinutes: number;
  /** Name of the IANA database. */
  readonly timeZone: string;
}

export const lengthMinutesLimits = { min: 30, max: 1_440 } as const;

/** The window of an organization that has set none. */
export const defaultWindow: MaintenanceWindow = {
  weekday: 'SUNDAY',
  startTime: '02:00',
  lengthMinutes: 240,
  timeZone: 'Etc/UTC',
};

export interface WindowTimes {
  readonly beginsAt: Date;
  /** The window is no longer open at this time. */
  readonly endsAt: Date;
}

const minute = 60_000;
const day = 1_440 * minute;

/** The window that is open at a time; if none is, the next one. */
export function windowAt(window: MaintenanceWindow, at: Date): WindowTimes {
  const cron = parseCron(whenOf(window));
  if ('problem' in cron) throw new RangeError(cron.problem);
  const lengthMs = window.lengthMinutes * minute;
  // From a time well before: where clocks are set back, a start that comes twice is found twice if one asks in between.
  const from = new Date(at.getTime() - lengthMs - 2 * day);
  for (const beginsAt of cron.nextRuns(3, from)) {
    const endsAt = new Date(beginsAt.getTime() + lengthMs);
    if (endsAt > at) return { beginsAt, endsAt };
  }
  throw new RangeError(`there is no window after ${at.toISOString()}`);
}

/** Whether a window is open: changes that wait for it begin. */
export const isOpen = ({ beginsAt }: WindowTimes, at: Date): boolean => beginsAt <= at;

/** The error in a time zone, in words; `undefined`: it exists. */
export function timeZoneProblem(timeZone: string): string | undefined {
  const cron = parseCron(whenOf({ ...defaultWindow, timeZone }));
  return 'problem' in cron
    ? `“${timeZone}” is no time zone of the IANA database, such as Europe/Vienna`
    : undefined;
}

function whenOf({ weekday, startTime, timeZone }: MaintenanceWindow) {
  const [hour = '0', minutes = '0'] = startTime.split(':');
  const schedule = `${Number(minutes)} ${Number(hour)} * * ${weekdays.indexOf(weekday)}`;
  return { schedule, timeZone };
}
