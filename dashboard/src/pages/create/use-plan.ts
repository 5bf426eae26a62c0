/** The database that would be made, and its price: the service’s own dry run, requested when the person has stopped typing for a moment. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { DatabasePlan } from '../../../../gen/api.ts';
import { ask } from '../../data/client.ts';
import { fieldErrors, isPassing, isProblem } from '../../data/problem-error.ts';
import { useOrganization } from '../../shell/context.ts';
import { useDebounced } from '../../ui/use-debounced.ts';
import { haveOnePrice, requestOf, type Draft } from './draft.ts';

/** Name of the dry run while there is no name yet: the price does not wait for it. */
const nameless = 'not-named-yet';

export interface Plan {
  readonly data: DatabasePlan | undefined;
  /** Whether the service was asked with the choices that are made now; else the shown price is that of the ones before. */
  readonly isOfChoices: boolean;
  readonly error: unknown;
  readonly isFetching: boolean;
  /** Asks again; `undefined` where the answer would be the same. */
  readonly again: (() => unknown) | undefined;
}

export function usePlan(draft: Draft, catalogVersion: string): Plan {
  const { id } = useOrganization();
  const name = draft.name === '' ? nameless : draft.name;
  const wanted = JSON.stringify(requestOf({ ...draft, name }, catalogVersion));
  const body = useDebounced(wanted);
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['plan', id, body],
    queryFn: async ({ signal }) => {
      const answer = await ask(
        id,
        'post',
        '/api/v1/databases',
        { query: { dryRun: true }, body: new TextEncoder().encode(body) },
        { signal },
      );
      return { plan: answer.data as unknown as DatabasePlan, body };
    },
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  });
  const isOfChoices = data !== undefined && haveOnePrice(data.body, wanted);
  const again = isPassing(error) ? () => refetch() : undefined;
  return { data: data?.plan, error, isOfChoices, isFetching, again };
}

/** The errors of a plan, by the field of the form that shows them. */
export const planErrors = ({ error }: Plan): Readonly<Record<string, string>> => ({
  ...fieldErrors(error),
  ...(isProblem(error, 'database_name_taken') && { name: error.problem.detail }),
  ...(isProblem(error, 'storage_unavailable_for_topology') && {
    storageTier: error.problem.detail,
  }),
});

/** Why nothing can be made of the choices yet: nobody orders at a price that was not shown. */
export function whyNotYet({ error, isOfChoices }: Plan): string | undefined {
  if (error !== null) {
    return isPassing(error) ? 'The price could not be asked for.' : 'Correct the errors first.';
  }
  return isOfChoices ? undefined : 'The price of these choices is on its way.';
}
