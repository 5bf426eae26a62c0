/** Files with rows on the disk. */
import { expect, test } from '@jest/globals';
import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StateMachine } from '../ledger/state-machine.ts';
import { accountRows, transferRows } from './columns.ts';
import { importRows } from './import-rows.ts';
import { rowFileAt, RowFileUnfit } from './row-file-at.ts';
import { rowFile } from './testing/row-files.ts';

test('a file that somebody still writes is refused, instead of being read to where it happens to end', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'row-files-'));
  try {
    const path = join(folder, 'transfers.csv');
    const row = (id: number) => `${id},1,2,5,1,1\n`;
    const head = 'id,debit_account_id,credit_account_id,amount,ledger,code\n';
    await writeFile(path, head + row(1));
    const accounts = rowFile(accountRows, 'id,ledger,code\n1,1,1\n2,1,1\n');
    const file = await rowFileAt(path, transferRows);
    const importOf = () =>
      importRows({
        files: { accounts, transfers: file },
        now: 1_900_000_000_000_000_000n,
        ignoresBalances: false,
        ledger: new StateMachine({ memoryLimitBytes: 2 ** 34 }),
        pages: { read: () => Promise.reject(new Error('all rows are in memory')) },
        checkpoint: () => Promise.resolve(),
      });
    expect((await importOf()).counts).toEqual({ accounts: 2, transfers: 1 });
    await appendFile(path, row(2));
    await expect(importOf()).rejects.toThrow(RowFileUnfit);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('a path that is no regular file is refused', async () => {
  await expect(rowFileAt('/dev/null', accountRows)).rejects.toThrow('not a regular file');
});
