/** Flags that name rows in a bucket, and how they are executed: the same for a trial and for the data file that is made after it. */
import type { StagedRows } from '../../rows/staged-rows.ts';
import { bucketFlags } from '../backup/store-flags.ts';
import { parseInteger, required } from '../values.ts';
import { UsageError, type Flag, type Input } from '../verb.ts';

const IMPORT_ID = /^[a-z0-9][a-z0-9_-]{0,62}$/;
const DIGEST = /^[0-9a-f]{64}$/;
const TIMESTAMP = /^[1-9][0-9]{0,18}$/;

export const importFlag: Flag = {
  name: 'import',
  value: 'name',
  help: 'the folder of the files, below import-files',
};

export const stagedFlags: readonly Flag[] = [
  ...bucketFlags,
  importFlag,
  {
    name: 'accounts',
    value: 'digest',
    help: 'of the file with accounts: SHA-256 of the SHA-256s of its parts',
  },
  {
    name: 'transfers',
    value: 'digest',
    help: 'the same of the file with transfers, if there is one',
  },
  { name: 'part-size', value: 'bytes', help: 'bytes of each part but the last one' },
  {
    name: 'now',
    value: 'timestamp',
    help: 'nanoseconds since 1970: rows without timestamps begin there, and no row may be later',
  },
  {
    name: 'ignore-balances',
    value: undefined,
    help: 'do not compare the balances of the accounts with those that the transfers give',
  },
];

export function importIdOf(input: Input): string {
  const importId = required(input.flag('import'), 'import');
  if (IMPORT_ID.test(importId)) return importId;
  throw new UsageError(`--import is "${importId}"; it has 1 to 63 of a-z, 0-9, _ and -`);
}

export function readStaged(input: Input): {
  readonly staged: StagedRows;
  readonly now: bigint;
  readonly ignoresBalances: boolean;
} {
  const transfers = input.flag('transfers');
  return {
    staged: {
      importId: importIdOf(input),
      accounts: digest('accounts', required(input.flag('accounts'), 'accounts')),
      transfers: transfers === undefined ? undefined : digest('transfers', transfers),
      partSizeBytes: parseInteger(
        'part-size',
        required(input.flag('part-size'), 'part-size'),
        1,
        2 ** 31,
      ),
    },
    now: timestampOf(required(input.flag('now'), 'now')),
    ignoresBalances: input.flag('ignore-balances') !== undefined,
  };
}

function digest(flag: string, text: string): string {
  if (DIGEST.test(text)) return text;
  throw new UsageError(`--${flag} is "${text}"; it must be 64 hexadecimal digits`);
}

function timestampOf(text: string): bigint {
  if (TIMESTAMP.test(text)) return BigInt(text);
  throw new UsageError(`--now is "${text}"; it must be nanoseconds since 1970`);
}
