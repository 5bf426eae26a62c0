/** The first pass over the files, before anything is executed: form and values of each row, and the order of their timestamps. */
import { AccountFlag, TransferFlag } from '../wire/flags.ts';
import { Account, WireTransfer } from '../wire/records.ts';
import { accountRows, FLAGS_OFFSET, type RowKind } from './columns.ts';
import type { Report } from './report.ts';
import { RowCursor } from './row-cursor.ts';
import type { RowFile } from './row-reader.ts';

export interface CheckedRows {
  /** Whether rows have timestamps; all have, or none. */
  readonly hasTimestamps: boolean;
  readonly counts: Readonly<Record<RowKind['name'], number>>;
  /** IDs of the accounts that transfers close, as they are in a record. All others that are closed were created so. */
  readonly closing: ReadonlySet<string>;
  /** Whether any account has a balance. If none has, the file says nothing about them. */
  readonly hasBalances: boolean;
}

/** Tells whether the rows of the files before have timestamps, and where the first one is. */
interface Timing {
  readonly hasTimestamps: boolean;
  readonly file: string;
  readonly line: number;
}

const TIMESTAMP_MAX = (1n << 63n) - 1n;
const ID_SIZE = 16;
/** Closing transfers are rare; each needs some memory while the files are read. */
const CLOSING_MAX = 2_000_000;

export const idOf = (record: Uint8Array, offset = 0): string =>
  Buffer.from(record.buffer, record.byteOffset + offset, ID_SIZE).toString('latin1');

export const flagsOf = (record: Uint8Array): number =>
  record[FLAGS_OFFSET]! | (record[FLAGS_OFFSET + 1]! << 8);

/** The four balances of an account's record. */
export const balancesOf = (record: Uint8Array): Uint8Array =>
  record.subarray(Account.debitsPending * 4, Account.userData128 * 4);

/** Rows with a timestamp after `until` are refused. */
export async function checkRows(
  files: readonly RowFile[],
  until: bigint,
  report: Report,
): Promise<CheckedRows> {
  const closing = new Set<string>();
  const counts = { accounts: 0, transfers: 0 };
  let timing: Timing | undefined;
  let hasBalances = false;
  for (const file of files) {
    const rows = new RowCursor(file, (fault) => report.add(fault));
    const importedFlag = file.kind === accountRows ? AccountFlag.imported : TransferFlag.imported;
    const add = (code: string, detail: string) =>
      report.add({ file: file.name, line: rows.line, field: 'timestamp', code, detail });
    let before = 0n;
    let lineBefore = 0;
    try {
      for (await rows.next(); rows.isAtRow;) {
        counts[file.kind.name] += 1;
        const { timestamp, line, record } = rows;
        const flags = flagsOf(record);
        const hasTimestamps = timestamp !== 0n;
        timing ??= { hasTimestamps, file: file.name, line };
        if (hasTimestamps !== timing.hasTimestamps)
          add(
            'timestamp_mixed',
            hasTimestamps
              ? `It has a timestamp, the row in ${timing.file}:${timing.line} has none. Give one to all rows of both files, or to none.`
              : `It has no timestamp, the row in ${timing.file}:${timing.line} has one. Give one to all rows of both files, or to none.`,
          );
        else if (hasTimestamps && timestamp <= before)
          add(
            'timestamp_not_rising',
            `It is not later than that of the row before, in line ${lineBefore}. Sort the rows by timestamp; each has its own.`,
          );
        else if (timestamp > until || timestamp > TIMESTAMP_MAX)
          add(
            'timestamp_in_future',
            `It is later than the clock of this machine. Timestamps are nanoseconds since 1970; correct it, or the clock.`,
          );
        else if (!hasTimestamps && (flags & importedFlag) !== 0)
          add(
            'timestamp_missing',
            'Its flags have imported, which needs a timestamp. Add timestamps, or remove the flag.',
          );
        if (hasTimestamps) {
          before = timestamp;
          lineBefore = line;
        }
        if (file.kind !== accountRows) noteClosing(closing, record, flags);
        else hasBalances ||= !balancesOf(record).every((byte) => byte === 0);
        const more = rows.next();
        if (more !== undefined) await more;
      }
    } finally {
      await rows.close();
    }
  }
  if (counts.accounts === 0 && report.count === 0)
    report.add({
      file: files[0]!.name,
      line: 0,
      code: 'file_empty',
      detail: 'It has no accounts. Choose the right file.',
    });
  return { hasTimestamps: timing?.hasTimestamps ?? false, counts, closing, hasBalances };
}

function noteClosing(closing: Set<string>, record: Uint8Array, flags: number): void {
  if ((flags & (TransferFlag.closing_debit | TransferFlag.closing_credit)) === 0) return;
  if (closing.size >= CLOSING_MAX) throw new TooManyClosings();
  if ((flags & TransferFlag.closing_debit) !== 0)
    closing.add(idOf(record, WireTransfer.debitAccountId * 4));
  if ((flags & TransferFlag.closing_credit) !== 0)
    closing.add(idOf(record, WireTransfer.creditAccountId * 4));
}

export class TooManyClosings extends Error {
  override readonly name = 'TooManyClosings';

  constructor() {
    super(
      `The files have more than ${CLOSING_MAX} transfers that close accounts. Import less at once.`,
    );
  }
}
