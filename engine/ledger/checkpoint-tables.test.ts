/** Tests that an incomplete checkpoint is refused and never becomes a subtly different state. */
import { expect, test } from '@jest/globals';
import { concatenate } from '../../test/support/engine/ledger/records.ts';
import { encodeMultiBatch } from '../wire/multi-batch.ts';
import { Operation } from '../wire/operations.ts';
import { type Section, type SectionHead, SectionKind } from './checkpoint.ts';
import { CheckpointError, TableId } from './checkpoint-tables.ts';
import { Transfer } from './layout.ts';
import { StateMachine } from './state-machine.ts';

interface Stored {
  head: SectionHead;
  bytes: Uint8Array;
}

function event(words: Record<number, number>): Uint8Array {
  const record = new Uint32Array(32);
  for (const [at, value] of Object.entries(words)) record[Number(at)] = value;
  return new Uint8Array(record.buffer);
}

function account(id: number): Uint8Array {
  return event({ 0: id, 28: 1, 29: 1 });
}

function batch(...events: Uint8Array[]): Uint8Array {
  return encodeMultiBatch([concatenate(events)], 128);
}

function machineWithSomeTransfers(): StateMachine {
  const machine = new StateMachine({ memoryLimitBytes: 2 ** 30 });
  const pending = (id: number): Uint8Array =>
    event({ 0: id, 4: 1, 8: 2, 12: 5, 27: 1, 28: 1, 29: 1 | (2 << 16) });
  const post = event({ 0: 13, 16: 11, 29: 4 << 16 });
  machine.commit(Operation.createAccounts, 10n, batch(account(1), account(2)));
  machine.commit(Operation.createTransfers, 20n, batch(pending(11), pending(12), post));
  machine.commit(Operation.pulse, 2_000_000_000n, new Uint8Array(0));
  return machine;
}

function pull({ chunks, ...head }: Section): Stored {
  return { head, bytes: concatenate([...chunks].map((chunk) => chunk.slice())) };
}

function store(machine: StateMachine): Stored[] {
  return machine.takeDelta(new Set()).map(pull);
}

async function load(
  sections: readonly Stored[],
  pause = async (): Promise<void> => undefined,
): Promise<StateMachine> {
  const machine = new StateMachine({ memoryLimitBytes: 2 ** 30 });
  for (const { head, bytes } of sections) {
    await machine.loadSection(
      head,
      (async function* () {
        yield bytes;
      })(),
    );
  }
  await machine.finishLoad(pause);
  return machine;
}

function changed(table: number, change: (section: Stored) => Stored): Stored[] {
  return store(machineWithSomeTransfers()).map((section) =>
    section.head.table === table ? change(section) : section,
  );
}

test('stored values are read back', async () => {
  const machine = machineWithSomeTransfers();
  const loaded = await load(store(machine));
  expect(loaded.stateHash()).toEqual(machine.stateHash());
  expect(loaded.counts()).toEqual({ accounts: 2, transfers: 3, pendingTransfers: 0 });
});

test('sections pulled late show the moment the delta was taken: later balances and closings are not in them', async () => {
  const machine = new StateMachine({ memoryLimitBytes: 2 ** 30 });
  const accounts = batch(account(1), account(2));
  machine.commit(Operation.createAccounts, 10n, accounts);
  const hash = machine.stateHash();
  const sections = machine.takeDelta(new Set());
  const closing = event({ 0: 11, 4: 1, 8: 2, 12: 5, 28: 1, 29: 1 | ((2 | 0x40) << 16) });
  machine.commit(Operation.createTransfers, 20n, batch(closing));
  const loaded = await load(sections.map(pull));
  expect(loaded.stateHash()).toEqual(hash);
  const ids = new Uint8Array(32);
  ids[0] = 1;
  ids[16] = 2;
  const before = loaded.read(Operation.lookupAccountsUnbatched, ids);
  const empty = new StateMachine({ memoryLimitBytes: 2 ** 30 });
  empty.commit(Operation.createAccounts, 10n, accounts);
  expect(before).toEqual(empty.read(Operation.lookupAccountsUnbatched, ids));
  loaded.commit(Operation.createTransfers, 20n, batch(closing));
  expect(loaded.stateHash()).toEqual(machine.stateHash());
});

test('a large checkpoint is loaded in slices, between which the process answers', async () => {
  const machine = new StateMachine({ memoryLimitBytes: 2 ** 30 });
  machine.commit(Operation.createAccounts, 10n, batch(account(1), account(2)));
  for (let first = 3; first < 40_003; first += 8000) {
    const events = Array.from({ length: 8000 }, (_, i) =>
      event({ 0: first + i, 4: 1, 8: 2, 12: 5, 20: first + i, 28: 1, 29: 1 }),
    );
    machine.commit(Operation.createTransfers, BigInt(first) * 1000n, batch(...events));
  }
  let pauses = 0;
  const loaded = await load(store(machine), async () => {
    pauses += 1;
  });
  // Ids, balances and indexes, each of 40,000 rows.
  expect(pauses).toBeGreaterThanOrEqual(3 * 4);
  expect(loaded.stateHash()).toEqual(machine.stateHash());
  const filter = new Uint32Array(16);
  filter[0] = 30_000;
  filter[14] = 10;
  const query = new Uint8Array(filter.buffer);
  const found = loaded.read(Operation.queryTransfersUnbatched, query);
  expect(found.length).toBe(128);
  expect(found).toEqual(machine.read(Operation.queryTransfersUnbatched, query));
});

test('a second delta holds only new values', async () => {
  const machine = machineWithSomeTransfers();
  store(machine);
  const tables = store(machine).map(({ head }) => [head.table, head.kind]);
  expect(tables).toEqual([[TableId.head, SectionKind.replace]]);
  machine.commit(Operation.pulse, 3_000_000_000n, new Uint8Array(0));
  const rewritten = machine.takeDelta(new Set([TableId.accounts]));
  expect(rewritten.map(({ table, kind, rowCount }) => [table, kind, rowCount])).toEqual([
    [TableId.accounts, SectionKind.replace, 2],
    [TableId.head, SectionKind.replace, 1],
  ]);
});

test.each<[string, () => Stored[]]>([
  [
    'rows cut off',
    () => changed(TableId.transfers, (s) => ({ ...s, bytes: s.bytes.slice(0, -1) })),
  ],
  [
    'rows too many',
    () =>
      changed(TableId.transfers, (s) => ({ ...s, bytes: new Uint8Array(s.bytes.length + 144) })),
  ],
  [
    'another row size',
    () => changed(TableId.transfers, (s) => ({ ...s, head: { ...s.head, rowSize: 128 } })),
  ],
  [
    'an unknown table',
    () => changed(TableId.transfers, (s) => ({ ...s, head: { ...s.head, table: 99 } })),
  ],
  [
    'a section missing before',
    () => changed(TableId.transfers, (s) => ({ ...s, head: { ...s.head, firstRow: 1 } })),
  ],
  [
    'an update of what never changes',
    () =>
      changed(TableId.transfers, (s) => ({ ...s, head: { ...s.head, kind: SectionKind.update } })),
  ],
  ['a head too short', () => changed(TableId.head, (s) => ({ ...s, bytes: s.bytes.slice(1) }))],
  ['no accounts', () => store(machineWithSomeTransfers()).filter((s) => s.head.table !== 1)],
  ['no transfers', () => store(machineWithSomeTransfers()).filter((s) => s.head.table !== 2)],
  [
    'a post of a later transfer',
    () =>
      changed(TableId.transfers, (s) => {
        const words = new Uint32Array(s.bytes.slice().buffer);
        words[Transfer.words * 2 + Transfer.pendingTransfer] = 2;
        return { ...s, bytes: new Uint8Array(words.buffer) };
      }),
  ],
  [
    'a transfer resolved twice',
    () =>
      changed(TableId.transfers, (s) => {
        const words = new Uint32Array(s.bytes.slice().buffer);
        words[Transfer.words * 2 + Transfer.pendingTransfer] = 1;
        return { ...s, bytes: new Uint8Array(words.buffer) };
      }),
  ],
])('refused: %s', async (_what, sections) => {
  await expect(load(sections())).rejects.toThrow(CheckpointError);
});
