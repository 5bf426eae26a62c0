import { expect, test } from '@jest/globals';
import { array, assert, constantFrom, property, uint8Array } from 'fast-check';
import { AccountStatus, TransferStatus } from '../../engine/wire/statuses.ts';
import { decodeRequest, type LedgerRequest } from './decode.ts';
import { encodeReply, type EncodeOptions } from './encode.ts';
import { outputFields, type Layout } from './layouts.ts';
import { ledgerOperations, type LedgerOperationName } from './operations.ts';

const options: EncodeOptions = {
  execution: ({ eventCount, resultCount }) => ({ requestId: 'req_1', eventCount, resultCount }),
  format: 'json',
};

function request(operation: LedgerOperationName, body: unknown): LedgerRequest {
  const decoded = decodeRequest(
    ledgerOperations[operation],
    new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body)),
  );
  if (!decoded.ok) throw new Error(JSON.stringify(decoded.problem));
  return decoded.request;
}

interface Envelope {
  readonly success: boolean;
  readonly summary: unknown;
  readonly missing: unknown;
  readonly page: { limit: number; hasMore: boolean; hasMoreExact?: boolean; next: unknown };
  readonly warnings: unknown;
  readonly result: readonly Readonly<Record<string, unknown>>[];
}

function answer(request: LedgerRequest, rows: Uint8Array, given = options): Envelope {
  const reply = encodeReply(request, rows, given);
  if (reply === undefined) throw new Error('not an answer');
  expect(reply.contentType).toBe('application/json; charset=utf-8');
  const envelope = JSON.parse(new TextDecoder().decode(reply.body)) as Envelope;
  expect({ summary: envelope.summary, missing: envelope.missing, page: envelope.page }).toEqual({
    summary: reply.summary,
    missing: reply.missing,
    page: reply.page,
  });
  return envelope;
}

/** Results of a create operation: status and timestamp of each event. */
function results(...statuses: readonly (readonly [number, bigint])[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(statuses.length * 16));
  statuses.forEach(([status, timestamp], i) => {
    view.setBigUint64(i * 16, timestamp, true);
    view.setUint32(i * 16 + 8, status, true);
  });
  return new Uint8Array(view.buffer);
}

/** Transfers with the given ids and timestamps. */
function transfers(...given: readonly (readonly [id: bigint, timestamp: bigint])[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(given.length * 128));
  given.forEach(([id, timestamp], i) => {
    view.setBigUint64(i * 128, id & ((1n << 64n) - 1n), true);
    view.setBigUint64(i * 128 + 8, id >> 64n, true);
    view.setBigUint64(i * 128 + 120, timestamp, true);
  });
  return new Uint8Array(view.buffer);
}

const created = 0xffff_ffff;
const one = { debit_account_id: 1, credit_account_id: 2, amount: 1, ledger: 1, code: 1 };

test('a create operation answers for each event: index, id, status, timestamp, where it is explained', () => {
  const id = `${(1n << 128n) - 2n}`;
  const asked = request('create_transfers', [
    { ...one, id },
    { ...one, id: 2 },
    { ...one, id: 3 },
  ]);
  const rows = results([created, 1745328372758695656n], [46, 5n], [54, (1n << 63n) - 1n]);
  expect(answer(asked, rows)).toEqual({
    success: true,
    operation: 'create_transfers',
    execution: { kind: 'write', requestId: 'req_1', eventCount: 3, resultCount: 3 },
    documentationUrl: 'https://docs.tigerbeetle.com/reference/requests/create_transfers',
    summary: { created: 1, exists: 1, failed: 1 },
    result: [
      { index: 0, id, status: 'created', timestamp: '1745328372758695656' },
      { index: 1, id: '2', status: 'exists', timestamp: '5' },
      {
        index: 2,
        id: '3',
        status: 'exceeds_credits',
        timestamp: '9223372036854775807',
        documentationUrl:
          'https://docs.tigerbeetle.com/reference/requests/create_transfers#exceeds_credits',
      },
    ],
  });
});

test.each([
  ['create_accounts', AccountStatus],
  ['create_transfers', TransferStatus],
] as const)('%s: every status of the ledger has its name', (operation, statuses) => {
  const codes = Object.entries(statuses);
  const events = codes.map(() => ({
    ...(operation === 'create_accounts' ? {} : one),
    id: 1,
    ledger: 1,
    code: 1,
  }));
  const rows = results(...codes.map(([, code]) => [code < 0 ? created : code, 1n] as const));
  const { result, summary } = answer(request(operation, events), rows);
  expect(result.map((row) => row['status'])).toEqual(codes.map(([name]) => name));
  expect(summary).toEqual({ created: 1, exists: 1, failed: codes.length - 2 });
});

test('a status that only a newer engine knows is told by its number', () => {
  const { result, summary } = answer(
    request('create_transfers', [{ ...one, id: 1 }]),
    results([999, 1n]),
  );
  expect(result[0]).toMatchObject({ status: 'status_999' });
  expect(summary).toEqual({ created: 0, exists: 0, failed: 1 });
});

test('fewer or more results than events are no answer', () => {
  const asked = request('create_transfers', [{ ...one, id: 1 }]);
  expect(encodeReply(asked, results(), options)).toBeUndefined();
  expect(encodeReply(asked, results([created, 1n], [created, 2n]), options)).toBeUndefined();
});

test('a lookup says which ids have no row, in the order they were asked for', () => {
  const asked = request('lookup_transfers', ['7', '1', '1', '8', '2', '9']);
  const { result, missing } = answer(asked, transfers([1n, 1n], [1n, 1n], [2n, 2n]));
  expect(result.map((row) => row['id'])).toEqual(['1', '1', '2']);
  expect(missing).toEqual(['7', '8', '9']);
  expect(answer(asked, transfers()).missing).toEqual(['7', '1', '1', '8', '2', '9']);
});

test('rows that were not asked for are no answer to a lookup', () => {
  const asked = request('lookup_transfers', ['1', '2']);
  expect(encodeReply(asked, transfers([2n, 1n], [1n, 1n]), options)).toBeUndefined();
  expect(encodeReply(asked, transfers([3n, 1n]), options)).toBeUndefined();
});

test('more rows than were asked for are no answer', () => {
  const asked = request('query_transfers', { limit: 1 });
  const rows = transfers([1n, 10n], [2n, 20n], [3n, 30n]);
  expect(encodeReply(asked, rows, options)).toBeUndefined();
});

test('a full page is the last when the engine has no further row, and not when it has', () => {
  const asked = request('query_transfers', { limit: 2, code: 7 });
  const last = answer(asked, transfers([1n, 10n], [2n, 20n]));
  expect(last.page).toEqual({ limit: 2, hasMore: false, next: null });
  const { page, result } = answer(asked, transfers([1n, 10n], [2n, 20n], [3n, 30n]));
  expect(result.map((row) => row['id'])).toEqual(['1', '2']);
  expect(page).toEqual({
    limit: 2,
    hasMore: true,
    next: { code: 7, timestamp_min: '21', limit: 2, flags: 0 },
  });
});

test('the next page of a reversed read ends before the last row', () => {
  const asked = request('get_account_transfers', {
    account_id: 5,
    limit: 1,
    flags: 'debits|reversed',
    timestamp_min: 3,
  });
  const { page } = answer(asked, transfers([1n, 10n], [2n, 9n]));
  expect(page.next).toEqual({
    account_id: '5',
    timestamp_min: '3',
    timestamp_max: '9',
    limit: 1,
    flags: 5,
  });
});

test('the filter of the next page is a filter that is accepted', () => {
  const asked = request('query_transfers', { limit: 1, user_data_128: `${(1n << 128n) - 1n}` });
  const { page } = answer(asked, transfers([1n, 10n], [2n, 20n]));
  expect(request('query_transfers', page.next)).toMatchObject({ limit: 1 });
});

test('at the largest limit more cannot be asked for, and the answer says so', () => {
  const asked = request('query_transfers', { limit: 8189 });
  const rows = transfers(
    ...Array.from({ length: 8189 }, (_, i) => [BigInt(i + 1), BigInt(i + 1)] as const),
  );
  expect(answer(asked, rows).page).toMatchObject({
    limit: 8189,
    hasMore: true,
    hasMoreExact: false,
  });
  expect(answer(asked, rows.subarray(128)).page).toEqual({
    limit: 8189,
    hasMore: false,
    hasMoreExact: false,
    next: null,
  });
});

test('warnings are in the answer', () => {
  const warnings = [{ code: 'account_without_history', detail: 'Why.' }] as const;
  const asked = request('get_account_balances', { account_id: 1 });
  expect(answer(asked, new Uint8Array(0), { ...options, warnings }).warnings).toEqual(warnings);
});

test('text from outside is text in the answer', () => {
  const asked = request('lookup_accounts', []);
  const execution = () => ({ requestId: '"\u2028\u00e9\\' });
  const envelope = answer(asked, new Uint8Array(0), { ...options, execution });
  expect(envelope).toMatchObject({ execution: { requestId: '"\u2028\u00e9\\' } });
});

const readable = ['query_accounts', 'query_transfers', 'get_account_balances'] as const;

test('any record is written digit by digit: strings for 128 and 64 bits, numbers for less; CSV the same', () => {
  const records = array(uint8Array({ minLength: 128, maxLength: 128 }), { maxLength: 5 });
  assert(
    property(constantFrom(...readable), records, (operation, given) => {
      const asked = request(
        operation,
        operation === 'get_account_balances' ? { account_id: 1 } : {},
      );
      const layout = asked.operation.rows as Layout;
      const rows = new Uint8Array(Buffer.concat(given));
      const expected = given.map((bytes) =>
        Object.fromEntries(
          outputFields(layout).map(({ name, offset, width }) => {
            const digits = bytes
              .slice(offset, offset + width)
              .reduceRight((value, byte) => (value << 8n) | BigInt(byte), 0n);
            return [name, width >= 8 ? String(digits) : Number(digits)];
          }),
        ),
      );
      expect(answer(asked, rows).result).toEqual(expected);
      const csv = encodeReply(asked, rows, { ...options, format: 'csv' });
      const lines = [Object.keys(expected[0] ?? {}), ...expected.map((row) => Object.values(row))];
      if (given.length > 0) {
        expect(new TextDecoder().decode(csv?.body)).toBe(
          lines.map((line) => `${line.join(',')}\r\n`).join(''),
        );
      }
    }),
  );
});

test('CSV without rows has its column names, and headers carry the fields of the envelope', () => {
  const asked = request('lookup_accounts', ['7']);
  const reply = encodeReply(asked, new Uint8Array(0), { ...options, format: 'csv' });
  expect(reply).toMatchObject({
    contentType: 'text/csv; charset=utf-8; header=present',
    missing: ['7'],
  });
  expect(new TextDecoder().decode(reply?.body)).toBe(
    'id,debits_pending,debits_posted,credits_pending,credits_posted,user_data_128,user_data_64,user_data_32,ledger,code,flags,timestamp\r\n',
  );
});
