/** Files with rows in memory, and a ledger made of them. */
import { StateMachine } from '../../ledger/state-machine.ts';
import { accountRows, transferRows, type RowKind } from '../columns.ts';
import { importRows, type ImportedRows } from '../import-rows.ts';
import type { RowFile } from '../row-reader.ts';

export const NOW = 1_900_000_000_000_000_000n;
const MEMORY = 2 ** 34;

export interface Texts {
  readonly accounts: string | Uint8Array;
  readonly transfers?: string | Uint8Array;
}

/** `pieceBytes`: the file comes in pieces of this size. */
export function rowFile(
  kind: RowKind,
  content: string | Uint8Array,
  pieceBytes = Infinity,
): RowFile {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  async function* open() {
    await Promise.resolve();
    for (let at = 0; at < bytes.length; at += pieceBytes)
      yield bytes.subarray(at, Math.min(bytes.length, at + pieceBytes));
  }
  return { name: kind.name, kind, open };
}

export async function imported(
  { accounts, transfers }: Texts,
  { pieceBytes = Infinity, ignoresBalances = false } = {},
): Promise<ImportedRows & { readonly ledger: StateMachine }> {
  const ledger = new StateMachine({ memoryLimitBytes: MEMORY });
  const made = await importRows({
    files: {
      accounts: rowFile(accountRows, accounts, pieceBytes),
      ...(transfers === undefined
        ? {}
        : { transfers: rowFile(transferRows, transfers, pieceBytes) }),
    },
    now: NOW,
    ignoresBalances,
    ledger,
    pages: { read: () => Promise.reject(new Error('all rows are in memory')) },
    checkpoint: () => Promise.resolve(),
  });
  return { ...made, ledger };
}

/** The faults as `file:line field code`. */
export const faultsOf = ({ report }: ImportedRows): readonly string[] =>
  report.faults.map(({ file, line, field, code }) =>
    [`${file}:${line}`, ...(field === undefined ? [] : [field]), code].join(' '),
  );
