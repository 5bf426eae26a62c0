/** The moments that a database can be restored to, and the previews of a restore. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { backupsKey } from './backup-queries.ts';
import { ask } from './client.ts';
import { every } from './polling.ts';

const calmMs = 15_000;

export const windowQuery = (organizationId: string, databaseId: string) =>
  queryOptions({
    queryKey: [...backupsKey(organizationId, databaseId), 'window'],
    queryFn: async ({ signal }) => {
      const path = '/api/v1/databases/{databaseId}/recovery-window';
      const parts = { params: { databaseId } };
      return (await ask(organizationId, 'get', path, parts, { signal })).data.recoveryWindow;
    },
    refetchInterval: every(calmMs),
  });

export const previewQuery = (organizationId: string, databaseId: string, targetTime: string) =>
  queryOptions({
    queryKey: [...backupsKey(organizationId, databaseId), 'preview', targetTime],
    queryFn: async ({ signal }) => {
      const path = '/api/v1/databases/{databaseId}/recovery-window/preview';
      const parts = { params: { databaseId }, body: { targetTime } };
      return (await ask(organizationId, 'post', path, parts, { signal })).data.preview;
    },
    enabled: targetTime !== '',
    placeholderData: keepPreviousData,
    retry: false,
  });

/** What the database itself would lose if it went back. */
export const inPlacePreviewQuery = (
  organizationId: string,
  databaseId: string,
  body: { readonly backupId: string } | { readonly targetTime: string },
) =>
  queryOptions({
    queryKey: [...backupsKey(organizationId, databaseId), 'in-place', body],
    queryFn: async ({ signal }) => {
      const path = '/api/v1/databases/{databaseId}/restore-in-place/preview';
      const parts = { params: { databaseId }, body };
      return (await ask(organizationId, 'post', path, parts, { signal })).data.preview;
    },
    retry: false,
  });
