/** The queries of the pages of an organization's settings. The service filters: a list here never hides rows of its pages. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { keptRows } from './kept-rows.ts';
import type { ApiKey, AuditEvent, Member } from '../../../gen/api.ts';
import { ask } from './client.ts';
import { every } from './polling.ts';

const listMs = 30_000;
/** Rows of a page of a list. */
const rows = 50;

export interface KeyFilter {
  readonly q?: string;
  readonly status?: ApiKey['status'];
  readonly permission?: ApiKey['permissions'][number];
  readonly databaseId?: string;
  /** Keys that work, and stop working within so many days. */
  readonly endsWithin?: '7' | '30' | '90';
}

export const keysQuery = (organizationId: string, filter: KeyFilter) =>
  infiniteQueryOptions({
    queryKey: ['keys', organizationId, filter],
    initialPageParam: '',
    queryFn: async ({ signal, pageParam }) => {
      const { status, endsWithin, ...rest } = filter;
      const query = {
        limit: rows,
        ...rest,
        ...(status !== undefined && { status: [status] }),
        ...(endsWithin !== undefined && { expiresWithinDays: Number(endsWithin) }),
        ...(pageParam !== '' && { cursor: pageParam }),
      };
      return (await ask(organizationId, 'get', '/api/v1/api-keys', { query }, { signal })).data;
    },
    getNextPageParam: (last) => last.page.nextCursor ?? undefined,
    placeholderData: (before) => keptRows(before),
    refetchInterval: every(listMs),
  });

/** One key as it is now, with its ETag. */
export const keyQuery = (organizationId: string, keyId: string) =>
  queryOptions({
    queryKey: ['keys', organizationId, keyId],
    queryFn: ({ signal }) => {
      const path = '/api/v1/api-keys/{keyId}';
      return ask(organizationId, 'get', path, { params: { keyId } }, { signal });
    },
    // A form that is opened again soon waits for what there is then.
    staleTime: 0,
  });

export interface MemberFilter {
  readonly q?: string;
  readonly role?: Member['role'];
}

export const membersQuery = (organizationId: string, filter: MemberFilter) =>
  infiniteQueryOptions({
    queryKey: ['members', organizationId, filter],
    initialPageParam: '',
    queryFn: async ({ signal, pageParam }) => {
      const { role, ...rest } = filter;
      const query = {
        limit: rows,
        ...rest,
        ...(role !== undefined && { role: [role] }),
        ...(pageParam !== '' && { cursor: pageParam }),
      };
      return (await ask(organizationId, 'get', '/api/v1/members', { query }, { signal })).data;
    },
    getNextPageParam: (last) => last.page.nextCursor ?? undefined,
    placeholderData: (before) => keptRows(before),
  });

/** One member as it is now, with its ETag. */
export const memberQuery = (organizationId: string, membershipId: string) =>
  queryOptions({
    queryKey: ['members', organizationId, membershipId],
    queryFn: ({ signal }) => {
      const path = '/api/v1/members/{membershipId}';
      return ask(organizationId, 'get', path, { params: { membershipId } }, { signal });
    },
    // A form that is opened again soon waits for what there is then.
    staleTime: 0,
  });

export const invitationsQuery = (organizationId: string) =>
  infiniteQueryOptions({
    queryKey: ['invitations', organizationId],
    initialPageParam: '',
    queryFn: async ({ signal, pageParam }) => {
      const query = { limit: rows, ...(pageParam !== '' && { cursor: pageParam }) };
      return (await ask(organizationId, 'get', '/api/v1/invitations', { query }, { signal })).data;
    },
    getNextPageParam: (last) => last.page.nextCursor ?? undefined,
  });

export interface AuditFilter {
  readonly type?: string;
  readonly outcome?: AuditEvent['outcome'];
  readonly actorId?: string;
  readonly targetId?: string;
  readonly databaseId?: string;
  readonly after?: string;
  readonly before?: string;
}

/** The filter as the service reads it. */
export const auditParameters = ({ type, outcome, ...rest }: AuditFilter) => ({
  ...rest,
  ...(type !== undefined && { type: [type] }),
  ...(outcome !== undefined && { outcome: [outcome] }),
});

export const auditQuery = (organizationId: string, filter: AuditFilter) =>
  infiniteQueryOptions({
    queryKey: ['audit', organizationId, filter],
    initialPageParam: '',
    queryFn: async ({ signal, pageParam }) => {
      const query = {
        limit: rows,
        ...auditParameters(filter),
        ...(pageParam !== '' && { cursor: pageParam }),
      };
      return (await ask(organizationId, 'get', '/api/v1/audit-events', { query }, { signal })).data;
    },
    getNextPageParam: (last) => last.page.nextCursor ?? undefined,
    placeholderData: (before) => keptRows(before),
  });

export const billingQuery = (organizationId: string) =>
  queryOptions({
    queryKey: ['billing', organizationId],
    queryFn: ({ signal }) => ask(organizationId, 'get', '/api/v1/billing', {}, { signal }),
  });

export interface UsageFilter {
  /** `2026-11`; the current one when absent. */
  readonly month?: string;
  readonly by?: 'day';
}

export const usageQuery = (organizationId: string, filter: UsageFilter) =>
  infiniteQueryOptions({
    queryKey: ['usage', organizationId, filter],
    initialPageParam: '',
    queryFn: async ({ signal, pageParam }) => {
      const query = { limit: rows, ...filter, ...(pageParam !== '' && { cursor: pageParam }) };
      return (await ask(organizationId, 'get', '/api/v1/billing/usage', { query }, { signal }))
        .data;
    },
    getNextPageParam: (last) => last.page.nextCursor ?? undefined,
    placeholderData: (before) => keptRows(before),
  });

export const invoicesQuery = (organizationId: string) =>
  infiniteQueryOptions({
    queryKey: ['invoices', organizationId],
    initialPageParam: '',
    queryFn: async ({ signal, pageParam }) => {
      const query = { limit: 12, ...(pageParam !== '' && { cursor: pageParam }) };
      return (await ask(organizationId, 'get', '/api/v1/billing/invoices', { query }, { signal }))
        .data;
    },
    getNextPageParam: (last) => last.page.nextCursor ?? undefined,
  });
