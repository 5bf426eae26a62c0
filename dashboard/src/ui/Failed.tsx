import { Problem } from './Problem.tsx';

interface Props {
  readonly read: {
    readonly isError: boolean;
    readonly error: unknown;
    readonly refetch: () => Promise<unknown>;
    /** Whether it is the next page of a list that failed: its button says so. */
    readonly isFetchNextPageError?: boolean;
  };
}

/** Why a read failed, with a button that reads again. What was read before may stand beside it. */
export const Failed = ({ read }: Props) =>
  read.isError &&
  read.isFetchNextPageError !== true && (
    <Problem error={read.error} onRetry={() => read.refetch()} />
  );
