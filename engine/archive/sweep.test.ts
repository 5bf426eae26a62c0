/** Removal of backups: whatever is removed and swept, and whenever a process dies, the others stay whole. */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { SteadyLoad } from '../../test/support/engine/ledger/steady-load.ts';
import { StateMachine } from '../ledger/state-machine.ts';
import { findRecord, readRecord, recordKeys } from './archive.ts';
import { chunksOf } from './record.ts';
import { removeBackup } from './removals.ts';
import { sweep } from './sweep.ts';
import { DATABASE, LedgerFile } from './testing/ledger-file.ts';
import { Killed, MemoryStore, refusal } from './testing/memory-store.ts';
import { verifyBackup } from './verify-backup.ts';

const HOUR = 3_600_000;
const graceMs = 24 * HOUR;
/** Three rows of a transfer: the last chunk of a backup is rarely full. */
const chunks = { chunkBytes: 144 * 3 };

const remove = (store: MemoryStore, backupId: string, atMs: number) =>
  removeBackup(store, DATABASE, { backupId, removedAt: new Date(atMs).toISOString() });
const sweepAt = (store: MemoryStore, nowMs: number) =>
  sweep({ store, databaseId: DATABASE, nowMs, graceMs });

async function verifyAll(store: MemoryStore): Promise<string[]> {
  const keys = await recordKeys(store, DATABASE);
  for (const { key } of keys) {
    const { record } = await readRecord(store, DATABASE, key);
    await verifyBackup(store, record, new StateMachine({ memoryLimitBytes: 2 ** 34 }));
  }
  return keys.map(({ backupId }) => backupId);
}

test('nothing goes early or never because the clock of a machine was a year off', async () => {
  const YEAR = 365 * 24 * HOUR;
  for (const removedAt of [0, 2 * YEAR]) {
    const { store } = await threeBackups();
    store.nowMs = YEAR;
    await remove(store, 'second', removedAt);
    expect(await sweepAt(store, YEAR + 23 * HOUR)).toMatchObject({ emptied: 0, waiting: 1 });
    expect(await sweepAt(store, YEAR + 24 * HOUR)).toMatchObject({ emptied: 1 });
    expect(await verifyAll(store)).toEqual(['first', 'third']);
  }
});

test('a backup that was removed while the clock of the store was years ahead is deleted by the time in its note', async () => {
  const YEAR = 365 * 24 * HOUR;
  const { store } = await threeBackups();
  store.nowMs = 9 * YEAR;
  await remove(store, 'second', YEAR);
  expect(await sweepAt(store, YEAR + 23 * HOUR)).toMatchObject({ emptied: 0, waiting: 1 });
  expect(await sweepAt(store, YEAR + 24 * HOUR)).toMatchObject({ emptied: 1 });
  expect(await sweepAt(store, YEAR + 48 * HOUR)).toMatchObject({ gone: 1 });
  expect(await verifyAll(store)).toEqual(['first', 'third']);
  // Nothing says how old a note is whose both times have not come.
  await remove(store, 'first', 9 * YEAR);
  expect(await sweepAt(store, 2 * YEAR)).toMatchObject({ emptied: 0, waiting: 1 });
});

/** Chunks that no backup has. */
async function unaccounted(store: MemoryStore): Promise<string[]> {
  const left = new Set([...store.objects.keys()].filter((key) => key.includes('/rows/')));
  for (const { key } of await recordKeys(store, DATABASE))
    for (const { name } of chunksOf((await readRecord(store, DATABASE, key)).record))
      left.delete(name);
  return [...left];
}

async function threeBackups(): Promise<{ file: LedgerFile; store: MemoryStore }> {
  const file = await LedgerFile.create(new SteadyLoad());
  const store = new MemoryStore();
  for (const name of ['first', 'second', 'third']) {
    await file.work(40);
    await file.backUp(store, name, chunks);
  }
  return { file, store };
}

test('a removed backup is found no more; its objects go a day later, its record another day later', async () => {
  const { store } = await threeBackups();
  const before = new Map(store.objects);
  await remove(store, 'second', 0);
  expect(await verifyAll(store)).toEqual(['first', 'third']);
  expect(await refusal(findRecord(store, DATABASE, 'second'))).toMatchObject({
    code: 'backup_removed',
  });
  expect(await sweepAt(store, 23 * HOUR)).toMatchObject({ emptied: 0, chunks: 0, waiting: 1 });
  for (const key of before.keys()) expect(store.objects.has(key)).toBe(true);
  const swept = await sweepAt(store, 24 * HOUR);
  expect(swept).toMatchObject({ emptied: 1, gone: 0, waiting: 0 });
  expect(swept.chunks).toBeGreaterThan(0);
  expect(await verifyAll(store)).toEqual(['first', 'third']);
  expect(await sweepAt(store, 25 * HOUR)).toMatchObject({ emptied: 0, gone: 0 });
  expect(await sweepAt(store, 48 * HOUR)).toMatchObject({ emptied: 0, gone: 1 });
  expect([...store.objects.keys()].filter((key) => key.includes('second'))).toEqual([]);
  expect(await unaccounted(store)).toEqual([]);
});

test('a removal is noted once: the first time counts', async () => {
  const { store } = await threeBackups();
  await remove(store, 'first', 0);
  expect((await remove(store, 'first', 9 * HOUR)).removedAt).toBe('1970-01-01T00:00:00.000Z');
});

test('a backup made after a removal survives the sweep, though it has the same rows', async () => {
  const { file, store } = await threeBackups();
  for (const name of ['first', 'second', 'third']) await remove(store, name, 0);
  // Nothing was written since: all of its rows are those of a removed backup.
  const { record } = await file.backUp(store, 'fourth', chunks);
  await sweepAt(store, 24 * HOUR);
  // Between the rounds it is the same.
  const again = await file.backUp(store, 'fifth', chunks);
  await sweepAt(store, 48 * HOUR);
  expect(await verifyAll(store)).toEqual(['fifth', 'fourth']);
  expect(again.record.stateHash).toBe(record.stateHash);
  expect(await unaccounted(store)).toEqual([]);
});

test('no backup is made under the name of a removed one while the sweep has to do with it: it would go, or come back without its rows', async () => {
  const { file, store } = await threeBackups();
  await remove(store, 'third', 0);
  await file.work(40);
  const again = () => file.backUp(store, 'third', chunks);
  expect(await refusal(again())).toMatchObject({ code: 'backup_removed' });
  await remove(store, 'second', HOUR);
  for (const hours of [24, 25, 48, 49]) await sweepAt(store, hours * HOUR);
  expect(await verifyAll(store)).toEqual(['first']);
  await again();
  expect(await verifyAll(store)).toEqual(['first', 'third']);
});

test('killed at any write or delete and run again, a sweep ends the same, and what stays is whole all the time', async () => {
  const { store: whole } = await threeBackups();
  await remove(whole, 'first', 0);
  await remove(whole, 'third', 0);
  const copy = () => {
    const store = new MemoryStore();
    for (const [key, bytes] of whole.objects) store.objects.set(key, bytes);
    return store;
  };
  const undisturbed = copy();
  await sweepAt(undisturbed, 24 * HOUR);
  await sweepAt(undisturbed, 48 * HOUR);
  const { writes } = undisturbed;
  expect(writes).toBeGreaterThan(8);
  for (const arrives of [true, false]) {
    for (let write = 1; write <= writes; write += 1) {
      const store = copy();
      store.killAt = { write, arrives };
      const sweeping = (async () => {
        await sweepAt(store, 24 * HOUR);
        await sweepAt(store, 48 * HOUR);
      })();
      await expect(sweeping).rejects.toBeInstanceOf(Killed);
      store.killAt = undefined;
      expect(await verifyAll(store)).toEqual(['second']);
      await sweepAt(store, 48 * HOUR);
      await sweepAt(store, 72 * HOUR);
      expect([...store.objects.keys()].sort()).toEqual([...undisturbed.objects.keys()].sort());
    }
  }
});

test('while a record that stays cannot be read, nothing is deleted', async () => {
  const { store } = await threeBackups();
  await remove(store, 'first', 0);
  const key = (await recordKeys(store, DATABASE)).at(-1)?.key ?? '';
  const damaged = store.with(key, store.objects.get(key)?.subarray(5));
  const before = [...damaged.objects.keys()];
  expect(await refusal(sweepAt(damaged, 99 * HOUR))).toEqual({ code: 'object_damaged', key });
  expect([...damaged.objects.keys()]).toEqual(before);
});

test('after backups, removals and sweeps in any order, every backup that stays is whole and nothing is left over', async () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('back up' as const), work: fc.integer({ min: 0, max: 30 }) }),
    fc.record({ kind: fc.constant('remove' as const), which: fc.nat(9) }),
    fc.record({ kind: fc.constant('sweep' as const), hours: fc.integer({ min: 1, max: 40 }) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
      const file = await LedgerFile.create(new SteadyLoad());
      const store = new MemoryStore();
      let nowMs = 0;
      const kept = new Set<string>();
      for (const [index, one] of steps.entries()) {
        if (one.kind === 'back up') {
          if (one.work > 0) await file.work(one.work);
          await file.backUp(store, `b${index}`, chunks);
          kept.add(`b${index}`);
        } else if (one.kind === 'remove') {
          const name = [...kept][one.which % Math.max(1, kept.size)];
          if (name === undefined) continue;
          kept.delete(name);
          await remove(store, name, nowMs);
        } else {
          nowMs += one.hours * HOUR;
          await sweepAt(store, nowMs);
        }
        expect((await verifyAll(store)).sort()).toEqual([...kept].sort());
      }
      await sweepAt(store, nowMs + graceMs);
      await sweepAt(store, nowMs + 2 * graceMs);
      expect((await verifyAll(store)).sort()).toEqual([...kept].sort());
      expect(await unaccounted(store)).toEqual([]);
    }),
    { numRuns: 15 },
  );
});
