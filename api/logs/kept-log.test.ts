import { expect, test } from '@jest/globals';
import { Allowance } from './allowance.ts';
import { KeptLog } from './kept-log.ts';

const container = {
  databaseId: 'db_1',
  namespace: 'org-a',
  pod: 'p-0',
  container: 'engine',
  component: 'engine',
  node: 0,
  restarts: true,
} as const;

function keptLog(opened: string, { isWhole = false, allowance = new Allowance(0) } = {}) {
  const clock = { nowMs: 0 };
  const kept = new KeptLog({ container, opened, isWhole, allowance, nowMs: () => clock.nowMs });
  return { kept, clock, allowance };
}

const second = 1_000_000_000n;
const line = (atSeconds: number, text: string) => ({
  atNs: BigInt(atSeconds) * second,
  text,
  cutBytes: 0,
});
const messages = (piece: ReturnType<KeptLog['take']>) => piece?.lines.map(({ message }) => message);

test('a log is read again from the second of its place, and only new lines are kept', () => {
  const first = keptLog('').kept.take([line(1, 'a'), line(2, 'b'), line(2, 'c')]);
  expect(first).toMatchObject({ expected: '', next: '2000000000/2' });
  const { kept } = keptLog(first?.next ?? '');
  expect(kept.since?.getTime()).toBe(2_000);
  const again = kept.take([line(2, 'b'), line(2, 'c'), line(2, 'd'), line(3, 'e')]);
  expect(messages(again)).toEqual(['d', 'e']);
  expect(again).toMatchObject({ expected: '2000000000/2', next: '3000000000/1' });
});

test('nothing new is nothing to write', () => {
  expect(keptLog('2000000000/1').kept.take([line(1, 'a'), line(2, 'b')])).toBeUndefined();
});

test('a line says, once, that others may be missing when the last kept line is gone', () => {
  const { kept } = keptLog('2000000000/1');
  const [gap, ...others] = messages(kept.take([line(5, 'x'), line(6, 'y')])) ?? [];
  expect(gap).toMatch(/^Lines since 1970-01-01T00:00:02.000Z may be missing: /);
  expect(others).toEqual(['x', 'y']);
  // Unless the log was read to its end before.
  const whole = keptLog('2000000000/1', { isWhole: true });
  expect(messages(whole.kept.take([line(5, 'x')]))).toEqual(['x']);
});

test('a clock that was put back makes no line twice, and loses none that is read as it comes', () => {
  const { kept } = keptLog('');
  const piece = kept.take([line(10, 'a'), line(4, 'b'), line(11, 'c')]);
  expect(messages(piece)).toEqual(['a', 'b', 'c']);
  const again = keptLog(piece?.next ?? '').kept;
  expect(again.take([line(10, 'a'), line(4, 'b'), line(11, 'c')])).toBeUndefined();
});

test('after a clock was put back, reading goes on from the last line, though it looks older', () => {
  const first = keptLog('').kept.take([line(10, 'a'), line(4, 'b')]);
  const second = keptLog(first?.next ?? '');
  // Kubernetes leaves out what is older than this.
  expect(second.kept.since?.getTime()).toBe(4_000);
  const piece = second.kept.take([line(10, 'a'), line(4, 'b'), line(5, 'c'), line(6, 'd')]);
  expect(messages(piece)).toEqual(['c', 'd']);
  const third = keptLog(piece?.next ?? '').kept;
  expect(messages(third.take([line(10, 'a'), line(6, 'd'), line(7, 'e'), line(11, 'f')]))).toEqual([
    'e',
    'f',
  ]);
});

test('a clock that was put back to before 1970 makes no line twice', () => {
  const piece = keptLog('').kept.take([line(10, 'a'), line(-4, 'b')]);
  const again = keptLog(piece?.next ?? '').kept;
  expect(messages(again.take([line(10, 'a'), line(-4, 'b'), line(-3, 'c')]))).toEqual(['c']);
});

test('the begin of a flood is kept, and a line tells how many were left out', () => {
  const { kept, clock } = keptLog('');
  const flood = Array.from({ length: 300 }, (_, index) => line(index + 1, 'x'.repeat(10_000)));
  const piece = kept.take(flood);
  const count = piece?.lines.length ?? 0;
  expect(count).toBeGreaterThan(50);
  expect(count).toBeLessThan(150);
  // The place is before those that were left out: after a crash they are read, and counted, again.
  expect(piece?.next).toBe(`${BigInt(count) * second}/1`);
  expect(kept.tell()).toBeUndefined();
  clock.nowMs = 5_000;
  const note = kept.tell();
  expect(messages(note)).toEqual([
    `${300 - count} lines were left out: more than the 32 KiB a second that are kept of a database.`,
  ]);
  expect(note).toMatchObject({ expected: piece?.next, next: `${300n * second}/1` });
  expect(kept.tell()).toBeUndefined();
  expect(messages(kept.take([line(301, 'calm')]))).toEqual(['calm']);
});

test('a share that one container of a database takes is not there for its others', () => {
  const { kept, allowance } = keptLog('');
  kept.take(Array.from({ length: 300 }, (_, index) => line(index + 1, 'x'.repeat(10_000))));
  expect(keptLog('', { allowance }).kept.take([line(1, 'a')])).toBeUndefined();
  expect(messages(keptLog('').kept.take([line(1, 'a')]))).toEqual(['a']);
});
