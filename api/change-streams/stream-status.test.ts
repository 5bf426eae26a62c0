import { expect, test } from '@jest/globals';
import type { ChangeStream } from '../model/change-stream.ts';
import { isStreamNews, streamStatusOf } from './stream-status.ts';

const now = new Date('2026-11-26T10:00:00.500Z');
const before = (seconds: number) => new Date(now.getTime() - seconds * 1_000);
const waitsFor = (seconds: number) => BigInt(before(seconds).getTime()) * 1_000_000n;
const idle = {
  state: 'RUNNING',
  suspended: false,
  pendingFrom: null,
  failing: null,
  failingSince: null,
  lastError: null,
  deliveredAt: null,
  dueAt: now,
  leaseUntil: null,
} as unknown as ChangeStream;
const stream = (more: Partial<ChangeStream>): ChangeStream => ({ ...idle, ...more });
const lastError = { code: 'TIMEOUT', message: 'no answer', at: '' };

test('the status counts the streams, and has the longest lag and the last failure', () => {
  const failing = stream({
    state: 'RETRYING',
    failingSince: before(61),
    failing: 'SINK',
    lastError,
  });
  const streams = [
    stream({ deliveredAt: before(5) }),
    stream({ pendingFrom: waitsFor(12), deliveredAt: before(9) }),
    stream({ state: 'RETRYING', failingSince: before(3), failing: 'SINK' }),
    failing,
    stream({ state: 'PAUSED', pendingFrom: waitsFor(9_000), dueAt: null }),
  ];
  expect(streamStatusOf(streams, now)).toEqual({
    streams: 5,
    running: 4,
    failing: 1,
    failed: 0,
    paused: 1,
    lagSeconds: 12,
    lastDeliveredAt: '2026-11-26T09:59:55Z',
    error: 'TIMEOUT: no answer',
    observedAt: '2026-11-26T10:00:00Z',
  });
});

test('no lag is told while it is not known of one, unless another is late for sure', () => {
  const unread = stream({ failing: 'LEDGER', state: 'RETRYING' });
  expect(streamStatusOf([idle, unread], now).lagSeconds).toBeUndefined();
  const late = stream({ pendingFrom: waitsFor(61) });
  expect(streamStatusOf([late, unread], now).lagSeconds).toBe(61);
});

test('moving figures are no news, a turn is, and old figures are told again', () => {
  const told = streamStatusOf([idle], before(20));
  expect(isStreamNews(undefined, told)).toBe(true);
  expect(isStreamNews(told, streamStatusOf([stream({ pendingFrom: waitsFor(9) })], now))).toBe(
    false,
  );
  expect(isStreamNews(told, streamStatusOf([stream({ pendingFrom: waitsFor(61) })], now))).toBe(
    true,
  );
  expect(isStreamNews(told, streamStatusOf([stream({ state: 'PAUSED' })], now))).toBe(true);
  expect(isStreamNews(told, streamStatusOf([idle, idle], now))).toBe(true);
  expect(isStreamNews(streamStatusOf([idle], before(300)), streamStatusOf([idle], now))).toBe(true);
});

test('a database that never had streams is not written, and one that has none any more once', () => {
  const none = streamStatusOf([], now);
  expect(isStreamNews(undefined, none)).toBe(false);
  expect(isStreamNews(streamStatusOf([idle], before(20)), none)).toBe(true);
  expect(isStreamNews(none, streamStatusOf([], new Date(now.getTime() + 600_000)))).toBe(false);
});
