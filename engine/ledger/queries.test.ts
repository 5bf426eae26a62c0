/** Tests of filters, pages, history, change events and expiry. */
import { expect, test } from '@jest/globals';
import { check } from '../../test/support/engine/ledger/scenario.ts';
import { encodeMultiBatch } from '../wire/multi-batch.ts';
import { Operation } from '../wire/operations.ts';
import { StateMachine } from './state-machine.ts';

const WORLD = `
  account A1 flags=history user_data_64=5 -> created
  account A2 flags=history user_data_64=5 user_data_32=6 -> created
  account A3 ledger=2 code=7 -> created
  transfer T1 A1 A2 10 user_data_128=1 -> created
  transfer T2 A2 A1 3 user_data_64=2 code=4 -> created
  transfer T3 A1 A2 7 flags=pending user_data_32=3 -> created
  post T4 T3 5 user_data_128=1 -> created
  transfer T5 A1 A2 0 -> created
`;

test('get_account_transfers', async () => {
  await check(`${WORLD}
    transfers A1 debits credits                     -> T1 T2 T3 T4 T5
    transfers A1 debits                             -> T1 T3 T4 T5
    transfers A1 credits                            -> T2
    transfers A1 debits credits reversed            -> T5 T4 T3 T2 T1
    transfers A1 debits credits reversed limit=2    -> T5 T4
    transfers A1 debits limit=2                     -> T1 T3
    transfers A2 credits user_data_128=1            -> T1 T4
    transfers A2 credits user_data_128=1 user_data_32=3 -> T4
    transfers A2 debits user_data_64=2              -> T2
    transfers A2 debits credits code=4              -> T2
    transfers A2 debits credits code=9              ->
    transfers A3 debits credits                     ->
    transfers A9 debits credits                     ->
    transfers A1 debits credits timestamp_min=time(T2) timestamp_max=time(T4) -> T2 T3 T4
    transfers A1 debits timestamp_min=time(T2)+1    -> T3 T4 T5
    transfers A1 debits timestamp_max=time(T3)-1 reversed -> T1
  `);
});

test('get_account_balances', async () => {
  await check(`${WORLD}
    balances A1 debits credits          -> T1 T2 T3 T4 T5
    balances A2 debits                  -> T2
    balances A2 credits reversed limit=1 -> T5
    balances A3 debits credits          ->
  `);
});

test.each([
  'limit=0',
  'timestamp_min=max',
  'timestamp_max=max',
  'timestamp_min=9 timestamp_max=8',
  'timestamp_min=9223372036854775808',
])('a filter with %s selects nothing', async (words) => {
  await check(`${WORLD}
    transfers A1 debits credits ${words} ->
    balances A1 debits credits ${words}  ->
    query accounts ${words}              ->
    query transfers ${words}             ->
    events ${words}                      ->
  `);
});

test('reserved bytes, undefined flags, no side and impossible accounts select nothing', async () => {
  await check(`${WORLD}
    transfers A1                          ->
    transfers A1 reversed                 ->
    transfers A1 debits flags=8           ->
    transfers A1 debits reserved_16=1     ->
    transfers A1 debits reserved_1=1      ->
    transfers A1 debits reserved_4=1      ->
    transfers 0 debits                    ->
    transfers max debits                  ->
    query accounts flags=2                ->
    query accounts reserved_16=1          ->
    query transfers reserved_32=1         ->
    events reserved_32=1                  ->
    events reserved_64=1                  ->
  `);
});

test('query_accounts and query_transfers', async () => {
  await check(`${WORLD}
    query accounts                             -> A1 A2 A3
    query accounts reversed                    -> A3 A2 A1
    query accounts user_data_64=5              -> A1 A2
    query accounts user_data_64=5 user_data_32=6 ledger=1 code=1 -> A2
    query accounts ledger=2 user_data_64=5     ->
    query accounts code=7 limit=1              -> A3
    query accounts timestamp_min=time(A2)      -> A2 A3
    query transfers                            -> T1 T2 T3 T4 T5
    query transfers ledger=1                   -> T1 T2 T3 T4 T5
    query transfers ledger=2                   ->
    query transfers code=1 reversed limit=3    -> T5 T4 T3
    query transfers user_data_128=1            -> T1 T4
    query transfers user_data_128=1 user_data_32=3 -> T4
    query transfers user_data_128=1 user_data_64=2 ->
    query transfers timestamp_min=time(T2) timestamp_max=time(T3) reversed -> T3 T2
    restart
    query transfers user_data_128=1            -> T1 T4
    query accounts user_data_64=5 reversed     -> A2 A1
  `);
});

test('expiry releases the reserved amounts in order of time, each once', async () => {
  await check(`
    account A1 -> created
    account A2 -> created
    transfer T1 A1 A2 1 flags=pending timeout=3 -> created
    transfer T2 A1 A2 2 flags=pending timeout=1 -> created
    transfer T3 A1 A2 4 flags=pending timeout=1 -> created
    transfer T4 A1 A2 8 flags=pending           -> created
    transfer T5 A1 A2 16 flags=pending|closing_credit timeout=2 -> created
    balance A2 0 0 31 0 closed
    void T6 T3                                  -> created
    tick 1s
    balance A1 25 0 0 0
    post T7 T2                                  -> pending_transfer_expired
    void T7 T2                                  -> pending_transfer_expired
    tick 5s
    balance A1 8 0 0 0
    balance A2 0 0 8 0
    post T7 T4                                  -> created
    events -> pending:T1 pending:T2 pending:T3 pending:T4 pending:T5 voided:T6 expired:T2 expired:T5 expired:T1 posted:T7
    restart
    post T8 T1                                  -> pending_transfer_expired
    balance A2 0 0 0 8
    events limit=2 timestamp_min=time(T6) -> voided:T6 expired:T2
  `);
});

test('an expiry that no pulse has carried out yet is seen by the clock of the batch', () => {
  const machine = new StateMachine({ memoryLimitBytes: 2 ** 30 });
  const event = (fields: readonly (readonly [number, number])[]): Uint8Array => {
    const words = new Uint32Array(32);
    for (const [at, value] of fields) words[at] = value;
    return new Uint8Array(words.buffer);
  };
  const commit = (operation: number, timestamp: bigint, ...events: Uint8Array[]): number[] => {
    const bytes = new Uint8Array(events.length * 128);
    for (const [i, record] of events.entries()) bytes.set(record, i * 128);
    const reply = machine.commit(operation, timestamp, encodeMultiBatch([bytes], 128));
    const view = new DataView(reply.buffer, reply.byteOffset);
    return events.map((_, i) => view.getInt32(i * 16 + 8, true));
  };
  const account = (id: number): Uint8Array =>
    event([
      [0, id],
      [28, 1],
      [29, 1],
    ]);
  commit(Operation.createAccounts, 10n, account(1), account(2));
  const pending = event([
    [0, 1],
    [4, 1],
    [8, 2],
    [12, 5],
    [27, 1],
    [28, 1],
    [29, 1 | (2 << 16)],
  ]);
  expect(commit(Operation.createTransfers, 20n, pending)).toEqual([-1]);
  expect(machine.nextExpiry()).toBe(1_000_000_020n);
  const post = (id: number): Uint8Array =>
    event([
      [0, id],
      [16, 1],
      [29, 4 << 16],
    ]);
  // One nanosecond before the expiry the post works (its chain breaks for another reason); at the expiry it does not.
  const broken = event([
    [0, 9],
    [16, 1],
    [29, 5 << 16],
  ]);
  expect(commit(Operation.createTransfers, 1_000_000_019n, broken, post(0))).toEqual([1, 5]);
  expect(commit(Operation.createTransfers, 1_000_000_020n, post(3))).toEqual([35]);
  machine.commit(Operation.pulse, 1_000_008_212n, new Uint8Array(0));
  expect(machine.nextExpiry()).toBeUndefined();
  expect(machine.counts()).toEqual({ accounts: 2, transfers: 1, pendingTransfers: 0 });
});
