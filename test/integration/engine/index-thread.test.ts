/** The thread that seals and merges the index, beside a ledger that answers meanwhile. */
import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { StateMachine } from '../../../engine/ledger/state-machine.ts';
import type { IndexResult } from '../../../engine/ledger/segments/index-jobs.ts';
import type { SealJob } from '../../../engine/ledger/segments/seal.ts';
import { YoungChunk } from '../../../engine/ledger/segments/young-rows.ts';
import { IndexThread } from '../../../engine/replica/index-helper.ts';
import { Operation } from '../../../engine/wire/operations.ts';
import {
  accountFields,
  concatenate,
  encodeRecord,
  queryFilterFields,
  transferFields,
} from '../../support/engine/ledger/records.ts';

const EVENTS = 400;
const BATCHES = 24;
const SIZES = { sealRows: 800, chunkRows: 200, pageBytes: 512 };

function accounts(): Uint8Array {
  return concatenate(
    [1n, 2n].map((id) => encodeRecord(accountFields, 128, { id, ledger: 1n, code: 1n })),
  );
}

/** Transfers with user data that a few of them share, and ids out of order. */
function transfers(batch: number): Uint8Array {
  return concatenate(
    Array.from({ length: EVENTS }, (_, i) => {
      const number = BigInt(batch * EVENTS + i + 1);
      return encodeRecord(transferFields, 128, {
        id: (number * 0x9e37_79b9_7f4a_7c15n) % (1n << 64n),
        debit_account_id: 1n,
        credit_account_id: 2n,
        amount: 1n,
        user_data_128: 1n + (number % 1000n),
        user_data_64: number,
        ledger: 1n,
        code: 1n + (number % 3n),
      });
    }),
  );
}

/** Four rows with ids of one hash. */
const sealJob = (): SealJob => ({
  kind: 'seal',
  pageBytes: 512,
  firstRow: 0,
  endRow: 4,
  chunkRows: 4,
  chunks: [new YoungChunk(4)].map(({ idKeys, idLowers, fields }) => ({ idKeys, idLowers, fields })),
  idRange: new Uint32Array(8),
});

const filter = (fields: object): Uint8Array =>
  encodeRecord(queryFilterFields, 64, { limit: 8189n, ...fields });

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(5);
}

test('a ledger whose index a thread seals and merges answers as one that does it by itself', async () => {
  const errors: unknown[] = [];
  const [served, alone] = [1, 2].map(
    () => new StateMachine({ memoryLimitBytes: 2 ** 30, indexSizes: SIZES }),
  ) as [StateMachine, StateMachine];
  const thread = new IndexThread((error) => errors.push(error));
  served.useIndexHelper(thread);
  for (const machine of [served, alone])
    machine.commit(Operation.createAccountsUnbatched, 5000n, accounts());
  for (let batch = 0; batch < BATCHES; batch += 1) {
    const body = transfers(batch);
    for (const machine of [served, alone])
      machine.commit(Operation.createTransfersUnbatched, BigInt(1 + batch) * 10_000n, body);
    // Messages of the thread arrive in between.
    await sleep(1);
    for (const fields of [{ user_data_128: 7n }, { code: 2n, user_data_64: 77n }, { ledger: 1n }]) {
      const query = filter({ ...fields, flags: BigInt(batch % 2) });
      const [answer, expected] = [served, alone].map((machine) =>
        machine.read(Operation.queryTransfersUnbatched, query),
      );
      expect(Buffer.compare(answer!, expected!)).toBe(0);
    }
  }
  // Twelve generations became three merged segments.
  await until(() => {
    expect(errors).toEqual([]);
    const { unsealed, unmerged } = served.index();
    return unsealed === 0 && unmerged === 0;
  });
  expect(served.index().segments).toBe(3);
  expect(served.stateHash()).toEqual(alone.stateHash());
  // Each id is known: a repeated batch creates nothing.
  const before = served.counts().transfers;
  served.commit(Operation.createTransfersUnbatched, 10_000_000n, transfers(3));
  expect(served.counts().transfers).toBe(before);
  await thread.end();
});

test('a job that begins while an idle thread ends is done by the next thread, not given back', async () => {
  const errors: unknown[] = [];
  const thread = new IndexThread((error) => errors.push(error));
  const made = () =>
    new Promise<IndexResult | undefined>((resolve) => thread.begin(sealJob(), resolve));
  const sealed = { kind: 'seal', segment: { firstRow: 0, endRow: 4 } };
  expect(await made()).toMatchObject(sealed);
  const ending = thread.end();
  const next = made();
  await ending;
  expect(await next).toMatchObject(sealed);
  expect(errors).toEqual([]);
  await thread.end();
});

test('a job that was given up is never reported, and the thread does the next one', async () => {
  const errors: unknown[] = [];
  const thread = new IndexThread((error) => errors.push(error));
  const reported: string[] = [];
  const given = sealJob();
  thread.begin(given, () => reported.push('given up'));
  thread.giveUp(given);
  await new Promise<void>((resolve) => {
    thread.begin(sealJob(), () => resolve(void reported.push('next')));
  });
  await thread.end();
  expect(reported).toEqual(['next']);
  expect(errors).toEqual([]);
});

/** Commits transfers that complete generations, with a thread that cannot begin. Prints what came of it. */
const withoutThreads = `
  import { setTimeout as sleep } from 'node:timers/promises';
  import { StateMachine } from '${new URL('../../../engine/ledger/state-machine.ts', import.meta.url).href}';
  import { IndexThread } from '${new URL('../../../engine/replica/index-helper.ts', import.meta.url).href}';
  const errors = [];
  const indexSizes = { sealRows: 8, chunkRows: 4, pageBytes: 512 };
  const ledger = new StateMachine({ memoryLimitBytes: 2 ** 30, indexSizes });
  ledger.useIndexHelper(new IndexThread(({ code }) => errors.push(code)));
  const events = (first, count, transfer) => {
    const words = new Uint32Array(count * 32);
    for (let i = 0; i < count; i += 1) {
      words[i * 32] = first + i;
      words.set([1, 1], i * 32 + 28);
      if (transfer) words.set([1, 0, 0, 0, 2, 0, 0, 0, 1], i * 32 + 4);
    }
    return new Uint8Array(words.buffer);
  };
  ledger.commit(${Operation.createAccountsUnbatched}, 1000n, events(1, 2, false));
  for (let batch = 1; batch <= 20; batch += 1) {
    ledger.commit(${Operation.createTransfersUnbatched}, 1000n * BigInt(1 + batch), events(batch * 100, 5, true));
    await sleep(1);
  }
  console.log(JSON.stringify({ errors, transfers: ledger.counts().transfers, ...ledger.index() }));
`;

test('the ledger goes on and does the work by itself when the system gives the index no thread', async () => {
  // Node's permissions refuse a thread as a system that is out of threads does: when it is asked for.
  const permissions = ['--permission', '--allow-fs-read=*'];
  const program = ['--input-type=module', '--eval', withoutThreads];
  const { stdout } = await promisify(execFile)(process.execPath, [...permissions, ...program]);
  expect(JSON.parse(stdout)).toEqual({
    errors: ['ERR_ACCESS_DENIED'],
    transfers: 100,
    segments: 3,
    onVolume: 0,
    unsealed: 0,
    unmerged: 0,
    streamedRows: 0,
    streamedDone: 0,
    givenUp: 0,
    areReadsFailing: false,
  });
});
