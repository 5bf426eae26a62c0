/** Tests that an incomplete checkpoint is refused and never becomes a subtly different state. */
import { expect, test } from '@jest/globals';
import { concatenate } from '../../test/support/engine/ledger/records.ts';
import { encodeMultiBatch } from '../wire/multi-batch.ts';
import { Operation } from '../wire/operations.ts';
import {
  DerivedTables,
  FIRST_SEGMENT_TABLE,
  type Section,
  type SectionHead,
  SectionKind,
} from './checkpoint.ts';
import { CheckpointError, ROWS_OF_PAGES, TableId } from './checkpoint-tables.ts';
import type { Needs } from './cold-rows.ts';
import { Expiry, Transfer } from './layout.ts';
import { isPage, PAGE_BYTES, PAGE_WORDS, rowsPerPage, sealPage } from './page.ts';
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
  return { head, bytes: concatenate(Array.from(chunks, (chunk) => chunk.slice())) };
}

function store(machine: StateMachine): Stored[] {
  return machine.takeDelta(new Set()).map(pull);
}

async function load(
  sections: readonly Stored[],
  pause = async (): Promise<void> => undefined,
  sizes = {},
): Promise<StateMachine> {
  const machine = new StateMachine({ memoryLimitBytes: 2 ** 30, ...sizes });
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

function changedPages(change: (section: Stored) => Stored): Stored[] {
  return store(machineWithPages()).map((section) =>
    section.head.table === TableId.transferPages ? change(section) : section,
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
  // After ids, balances and indexes of each 8,192 of 40,000 rows.
  expect(pauses).toBeGreaterThanOrEqual(4);
  expect(loaded.stateHash()).toEqual(machine.stateHash());
  const filter = new Uint32Array(16);
  filter[0] = 30_000;
  filter[14] = 10;
  const query = new Uint8Array(filter.buffer);
  const found = loaded.read(Operation.queryTransfersUnbatched, query);
  expect(found.length).toBe(128);
  expect(found).toEqual(machine.read(Operation.queryTransfersUnbatched, query));
});

/** The same tables as format version 1 has them: single rows without pages, and expiries without accounts. */
function version1(sections: readonly Stored[]): Stored[] {
  return sections.flatMap(({ head, bytes }) => {
    const rowTable = ROWS_OF_PAGES.get(head.table);
    if (rowTable !== undefined) return [];
    const pages = sections.find((other) => ROWS_OF_PAGES.get(other.head.table) === head.table);
    const rowBytes = head.rowSize;
    const perPage = Math.floor(4032 / rowBytes);
    const paged = Array.from({ length: pages?.head.rowCount ?? 0 }, (_, page) =>
      pages!.bytes.slice(page * 4096, page * 4096 + perPage * rowBytes),
    );
    const rows = concatenate([...paged, bytes]);
    if (head.table === TableId.expiries)
      for (let at = 0; at < rows.length; at += rowBytes) rows.fill(0, at + 88, at + 96);
    const kind = head.table === TableId.head ? head.kind : SectionKind.append;
    const rowCount = rows.length / rowBytes;
    return [{ head: { ...head, kind, firstRow: 0, rowCount }, bytes: rows }];
  });
}

function machineWithPages(): StateMachine {
  const machine = machineWithSomeTransfers();
  for (let first = 100; first < 300; first += 50) {
    const events = Array.from({ length: 50 }, (_, i) =>
      event({ 0: first + i, 4: 1, 8: 2, 12: 5, 27: i % 3, 28: 1, 29: 1 | (2 << 16) }),
    );
    machine.commit(Operation.createTransfers, 2_000_000_000n + BigInt(first), batch(...events));
  }
  machine.commit(Operation.pulse, 5_000_000_000n, new Uint8Array(0));
  return machine;
}

test('tables of format version 1 give the same state, and the next delta has their rows as pages', async () => {
  const machine = machineWithPages();
  const sections = store(machine);
  const loaded = await load(version1(sections));
  expect(loaded.stateHash()).toEqual(machine.stateHash());
  expect(loaded.counts()).toEqual(machine.counts());
  expect(loaded.nextExpiry()).toEqual(machine.nextExpiry());
  // Accounts are not written again: they are where they were.
  const again = store(loaded);
  expect(again).toEqual(sections.filter(({ head }) => head.table !== TableId.accounts));
  const events = new Uint8Array(Uint32Array.of(0, 0, 0, 0, 8000, ...Array(11).fill(0)).buffer);
  const read = (one: StateMachine) => one.read(Operation.getChangeEvents, events);
  expect(read(loaded)).toEqual(read(machine));
});

/** The same pages as a backup of format version 1 gives: its expiries do not name their accounts. */
function withoutNames(sections: readonly Stored[]): Stored[] {
  return sections.map(({ head, bytes }) => {
    const isPages = head.table === TableId.expiryPages;
    if (!isPages && head.table !== TableId.expiries) return { head, bytes };
    const words = new Uint32Array(bytes.slice().buffer);
    const pageWords = isPages ? PAGE_WORDS : words.length;
    for (let at = 0; at < words.length; at += pageWords) {
      const end = at + pageWords - (isPages ? 16 : 0);
      for (let row = at; row + Expiry.words <= end; row += Expiry.words)
        words.fill(0, row + Expiry.debitAccount, row + Expiry.creditAccount + 1);
      const page = at / PAGE_WORDS;
      if (isPages) sealPage(words, at, { table: head.table, page }, rowsPerPage(Expiry.words));
    }
    return { head, bytes: new Uint8Array(words.buffer) };
  });
}

test('a ledger whose backup was made from format version 1 is loaded without holding all its rows in memory', async () => {
  const machine = machineWithPages();
  const sections = store(machine);
  const cold = { rowsLeaveAtBytes: 0, rowsShift: 2 };
  const loaded = await load(withoutNames(sections), undefined, cold);
  expect(loaded.stateHash()).toEqual(machine.stateHash());
  expect(loaded.counts()).toEqual(machine.counts());
  expect(loaded.nextExpiry()).toEqual(machine.nextExpiry());
  expect(loaded.pages().rowsInMemory).toBeLessThan(40);
  const ids = new Uint8Array(Uint32Array.of(1, 0, 0, 0, 2, 0, 0, 0).buffer);
  const accounts = (one: StateMachine) => one.read(Operation.lookupAccountsUnbatched, ids);
  expect(accounts(loaded)).toEqual(accounts(machine));
});

test('every flipped byte of a page is found when the page is read', () => {
  const pages = store(machineWithPages()).find(({ head }) => head.table === TableId.transferPages)!;
  const words = new Uint32Array(pages.bytes.slice(4096, 8192).buffer);
  const bytes = new Uint8Array(words.buffer);
  const name = { table: TableId.transferPages, page: 1 };
  expect(isPage(words, 0, name)).toBe(true);
  expect(isPage(words, 0, { ...name, page: 2 })).toBe(false);
  expect(isPage(words, 0, { ...name, table: TableId.widePages })).toBe(false);
  for (let at = 0; at < bytes.length; at += 1) {
    bytes[at]! ^= 1 << (at % 8);
    expect(isPage(words, 0, name)).toBe(false);
    bytes[at]! ^= 1 << (at % 8);
  }
  expect(isPage(words, 0, name)).toBe(true);
});

test('a second delta holds only new values', async () => {
  const machine = machineWithSomeTransfers();
  store(machine);
  const tables = store(machine).map(({ head }) => [head.table, head.kind]);
  expect(tables).toEqual([[TableId.head, SectionKind.replace]]);
  machine.commit(Operation.pulse, 3_000_000_000n, new Uint8Array(0));
  const rewritten = machine.takeDelta(new Set([TableId.accounts]));
  expect(rewritten.map(({ table, kind, rowCount }) => [table, kind, rowCount])).toEqual([
    [TableId.accounts, SectionKind.append, 2],
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
    'a page missing',
    () =>
      changedPages((s) => ({
        head: { ...s.head, rowCount: s.head.rowCount - 1 },
        bytes: s.bytes.slice(4096),
      })),
  ],
  ['a page cut short', () => changedPages((s) => ({ ...s, bytes: s.bytes.slice(0, -1) }))],
  ['pages cut off', () => changedPages((s) => ({ ...s, bytes: s.bytes.slice(0, -4096) }))],
  [
    'a page in the place of another one',
    () =>
      changedPages((s) => ({
        ...s,
        bytes: concatenate([s.bytes.slice(0, 4096), s.bytes.slice(0, -4096)]),
      })),
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

/** Rows and accounts leave memory as soon as they may. */
const COLD = {
  rowsLeaveAtBytes: 0,
  rowsShift: 2,
  accountsShift: 5,
  accountsStayBytes: 0,
  liveAccountsMax: 2,
  indexSizes: { sealRows: 32, chunkRows: 8, pageBytes: PAGE_BYTES },
};
const manyAccounts = batch(...Array.from({ length: 70 }, (_, i) => account(i + 1)));

test('accounts that are written anew stay in memory until they are written', () => {
  const machine = new StateMachine({ memoryLimitBytes: 2 ** 30, ...COLD });
  machine.commit(Operation.createAccounts, 100n, manyAccounts);
  const [first] = store(machine).filter(({ head }) => head.table === TableId.accounts);
  machine.stored();
  const anew = machine.takeDelta(new Set([TableId.accounts]));
  machine.commit(Operation.createAccounts, 200n, batch(account(99)));
  const [again] = anew.filter(({ table }) => table === TableId.accounts).map(pull);
  expect(again!.bytes).toEqual(first!.bytes);
  machine.stored(DerivedTables.new, new Set([TableId.accounts]));
  // From then on they may leave, and cannot be written anew any more.
  machine.commit(Operation.createAccounts, 300n, batch(account(100)));
  const later = machine.takeDelta(new Set([TableId.accounts]));
  expect(later.find(({ table }) => table === TableId.accounts)).toMatchObject({
    firstRow: 70,
    rowCount: 2,
  });
});

test('a start point of version 1 is left out, and the rows are read instead', async () => {
  const key = { hashKey: { low: 1, high: 2 }, startPointSizes: { rows: 1, bytes: 1 << 20 } };
  const machine = new StateMachine({ memoryLimitBytes: 2 ** 30, ...COLD, ...key });
  machine.commit(Operation.createAccounts, 100n, manyAccounts);
  const moves = Array.from({ length: 60 }, (_, i) =>
    event({ 0: 200 + i, 4: 1 + i, 8: 2 + i, 12: 5, 28: 1, 29: 1 }),
  );
  machine.commit(Operation.createTransfers, 200n, batch(...moves));
  const sections = store(machine);
  const directory = sections.find(({ head }) => head.table === 2 ** 31)!;
  expect(new Uint32Array(directory.bytes.slice().buffer)[0]).toBe(2);
  const ids = new Uint32Array(70 * 4);
  for (let i = 0; i < 70; i += 1) ids[i * 4] = i + 1;
  const lookup = [Operation.lookupAccountsUnbatched, new Uint8Array(ids.buffer)] as const;
  const expected = machine.read(...lookup);
  const damages: unknown[] = [];
  const keeps = {
    rowsLeaveAtBytes: 2 ** 29,
    onIndexDamage: (error: unknown) => damages.push(error),
  };
  for (const version of [2, 1, 3]) {
    directory.bytes[0] = version;
    const loaded = await load(sections, undefined, { ...COLD, ...key, ...keeps });
    expect([damages, loaded.stateHash()]).toEqual([[], machine.stateHash()]);
    expect(loaded.read(...lookup)).toEqual(expected);
  }
});

test('accounts that had left memory are all in it again after a start with room for them, as after a change to a larger size', async () => {
  const key = { hashKey: { low: 1, high: 2 }, startPointSizes: { rows: 1, bytes: 1 << 20 } };
  const machine = new StateMachine({ memoryLimitBytes: 2 ** 30, ...COLD, ...key });
  const move = (id: number, debit: number): Uint8Array =>
    batch(event({ 0: id, 4: debit, 8: debit + 1, 12: 5, 28: 1, 29: 1 }));
  machine.commit(Operation.createAccounts, 100n, manyAccounts);
  const sections = store(machine);
  machine.commit(Operation.createTransfers, 200n, move(200, 3));
  machine.stored();
  machine.commit(Operation.createTransfers, 300n, move(201, 69));
  // This point is taken of a ledger of whose accounts 64 have left.
  sections.push(...store(machine));
  const ids = Uint32Array.from({ length: 70 * 4 }, (_, i) => (i % 4 === 0 ? i / 4 + 1 : 0));
  const lookup = [Operation.lookupAccountsUnbatched, new Uint8Array(ids.buffer)] as const;
  // Of those, the index must say first where they are: one page of ids for 32 of them.
  const lacks = machine.beginRead(...lookup).step(Infinity);
  expect(lacks).toMatchObject({ pages: [{ page: 0 }, { page: 0 }] });
  expect((lacks as Needs).pages.every(({ table }) => table >= FIRST_SEGMENT_TABLE)).toBe(true);
  const damages: unknown[] = [];
  const onIndexDamage = (error: unknown) => damages.push(error);
  const loadWith = async (rowsLeaveAtBytes: number) =>
    load(sections, undefined, { ...COLD, ...key, rowsLeaveAtBytes, onIndexDamage });
  const larger = await loadWith(2 ** 29);
  expect([damages, larger.stateHash()]).toEqual([[], machine.stateHash()]);
  expect(larger.prepare(Operation.createTransfers, 400n, move(202, 3))).toBeUndefined();
  const accounts = new Uint32Array(larger.read(...lookup).slice().buffer);
  const debits = Array.from({ length: 70 }, (_, i) => accounts[i * 32 + 8]);
  expect(debits.flatMap((debit, i) => (debit === 0 ? [] : [[i + 1, debit]]))).toEqual([
    [3, 5],
    [69, 5],
  ]);
  const same = await loadWith(0);
  expect(same.beginRead(...lookup).step(Infinity)).toMatchObject({ pages: [{}, {}] });
});
