/** Chains of segments: what can be restored of them, and what the sweep leaves. */
import { expect, test } from '@jest/globals';
import { LOG_DAYS, sweptBy } from '../../domain/kept-log.ts';
import { SteadyLoad } from '../../test/support/engine/ledger/steady-load.ts';
import { findRecord } from './archive.ts';
import { segmentKey } from './keys.ts';
import { findEnd } from '../archiver/archive-end.ts';
import { writeChainNote } from './log-chains.ts';
import { decodeSegment } from './log-segment.ts';
import { Archive } from './moments.ts';
import { encodeRecord } from './record.ts';
import { sweepLog } from './sweep-log.ts';
import { DATABASE, LedgerFile } from './testing/ledger-file.ts';
import { MemoryStore, refusal } from './testing/memory-store.ts';
import { timestampOf, writeChain } from './testing/written-log.ts';

const DAY = 86_400_000;

/** Backups at ops 40, 80 and 120, made on days 0, 1 and 2. */
async function threeBackups(): Promise<MemoryStore> {
  const file = await LedgerFile.create(new SteadyLoad());
  const store = new MemoryStore();
  for (const [day, name] of ['first', 'second', 'third'].entries()) {
    await file.work(40);
    await file.backUp(store, name, { now: () => new Date(day * DAY) });
  }
  return store;
}

const windowsOf = async (store: MemoryStore) =>
  (await Archive.read(store, DATABASE)).windows.map(({ from, to, missingOps }) => [
    from?.op,
    to.op,
    missingOps,
  ]);

const planOf = async (store: MemoryStore, op: number) => {
  const plan = await (await Archive.read(store, DATABASE)).plan({ kind: 'op', op });
  return [plan.moment.op, plan.base?.record.backupId, plan.segments];
};

test('a restore begins with the newest backup before the moment, and reads only the segments after it', async () => {
  const store = await threeBackups();
  await writeChain(store, 1, 150, 'start');
  expect(await windowsOf(store)).toEqual([[0, 150, 0]]);
  expect(await planOf(store, 39)).toEqual([39, undefined, [1, 11, 21, 31]]);
  expect(await planOf(store, 40)).toEqual([40, 'first', []]);
  expect(await planOf(store, 41)).toEqual([41, 'first', [41]]);
  expect(await planOf(store, 150)).toEqual([150, 'third', [121, 131, 141]]);
  expect(await refusal(planOf(store, 151))).toMatchObject({ code: 'moment_unavailable' });
});

test('a time is the last operation at or before it', async () => {
  const store = await threeBackups();
  await writeChain(store, 1, 150, 'start');
  const archive = await Archive.read(store, DATABASE);
  const at = async (timestamp: bigint) =>
    (await archive.plan({ kind: 'timestamp', timestamp })).moment.op;
  expect(await at(timestampOf(77))).toBe(77);
  expect(await at(timestampOf(77) + 999n)).toBe(77);
  expect(await at(timestampOf(150))).toBe(150);
  expect(await at(timestampOf(1) - 1n)).toBe(0);
  expect(await refusal(at(timestampOf(150) + 1n))).toMatchObject({ code: 'moment_unavailable' });
});

test('only the operations after a backup can be had of a log after a gap', async () => {
  const store = await threeBackups();
  await writeChain(store, 1, 60, 'start');
  await writeChain(store, 101, 150, 'gap');
  expect(await windowsOf(store)).toEqual([
    [0, 60, 0],
    [120, 150, 40],
  ]);
  expect(await planOf(store, 60)).toEqual([60, 'first', [41, 51]]);
  // A backup in the gap is a moment of its own.
  expect(await planOf(store, 80)).toEqual([80, 'second', []]);
  for (const op of [61, 79, 81, 100, 101, 119])
    expect(await refusal(planOf(store, op))).toMatchObject({ code: 'moment_unavailable' });
});

test.each([101, 105, 141])(
  'a note that somebody has forged splits no chain: all moments around op %i can be had',
  async (firstOp) => {
    const store = await threeBackups();
    await writeChain(store, 1, 60, 'start');
    await writeChain(store, 81, 150, 'gap');
    const before = await windowsOf(store);
    const note = { databaseId: DATABASE, line: 1, firstOp, follows: 'gap' as const };
    await writeChainNote(store, { ...note, begunAt: new Date(0).toISOString() });
    expect(await windowsOf(store)).toEqual(before);
    expect(before).toEqual([
      [0, 60, 0],
      [80, 150, 20],
    ]);
    for (const op of [firstOp - 1, firstOp, 150]) expect(await planOf(store, op)).toHaveLength(3);
    expect((await findEnd(store, DATABASE))?.chainFirstOp).toBe(81);
  },
);

test('a note whose chain never began, since its archiver died, splits no chain that goes on beyond it', async () => {
  const store = await threeBackups();
  const note = { databaseId: DATABASE, line: 1, firstOp: 61, follows: 'gap' as const };
  await writeChainNote(store, { ...note, begunAt: new Date(0).toISOString() });
  await writeChain(store, 1, 150, 'start');
  expect(await windowsOf(store)).toEqual([[0, 150, 0]]);
});

test('the log of another history, which begins right after the end of the former one, goes on from no backup there', async () => {
  for (const [timestamp, from] of [
    [timestampOf(80), 120],
    // A backup of the new history: the former log has another operation there.
    [timestampOf(80) + 1n, 80],
  ] as const) {
    const store = await threeBackups();
    const { key, record } = await findRecord(store, DATABASE, 'second');
    store.objects.set(key, encodeRecord({ ...record, timestamp: String(timestamp) }).bytes);
    await writeChain(store, 1, 80, 'start');
    await writeChain(store, 81, 150, 'gap');
    expect(await windowsOf(store)).toEqual([
      [0, 80, 0],
      [from, 150, 0],
    ]);
    expect(await planOf(store, 130)).toEqual([130, 'third', [121]]);
    if (from === 120)
      expect(await refusal(planOf(store, 90))).toMatchObject({ code: 'moment_unavailable' });
    else expect(await planOf(store, 90)).toEqual([90, 'second', [81]]);
  }
});

test('a chain whose first segment is lost is still one of its own', async () => {
  const store = await threeBackups();
  await writeChain(store, 1, 60, 'start');
  await writeChain(store, 101, 150, 'gap');
  store.objects.delete(segmentKey(DATABASE, 1, 101));
  expect(await windowsOf(store)).toEqual([
    [0, 60, 0],
    [120, 150, 50],
  ]);
});

test('the sweep keeps every moment of the promised days, and the backup that they begin with', async () => {
  const store = await threeBackups();
  await writeChain(store, 1, 150, 'start');
  const sweep = (day: number) =>
    sweepLog({ store, databaseId: DATABASE, nowMs: day * DAY, keepMs: 7 * DAY });
  expect(await sweep(6)).toMatchObject({ segments: 0 });
  expect(await sweep(9)).toMatchObject({ segments: 8 });
  expect(await windowsOf(store)).toEqual([[80, 150, 0]]);
  expect(await planOf(store, 81)).toEqual([81, 'second', [81]]);
  expect(await planOf(store, 40)).toEqual([40, 'first', []]);
  expect(await refusal(planOf(store, 79))).toMatchObject({ code: 'moment_unavailable' });
  expect(await sweep(9)).toMatchObject({ segments: 0 });
  expect(await sweep(90)).toMatchObject({ segments: 4 });
  expect(await windowsOf(store)).toEqual([[120, 150, 0]]);
});

test('the sweep keeps the promised days though the clocks of the Jobs that made the backups were a year behind', async () => {
  const store = await threeBackups();
  await writeChain(store, 1, 150, 'start');
  for (const key of store.objects.keys()) store.writtenMs.set(key, 365 * DAY);
  const sweep = (day: number) =>
    sweepLog({ store, databaseId: DATABASE, nowMs: day * DAY, keepMs: 7 * DAY });
  expect(await sweep(366)).toMatchObject({ segments: 0 });
  expect(await windowsOf(store)).toEqual([[0, 150, 0]]);
  expect((await sweep(374)).segments).toBeGreaterThan(0);
});

test('a restore to a moment that is promised when it begins reads all that it needs, whatever sweeps run for a day', async () => {
  const store = await threeBackups();
  await writeChain(store, 1, 150, 'start');
  const days = 7;
  const needs = async (plan: Awaited<ReturnType<Archive['plan']>>) => {
    for (const op of plan.segments) await store.read(segmentKey(DATABASE, plan.line, op));
  };
  for (const begins of [7.9, 8.9]) {
    // A moment between two backups, at the beginning of the promised days.
    const baseOp = Math.floor(begins - days + 1) * 40;
    const plan = await (await Archive.read(store, DATABASE)).plan({ kind: 'op', op: baseOp + 35 });
    expect(plan.base?.record.op).toBe(baseOp);
    for (const hour of [1, 12, 23])
      await sweepLog({
        store,
        databaseId: DATABASE,
        nowMs: (begins + hour / 24) * DAY,
        keepMs: days * DAY,
      });
    await needs(plan);
  }
});

test('a log that is known to stay until a time is whole then, and one that is not may be gone within hours, though every moment of it could be restored', async () => {
  const made = [40, 80, 120].map((op, day) => ({ op, timestamp: BigInt(op), madeMs: day * DAY }));
  const [ops, lost] = [Array.from({ length: 151 }, (_, op) => op), new Set<string>()];
  for (const begins of [6.5, 7.5, 8.4, 9.5]) {
    for (const hours of [3, 12]) {
      const store = await threeBackups();
      await writeChain(store, 1, 150, 'start');
      const sweep = (nowMs: number) =>
        sweepLog({ store, databaseId: DATABASE, nowMs, keepMs: LOG_DAYS * DAY });
      await sweep(begins * DAY);
      const archive = await Archive.read(store, DATABASE);
      const plans = [];
      for (const op of ops) {
        const plan = await archive.plan({ kind: 'op', op }).catch(() => undefined);
        if (plan !== undefined) plans.push(plan);
      }
      expect(plans.length).toBeGreaterThan(70);
      const untilMs = begins * DAY + hours * 3_600_000;
      await sweep(untilMs);
      const left = await Archive.read(store, DATABASE);
      for (const { base, moment, segments } of plans) {
        const first = { op: base?.record.op ?? 0, timestamp: 0n };
        const known = { backup: base && first, begins: first, operationsMax: moment.op - first.op };
        const again = await left.plan({ kind: 'op', op: moment.op }).catch(() => undefined);
        const isWhole =
          again !== undefined &&
          segments.every((op) => store.objects.has(segmentKey(DATABASE, 1, op)));
        if (sweptBy(untilMs, made, known) === undefined) expect(isWhole).toBe(true);
        if (!isWhole) lost.add(`${begins} days, ${hours} hours`);
      }
    }
  }
  expect([...lost]).toEqual(['7.5 days, 12 hours', '9.5 days, 12 hours']);
});

test('a segment with any byte flipped is refused by its key', async () => {
  const store = new MemoryStore();
  await writeChain(store, 1, 10, 'start');
  const key = segmentKey(DATABASE, 1, 1);
  const whole = await store.read(key);
  for (let at = 0; at < whole.length; at += 1) {
    const bytes = whole.slice();
    bytes[at] = (bytes[at] ?? 0) ^ 0x10;
    expect(await refusal(decodeSegment(key, bytes, DATABASE))).toMatchObject({ key });
  }
  for (const length of [0, 10, 384, whole.length - 1])
    expect(await refusal(decodeSegment(key, whole.subarray(0, length), DATABASE))).toEqual({
      code: 'object_damaged',
      key,
    });
  expect(await refusal(decodeSegment(key, whole, 'db_other'))).toEqual({
    code: 'archive_foreign',
    key,
  });
});
