/** Schedules of backups. */
import { z } from 'zod';
import { backupScheduleStatuses, verifyPeriods } from '../../model/backup-schedule.ts';
import { actor, exampleId, exampleTime, id, reason, success, text, time } from './common.ts';

const name = z
  .string()
  .regex(/^[a-z0-9]([a-z0-9-]{0,48}[a-z0-9])?$/, {
    error:
      'must have 1 to 50 lower-case letters, digits and hyphens, and begin and end with a letter or digit',
  })
  .describe(
    'Name, unique in the organization; its backups are named by it and their time. `DATABASE-scheduled` when absent.',
  );

const schedule = z
  .string()
  .max(100)
  .regex(/^([!-~]+ +){4}[!-~]+$/, { error: 'must have the five fields of cron' })
  .describe('Five fields of cron, in the time of the zone; at most one backup an hour.');
const timeZone = text(64, 'Name of a time zone of the IANA database, such as `Europe/Vienna`.');
const jitterSeconds = z
  .int()
  .min(0)
  .max(3_600)
  .describe('Backups begin up to this much later, always by the same delay.');
const suspended = z.boolean().describe('While true, it makes no backups.');
const verify = z
  .enum(verifyPeriods)
  .describe('How often a test restore proves its newest good backup. `EVERY` proves each one.');

const count = (max: number, about: string) => z.int().min(0).max(max).describe(about);
/** A backup stays if any of these keeps it. */
const keepFields = {
  last: z.int().min(1).max(100).describe('How many of the newest good backups stay.'),
  hourly: count(1_000, 'Hours whose last backup stays.'),
  daily: count(1_000, 'Days whose last backup stays.'),
  weekly: count(1_000, 'Weeks whose last backup stays.'),
  monthly: count(1_000, 'Months whose last backup stays.'),
  yearly: count(100, 'Years whose last backup stays.'),
  withinDays: count(3_650, 'Days for which every backup stays.'),
  failed: count(100, 'How many of the newest failed backups stay.'),
};

const aboutKeep =
  'A backup stays if any of these keeps it. Protected ones, the newest good one and the newest proven one always stay.';

const keepWanted = z
  .strictObject({
    last: keepFields.last.default(7),
    hourly: keepFields.hourly.default(0),
    daily: keepFields.daily.default(0),
    weekly: keepFields.weekly.default(0),
    monthly: keepFields.monthly.default(0),
    yearly: keepFields.yearly.default(0),
    withinDays: keepFields.withinDays.default(0),
    failed: keepFields.failed.default(3),
  })
  .describe(aboutKeep);

export const createBackupScheduleRequest = z
  .strictObject({
    name: name.optional(),
    schedule,
    timeZone: timeZone.default('Etc/UTC'),
    jitterSeconds: jitterSeconds.default(0),
    immediate: z
      .boolean()
      .default(false)
      .describe('Whether the first backup is made at once, not at the first time.'),
    keep: keepWanted.prefault({}),
    verify: verify.default('WEEKLY'),
    suspended: suspended.default(false),
  })
  .meta({ id: 'CreateBackupScheduleRequest' });

export const updateBackupScheduleRequest = z
  .strictObject({
    schedule: schedule.optional(),
    timeZone: timeZone.optional(),
    jitterSeconds: jitterSeconds.optional(),
    keep: z.strictObject(keepFields).partial().optional().describe('Absent properties stay.'),
    verify: verify.optional(),
    suspended: suspended.optional(),
  })
  .refine((body) => Object.keys(body).length > 0, { error: 'changes nothing' })
  .meta({ id: 'UpdateBackupScheduleRequest' });

export const backupSchedule = z
  .object({
    id: id('bks', 'Schedule ID.'),
    databaseId: id('db', 'The database that is backed up.'),
    name: z.string().describe('Name of its resource in Kubernetes.'),
    schedule: z.string().describe('Five fields of cron.'),
    timeZone: z.string(),
    jitterSeconds: z.int().min(0),
    keep: z.object(keepFields).describe(aboutKeep),
    verify,
    suspended,
    status: z
      .enum(backupScheduleStatuses)
      .describe(
        '`PENDING`: the operator has not read it yet. `STOPPED`: it makes no backups, for `statusReason`.',
      ),
    statusReason: reason.nullable(),
    nextRuns: z
      .array(time('When a backup is due.'))
      .describe('The next three, with the delay; empty while it makes no backups.'),
    lastRunAt: time('The time for which its last backup was made.').nullable(),
    lastSucceededAt: time('When its last good backup was complete.').nullable(),
    lastVerifiedAt: time('When a test last found one of its backups sound.').nullable(),
    backups: z.int().min(0).describe('Number of its backups.'),
    actor,
    createdAt: time('When it was made.'),
    updatedAt: time('When it, or its state at the operator, last changed.'),
  })
  .meta({ id: 'BackupSchedule' });

export const backupScheduleList = z
  .object({ data: z.array(backupSchedule) })
  .meta({ id: 'BackupScheduleList' });
export const readBackupSchedule = z.object({ backupSchedule }).meta({ id: 'BackupScheduleAnswer' });
export const changedBackupSchedule = z
  .object({ success, backupSchedule })
  .meta({ id: 'ChangedBackupSchedule' });

export const backupScheduleExample: z.input<typeof backupSchedule> = {
  id: exampleId('bks'),
  databaseId: exampleId('db'),
  name: 'payments-prod-scheduled',
  schedule: '0 3 * * *',
  timeZone: 'Europe/Vienna',
  jitterSeconds: 0,
  keep: {
    last: 3,
    hourly: 0,
    daily: 7,
    weekly: 4,
    monthly: 12,
    yearly: 0,
    withinDays: 0,
    failed: 3,
  },
  verify: 'WEEKLY',
  suspended: false,
  status: 'ACTIVE',
  statusReason: null,
  nextRuns: ['2026-11-22T02:00:00.000Z', '2026-11-23T02:00:00.000Z', '2026-11-24T02:00:00.000Z'],
  lastRunAt: '2026-11-21T02:00:00.000Z',
  lastSucceededAt: exampleTime,
  lastVerifiedAt: exampleTime,
  backups: 12,
  actor: { type: 'api_key', id: exampleId('key'), display: 'ci' },
  createdAt: exampleTime,
  updatedAt: exampleTime,
};
