import { afterEach, expect, jest, test } from '@jest/globals';
import { Traffic } from './traffic.ts';

afterEach(() => {
  jest.useRealTimers();
});

test('sessions are counted by client, however many connections each has, and bytes by the second', () => {
  jest.useFakeTimers();
  const notes: string[] = [];
  const output = { note: (text: string) => notes.push(text), warn: () => undefined };
  const timers = { nowMs: () => Date.now() };
  const traffic = new Traffic({ output, timers } as unknown as ConstructorParameters<
    typeof Traffic
  >[0]);
  for (const client of ['1', '1', '1', '2']) {
    traffic.connections(1);
    traffic.client(client, 1);
  }
  traffic.connections(1);
  traffic.bytes('up', 20_000);
  traffic.bytes('down', 50);
  jest.advanceTimersByTime(10_000);
  traffic.client('1', -1);
  traffic.client('2', -1);
  traffic.connections(-1);
  traffic.connections(-1);
  jest.advanceTimersByTime(10_000);
  traffic.stop();
  expect(notes).toEqual([
    '2 sessions over 5 connections, 2.0 kB/s sent, 5 B/s received',
    '1 session over 3 connections, 0 B/s sent, 0 B/s received',
  ]);
});
