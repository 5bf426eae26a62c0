/** Balances are compared in a ledger that is larger than memory, too. */
import { expect, test } from '@jest/globals';
import { StateMachine } from '../ledger/state-machine.ts';
import { MemoryStorage } from '../log/testing/memory-storage.ts';
import { PAGE_BYTES } from '../ledger/page.ts';
import { Operation } from '../wire/operations.ts';
import { accountRows, transferRows } from './columns.ts';
import { compareBalances } from './compare-balances.ts';
import { importRows } from './import-rows.ts';
import { Report } from './report.ts';
import { rowFile } from './testing/row-files.ts';
import { inWorkingFile } from './working-ledger.ts';

const COUNT = 3_000;
const IDENTITY = { clusterId: 77n, replicaIndex: 0, replicaCount: 1 };
/** Each account but the first gives it one unit. */
const transfers = `id,debit_account_id,credit_account_id,amount,ledger,code\n${Array.from({ length: COUNT - 1 }, (_, at) => `${at + 1},${at + 2},1,1,1,1\n`).join('')}`;

const accountsWith = (debitsOfLast: number): string => {
  const rows = Array.from({ length: COUNT }, (_, at) => {
    const debits = at === COUNT - 1 ? debitsOfLast : Math.min(at, 1);
    return `${at + 1},1,1,${debits},${at === 0 ? COUNT - 1 : 0}\n`;
  });
  return `id,ledger,code,debits_posted,credits_posted\n${rows.join('')}`;
};

test('the balances of accounts that have left memory are compared with those of the file', async () => {
  const indexSizes = { sealRows: 32, chunkRows: 8, pageBytes: PAGE_BYTES };
  const accounts = { accountsShift: 5, accountsStayBytes: 0, liveAccountsMax: 100, indexSizes };
  const ledger = new StateMachine({ memoryLimitBytes: 2 ** 30, rowsLeaveAtBytes: 0, ...accounts });
  const working = { ledger, release: 4361, working: '/disk/working', storage: new MemoryStorage() };
  await inWorkingFile(working, IDENTITY, async ({ pages }, checkpoint) => {
    const right = rowFile(accountRows, accountsWith(1));
    const files = { accounts: right, transfers: rowFile(transferRows, transfers) };
    const rest = { now: 1n, ignoresBalances: true, ledger, pages, checkpoint };
    const made = await importRows({ ...rest, files });
    await checkpoint(made);
    // After it, all leave that may.
    ledger.commit(Operation.pulse, made.timestamp + 1n, new Uint8Array(0));
    const report = new Report();
    await compareBalances(right, { ledger, pages }, report);
    expect(report.faults).toEqual([]);
    await compareBalances(rowFile(accountRows, accountsWith(2)), { ledger, pages }, report);
    expect(report.faults).toMatchObject([{ line: COUNT + 1, code: 'balance_differs' }]);
    expect(ledger.pages().read).toBeGreaterThan(COUNT / 64);
  });
});
