import { fieldErrors, isProblem } from '../../data/problem-error.ts';
import { Problem } from '../../ui/Problem.tsx';
import type { Update } from './use-update.ts';

/** Why the organization was not changed, unless a field says it. */
export const UpdateProblem = ({ update: { error } }: { readonly update: Update }) => (
  <>
    {error !== null && Object.keys(fieldErrors(error)).length === 0 && <Problem error={error} />}
    {isProblem(error, 'precondition_failed') && (
      <p role="status">
        Somebody changed it meanwhile. The page has what it is now; look, and ask again.
      </p>
    )}
  </>
);
