import { expect, test } from '@jest/globals';
import { GRACE_MS, LOG_DAYS, sweptBy } from './kept-log.ts';

const DAY = 86_400_000;
const now = Date.parse('2027-06-30T12:00:00Z');
const keptMs = LOG_DAYS * DAY + GRACE_MS;
const begins = { op: 100, timestamp: 100n };
/** A backup that is old enough `inMs` from now. */
const made = (op: number, inMs: number) => ({
  op,
  timestamp: BigInt(op),
  madeMs: now - keptMs + inMs,
});
const swept = (operationsMax: number, backups: readonly ReturnType<typeof made>[]) =>
  sweptBy(now, backups, { backup: begins, begins, operationsMax })?.op;

test('the log that a restore reads goes once a backup after its beginning is older than the days that are kept', () => {
  expect(swept(10, [made(100, -9 * DAY), made(200, 1)])).toBeUndefined();
  expect(swept(10, [made(100, -9 * DAY), made(200, 0), made(300, 1)])).toBe(200);
  expect(swept(10, [made(300, -1), made(200, -1)])).toBe(300);
  // It reads no log.
  expect(swept(0, [made(200, -1)])).toBeUndefined();
});

test('the empty ledger needs the log from the first operation on, unless it is a backup', () => {
  const empty = { op: 0, timestamp: 0n };
  const plan = { begins: empty, operationsMax: 0 };
  expect(sweptBy(now, [made(200, -1)], { ...plan, backup: undefined })?.op).toBe(200);
  expect(sweptBy(now, [made(200, -1)], { ...plan, backup: empty })).toBeUndefined();
  expect(sweptBy(now, [made(200, 1)], { ...plan, backup: undefined })).toBeUndefined();
});
