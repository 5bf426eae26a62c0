import type { Principal } from '../auth/principal.ts';
import type { backupScheduleRoutes } from '../contract/routes/backup-schedules.ts';
import type { Caller } from '../databases/database-service.ts';
import { requireDatabase } from '../databases/require.ts';
import type { CallerFacts, Handler, HandlersOf } from '../http/handler.ts';
import type { IdempotentRequests } from '../http/idempotent.ts';
import type { BackupSchedule } from '../model/backup-schedule.ts';
import { findSchedule, listSchedules } from '../store/backup-schedules.ts';
import { shownSchedule } from './present.ts';
import {
  changeSchedule,
  removeSchedule,
  requestSchedule,
  scheduleNotFound,
  scheduleTag,
  type ScheduleServices,
} from './request.ts';

interface ScheduleHandlerOptions {
  readonly services: ScheduleServices;
  readonly requests: IdempotentRequests;
}

export const backupScheduleHandlers = ({
  services,
  requests,
}: ScheduleHandlerOptions): HandlersOf<typeof backupScheduleRoutes> => ({
  createBackupSchedule: create(services, requests),
  listBackupSchedules: list(services),
  getBackupSchedule: get(services),
  updateBackupSchedule: update(services),
  deleteBackupSchedule: remove(services),
});

const create =
  (services: ScheduleServices, requests: IdempotentRequests): Handler<'createBackupSchedule'> =>
  (request) => {
    const replyTo = (schedule: BackupSchedule) => {
      const { id, databaseId } = schedule;
      return {
        status: 201 as const,
        headers: { Location: `/api/v1/databases/${databaseId}/backup-schedules/${id}` },
        body: {
          success: true as const,
          backupSchedule: shownSchedule(schedule, services.now()),
        },
      };
    };
    return requests.run<ReturnType<typeof replyTo>>(request, async (keep) => {
      const { params, body } = request;
      const caller = callerOf(request);
      const made = await requestSchedule(
        services,
        caller,
        params.databaseId,
        body,
        (change, schedule) => keep(change, replyTo(schedule)),
      );
      return replyTo(made);
    });
  };

const list =
  ({ store, now }: ScheduleServices): Handler<'listBackupSchedules'> =>
  async ({ params: { databaseId }, principal }) => {
    await requireDatabase(store.read, principal.organization.id, databaseId);
    const schedules = await listSchedules(store.read, databaseId);
    return { status: 200, body: { data: schedules.map((one) => shownSchedule(one, now())) } };
  };

const get =
  ({ store, now }: ScheduleServices): Handler<'getBackupSchedule'> =>
  async ({ params: { databaseId, scheduleId }, principal }) => {
    await requireDatabase(store.read, principal.organization.id, databaseId);
    const found = await findSchedule(store.read, databaseId, scheduleId);
    if (found === undefined) throw scheduleNotFound(scheduleId);
    return {
      status: 200,
      etag: scheduleTag(found.id, found.spec),
      body: { backupSchedule: shownSchedule(found, now()) },
    };
  };

const update =
  (services: ScheduleServices): Handler<'updateBackupSchedule'> =>
  async (request) => {
    const { params, body, ifMatch } = request;
    const changed = await changeSchedule(services, callerOf(request), params, body, ifMatch);
    return {
      status: 200,
      etag: scheduleTag(changed.id, changed.spec),
      body: { success: true, backupSchedule: shownSchedule(changed, services.now()) },
    };
  };

const remove =
  (services: ScheduleServices): Handler<'deleteBackupSchedule'> =>
  async (request) => {
    await removeSchedule(services, callerOf(request), request.params);
    return { status: 204 };
  };

const callerOf = ({ principal, author }: CallerFacts<Principal>): Caller => ({
  organization: principal.organization,
  author,
});
