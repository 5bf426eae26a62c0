/** The rows of a reading operation, page by page. Each answer has the request for the next page. */
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { Database } from '../../../../gen/api.ts';
import { askLedger } from '../../data/ledger.ts';
import { useOrganization } from '../../shell/context.ts';
import type { OperationName } from './operations.ts';

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
      const at = { organizationId: organization.id, databaseId, signal };
      // Every field of a row is text or a small number.
      return await askLedger(at, operation, pageParam);
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
    /** Reads again, for rows that were written meanwhile. */
    again: () => {
      queryClient.removeQueries({ queryKey });
      setRound(round + 1);
    },
  };
}

export type LedgerRows = ReturnType<typeof useLedgerRows>;
