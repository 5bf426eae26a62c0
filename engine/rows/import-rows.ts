/**
 * Makes a ledger from files with accounts and transfers. The files are read three times: first to check their form, so that all faults
 * of form are reported at once; then the rows are executed in the order of their timestamps; then the balances are compared. A ledger
 * with any fault is never used.
 */
import type { StateMachine } from '../ledger/state-machine.ts';
import type { PageSource } from '../log/page-reader.ts';
import { AccountFlag } from '../wire/flags.ts';
import { adviceFor } from './advice.ts';
import { balancesOf, checkRows, flagsOf, idOf, type CheckedRows } from './check-rows.ts';
import { accountRows, FLAGS_OFFSET, type RowKind } from './columns.ts';
import { compareBalances } from './compare-balances.ts';
import { Report } from './report.ts';
import { RowCursor } from './row-cursor.ts';
import { RowExecutor } from './row-executor.ts';
import type { RowFile } from './row-reader.ts';
import type { RowsPosition, WriteCheckpoint } from './working-ledger.ts';

export interface RowFiles {
  readonly accounts: RowFile;
  readonly transfers?: RowFile;
}

interface ImportRowsOptions {
  readonly files: RowFiles;
  /** Without timestamps in the files, the rows begin here; later ones are refused. In nanoseconds. */
  readonly now: bigint;
  /** Whether the balances that the file gives for its accounts count for nothing. */
  readonly ignoresBalances: boolean;
  /** An empty ledger. */
  readonly ledger: StateMachine;
  readonly pages: PageSource;
  /** Writes a checkpoint of the ledger. */
  readonly checkpoint: WriteCheckpoint;
}

export interface ImportedRows extends RowsPosition {
  readonly report: Report;
  readonly counts: CheckedRows['counts'];
}

/** The rows since the last checkpoint are in memory only. If the report has faults, the ledger is not whole. */
export async function importRows(options: ImportRowsOptions): Promise<ImportedRows> {
  const { files, now, ledger, pages, ignoresBalances } = options;
  const report = new Report();
  const both = [files.accounts, ...(files.transfers === undefined ? [] : [files.transfers])];
  const checked = await checkRows(both, now, report);
  const { counts } = checked;
  if (report.count > 0) return { report, counts, op: 0, timestamp: 0n };
  const executor: RowExecutor = new RowExecutor({
    ledger,
    pages,
    checkpoint: () => options.checkpoint(executor.position),
    onRefused: ({ kind, line }, status) => {
      const { name } = both.find((file) => file.kind === kind) ?? files.accounts;
      report.add({ file: name, line, ...adviceFor(kind, status) });
    },
    onOtherAmount: ({ line }, amount) => {
      const { name } = files.transfers ?? files.accounts;
      report.add({ file: name, line, ...otherAmount(amount) });
    },
  });
  await execute(both, checked, now, executor, report);
  if (report.count === 0 && checked.hasBalances && !ignoresBalances)
    await compareBalances(files.accounts, { ledger, pages }, report);
  return { report, counts, ...executor.position };
}

const otherAmount = (amount: bigint) => ({
  field: 'amount',
  code: 'amount_differs',
  detail: `The ledger moves only ${amount}: with its balancing flags the transfer takes no more than the account has by then. A transfer before this one is missing, or the order is wrong. Write ${2n ** 128n - 1n} to move as much as there is.`,
});

async function execute(
  files: readonly RowFile[],
  { hasTimestamps, closing }: CheckedRows,
  now: bigint,
  executor: RowExecutor,
  report: Report,
): Promise<void> {
  const cursors = files.map((file) => new RowCursor(file, (fault) => report.add(fault)));
  try {
    for (const cursor of cursors) await cursor.next();
    let last = hasTimestamps ? 0n : now;
    for (let from; (from = earliest(cursors, hasTimestamps)) !== undefined;) {
      const { kind, line, record } = from;
      if (!hasTimestamps) from.timestamp = last + 1n;
      const { timestamp } = from;
      if (timestamp <= last) report.add(sameTimestamp(from));
      else {
        if (kind === accountRows) asCreated(record, closing);
        const waits = executor.add(kind, line, timestamp, record);
        if (waits !== undefined) await waits;
        last = timestamp;
      }
      const more = from.next();
      if (more !== undefined) await more;
    }
    await executor.finish();
  } finally {
    for (const cursor of cursors) await cursor.close();
  }
}

/** The cursor of the next row: the earlier one, or accounts first. */
function earliest(
  [accounts, transfers]: readonly RowCursor[],
  hasTimestamps: boolean,
): RowCursor | undefined {
  if (accounts?.isAtRow !== true) return transfers?.isAtRow === true ? transfers : undefined;
  if (transfers?.isAtRow !== true || !hasTimestamps) return accounts;
  return transfers.timestamp < accounts.timestamp ? transfers : accounts;
}

/** An account as it was created: without balances, and open if a transfer closed it later. */
function asCreated(record: Uint8Array, closing: ReadonlySet<string>): void {
  balancesOf(record).fill(0);
  const flags = flagsOf(record);
  if ((flags & AccountFlag.closed) === 0 || !closing.has(idOf(record))) return;
  record[FLAGS_OFFSET] = flags & ~AccountFlag.closed & 0xff;
}

const sameTimestamp = ({ file, line }: RowCursor) => ({
  file: file.name,
  line,
  field: 'timestamp',
  code: 'timestamp_not_rising',
  detail: `${otherKind(file.kind)} has it, too. Each row has a timestamp of its own.`,
});

const otherKind = (kind: RowKind): string => (kind === accountRows ? 'A transfer' : 'An account');
