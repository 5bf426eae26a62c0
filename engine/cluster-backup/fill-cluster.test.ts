/** Rows with which a cluster is filled. test/integration/engine/cluster-backup.test.ts tests the whole way, with real processes. */
import { expect, test } from '@jest/globals';
import { accountBytes, created, transferBytes } from '../../test/support/engine/ledger.ts';
import { StateMachine } from '../ledger/state-machine.ts';
import { TransferFlag } from '../wire/flags.ts';
import { Operation } from '../wire/operations.ts';
import { Account } from '../wire/records.ts';
import { timestampOf } from './cluster-reader.ts';
import { fillCluster, type FilledCluster } from './fill-cluster.ts';
import { LedgerReader } from './ledger-reader.ts';

const MEMORY = 2 ** 34;
const STEP = 10_000n;
const RESULT_SIZE = 16;

/** Two accounts and ten transfers; the last timestamp is 12 steps. */
function source(): StateMachine {
  const ledger = new StateMachine({ memoryLimitBytes: MEMORY });
  let clock = 0n;
  const commit = (operation: number, body: Uint8Array) =>
    ledger.commit(operation, (clock += STEP), body);
  for (const id of [1n, 2n]) commit(Operation.createAccountsUnbatched, accountBytes([id]));
  for (let id = 1n; id <= 10n; id += 1n) {
    const transfer = { id, debit: 1n, credit: 2n, amount: 1n, flags: TransferFlag.pending };
    commit(Operation.createTransfersUnbatched, transferBytes([transfer]));
  }
  return ledger;
}

/** An empty cluster at this time, which takes whatever comes. */
function empty(now: bigint): FilledCluster & { readonly timestamps: bigint[] } {
  const timestamps: bigint[] = [];
  return {
    timestamps,
    now: () => Promise.resolve(now),
    accounts: async function* () {},
    events: async function* () {},
    rowsMax: () => Promise.resolve(2),
    create: (_, rows) => {
      timestamps.push(...rows.map((row) => timestampOf(row, Account.timestamp)));
      const results = new DataView(new ArrayBuffer(rows.length * RESULT_SIZE));
      for (let at = 8; at < results.byteLength; at += RESULT_SIZE)
        results.setUint32(at, created, true);
      return Promise.resolve(new Uint8Array(results.buffer));
    },
  };
}

const pages = { read: () => Promise.reject(new Error('all rows are in memory')) };
const fill = (cluster: FilledCluster) => {
  const ledger = source();
  return fillCluster({
    ledger,
    source: new LedgerReader(ledger, pages),
    cluster,
    dropsTimeouts: false,
  });
};

test('a cluster whose clock is behind gets no row after its time, at which somebody else’s pending transfer may yet expire', async () => {
  const now = 7n * STEP;
  const cluster = empty(now);
  await expect(fill(cluster)).rejects.toMatchObject({
    code: 'cluster_behind',
    message: expect.stringContaining('Set the clocks right'),
  });
  expect(cluster.timestamps.length).toBeGreaterThan(0);
  expect(cluster.timestamps.filter((timestamp) => timestamp > now)).toEqual([]);
});

test('one whose clock is right gets every row', async () => {
  const cluster = empty(12n * STEP);
  // It keeps nothing of them, which is noticed at the end.
  await expect(fill(cluster)).rejects.toMatchObject({ code: 'cluster_differs' });
  expect(cluster.timestamps).toHaveLength(12);
});
