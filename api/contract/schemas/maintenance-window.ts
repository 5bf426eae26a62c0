/** Maintenance windows of an organization and of its databases. */
import { z } from 'zod';
import { lengthMinutesLimits, weekdays } from '../../../domain/maintenance-window.ts';
import { success, text, time } from './common.ts';

const { min, max } = lengthMinutesLimits;

const fields = {
  weekday: z.enum(weekdays).describe('Day of the week on which it begins, in its time zone.'),
  startTime: z
    .string()
    .regex(/^([01]\d|2[0-3]):[0-5]\d$/, { error: 'must be a time of day such as 02:30' })
    .describe(
      'Time of day in its time zone, `HH:MM`. If clocks skip it, the window begins right after the skipped time; if it comes twice, the window begins once.',
    ),
  lengthMinutes: z.int().min(min).max(max).describe('Changes begin for this long.'),
  timeZone: text(64, 'Name of a time zone of the IANA database, such as `Europe/Vienna`.'),
} as const;

export const maintenanceWindowRequest = z
  .strictObject({ ...fields, lengthMinutes: fields.lengthMinutes.default(240) })
  .meta({ id: 'MaintenanceWindowRequest' });

export const windowTimes = z
  .object({
    beginsAt: time('When it begins, or has begun.'),
    endsAt: time('From then on nothing begins in it.'),
  })
  .meta({ id: 'MaintenanceWindowTimes' });

const maintenanceWindow = z
  .object({
    ...fields,
    from: z
      .enum(['DATABASE', 'ORGANIZATION', 'DEFAULT'])
      .describe('Where it is set; `DEFAULT`: nowhere, and the default of the service applies.'),
    next: windowTimes.describe('The window that is open, or the next one.'),
  })
  .meta({ id: 'MaintenanceWindow' });

export const readMaintenanceWindow = z
  .object({ maintenanceWindow })
  .meta({ id: 'MaintenanceWindowAnswer' });
export const changedMaintenanceWindow = z
  .object({ success, maintenanceWindow })
  .meta({ id: 'ChangedMaintenanceWindow' });

export const windowTimesExample: z.input<typeof windowTimes> = {
  beginsAt: '2026-11-22T01:00:00.000Z',
  endsAt: '2026-11-22T05:00:00.000Z',
};

export const maintenanceWindowExample: z.input<typeof maintenanceWindow> = {
  weekday: 'SUNDAY',
  startTime: '02:00',
  lengthMinutes: 240,
  timeZone: 'Europe/Vienna',
  from: 'ORGANIZATION',
  next: windowTimesExample,
};
