/** Object lock: what a backup needs stays locked, whoever wrote it, with few requests; the sweep waits for locks. */
import { expect, test } from '@jest/globals';
import { SteadyLoad } from '../../test/support/engine/ledger/steady-load.ts';
import { readRecord, recordKeys } from './archive.ts';
import { Archive } from './moments.ts';
import { chainKey, segmentKey } from './keys.ts';
import { encodeSegment, NO_SEGMENT } from './log-segment.ts';
import { chunksOf } from './record.ts';
import { removeBackup } from './removals.ts';
import { sweep } from './sweep.ts';
import { sweepLog } from './sweep-log.ts';
import { DATABASE, LedgerFile } from './testing/ledger-file.ts';
import { LockingStore } from './testing/locking-store.ts';
import { refusal } from './testing/memory-store.ts';
import { entryOf, writeChain } from './testing/written-log.ts';
import { parseLock } from './object-lock.ts';

const DAY = 86_400_000;
const graceMs = DAY;
const lock = { mode: 'COMPLIANCE', days: 20 } as const;
const small = { chunkBytes: 144 * 3 };

class Days {
  readonly file: LedgerFile;
  readonly store: LockingStore;

  private constructor(file: LedgerFile, store: LockingStore) {
    this.file = file;
    this.store = store;
  }

  static async begin(): Promise<Days> {
    return new Days(await LedgerFile.create(new SteadyLoad()), new LockingStore(lock, 0));
  }

  /** Works, and makes a backup on that day. Resolves with the day until which its record says that all of it is locked. */
  async backUp(day: number, options: object = small): Promise<number> {
    this.store.nowMs = day * DAY;
    await this.file.work(40);
    const now = () => new Date(this.store.nowMs);
    const { record } = await this.file.backUp(this.store, `day-${day}`, { ...options, now });
    return this.dayOf(record.lockedUntil);
  }

  /** The day until which all that a backup needs is locked. */
  async lockedUntil(backupId: string): Promise<number> {
    const found = (await recordKeys(this.store, DATABASE)).find((one) => one.backupId === backupId);
    const { record, key } = await readRecord(this.store, DATABASE, found?.key ?? '');
    const names = [key, ...chunksOf(record).map(({ name }) => name)];
    return Math.min(...names.map((name) => this.dayOf(this.store.ends.get(name))));
  }

  segmentUntil = (firstOp: number): number =>
    this.dayOf(this.store.ends.get(segmentKey(DATABASE, 1, firstOp)));

  dayOf = (time: string | undefined): number => Date.parse(time ?? '') / DAY;
}

test('objects that a later backup needs are locked for it too, and only when their locks end too early', async () => {
  const days = await Days.begin();
  expect(await days.backUp(0)).toBe(30);
  // A quarter of the days later the first locks are still long enough.
  expect(await days.backUp(5)).toBe(30);
  expect(days.store.changes).toBe(0);
  expect(await days.lockedUntil('day-5')).toBeGreaterThanOrEqual(5 + 25);
  const looked = days.store.looks;
  expect(await days.backUp(6)).toBe(35);
  expect(days.store.changes).toBeGreaterThan(0);
  expect(await days.lockedUntil('day-6')).toBe(35);
  // The newest backup knows the ends of its chunks, and asks for those of a few other objects.
  const changed = days.store.changes;
  const between = days.store.looks;
  expect(await days.backUp(7)).toBe(35);
  expect(days.store.looks - between).toBeLessThan(between - looked);
  expect(days.store.looks - between).toBeLessThan(10);
  expect(days.store.changes).toBe(changed);
});

test('a chunk that somebody deleted is stored again when its lock is to be renewed', async () => {
  const days = await Days.begin();
  await days.backUp(0);
  const [{ key } = { key: '' }] = await recordKeys(days.store, DATABASE);
  const [gone] = chunksOf((await readRecord(days.store, DATABASE, key)).record);
  days.store.objects.delete(gone?.name ?? '');
  expect(await days.backUp(20)).toBe(50);
  expect(days.store.objects.has(gone?.name ?? '')).toBe(true);
  expect(await days.lockedUntil('day-20')).toBe(50);
});

test('the log between two backups, and the one before it, are locked as long as the moments between them are promised', async () => {
  const days = await Days.begin();
  await days.backUp(0);
  await writeChain(days.store, 1, 150, 'start');
  await days.backUp(15);
  // The first backup has all before operation 40; the second one has it from there on.
  expect([21, 31, 41, 71].map(days.segmentUntil)).toEqual([30, 45, 45, 45]);
  expect([81, 141].map(days.segmentUntil)).toEqual([30, 30]);
  expect(await days.lockedUntil('day-0')).toBe(45);
  const plan = await (await Archive.read(days.store, DATABASE)).plan({ kind: 'op', op: 79 });
  expect(plan.segments.map(days.segmentUntil)).toEqual([45, 45, 45, 45]);
});

test('the note of a chain, which all its segments need, stays locked while backups come often', async () => {
  const days = await Days.begin();
  const { store } = days;
  await writeChain(store, 1, 10, 'start');
  const log = { databaseId: DATABASE, line: 1, previous: NO_SEGMENT };
  for (let day = 0; day <= 40; day += 4) {
    // Each backup finds segments that were archived just before.
    store.nowMs = day * DAY;
    for (let op = day * 10 + 11; op <= day * 10 + 50; op += 10) {
      const entries = Array.from({ length: 10 }, (_, index) => entryOf(op + index));
      const segment = await encodeSegment(log, { entries, marks: [] });
      await store.create(segmentKey(DATABASE, 1, op), segment);
    }
    await days.backUp(day);
  }
  const until = days.dayOf(store.ends.get(chainKey(DATABASE, 1, 1)));
  expect(until).toBeGreaterThanOrEqual(40 + 25);
});

test('a segment that was archived without a lock is locked by the next backup, also after one that is', async () => {
  const days = await Days.begin();
  await days.backUp(0);
  await writeChain(days.store, 1, 150, 'start');
  days.store.ends.delete(segmentKey(DATABASE, 1, 61));
  await days.backUp(1);
  expect(days.segmentUntil(61)).toBe(31);
  expect(days.segmentUntil(71)).toBe(30);
});

test.each([0, 1, 2, 3, 4])(
  'a lock that was not renewed because the program died after %d others is renewed by the next backup',
  async (renewed) => {
    const days = await Days.begin();
    await days.backUp(0);
    await writeChain(days.store, 1, 150, 'start');
    const whole = { ...days.store.locks };
    let left = renewed;
    Object.assign(days.store.locks, {
      keep: async (key: string) => {
        if (key.includes('/log/') && (left -= 1) < 0) throw new Error('killed');
        return whole.keep(key);
      },
    });
    await expect(days.backUp(15)).rejects.toThrow('killed');
    Object.assign(days.store.locks, whole);
    await days.backUp(16);
    for (const op of [31, 41, 51, 61, 71]) expect(days.segmentUntil(op)).toBeGreaterThanOrEqual(45);
  },
);

test('the sweep waits for locks, and ends the removal when they have ended', async () => {
  const days = await Days.begin();
  for (const day of [0, 1, 2]) await days.backUp(day);
  const { store } = days;
  const removedAt = new Date(2 * DAY).toISOString();
  await removeBackup(store, DATABASE, { backupId: 'day-1', removedAt });
  const on = (day: number) => {
    store.nowMs = day * DAY;
    return sweep({ store, databaseId: DATABASE, nowMs: store.nowMs, graceMs });
  };
  const before = [...store.objects.keys()];
  expect(await on(10)).toMatchObject({ emptied: 0, chunks: 0, locked: 1 });
  expect([...store.objects.keys()]).toEqual(before);
  const swept = await on(32);
  expect(swept).toMatchObject({ emptied: 1, gone: 0, locked: 0 });
  expect(swept.chunks).toBeGreaterThan(0);
  // The note of what was swept is locked like everything else.
  expect(await on(34)).toMatchObject({ emptied: 0, gone: 0, locked: 1 });
  expect(await on(70)).toMatchObject({ emptied: 0, gone: 1, locked: 0 });
  expect([...store.objects.keys()].filter((key) => key.includes('day-1'))).toEqual([]);
});

test('the sweep of the log stops at the first segment that is locked', async () => {
  const days = await Days.begin();
  await days.backUp(0);
  await writeChain(days.store, 1, 50, 'start');
  const on = (day: number) => {
    days.store.nowMs = day * DAY;
    const [nowMs, keepMs] = [days.store.nowMs, 7 * DAY];
    return sweepLog({ store: days.store, databaseId: DATABASE, nowMs, keepMs });
  };
  expect(await on(29)).toMatchObject({ segments: 0 });
  expect(await on(31)).toMatchObject({ segments: 4 });
});

test.each(['GOVERNANCE', 'COMPLIANCE 0', 'compliance 30', 'GOVERNANCE 30 days', ''])(
  'the setting "%s" is refused, with an example',
  async (text) => {
    const read = (async () => parseLock(text))();
    expect(await refusal(read)).toMatchObject({ code: 'lock_wrong' });
    await expect(read).rejects.toThrow('GOVERNANCE 30');
  },
);
