/** The last pass: the balances that a file says its accounts have are those that its transfers gave them. */
import type { StateMachine } from '../ledger/state-machine.ts';
import type { PageSource } from '../log/page-reader.ts';
import { AccountFlag } from '../wire/flags.ts';
import { Operation } from '../wire/operations.ts';
import { balancesOf, flagsOf } from './check-rows.ts';
import { accountRows, RECORD_SIZE } from './columns.ts';
import { readWhole } from './read-whole.ts';
import type { Report } from './report.ts';
import { readRows, type RowFile } from './row-reader.ts';

const ID_SIZE = 16;
const IDS_A_READ = 2_000;
const BALANCES_AT = accountRows.columns[1]!.offset;
const balances = accountRows.columns.slice(1, 5).map(({ name, offset }) => ({
  name,
  at: offset - BALANCES_AT,
  isPending: name.endsWith('_pending'),
}));

export async function compareBalances(
  file: RowFile,
  made: { readonly ledger: StateMachine; readonly pages: PageSource },
  report: Report,
): Promise<void> {
  const { ledger } = made;
  // A pending transfer that is open in the ledger may have expired before the accounts were written down.
  const mayExpire = ledger.nextExpiry() !== undefined;
  for await (const { records, lines } of readRows(file, (fault) => report.add(fault))) {
    for (let from = 0; from < lines.length; from += IDS_A_READ) {
      const count = Math.min(IDS_A_READ, lines.length - from);
      const ids = new Uint8Array(count * ID_SIZE);
      for (let i = 0; i < count; i += 1)
        ids.set(recordAt(records, from + i).subarray(0, ID_SIZE), i * ID_SIZE);
      const found = await readWhole(made, Operation.lookupAccountsUnbatched, ids);
      for (let i = 0; i < count; i += 1) {
        const place = { file: file.name, line: lines[from + i]! };
        compareOne(recordAt(records, from + i), recordAt(found, i), mayExpire, (field, what) =>
          report.add({ ...place, field, code: 'balance_differs', detail: `${what} ${advice}` }),
        );
      }
    }
  }
}

const recordAt = (records: Uint8Array, index: number): Uint8Array =>
  records.subarray(index * RECORD_SIZE, (index + 1) * RECORD_SIZE);

const advice =
  'Transfers are missing or too many, or the two files are of different moments: export both while nobody writes. ' +
  'To use the balances of the transfers, ignore those of the file.';

function compareOne(
  said: Uint8Array,
  made: Uint8Array,
  mayExpire: boolean,
  add: (field: string, what: string) => void,
): void {
  const [one, other] = [balancesOf(said), balancesOf(made)];
  if (Buffer.compare(one, other) !== 0)
    for (const { name, at, isPending } of balances) {
      const [file, ledger] = [u128(one, at), u128(other, at)];
      if (file === ledger || (isPending && mayExpire && file < ledger)) continue;
      add(name, `The file has ${file}, but its transfers add up to ${ledger}.`);
    }
  const [isClosed, wasClosed] = [made, said].map(
    (record) => (flagsOf(record) & AccountFlag.closed) !== 0,
  );
  if (isClosed === wasClosed || (isClosed === true && mayExpire)) return;
  add(
    'flags',
    `The file says that it is ${wasClosed === true ? 'closed' : 'open'}, but its transfers leave it ${isClosed === true ? 'closed' : 'open'}.`,
  );
}

function u128(bytes: Uint8Array, at: number): bigint {
  const view = new DataView(bytes.buffer, bytes.byteOffset + at, ID_SIZE);
  return (view.getBigUint64(8, true) << 64n) | view.getBigUint64(0, true);
}
