import { expect, test } from '@jest/globals';
import {
  beginAfter,
  planRestore,
  rangesLeft,
  rangesOf,
  windowOf,
  windowOfRanges,
  type Target,
} from './recovery.ts';

const run = (firstOp: number, lastOp: number) => ({
  firstOp,
  lastOp,
  lastTimestamp: String(lastOp * 10),
});
const at = (op: number) => ({ op, timestamp: BigInt(op * 10) });
const toOp = (op: number): Target => ({ kind: 'op', op });
const toTime = (timestamp: number): Target => ({
  kind: 'timestamp',
  timestamp: BigInt(timestamp),
});
/** Archived from the first operation to 100, and from 151 on; backups at 40 and 160. */
const backups = [at(160), at(40)];
const window = windowOf([run(1, 100), run(151, 300)], backups)!;
const ranges = rangesOf(window);

test('a window begins with the empty ledger or with a backup, and names what is missing in between', () => {
  expect(window).toMatchObject({
    earliest: { op: 0, timestamp: '0', time: '1970-01-01T00:00:00.000000000Z' },
    latest: { op: 300, timestamp: '3000' },
    gaps: [{ after: { op: 100 }, before: { op: 160, timestamp: '1600' }, operations: 59 }],
  });
  expect(ranges).toEqual([
    { from: { op: 0, timestamp: 0n }, to: at(100) },
    { from: at(160), to: at(300) },
  ]);
  expect(windowOf([run(151, 300)], [at(40)])).toBeUndefined();
  expect(windowOf([run(151, 300)], [at(150)])).toMatchObject({ earliest: { op: 150 }, gaps: [] });
  expect(windowOf([], [at(40)])).toBeUndefined();
});

test('a log that goes on with a backup where the run before ended has no gap', () => {
  const whole = windowOf([run(1, 100), run(101, 300)], [at(100)]);
  expect(whole).toMatchObject({ earliest: { op: 0 }, latest: { op: 300 }, gaps: [] });
});

test('a restore begins with the newest backup before its moment, in the same unbroken run', () => {
  expect(planRestore(ranges, backups, toOp(39))).toMatchObject({
    backup: undefined,
    begins: { op: 0 },
    op: 39,
    operationsMax: 39,
  });
  expect(planRestore(ranges, backups, toOp(90))).toMatchObject({
    backup: at(40),
    operationsMax: 50,
  });
  expect(planRestore(ranges, backups, toOp(40))).toMatchObject({
    backup: at(40),
    operationsMax: 0,
  });
  // Between two operations: the last one before is meant, and only the log knows which that is.
  expect(planRestore(ranges, backups, toTime(2_995))).toMatchObject({
    backup: at(160),
    op: undefined,
    operationsMax: 140,
  });
  expect(planRestore(ranges, backups, toTime(3_000))).toMatchObject({ op: 300 });
});

test('a moment that cannot be had is refused with its reason and the nearest ones', () => {
  expect(planRestore(ranges, backups, toOp(120))).toEqual({
    isPossible: false,
    reason: 'in_a_gap',
    before: at(100),
    after: at(160),
  });
  expect(planRestore(ranges, backups, toTime(1_005))).toMatchObject({ reason: 'in_a_gap' });
  expect(planRestore(ranges, backups, toOp(301))).toMatchObject({
    reason: 'after_the_window',
    before: at(300),
    after: undefined,
  });
  expect(planRestore(ranges.slice(1), [at(160)], toTime(5))).toMatchObject({
    reason: 'before_the_window',
    after: at(160),
  });
  expect(planRestore([], [], toOp(1))).toMatchObject({ reason: 'nothing' });
});

test('a backup outside of every run is a moment of its own', () => {
  const alone = [...backups, at(130)];
  expect(planRestore(ranges, alone, toOp(130))).toMatchObject({ op: 130, operationsMax: 0 });
  expect(planRestore(ranges, alone, toOp(131))).toMatchObject({
    reason: 'in_a_gap',
    before: at(130),
  });
});

test('a run that began with a backup that has gone begins with the next one that stays, and none is left without', () => {
  const left = (gone: readonly number[], stay: readonly number[]) =>
    rangesLeft(ranges, new Set(gone), stay.map(at)).map(({ from }) => from.op);
  expect(left([], [])).toEqual([0, 160]);
  expect(left([160], [200, 180, 40])).toEqual([0, 180]);
  expect(left([160], [160])).toEqual([0, 160]);
  expect(left([160, 40], [40, 301])).toEqual([0]);
  // No backup is needed for the log from the first operation on.
  expect(left([0], [])).toEqual([0, 160]);
  const stay = [at(180)];
  const plan = (op: number) =>
    planRestore(rangesLeft(ranges, new Set([160]), stay), stay, toOp(op));
  expect(plan(170)).toMatchObject({ isPossible: false, before: at(100), after: at(180) });
  expect(plan(190)).toMatchObject({ isPossible: true, backup: at(180), operationsMax: 10 });
});

test('a window is the same again from its runs, and has no gap before a run that is no more', () => {
  const window = windowOf([run(1, 100), run(151, 300)], [at(160)])!;
  expect(windowOfRanges(rangesOf(window))).toEqual(window);
  const left = windowOfRanges(rangesLeft(rangesOf(window), new Set([160]), []));
  expect(left).toMatchObject({ earliest: { op: 0 }, latest: { op: 100 }, gaps: [] });
  expect(windowOfRanges([])).toBeUndefined();
});

test('the end of a history can be had by its time though a backup was made of the next one before anything was written', () => {
  const end = at(100);
  const begun = beginAfter(at(40), end);
  const first = begun.op + 1;
  const next = { firstOp: first, lastOp: first, lastTimestamp: '5000' };
  for (const others of [[run(1, 100), next], [run(1, 100)], []]) {
    const made = [end, begun];
    const known = windowOf(others, made);
    expect(planRestore(known ? rangesOf(known) : [], made, toTime(1_000))).toMatchObject({
      op: 100,
    });
  }
});
