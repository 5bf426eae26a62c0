/** Sends new records to the ledger. Their IDs belong to the draft, so that sending them again makes none twice. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { EventResult } from '../../../../gen/api.ts';
import { askLedger } from '../../data/ledger.ts';
import { NoAnswer, ProblemError } from '../../data/problem-error.ts';
import { newId } from '../../lib/digits.ts';
import { ledgerKey } from './queries.ts';
import { useLedgerAddress } from './use-ledger.ts';

export function useSend(operation: 'create_accounts' | 'create_transfers') {
  const at = useLedgerAddress();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (records: readonly object[]): Promise<readonly EventResult[]> =>
      (await askLedger(at, operation, records)).result,
    onSettled: () => queryClient.invalidateQueries({ queryKey: ledgerKey(at) }),
  });
}

/** Nothing was executed: the ledger was not reached, or is full. */
const unavailable = 503;

/** Whether the outcome is unknown: the answer was lost, or did not come in time. */
export const isUnknown = (error: unknown): boolean =>
  error instanceof NoAnswer ||
  (error instanceof ProblemError &&
    error.problem.status >= 500 &&
    error.problem.status !== unavailable);

export const draftId = (): string => newId(Date.now(), crypto.getRandomValues(new Uint8Array(10)));
