import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Simulation } from '../../test/support/engine/ledger/simulation.ts';
import { StateMachine } from '../ledger/state-machine.ts';
import { FORMAT_VERSION_OF_COPIES } from '../log/layout.ts';
import type { StorageFile } from '../log/storage.ts';
import { readSuperblock } from '../log/superblock.ts';
import { findRecord, recordKeys } from './archive.ts';
import { makeBackup } from './make-backup.ts';
import { DATABASE, LedgerFile, PATH, restored, contentsOf } from './testing/ledger-file.ts';
import { SteadyLoad } from '../../test/support/engine/ledger/steady-load.ts';
import { Killed, MemoryStore, refusal } from './testing/memory-store.ts';
import { verifyBackup } from './verify-backup.ts';

const emptyLedger = () => new StateMachine({ memoryLimitBytes: 2 ** 34 });

test('every backup of a history restores to the ledger of its moment, under any identity', async () => {
  const moment = fc.record({ steps: fc.integer({ min: 1, max: 25 }), full: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(
      fc.integer(),
      fc.array(moment, { minLength: 1, maxLength: 4 }),
      async (seed, moments) => {
        const file = await LedgerFile.create(new Simulation(seed));
        const store = new MemoryStore();
        const expected = [];
        for (const [index, { steps, full }] of moments.entries()) {
          await file.work(steps);
          const { record } = await file.backUp(store, `b${index}`, { full });
          const { machine } = file.load;
          expected.push({ record, hash: file.hash, counts: machine.counts(), op: file.op });
        }
        const identity = { clusterId: 9n, replicaIndex: 2, replicaCount: 3 };
        for (const { record, hash, counts, op } of expected) {
          const { data, ledger } = await restored(store, record, identity);
          expect(Buffer.from(ledger.stateHash()).toString('hex')).toBe(hash);
          expect(ledger.counts()).toEqual(counts);
          expect(data.identity).toEqual(identity);
          expect(data.superblock.position.op).toBe(op);
          expect(data.superblock.position.place).toBeUndefined();
          await verifyBackup(store, record, emptyLedger());
        }
        const last = await restored(store, expected.at(-1)?.record);
        expect(contentsOf(last.ledger)).toEqual(contentsOf(file.load.machine));
      },
    ),
    { numRuns: 12 },
  );
});

test('a restored database goes on and is backed up in turn', async () => {
  const file = await LedgerFile.create(new Simulation(5));
  const store = new MemoryStore();
  await file.work(40);
  const { record } = await file.backUp(store, 'first');
  const { data, ledger } = await restored(store, record);
  const position = { op: 41, timestamp: 41_000n, view: 0, stateHash: ledger.stateHash() };
  await data.checkpoint(ledger, position);
  const options = { databaseId: 'db_other', backupId: 'own', opMin: 41, full: false, seals: false };
  const again = await makeBackup({ file: data.file, store, ...options, now: () => new Date(0) });
  expect(again.record).toMatchObject({ op: 41, stateHash: record.stateHash });
});

test('a file that is restored from a backup has the format version that older releases read', async () => {
  const file = await LedgerFile.create(new Simulation(5));
  const store = new MemoryStore();
  await file.work(40);
  const { record } = await file.backUp(store, 'one');
  const { data } = await restored(store, record);
  expect((await readSuperblock(data.file)).formatVersion).toBe(FORMAT_VERSION_OF_COPIES);
});

test('an empty database has a backup, too', async () => {
  const file = await LedgerFile.create(new Simulation(1));
  const store = new MemoryStore();
  const { record } = await file.backUp(store, 'empty');
  expect(record).toMatchObject({ op: 0, tables: [] });
  const { ledger } = await restored(store, record);
  expect(ledger.counts()).toMatchObject({ accounts: 0, transfers: 0 });
});

test('the engine goes on writing while its file is backed up, and the backup is of one moment', async () => {
  const file = await LedgerFile.create(new SteadyLoad());
  const store = new MemoryStore();
  await file.work(500);
  const [hash, op] = [file.hash, file.op];
  let working = Promise.resolve();
  store.onWrite = () => (working = working.then(() => file.work(3)));
  const { record } = await file.backUp(store, 'beside', { chunkBytes: 1_000 });
  expect(file.op).toBeGreaterThan(op + 100);
  expect(record).toMatchObject({ op, stateHash: hash });
  const { ledger } = await restored(store, record);
  expect(Buffer.from(ledger.stateHash()).toString('hex')).toBe(hash);
});

/** A file of which some reads find other bytes, as when `meanwhile` the engine used the place again. */
function overwritten(
  file: StorageFile,
  { skip, times }: { readonly skip: number; readonly times: number },
  meanwhile: () => Promise<void>,
): StorageFile {
  let reads = 0;
  return {
    size: () => file.size(),
    read: async (target, offset) => {
      const length = await file.read(target, offset);
      if (offset === 0) return length;
      reads += 1;
      if (reads <= skip || reads > skip + times) return length;
      target.fill(0);
      await meanwhile();
      return length;
    },
    write: (bytes, offset) => file.write(bytes, offset),
    writeDurable: (bytes, offset) => file.writeDurable(bytes, offset),
    sync: () => file.sync(),
    close: () => file.close(),
  };
}

test('rows whose place the engine used again are read where the newest checkpoint has them', async () => {
  // The list of pieces, the head of the ledger, and rows of a table, each found overwritten.
  const cases = [1, 2, 3].flatMap((times) => [0, 1, 2, 3, 4, 6].map((skip) => ({ skip, times })));
  for (const one of cases) {
    const file = await LedgerFile.create(new SteadyLoad());
    for (let checkpoint = 0; checkpoint < 5; checkpoint += 1) await file.work(20);
    const plain = await file.storage.open(PATH, { exclusive: false });
    const store = new MemoryStore();
    const reader = overwritten(plain, one, () => file.work(1));
    const { record } = await file.backUp(store, 'b', { file: reader });
    expect(record.op).toBeGreaterThanOrEqual(100);
    await verifyBackup(store, record, emptyLedger());
  }
});

test('damage in the data file stops the backup, with its place', async () => {
  const file = await LedgerFile.create(new SteadyLoad());
  await file.work(20);
  const plain = await file.storage.open(PATH, { exclusive: false });
  const store = new MemoryStore();
  for (const skip of [0, 1, 2, 3]) {
    const reader = overwritten(plain, { skip, times: Infinity }, () => Promise.resolve());
    const making = file.backUp(store, 'b', { file: reader });
    await expect(making).rejects.toMatchObject({ code: 'checkpoint_corrupt' });
    expect(await recordKeys(store, DATABASE)).toEqual([]);
  }
});

test('a second backup sends only new rows; one right after it sends none', async () => {
  const file = await LedgerFile.create(new SteadyLoad());
  const store = new MemoryStore();
  const chunks = { chunkBytes: 288 };
  await file.work(300);
  const first = await file.backUp(store, 'first', chunks);
  const same = await file.backUp(store, 'same', chunks);
  expect(same.newObjects).toBe(0);
  expect(same.record.tables).toEqual(first.record.tables);
  await file.work(5);
  const second = await file.backUp(store, 'second', chunks);
  expect(second.newObjects).toBeLessThan(first.newObjects / 4);
  expect(second.newObjects).toBeGreaterThan(0);
});

test('killed at any write and run again, a backup is whole, and there is none before its record', async () => {
  const file = await LedgerFile.create(new Simulation(8));
  await file.work(30);
  const whole = new MemoryStore();
  const expected = await file.backUp(whole, 'b', { chunkBytes: 4_000 });
  for (const arrives of [true, false]) {
    for (let write = 1; write <= whole.writes; write += 1) {
      const store = new MemoryStore();
      store.killAt = { write, arrives };
      const making = file.backUp(store, 'b', { chunkBytes: 4_000 });
      await expect(making).rejects.toBeInstanceOf(Killed);
      store.killAt = undefined;
      const records = await recordKeys(store, DATABASE);
      // Only the last write makes the backup.
      expect(records).toHaveLength(write === whole.writes && arrives ? 1 : 0);
      const again = await file.backUp(store, 'b', { chunkBytes: 4_000 });
      expect(again.sha256).toBe(expected.sha256);
      expect([...store.objects.keys()].sort()).toEqual([...whole.objects.keys()].sort());
      await verifyBackup(store, again.record, emptyLedger());
    }
  }
});

test('two programs that make one backup at a time make one backup', async () => {
  const file = await LedgerFile.create(new Simulation(21));
  await file.work(80);
  const store = new MemoryStore();
  const [one, other] = await Promise.all([file.backUp(store, 'b'), file.backUp(store, 'b')]);
  expect(one.sha256).toBe(other.sha256);
  expect(await recordKeys(store, DATABASE)).toHaveLength(1);
  await verifyBackup(store, one.record, emptyLedger());
});

async function oneBackup(): Promise<{ store: MemoryStore; keys: readonly string[] }> {
  const file = await LedgerFile.create(new SteadyLoad());
  await file.work(100);
  const store = new MemoryStore();
  await file.backUp(store, 'b');
  return { store, keys: [...store.objects.keys()].filter((key) => !key.endsWith('.json')) };
}

/** Reads a backup as a restore does, all of it. */
async function useBackup(store: MemoryStore): Promise<void> {
  const { record } = await findRecord(store, DATABASE, 'b');
  await verifyBackup(store, record, emptyLedger());
  await restored(store, record);
}

test('any byte of any object flipped, or the object cut, is refused with its key', async () => {
  const { store, keys } = await oneBackup();
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...keys),
      fc.nat(),
      fc.nat(7),
      fc.boolean(),
      async (key, at, bit, cut) => {
        const bytes = store.objects.get(key)!.slice();
        const place = at % bytes.length;
        if (!cut) bytes[place]! ^= 1 << bit;
        const changed = store.with(key, cut ? bytes.subarray(0, place) : bytes);
        const found = await refusal(useBackup(changed));
        expect(found?.key).toBe(key);
        expect(['object_damaged', 'format_unknown', 'archive_foreign']).toContain(found?.code);
      },
    ),
    { numRuns: 150 },
  );
});

test('an object that is gone is named', async () => {
  const { store, keys } = await oneBackup();
  for (const key of keys) {
    const found = await refusal(useBackup(store.with(key, undefined)));
    if (key.includes('/backups/')) expect(found?.code).toBe('backup_unknown');
    else expect(found).toEqual({ code: 'object_missing', key });
  }
});

test('a chunk of another database, or of other rows, is refused', async () => {
  const { store, keys } = await oneBackup();
  const [first = '', second = ''] = keys.filter((key) => key.includes('/rows/0002/'));
  const other = store.objects.get(second);
  const swapped = await refusal(useBackup(store.with(first, other)));
  expect(second).not.toBe('');
  expect(swapped).toEqual({ code: 'object_damaged', key: first });
  const record = keys.find((key) => key.includes('/backups/'))!;
  const foreign = new MemoryStore();
  foreign.objects.set(record.replace(DATABASE, 'db_other'), store.objects.get(record)!);
  const found = await refusal(findRecord(foreign, 'db_other', 'b'));
  expect(found?.code).toBe('archive_foreign');
});

test('a store that overwrites is refused before anything is in it that could be lost', async () => {
  const file = await LedgerFile.create(new Simulation(2));
  await file.work(10);
  const store = new MemoryStore();
  store.overwrites = true;
  expect((await refusal(file.backUp(store, 'b')))?.code).toBe('store_overwrites');
  expect([...store.objects.keys()]).toEqual([`${DATABASE}/archive.json`]);
});

test('the archive of another cluster is refused, and stays as it is', async () => {
  const file = await LedgerFile.create(new Simulation(2));
  await file.work(10);
  const store = new MemoryStore();
  const foreign = Buffer.from(`{"format":1,"databaseId":"${DATABASE}","clusterId":"8"}\n`);
  store.objects.set(`${DATABASE}/archive.json`, foreign);
  expect((await refusal(file.backUp(store, 'b')))?.code).toBe('archive_foreign');
  expect([...store.objects.values()]).toEqual([foreign]);
});

test('a backup that must contain more than the newest checkpoint is refused', async () => {
  const file = await LedgerFile.create(new Simulation(2));
  await file.work(10);
  const store = new MemoryStore();
  expect((await refusal(file.backUp(store, 'b', { opMin: 11 })))?.code).toBe('checkpoint_old');
  expect(store.objects.size).toBe(0);
});

test('after the return of an older state under the same ID, nothing of the lost history is in a backup', async () => {
  const store = new MemoryStore();
  const lost = await LedgerFile.create(new Simulation(31));
  await lost.work(60);
  await lost.backUp(store, 'lost');
  const other = await LedgerFile.create(new Simulation(32));
  await other.work(90);
  const { record } = await other.backUp(store, 'new');
  expect(record.stateHash).toBe(other.hash);
  await verifyBackup(store, record, emptyLedger());
  expect(contentsOf((await restored(store, record)).ledger)).toEqual(
    contentsOf(other.load.machine),
  );
  // What was backed up before can still be restored.
  const before = await findRecord(store, DATABASE, 'lost');
  await verifyBackup(store, before.record, emptyLedger());
});

test('a full backup stores again what was damaged or lost, under other names', async () => {
  const file = await LedgerFile.create(new Simulation(17));
  await file.work(60);
  const store = new MemoryStore();
  await file.backUp(store, 'b');
  const [damagedKey = '', lostKey = ''] = [...store.objects.keys()].filter((key) =>
    key.includes('/rows/'),
  );
  const bytes = store.objects.get(damagedKey)!;
  bytes[bytes.length - 1]! ^= 1;
  store.objects.delete(lostKey);
  const plain = await file.backUp(store, 'plain');
  expect((await refusal(verifyBackup(store, plain.record, emptyLedger())))?.code).toMatch(
    /^object_/,
  );
  const { record, newObjects } = await file.backUp(store, 'full', { full: true });
  expect(newObjects).toBe(2);
  await verifyBackup(store, record, emptyLedger());
  expect(store.objects.has(`${damagedKey}-1`)).toBe(true);
});
