import { expect, test } from '@jest/globals';
import { lagOf, maskedUrl, unreadMs } from './change-stream.ts';

const nowMs = 1_795_328_122_000;
const since = BigInt(nowMs - 1_500) * 1_000_000n;
const due = new Date(nowMs);
const healthy = { state: 'RUNNING', pendingFrom: null, failing: null, dueAt: due } as const;
const idle = { ...healthy, suspended: false, leaseUntil: null };

test.each([
  ['a stream with nothing to send has no lag', idle, 0],
  ['the lag is the age of the oldest event that waits', { ...idle, pendingFrom: since }, 1.5],
  [
    'also while the sink fails',
    { ...idle, state: 'RETRYING', failing: 'SINK', pendingFrom: since },
    1.5,
  ],
  ['also of a stream that stopped', { ...idle, state: 'FAILED', pendingFrom: since }, 1.5],
  [
    'an engine whose clock is ahead of ours makes no lag below zero',
    { ...idle, pendingFrom: BigInt(nowMs + 10) * 1_000_000n },
    0,
  ],
] as const)('%s', (_, stream, seconds) => {
  expect(lagOf(stream, nowMs)).toEqual({ seconds, unknown: null });
});

const longAgo = new Date(nowMs - unreadMs - 1);

test.each([
  ['nobody looks for events of a paused stream', { ...idle, state: 'PAUSED' }, 'PAUSED'],
  ['nor of one that stopped', { ...idle, state: 'FAILED', dueAt: null }, 'FAILED'],
  [
    'a ledger that does not answer has a lag that nobody knows, and not one of zero',
    { ...idle, state: 'RETRYING', failing: 'LEDGER' },
    'LEDGER_UNAVAILABLE',
  ],
  [
    'a stream whose secret cannot be opened is not read',
    { ...idle, state: 'RETRYING', failing: 'SERVICE' },
    'NOT_READ',
  ],
  ['nor is one of a database whose streams stand still', { ...idle, suspended: true }, 'SUSPENDED'],
  ['nor is one that no worker takes', { ...idle, dueAt: longAgo, leaseUntil: longAgo }, 'NOT_READ'],
] as const)('%s', (_, stream, unknown) => {
  expect(lagOf(stream, nowMs)).toEqual({ seconds: null, unknown });
});

test('a worker that has had a stream for long reads it', () => {
  const held = { ...idle, dueAt: longAgo, leaseUntil: new Date(nowMs + 1) };
  expect(lagOf(held, nowMs)).toEqual({ seconds: 0, unknown: null });
});

test.each([
  ['https://hooks.example.com/t0ken/x', 'https://hooks.example.com/•••'],
  ['https://hooks.example.com/?key=t0ken', 'https://hooks.example.com/•••'],
  ['https://user:t0ken@hooks.example.com:8443/x', 'https://hooks.example.com:8443/•••'],
  ['https://hooks.example.com/', 'https://hooks.example.com/'],
])('of %s others see the host', (url, shown) =>
  expect(maskedUrl({ type: 'WEBHOOK', url })).toBe(shown),
);
