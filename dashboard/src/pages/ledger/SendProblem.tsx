import { Problem } from '../../ui/Problem.tsx';
import { isUnknown } from './use-send.ts';

/** Says why a write got no answer, and whether it may have happened nevertheless. */
export const SendProblem = ({ error, what }: { error: unknown; what: string }) => (
  <>
    <Problem error={error} />
    {isUnknown(error) ? (
      <p>
        It is not known whether the {what} were made. Send the same again: they keep their IDs, so
        none is made twice, and the answer tells which are there.
      </p>
    ) : (
      <p>Nothing was made.</p>
    )}
  </>
);
