/** A checkpoint that is not whole is refused; it never becomes a state that is subtly another. */
import { expect, test } from '@jest/globals';
import { encodeMultiBatch } from '../wire/multi-batch.ts';
import { Operation } from '../wire/operations.ts';
import { type SectionHead, SectionKind } from './checkpoint.ts';
import { CheckpointError, TableId } from './checkpoint-tables.ts';
import { Transfer } from './layout.ts';
import { StateMachine } from './state-machine.ts';

interface Stored {
  head: SectionHead;
  bytes: Uint8Array;
}

function machineWithSomeTransfers(): StateMachine {
  const machine = new StateMachine({ memoryLimitBytes: 2 ** 30 });
  const event = (words: Record<number, number>): Uint8Array => {
    const record = new Uint32Array(32);
    for (const [at, value] of Object.entries(words)) record[Number(at)] = value;
    return new Uint8Array(record.buffer);
  };
  const batch = (...events: Uint8Array[]): Uint8Array => {
    const bytes = new Uint8Array(events.length * 128);
    for (const [i, record] of events.entries()) bytes.set(record, i * 128);
    return encodeMultiBatch([bytes], 128);
  };
  const account = (id: number): Uint8Array => event({ 0: id, 28: 1, 29: 1 });
  const pending = (id: number): Uint8Array =>
    event({ 0: id, 4: 1, 8: 2, 12: 5, 27: 1, 28: 1, 29: 1 | (2 << 16) });
  const post = event({ 0: 13, 16: 11, 29: 4 << 16 });
  machine.commit(Operation.createAccounts, 10n, batch(account(1), account(2)));
  machine.commit(Operation.createTransfers, 20n, batch(pending(11), pending(12), post));
  machine.commit(Operation.pulse, 2_000_000_000n, new Uint8Array(0));
  return machine;
}

function store(machine: StateMachine): Stored[] {
  return machine.takeDelta(new Set()).map(({ chunks, ...head }) => {
    const parts = [...chunks].map((chunk) => chunk.slice());
    const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of parts) {
      bytes.set(part, at);
      at += part.length;
    }
    return { head, bytes };
  });
}

async function load(sections: readonly Stored[]): Promise<StateMachine> {
  const machine = new StateMachine({ memoryLimitBytes: 2 ** 30 });
  for (const { head, bytes } of sections) {
    await machine.loadSection(
      head,
      (async function* () {
        yield bytes;
      })(),
    );
  }
  machine.finishLoad();
  return machine;
}

function changed(table: number, change: (section: Stored) => Stored): Stored[] {
  return store(machineWithSomeTransfers()).map((section) =>
    section.head.table === table ? change(section) : section,
  );
}

test('what was stored comes back', async () => {
  const machine = machineWithSomeTransfers();
  const loaded = await load(store(machine));
  expect(loaded.stateHash()).toEqual(machine.stateHash());
  expect(loaded.counts()).toEqual({ accounts: 2, transfers: 3, pendingTransfers: 0 });
});

test('a second delta holds only what is new', async () => {
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
