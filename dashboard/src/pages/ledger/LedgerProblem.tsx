import { Empty } from '../../ui/States.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { NotThere } from './queries.ts';

interface Props {
  readonly error: unknown;
  readonly onRetry: () => unknown;
}

/** A missing record is no error; everything else is shown as a problem. */
export const LedgerProblem = ({ error, onRetry }: Props) =>
  error instanceof NotThere ? (
    <Empty title="Not there">{error.message}</Empty>
  ) : (
    <Problem error={error} onRetry={onRetry} />
  );
