/** The rows that a reading operation answers, page by page: the answer itself says how to go on. */
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { Database, Execution } from '../../../../gen/api.ts';
import { ask } from '../../data/client.ts';
import { useOrganization } from '../../shell/context.ts';
import type { RecordRow } from './columns.ts';
import type { OperationName } from './operations.ts';

export interface LedgerAnswer {
  readonly execution: Execution;
  readonly result: readonly RecordRow[];
  readonly missing?: readonly string[];
  readonly page?: { readonly hasMore: boolean; readonly next: object | null };
  readonly warnings?: readonly { readonly detail: string }[];
  readonly documentationUrl: string;
  /** The answer as it came. */
  readonly text: string;
}

export function useLedgerRows(
  { id: databaseId }: Pick<Database, 'id'>,
  operation: OperationName,
  body: string | undefined,
  runs: boolean,
) {
  const organization = useOrganization();
  const queryClient = useQueryClient();
  const [round, setRound] = useState(0);
  const queryKey = ['ledger', databaseId, operation, body, round] as const;
  const query = useInfiniteQuery({
    queryKey,
    enabled: runs && body !== undefined,
    initialPageParam: body ?? '',
    queryFn: async ({ pageParam, signal }) => {
      const { data, text } = await ask(
        organization.id,
        'post',
        `/api/v1/databases/{databaseId}/tb/${operation}`,
        { params: { databaseId }, body: new TextEncoder().encode(pageParam) },
        { signal },
      );
      return { ...(data as unknown as LedgerAnswer), text };
    },
    getNextPageParam: ({ page }) =>
      page?.hasMore === true && page.next !== null ? JSON.stringify(page.next) : undefined,
    staleTime: Infinity,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  const answers = query.data?.pages;
  const rows = useMemo(() => answers?.flatMap(({ result }) => result) ?? [], [answers]);
  return {
    query,
    answer: answers?.at(-1),
    answers: answers ?? [],
    rows,
    /** Asks anew, for what was written meanwhile. */
    again: () => {
      queryClient.removeQueries({ queryKey });
      setRound(round + 1);
    },
  };
}

export type LedgerRows = ReturnType<typeof useLedgerRows>;
