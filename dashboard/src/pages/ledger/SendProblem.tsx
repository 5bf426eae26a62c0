import { Problem } from '../../ui/Problem.tsx';
import { isUnknown } from './use-send.ts';

/** Why a write was not answered, and whether it may have happened all the same. */
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
