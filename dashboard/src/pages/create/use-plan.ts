/** The database that would be made, and its price: the service’s own dry run, requested when the person has stopped typing for a moment. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { DatabasePlan } from '../../../../gen/api.ts';
import { ask } from '../../data/client.ts';
import { fieldErrors, isProblem } from '../../data/problem-error.ts';
import { useOrganization } from '../../shell/context.ts';
import { useDebounced } from '../../ui/use-debounced.ts';
import { requestOf, type Draft } from './draft.ts';

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

/** The errors of a plan, by the field of the form that shows them. */
export const planErrors = ({ error }: Plan): Readonly<Record<string, string>> => ({
  ...fieldErrors(error),
  ...(isProblem(error, 'database_name_taken') && { name: error.problem.detail }),
  ...(isProblem(error, 'storage_unavailable_for_topology') && {
    storageTier: error.problem.detail,
  }),
});
