/** What would be made, and its price: the service’s own dry run, asked when the person has stopped typing for a moment. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { DatabasePlan } from '../../../../gen/api.ts';
import { ask } from '../../data/client.ts';
import { useOrganization } from '../../shell/context.ts';
import { requestOf, type Draft } from './draft.ts';

const waitMs = 350;
/** Name of the dry run while there is no name yet: the price does not wait for it. */
const nameless = 'not-named-yet';

export interface Plan {
  readonly data: DatabasePlan | undefined;
  readonly error: unknown;
  readonly isFetching: boolean;
}

export function usePlan(draft: Draft, catalogVersion: string): Plan {
  const { id } = useOrganization();
  const name = draft.name === '' ? nameless : draft.name;
  const body = useDebounced(JSON.stringify(requestOf({ ...draft, name }, catalogVersion)));
  const plan = useQuery({
    queryKey: ['plan', id, body],
    queryFn: async ({ signal }) => {
      const { data } = await ask(
        id,
        'post',
        '/api/v1/databases',
        { query: { dryRun: true }, body: new TextEncoder().encode(body) },
        { signal },
      );
      return data as unknown as DatabasePlan;
    },
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  });
  return { data: plan.data, error: plan.error, isFetching: plan.isFetching };
}

function useDebounced(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), waitMs);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
