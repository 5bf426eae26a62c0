/** Rows in a bucket: replicas execute the bytes that were tried, and no others. */
import { createHash } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { columnNames } from '../../domain/import-files/row-columns.ts';
import { rowsHeadFaults } from '../../domain/import-files/row-head.ts';
import { stagedRowsKey } from '../../domain/import-files/staged-key.ts';
import { MemoryStore } from '../archive/testing/memory-store.ts';
import { StateMachine } from '../ledger/state-machine.ts';
import { MemoryStorage } from '../log/testing/memory-storage.ts';
import { accountRows, transferRows } from './columns.ts';
import { makeDataFiles, makeReplicaFile } from './make-data-files.ts';
import { stagedRowFiles } from './staged-rows.ts';

const NOW = 1_700_000_000_000_000_000n;
const PART = 1_000;
const accounts = Buffer.from('id,ledger,code\n1,1,1\n2,1,1\n');
const transfers = Buffer.from(
  `id,debit_account_id,credit_account_id,amount,ledger,code\n${Array.from({ length: 500 }, (_, at) => `${at + 1},1,2,7,1,1\n`).join('')}`,
);

/** The digest as the uploading program computes it. */
function digestOf(bytes: Uint8Array): string {
  const whole = createHash('sha256');
  for (let at = 0; at < bytes.length; at += PART)
    whole.update(
      createHash('sha256')
        .update(bytes.subarray(at, at + PART))
        .digest(),
    );
  return whole.digest('hex');
}

function staged() {
  const store = new MemoryStore();
  store.objects.set(stagedRowsKey('imp', 'accounts'), accounts);
  store.objects.set(stagedRowsKey('imp', 'transfers'), transfers);
  const storage = new MemoryStorage();
  const ledger = () =>
    new StateMachine({ memoryLimitBytes: 2 ** 30, hashKey: { low: 1, high: 2 } });
  const files = stagedRowFiles(store, {
    importId: 'imp',
    accounts: digestOf(accounts),
    transfers: digestOf(transfers),
    partSizeBytes: PART,
  });
  const rest = { files, now: NOW, ignoresBalances: false, release: 4361, storage };
  const tried = async () => {
    const own = ledger();
    const working = '/disk/trial.working';
    const made = await makeDataFiles({ ...rest, ledger: own, clusterId: 0n, to: [], working });
    return { made, stateHash: Buffer.from(own.stateHash()).toString('hex') };
  };
  const restored = async (replicaIndex: number) => {
    const own = ledger();
    const to = `/disk/${replicaIndex}.ledger`;
    const made = await makeReplicaFile({
      ...rest,
      ledger: own,
      to,
      working: `${to}.working`,
      identity: { clusterId: 9n, replicaIndex, replicaCount: 3 },
      requireRight: ({ report }) => expect(report.count).toBe(0),
    });
    return { made, stateHash: Buffer.from(own.stateHash()).toString('hex') };
  };
  return { store, storage, tried, restored };
}

test('a trial leaves nothing, and every replica comes to its state', async () => {
  const { storage, tried, restored } = staged();
  const trial = await tried();
  expect(trial.made.report.lines()).toEqual([]);
  expect(await storage.exists('/disk/trial.working')).toBe(false);
  for (const index of [0, 1, 2]) {
    const { made, stateHash } = await restored(index);
    expect([made.op, stateHash]).toEqual([trial.made.op, trial.stateHash]);
    expect(await storage.exists(`/disk/${index}.ledger`)).toBe(true);
    expect(await storage.exists(`/disk/${index}.ledger.working`)).toBe(false);
  }
});

test.each([
  ['another byte', (bytes: Buffer) => bytes.fill('8', bytes.length - 7, bytes.length - 6)],
  ['a part less', (bytes: Buffer) => bytes.subarray(0, PART)],
  ['a line more', (bytes: Buffer) => Buffer.concat([bytes, Buffer.from('501,1,2,7,1,1\n')])],
])('a file with %s than was uploaded is refused, and no data file is made', async (_, change) => {
  const { store, storage, restored } = staged();
  store.objects.set(stagedRowsKey('imp', 'transfers'), change(Buffer.from(transfers)));
  await expect(restored(0)).rejects.toMatchObject({ code: 'import_differs' });
  expect(await storage.exists('/disk/0.ledger')).toBe(false);
});

test('a file that is gone is named', async () => {
  const { store, tried } = staged();
  store.objects.delete(stagedRowsKey('imp', 'accounts'));
  await expect(tried()).rejects.toMatchObject({ code: 'import_missing' });
});

test('heads are compared with the columns that the engine reads', () => {
  for (const { name, columns } of [accountRows, transferRows])
    expect(columnNames(name).toSorted()).toEqual(columns.map((one) => one.name).toSorted());
  expect(rowsHeadFaults(accounts, 'accounts')).toEqual([]);
  expect(rowsHeadFaults(transfers, 'transfers')).toEqual([]);
  const codes = (text: string | Uint8Array, rows: 'accounts' | 'transfers') =>
    rowsHeadFaults(Buffer.from(text), rows).map(({ code }) => code);
  expect(codes('{"id":"1","ledger":1,"code":1}\n', 'accounts')).toEqual([]);
  expect(codes('\n\n', 'accounts')).toEqual(['file_empty']);
  expect(codes('', 'transfers')).toEqual([]);
  expect(codes(accounts, 'transfers')).toEqual(['rows_of_other_kind']);
  expect(codes('{"id":"1","ledgr":1}\n', 'accounts')).toEqual(['column_unknown']);
  expect(codes(new Uint8Array([0x1f, 0x8b, 8, 0]), 'accounts')).toEqual(['not_rows']);
  expect(codes('1'.repeat(16_384), 'accounts')).toEqual(['line_too_long']);
});
