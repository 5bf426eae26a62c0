import { expect, test } from '@jest/globals';
import { array, assert, bigInt, integer, property, record, type Arbitrary } from 'fast-check';
import { changeEventExample } from '../contract/schemas/change-event.ts';
import { changeEventTypes } from './change-event-types.ts';
import { afterMax, changeEventsPage, changeEventsRequest } from './change-events.ts';
import {
  changeEventTexts,
  changeEventsToJson,
  changeEventsToStream,
} from './encode-change-events.ts';

const uint = (bits: number): Arbitrary<bigint> =>
  bigInt({ min: 0n, max: (1n << BigInt(bits)) - 1n });
const accountFields = {
  id: uint(128),
  debits_pending: uint(128),
  debits_posted: uint(128),
  credits_pending: uint(128),
  credits_posted: uint(128),
  user_data_128: uint(128),
  user_data_64: uint(64),
  user_data_32: uint(32),
  code: uint(16),
  flags: uint(16),
  timestamp: uint(63),
};
const anyEvent = record({
  step: integer({ min: 1, max: 1_000_000 }),
  type: integer({ min: 0, max: changeEventTypes.length - 1 }),
  ledger: uint(32),
  transfer: record({
    id: uint(128),
    amount: uint(128),
    pending_id: uint(128),
    user_data_128: uint(128),
    user_data_64: uint(64),
    user_data_32: uint(32),
    timeout: uint(32),
    code: uint(16),
    flags: uint(16),
    timestamp: uint(63),
  }),
  debit_account: record(accountFields),
  credit_account: record(accountFields),
});
type Given = typeof anyEvent extends Arbitrary<infer T> ? T : never;

/** The bytes by TigerBeetle's own definition of the record (`ChangeEvent`, tigerbeetle.zig), written down once more. */
function bytesOf(event: Given, timestamp: bigint): Uint8Array {
  const bytes = new Uint8Array(384);
  let at = 0;
  const put = (value: bigint, size: number) => {
    for (let i = 0; i < size; i += 1) bytes[at + i] = Number((value >> BigInt(8 * i)) & 0xffn);
    at += size;
  };
  const { transfer, debit_account: debit, credit_account: credit } = event;
  for (const value of [transfer.id, transfer.amount, transfer.pending_id, transfer.user_data_128])
    put(value, 16);
  put(transfer.user_data_64, 8);
  put(transfer.user_data_32, 4);
  put(transfer.timeout, 4);
  put(transfer.code, 2);
  put(transfer.flags, 2);
  put(event.ledger, 4);
  put(BigInt(event.type), 1);
  at += 39;
  for (const account of [debit, credit]) {
    for (const value of [
      account.id,
      account.debits_pending,
      account.debits_posted,
      account.credits_pending,
      account.credits_posted,
      account.user_data_128,
    ])
      put(value, 16);
    put(account.user_data_64, 8);
    put(account.user_data_32, 4);
    put(account.code, 2);
    put(account.flags, 2);
  }
  for (const value of [timestamp, transfer.timestamp, debit.timestamp, credit.timestamp])
    put(value, 8);
  expect(at).toBe(384);
  return bytes;
}

/** u64 and u128 as strings, the others as numbers. */
const shown = (fields: Readonly<Record<string, bigint>>) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      ['user_data_32', 'timeout', 'code', 'flags'].includes(name) ? Number(value) : String(value),
    ]),
  );

const expected = (
  { type, ledger, transfer, debit_account, credit_account }: Given,
  at: bigint,
) => ({
  timestamp: String(at),
  type: changeEventTypes[type],
  ledger: Number(ledger),
  transfer: shown(transfer),
  debit_account: shown(debit_account),
  credit_account: shown(credit_account),
});

function rowsOf(events: readonly Given[]) {
  let last = 10n;
  const timestamps = events.map(({ step }) => (last += BigInt(step)));
  const rows = Buffer.concat(events.map((event, i) => bytesOf(event, timestamps[i] as bigint)));
  return { rows: new Uint8Array(rows), timestamps };
}

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

test('every event is written exactly, as JSON and as an event of a stream', () => {
  assert(
    property(array(anyEvent, { maxLength: 5 }), (events) => {
      const { rows, timestamps } = rowsOf(events);
      const wanted = events.map((event, i) => expected(event, timestamps[i] as bigint));
      expect(JSON.parse(text(changeEventsToJson(rows)))).toEqual(wanted);
      const streamed = text(changeEventsToStream(rows))
        .split('\n\n')
        .slice(0, -1)
        .map((event) => /^id: (\d+)\nevent: change\ndata: (.*)$/.exec(event)?.slice(1));
      expect(streamed.map((found) => found?.[0])).toEqual(timestamps.map(String));
      expect(streamed.map((found) => JSON.parse(found?.[1] ?? ''))).toEqual(wanted);
    }),
    { numRuns: 200 },
  );
});

/** As Zig's `std.json.stringify` with `emit_nonportable_numbers_as_strings` writes it. */
const portable = (value: unknown): unknown => {
  if (typeof value === 'string' && /^\d+$/.test(value)) {
    return BigInt(value) < 2n ** 53n ? Number(value) : value;
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, portable(one)]));
};

test('for brokers every event has a text of its own, in TigerBeetle’s form too', () => {
  assert(
    property(array(anyEvent, { maxLength: 5 }), (events) => {
      const { rows, timestamps } = rowsOf(events);
      const wanted = events.map((event, i) => expected(event, timestamps[i] as bigint));
      expect(changeEventTexts(rows, 'LEDGERHOUSE').map((one) => JSON.parse(text(one)))).toEqual(
        wanted,
      );
      expect(changeEventTexts(rows, 'TIGERBEETLE').map(text)).toEqual(
        wanted.map((event) => JSON.stringify(portable(event))),
      );
    }),
    { numRuns: 200 },
  );
});

test.each([
  [2n ** 53n - 1n, '9007199254740991'],
  [2n ** 53n, '"9007199254740992"'],
  [2n ** 64n, '"18446744073709551616"'],
  [2n ** 96n, '"79228162514264337593543950336"'],
])('TigerBeetle writes the amount %p as %s', (amount, wanted) => {
  const event = { step: 1, type: 0, ledger: 1n, ...zeros() } as Given;
  const { rows } = rowsOf([{ ...event, transfer: { ...event.transfer, amount } }]);
  const [one = new Uint8Array()] = changeEventTexts(rows, 'TIGERBEETLE');
  expect(text(one)).toContain(`"amount":${wanted},"pending_id":0,`);
});

test('an event has the properties of the documented one, in its order', () => {
  const [event] = [{ step: 1, type: 0, ledger: 1n, ...zeros() }];
  const json = text(changeEventsToJson(rowsOf([event as Given]).rows));
  const names = (value: unknown): unknown =>
    typeof value === 'object' && value !== null
      ? Object.entries(value).map(([name, inner]) => [name, names(inner)])
      : typeof value;
  expect(names((JSON.parse(json) as unknown[])[0])).toEqual(names(changeEventExample));
});

const zeros = () => {
  const none = (fields: object) =>
    Object.fromEntries(Object.keys(fields).map((name) => [name, 0n]));
  const { transfer } = changeEventExample;
  return {
    transfer: none(transfer),
    debit_account: none(accountFields),
    credit_account: none(accountFields),
  };
};

test('a page tells whether there are more, and where to go on', () => {
  assert(
    property(array(anyEvent, { maxLength: 6 }), integer({ min: 1, max: 6 }), (events, limit) => {
      const { rows, timestamps } = rowsOf(events.slice(0, limit + 1));
      const page = changeEventsPage(10n, limit, rows);
      expect(page?.count).toBe(Math.min(timestamps.length, limit));
      expect(page?.rows.length).toBe((page?.count ?? 0) * 384);
      expect(page?.hasMore).toBe(timestamps.length > limit);
      expect(page?.last).toBe(timestamps[(page?.count ?? 0) - 1] ?? 10n);
    }),
  );
});

test('rows that do not rise, are not after the place, or are of no known type are no answer', () => {
  const event = { step: 5, type: 0, ledger: 1n, ...zeros() } as Given;
  const { rows } = rowsOf([event, event]);
  expect(changeEventsPage(14n, 2, rows)?.count).toBe(2);
  expect(changeEventsPage(15n, 2, rows)).toBeUndefined();
  const swapped = Buffer.concat([rows.subarray(384), rows.subarray(0, 384)]);
  expect(changeEventsPage(10n, 2, swapped)).toBeUndefined();
  expect(changeEventsPage(10n, 2, rowsOf([{ ...event, type: 5 }]).rows)).toBeUndefined();
});

test('a request asks for what follows the place, and for one event more', () => {
  for (const after of [0n, 7n, afterMax]) {
    const { events } = changeEventsRequest(after, 100);
    const view = new DataView(events.buffer);
    expect([view.getBigUint64(0, true), view.getBigUint64(8, true)]).toEqual([after + 1n, 0n]);
    expect(view.getUint32(16, true)).toBe(101);
    expect(events.subarray(20).every((byte) => byte === 0)).toBe(true);
  }
});
