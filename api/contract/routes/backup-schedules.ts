import { access } from '../../model/access.ts';
import { answer, empty, jsonBody, type RouteSpec } from '../route.ts';
import {
  backupScheduleExample,
  backupScheduleList,
  changedBackupSchedule,
  createBackupScheduleRequest,
  readBackupSchedule,
  updateBackupScheduleRequest,
} from '../schemas/backup-schedule.ts';

const path = '/api/v1/databases/{databaseId}/backup-schedules';
const one = '/api/v1/databases/{databaseId}/backup-schedules/{scheduleId}';
const tag = 'Backups';

export const backupScheduleRoutes = {
  createBackupSchedule: {
    method: 'POST',
    path,
    tag,
    summary: 'Schedule backups of a database',
    description:
      'Its backups are listed with the others, as SCHEDULED. A backup is removed when no rule of `keep` keeps it any more.',
    access: access.changeDatabase,
    body: jsonBody(createBackupScheduleRequest, {
      nightly: {
        schedule: '0 3 * * *',
        timeZone: 'Europe/Vienna',
        keep: { last: 3, daily: 7, weekly: 4, monthly: 12 },
      },
      hourly: { name: 'payments-hourly', schedule: '0 * * * *', keep: { last: 24 } },
    }),
    responses: {
      201: answer(
        'The schedule.',
        changedBackupSchedule,
        { success: true, backupSchedule: backupScheduleExample },
        ['Location'],
      ),
    },
    problems: [
      'backups_not_configured',
      'database_not_ready',
      'backup_schedule_name_taken',
      'quota_exceeded',
    ],
  },
  listBackupSchedules: {
    method: 'GET',
    path,
    tag,
    summary: 'List the schedules of a database’s backups',
    description: 'At most 100, by name, also those that were applied in Kubernetes.',
    access: access.readDatabase,
    responses: {
      200: answer('The schedules.', backupScheduleList, { data: [backupScheduleExample] }),
    },
    problems: [],
  },
  getBackupSchedule: {
    method: 'GET',
    path: one,
    tag,
    summary: 'Read a schedule of backups',
    access: access.readDatabase,
    responses: {
      200: answer('The schedule.', readBackupSchedule, { backupSchedule: backupScheduleExample }),
    },
    problems: [],
    conditional: 'settings',
  },
  updateBackupSchedule: {
    method: 'PATCH',
    path: one,
    tag,
    summary: 'Change a schedule of backups',
    description: 'Absent properties stay. Backups that no rule keeps any more are removed.',
    access: access.changeDatabase,
    body: jsonBody(updateBackupScheduleRequest, {
      pause: { suspended: true },
      keepMore: { keep: { monthly: 24 } },
    }),
    responses: {
      200: answer('It is changed.', changedBackupSchedule, {
        success: true,
        backupSchedule: backupScheduleExample,
      }),
    },
    problems: ['resource_changed'],
    conditional: 'match',
  },
  deleteBackupSchedule: {
    whileSuspended: true,
    method: 'DELETE',
    path: one,
    tag,
    summary: 'Delete a schedule of backups',
    description: 'The backups that it made stay until they are removed.',
    access: access.changeDatabase,
    responses: { 204: empty('It is deleted.') },
    problems: [],
  },
} as const satisfies Record<string, RouteSpec>;
