import { stat } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { importFileName } from '../../domain/import-files/file-head.ts';
import { StorageFullError } from '../log/errors.ts';
import { alreadyExists } from '../log/format-file.ts';
import { isFull } from '../log/storage.ts';
import { newLedger } from '../replica/new-ledger.ts';
import { accountRows, transferRows } from '../rows/columns.ts';
import { TooManyClosings } from '../rows/check-rows.ts';
import { makeDataFiles } from '../rows/make-data-files.ts';
import { LedgerTooLarge } from '../rows/row-executor.ts';
import { rowFileAt } from '../rows/row-file-at.ts';
import { ledgerMemoryLimit } from '../../domain/ledger-memory.ts';
import { containerMemory } from '../../base/container-memory.ts';
import { engineRelease } from '../wire/release.ts';
import { parseClusterId, parseInteger, required } from './values.ts';
import { UsageError, type Verb } from './verb.ts';

export const importRowsVerb: Verb = {
  name: 'import-rows',
  summary:
    'Make exported data files from accounts and transfers in CSV or NDJSON, executing all of them. Reports faults by line.',
  arguments: ['folder'],
  flags: [
    { name: 'accounts', value: 'path', help: 'CSV or NDJSON with the accounts' },
    { name: 'transfers', value: 'path', help: 'CSV or NDJSON with the transfers' },
    { name: 'trial', value: undefined, help: 'only tell what is wrong; make no data file' },
    {
      name: 'ignore-balances',
      value: undefined,
      help: 'do not compare the balances of the accounts with those that the transfers give',
    },
    {
      name: 'replica-count',
      value: 'count',
      help: 'make a data file for each of 1, 3 or 6 replicas; 1 when absent',
    },
    { name: 'cluster', value: 'id', help: 'cluster id, decimal; chosen at random when absent' },
  ],
  async run(input) {
    const [folder = ''] = input.arguments;
    const accounts = await rowFileAt(required(input.flag('accounts'), 'accounts'), accountRows);
    const transfersPath = input.flag('transfers');
    const isTrial = input.flag('trial') !== undefined;
    const count = parseInteger('replica-count', input.flag('replica-count') ?? '1', 1, 6);
    if (![1, 3, 6].includes(count))
      throw new UsageError(`--replica-count is ${count}; a cluster has 1, 3 or 6 replicas`);
    const cluster = input.flag('cluster');
    const clusterId =
      cluster === undefined
        ? BigInt(`0x${randomBytes(16).toString('hex')}`)
        : parseClusterId(cluster);
    const to = isTrial
      ? []
      : Array.from({ length: count }, (_, index) => join(folder, importFileName(clusterId, index)));
    for (const path of to) if (await isThere(path)) throw alreadyExists(path);
    const started = performance.now();
    const { report, counts } = await makeDataFiles({
      files: {
        accounts,
        ...(transfersPath === undefined
          ? {}
          : { transfers: await rowFileAt(transfersPath, transferRows) }),
      },
      now: BigInt(Date.now()) * 1_000_000n,
      ignoresBalances: input.flag('ignore-balances') !== undefined,
      ledger: newLedger(ledgerMemoryLimit(containerMemory())),
      clusterId,
      release: engineRelease,
      to,
      working: join(folder, `import-rows-${randomBytes(6).toString('hex')}.working`),
    }).catch((error: unknown) => {
      if (error instanceof LedgerTooLarge || error instanceof TooManyClosings)
        throw new UsageError(error.message, { cause: error });
      if (isFull(error) || error instanceof StorageFullError)
        throw folderFull(folder, count, error);
      throw error;
    });
    const seconds = ((performance.now() - started) / 1_000).toFixed(1);
    const read = `${counts.accounts} accounts and ${counts.transfers} transfers in ${seconds} s`;
    if (report.count > 0) {
      for (const line of report.lines()) process.stderr.write(`${line}\n`);
      process.stderr.write(
        `read ${read}: ${report.count === 1 ? 'there is 1 fault' : `there are ${report.count} faults`}. No data file was made; correct the files and run this again.\n`,
      );
      return 1;
    }
    process.stderr.write(
      isTrial ? `tried ${read}: nothing is wrong with them\n` : `made ${to.join(' ')} of ${read}\n`,
    );
    return 0;
  },
};

const folderFull = (folder: string, count: number, cause: unknown): UsageError =>
  new UsageError(
    `${folder} has no room left, so that no data file was made. It needs room for the ledger ${count + 1} times: make room, or choose another folder.`,
    { cause },
  );

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );
