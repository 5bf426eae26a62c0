/** The backups of a database, one of them, and its schedules. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { Backup } from '../../../gen/api.ts';
import { ask } from './client.ts';
import { every } from './polling.ts';
import { databaseKey } from './queries.ts';

const rows = 20;
const busyMs = 2_000;
const calmMs = 15_000;

export const backupsKey = (organizationId: string, databaseId: string) =>
  [...databaseKey(organizationId, databaseId), 'backups'] as const;

/** Whether work on a backup is under way, whose progress the page shows. */
const isBusy = ({ status, verification }: Backup): boolean =>
  ['QUEUED', 'RUNNING', 'DELETING'].includes(status) || verification?.status === 'RUNNING';

/** `isWorkedOn`: a job about backups is running, whose effect may not be seen in any of them yet. */
export const backupsQuery = (organizationId: string, databaseId: string, isWorkedOn: boolean) =>
  infiniteQueryOptions({
    queryKey: backupsKey(organizationId, databaseId),
    initialPageParam: '',
    queryFn: async ({ signal, pageParam }) => {
      const query = { limit: rows, ...(pageParam !== '' && { cursor: pageParam }) };
      const path = '/api/v1/databases/{databaseId}/backups';
      const parts = { params: { databaseId }, query };
      return (await ask(organizationId, 'get', path, parts, { signal })).data;
    },
    getNextPageParam: (last) => last.page.nextCursor ?? undefined,
    refetchInterval: (query) =>
      every(
        isWorkedOn || query.state.data?.pages.some(({ data }) => data.some(isBusy))
          ? busyMs
          : calmMs,
      )(),
  });

export const backupQuery = (organizationId: string, databaseId: string, backupId: string) =>
  queryOptions({
    queryKey: [...backupsKey(organizationId, databaseId), backupId],
    queryFn: async ({ signal }) => {
      const path = '/api/v1/databases/{databaseId}/backups/{backupId}';
      const parts = { params: { databaseId, backupId } };
      return (await ask(organizationId, 'get', path, parts, { signal })).data.backup;
    },
  });

export const schedulesKey = (organizationId: string, databaseId: string) =>
  [...databaseKey(organizationId, databaseId), 'backup-schedules'] as const;

/** One schedule as it is now, with its ETag. */
export const scheduleQuery = (organizationId: string, databaseId: string, scheduleId: string) =>
  queryOptions({
    queryKey: [...schedulesKey(organizationId, databaseId), scheduleId],
    queryFn: ({ signal }) => {
      const path = '/api/v1/databases/{databaseId}/backup-schedules/{scheduleId}';
      return ask(organizationId, 'get', path, { params: { databaseId, scheduleId } }, { signal });
    },
    // A form that is opened again soon waits for what there is then.
    staleTime: 0,
  });

export const schedulesQuery = (organizationId: string, databaseId: string) =>
  queryOptions({
    queryKey: schedulesKey(organizationId, databaseId),
    queryFn: async ({ signal }) => {
      const path = '/api/v1/databases/{databaseId}/backup-schedules';
      const parts = { params: { databaseId } };
      return (await ask(organizationId, 'get', path, parts, { signal })).data.data;
    },
    refetchInterval: (query) =>
      every(query.state.data?.some(({ status }) => status === 'PENDING') ? busyMs : calmMs)(),
  });
