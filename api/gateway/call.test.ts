import { expect, test } from '@jest/globals';
import { array, assert, constantFrom, integer, property, record } from 'fast-check';
import { bodySizeMax } from '../../engine/wire/limits.ts';
import { inputValid } from '../../engine/wire/input-valid.ts';
import { encodeMultiBatch } from '../../engine/wire/multi-batch.ts';
import { changeEventsMax, changeEventsRequest } from '../ledger/change-events.ts';
import {
  getChangeEvents,
  ledgerOperations,
  type LedgerOperationName,
} from '../ledger/operations.ts';
import { encodeMessage, rowsOf, splitReply, takeMessage, type Call } from './call.ts';

function callOf(name: LedgerOperationName, count: number, limit?: number): Call {
  const operation = ledgerOperations[name];
  const events = new Uint8Array(operation.eventSize * count);
  if (limit !== undefined)
    new DataView(events.buffer).setUint32(56, Math.min(limit + 1, 8189), true);
  return {
    request: { operation, events, count, limit },
    requestId: undefined,
    queuedAtMs: 0,
    bytes: events.length,
    resolve: () => undefined,
    reject: () => undefined,
    settled: false,
    retried: false,
    sent: undefined,
    onEnd: undefined,
  };
}

function changesCall(limit: number): Call {
  return { ...callOf('lookup_accounts', 0), request: changeEventsRequest(0n, limit) };
}

const anyCall = record({
  name: constantFrom(
    'create_transfers',
    'create_accounts',
    'lookup_accounts',
    'query_transfers',
    'get_change_events',
  ),
  size: constantFrom(0, 1, 3, 100, 4_000, 8_189),
  limit: integer({ min: 1, max: 8_189 }),
}).map(({ name, size, limit }) => {
  if (name === 'get_change_events') return changesCall(Math.min(limit, changeEventsMax));
  return name === 'query_transfers' ? callOf(name, 1, limit) : callOf(name, size);
});

test('every queue becomes messages that an engine takes: nothing lost, nothing twice, in order within an operation', () => {
  assert(
    property(array(anyCall, { minLength: 1, maxLength: 40 }), (calls) => {
      const queue = [...calls];
      const taken: Call[] = [];
      while (queue.length > 0) {
        const [first] = queue;
        const message = takeMessage(queue, bodySizeMax);
        expect(message[0]).toBe(first);
        const { operation } = (first as Call).request;
        const body = encodeMessage(message);
        expect(body.length).toBeLessThanOrEqual(bodySizeMax);
        expect(inputValid(operation.code, body, bodySizeMax)).toBe(true);
        taken.push(...message);
      }
      expect(new Set(taken).size).toBe(calls.length);
      for (const operation of [...Object.values(ledgerOperations), getChangeEvents]) {
        const of = (list: readonly Call[]) =>
          list.filter((call) => call.request.operation === operation);
        expect(of(taken)).toEqual(of(calls));
      }
    }),
    { numRuns: 300 },
  );
});

test('calls of one operation that fit share a message, across those of others', () => {
  const [a, b, c] = [
    callOf('create_transfers', 1),
    callOf('lookup_accounts', 1),
    callOf('create_transfers', 2),
  ];
  const queue = [a, b, c];
  expect(takeMessage(queue, bodySizeMax)).toEqual([a, c]);
  expect(queue).toEqual([b]);
});

test('a reply is split into what each call asked for', () => {
  const calls = [
    callOf('create_accounts', 2),
    callOf('create_accounts', 0),
    callOf('create_accounts', 1),
  ];
  const rows = calls.map(({ request }, i) => new Uint8Array(request.count * 16).fill(i + 1));
  expect(splitReply(calls, encodeMultiBatch(rows, 16))).toEqual(rows);
});

test.each([
  ['too few batches', [32, 0]],
  ['too many batches', [32, 0, 16, 0]],
  ['a result too few', [16, 0, 16]],
  ['a result too many', [32, 16, 16]],
])('a reply with %s is no answer', (_what, sizes) => {
  const calls = [
    callOf('create_accounts', 2),
    callOf('create_accounts', 0),
    callOf('create_accounts', 1),
  ];
  const reply = encodeMultiBatch(
    sizes.map((size) => new Uint8Array(size)),
    16,
  );
  expect(splitReply(calls, reply)).toBeUndefined();
});

test('a read may have fewer rows than it asked for, and no more', () => {
  const call = callOf('query_transfers', 1, 2);
  expect(rowsOf(call.request)).toBe(3);
  for (const rows of [0, 1, 3, 4]) {
    const split = splitReply([call], encodeMultiBatch([new Uint8Array(rows * 128)], 128));
    expect(split?.[0]?.length).toBe(rows <= 3 ? rows * 128 : undefined);
  }
});

test('requests for change events go alone, as they are, and so do their answers', () => {
  const calls = [changesCall(2), changesCall(2)];
  const queue = [...calls];
  const message = takeMessage(queue, bodySizeMax);
  expect([message, queue]).toEqual([[calls[0]], [calls[1]]]);
  expect(encodeMessage(message)).toBe(calls[0]?.request.events);
  const reply = new Uint8Array(3 * 384);
  expect(splitReply(message, reply)).toEqual([reply]);
  expect(splitReply(message, reply.subarray(1))).toBeUndefined();
  expect(splitReply(message, new Uint8Array(4 * 384))).toBeUndefined();
});
