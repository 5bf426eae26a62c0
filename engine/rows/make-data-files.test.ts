/** The data files that are made of rows begin replicas of a database, all with the same ledger. */
import { expect, test } from '@jest/globals';
import { importFaults, type ImportFile } from '../../domain/import-files/faults.ts';
import { FILE_HEAD_SIZE, readFileHead } from '../../domain/import-files/file-head.ts';
import { stagedKey } from '../archive/keys.ts';
import { imported as restoredFrom } from '../archive/testing/ledger-file.ts';
import { MemoryStore } from '../archive/testing/memory-store.ts';
import { StateMachine } from '../ledger/state-machine.ts';
import { MemoryStorage } from '../log/testing/memory-storage.ts';
import { accountRows, transferRows } from './columns.ts';
import { makeDataFiles } from './make-data-files.ts';
import { rowFile } from './testing/row-files.ts';

const CLUSTER = 77n;
const NOW = 1_700_000_000_000_000_000n;
const WORKING = '/disk/rows.working';
const TO = [0, 1, 2].map((index) => `/disk/77_${index}.ledger`);
/** Several requests of a client. */
const ROWS = 20_000;

const accounts = 'id,ledger,code\n1,1,1\n2,1,1\n';
const transfers = (amount: string) =>
  `id,debit_account_id,credit_account_id,amount,ledger,code\n${Array.from({ length: ROWS }, (_, id) => `${id + 1},1,2,${id === ROWS - 1 ? amount : 1},1,1\n`).join('')}`;

function make(storage: MemoryStorage, amount: string) {
  const ledger = new StateMachine({ memoryLimitBytes: 2 ** 30, hashKey: { low: 1, high: 2 } });
  const files = {
    accounts: rowFile(accountRows, accounts),
    transfers: rowFile(transferRows, transfers(amount)),
  };
  const rest = { now: NOW, ignoresBalances: false, clusterId: CLUSTER, release: 4361 };
  return makeDataFiles({ ...rest, files, ledger, to: TO, working: WORKING, storage });
}

test('an upload takes them, and three replicas begin with them, with one state', async () => {
  const storage = new MemoryStorage();
  const made = await make(storage, '1');
  expect(made.report.lines()).toEqual([]);
  expect(await storage.exists(WORKING)).toBe(false);
  const store = new MemoryStore();
  const heads: ImportFile[] = [];
  for (const [index, path] of TO.entries()) {
    const file = await storage.open(path, { exclusive: false });
    const bytes = new Uint8Array(await file.size());
    await file.read(bytes, 0);
    store.objects.set(stagedKey('imp', CLUSTER, index), bytes);
    heads.push({ sizeBytes: bytes.length, head: readFileHead(bytes.subarray(0, FILE_HEAD_SIZE)) });
  }
  const terms = { release: 4361, now: new Date(Number(NOW / 1_000_000n)), replicaCount: 3 };
  expect(importFaults(heads, terms)).toEqual([]);
  const hashes = new Set<string>();
  for (const replicaIndex of TO.keys()) {
    const identity = { clusterId: 9n, replicaIndex, replicaCount: 3 };
    const { ledger } = await restoredFrom(store, {
      importId: 'imp',
      sourceCluster: CLUSTER,
      identity,
    });
    expect(ledger.counts()).toMatchObject({ accounts: 2, transfers: ROWS });
    hashes.add(Buffer.from(ledger.stateHash()).toString('hex'));
  }
  expect(hashes.size).toBe(1);
});

test('one bad line among all leaves no file at all', async () => {
  const storage = new MemoryStorage();
  const { report } = await make(storage, '1.5');
  expect(report.faults).toMatchObject([{ line: ROWS + 1, field: 'amount' }]);
  for (const path of [...TO, WORKING, `${WORKING}.lock`])
    expect(await storage.exists(path)).toBe(false);
});

test('a disk that is full before the last replica’s file leaves no file at all', async () => {
  const storage = new (class extends MemoryStorage {
    override async publish(temporary: string, path: string): Promise<void> {
      if (path === TO[2]) throw Object.assign(new Error('disk full'), { code: 'ENOSPC' });
      await super.publish(temporary, path);
    }
  })();
  await expect(make(storage, '1')).rejects.toMatchObject({ code: 'ENOSPC' });
  expect(storage.paths).toEqual([]);
});
