/** Flags of the engine's verbs for rows in a bucket. */
import type { ImportedRows } from '../../domain/custom-resources.ts';

export const rowsFlags = ({
  accounts,
  transfers,
  partSizeBytes,
  now,
  ignoreBalances,
}: ImportedRows): readonly string[] => [
  `--accounts=${accounts}`,
  ...(transfers === undefined ? [] : [`--transfers=${transfers}`]),
  `--part-size=${partSizeBytes}`,
  `--now=${now}`,
  ...(ignoreBalances === true ? ['--ignore-balances'] : []),
];
