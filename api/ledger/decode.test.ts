import { expect, test } from '@jest/globals';
import { array, assert, bigInt, boolean, constantFrom, json, property, record } from 'fast-check';
import { decodeRequest, ledgerBodyMax, type LedgerRequest } from './decode.ts';
import { accountFlags, transferFlags } from './flags.ts';
import { account as accountLayout, outputFields, type Field } from './layouts.ts';
import { eventsMax, ledgerOperations, type LedgerOperationName } from './operations.ts';
import type { LedgerProblem } from '../model/ledger-problems.ts';

const u128Max = (1n << 128n) - 1n;
const decode = (operation: LedgerOperationName, body: unknown) =>
  decodeRequest(
    ledgerOperations[operation],
    new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body)),
  );

function accepted(operation: LedgerOperationName, body: unknown): LedgerRequest {
  const decoded = decode(operation, body);
  if (!decoded.ok) throw new Error(JSON.stringify(decoded.problem));
  return decoded.request;
}

function refused(operation: LedgerOperationName, body: unknown): LedgerProblem {
  const decoded = decode(operation, body);
  if (decoded.ok) throw new Error('it was accepted');
  return decoded.problem;
}

/** Value of a field of event `index`, read from the wire format. */
function fieldOf({ operation, events }: LedgerRequest, name: string, index = 0): bigint {
  const { input } = operation;
  if (input.kind === 'ids') throw new Error('ids have no fields');
  const field = input.layout.fields.find((field) => field.name === name) as Field;
  let value = 0n;
  for (let i = field.width - 1; i >= 0; i -= 1) {
    const byte = events[index * input.layout.size + field.offset + i] ?? 0;
    value = (value << 8n) | BigInt(byte);
  }
  return value;
}

const account = { id: '1', ledger: '1', code: '1' };
const transfer = {
  id: 1,
  debit_account_id: 2,
  credit_account_id: 3,
  amount: 4,
  ledger: 5,
  code: 6,
};

test.each([
  ['u128', 'user_data_128', u128Max],
  ['u64', 'user_data_64', (1n << 64n) - 1n],
  ['u32', 'user_data_32', (1n << 32n) - 1n],
  ['u16', 'code', (1n << 16n) - 1n],
])(
  '%s: every boundary is exact, as a string and as a literal; one more is refused',
  (_, name, max) => {
    for (const value of [0n, 1n, (1n << 53n) + 1n, max - 1n, max].filter((value) => value <= max)) {
      for (const text of [`"${value}"`, `${value}`]) {
        const body = `[{"id":1,"ledger":1,"code":1,"${name}":${text}}]`.replace(
          name === 'code' ? '"code":1,' : '-',
          '',
        );
        expect(fieldOf(accepted('create_accounts', body), name)).toBe(value);
      }
    }
    const { code, errors } = refused('create_accounts', `[{"${name}":${max + 1n}}]`);
    expect(code).toBe('invalid_integer');
    expect(errors).toEqual([
      {
        pointer: `#/0/${name}`,
        code: 'invalid_integer',
        detail: `Must be at most ${max}.`,
        meta: { maximum: String(max) },
      },
    ]);
  },
);

test('literals keep every digit: 2^128-1 and 2^53+1', () => {
  const request = accepted(
    'create_transfers',
    `[{"id":340282366920938463463374607431768211455,"debit_account_id":9007199254740993,"credit_account_id":1,"amount":1,"ledger":1,"code":1}]`,
  );
  expect(fieldOf(request, 'id')).toBe(u128Max);
  expect(fieldOf(request, 'debit_account_id')).toBe((1n << 53n) + 1n);
});

test.each(['1e3', '1.0', '-1', '-0', '"1e3"', '"-1"', '""', '" 1"', 'null', 'true', '[1]', '{}'])(
  '%s is no integer',
  (text) => {
    const { status, code, errors } = refused(
      'create_transfers',
      `[${JSON.stringify(transfer)},{"id":${text}}]`,
    );
    expect([status, code]).toEqual([422, 'invalid_integer']);
    expect(errors?.map((error) => error.pointer)).toEqual(['#/1/id']);
  },
);

test('an event lies on the wire where TigerBeetle has it', () => {
  const values = {
    ...transfer,
    pending_id: 7,
    user_data_128: 8,
    user_data_64: 9,
    user_data_32: 10,
  };
  const { events } = accepted('create_transfers', [
    { ...values, timeout: 11, flags: 2, timestamp: 12 },
  ]);
  const words = [...new Uint32Array(events.slice().buffer)];
  expect(events.length).toBe(128);
  expect(words.slice(0, 24)).toEqual([
    1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0, 7, 0, 0, 0, 8, 0, 0, 0,
  ]);
  expect(words.slice(24)).toEqual([9, 0, 10, 11, 5, 6 | (2 << 16), 12, 0]);
});

test.each([
  [5, 5n],
  ['5', 5n],
  ['linked', 1n],
  ['linked|post_pending_transfer', 5n],
  [['linked', 'post_pending_transfer'], 5n],
  [['linked', 'linked'], 1n],
  [[], 0n],
  [0, 0n],
  [65_535, 65_535n],
])('flags %j are %d', (flags, bits) => {
  const request = accepted('create_transfers', [{ ...transfer, pending_id: 9, flags }]);
  expect(fieldOf(request, 'flags')).toBe(bits);
});

test.each([
  ['create_accounts', { ...account, flags: 'pending' }, 'history'],
  ['create_transfers', { ...transfer, flags: 'history' }, 'closing_credit'],
  ['create_transfers', { ...transfer, flags: ['linked', 'reserved'] }, 'pending'],
  ['create_transfers', { ...transfer, flags: ['linked', 1] }, 'pending'],
  ['create_transfers', { ...transfer, flags: 'linked|' }, 'pending'],
  ['create_transfers', { ...transfer, flags: 'toString' }, 'pending'],
  ['create_transfers', { ...transfer, flags: '' }, 'pending'],
  ['create_transfers', { ...transfer, flags: null }, 'pending'],
  ['create_transfers', { ...transfer, flags: {} }, 'pending'],
  ['create_transfers', { ...transfer, flags: Array(17).fill('linked') }, 'pending'],
  ['create_transfers', { ...transfer, flags: 'linked|'.repeat(80) + 'linked' }, 'pending'],
] as const)('%s refuses flags of %j and names the valid ones', (operation, event, named) => {
  const { status, code, errors } = refused(operation, [event]);
  expect([status, code]).toEqual([422, 'validation_failed']);
  expect(errors).toHaveLength(1);
  expect(errors?.[0]).toMatchObject({ pointer: '#/0/flags', code: 'invalid_flag' });
  expect(errors?.[0]?.detail).toContain(named);
  expect(errors?.[0]?.meta?.['allowed']).toContain(named);
});

test('every name of a flag is its bit', () => {
  for (const [name, bit] of Object.entries(accountFlags)) {
    const request = accepted('create_accounts', [{ ...account, flags: name }]);
    expect(fieldOf(request, 'flags')).toBe(BigInt(bit));
  }
  for (const [name, bit] of Object.entries(transferFlags)) {
    const request = accepted('create_transfers', [{ ...transfer, pending_id: 9, flags: name }]);
    expect(fieldOf(request, 'flags')).toBe(BigInt(bit));
  }
  expect(Object.keys({ ...accountFlags, ...transferFlags })).toHaveLength(13);
});

test('"max" stands for the whole amount, and only in an amount', () => {
  const request = accepted('create_transfers', [{ ...transfer, amount: 'max' }]);
  expect(fieldOf(request, 'amount')).toBe(u128Max);
  expect(refused('create_transfers', [{ ...transfer, amount: 'maximum' }]).code).toBe(
    'invalid_integer',
  );
  expect(refused('create_transfers', [{ ...transfer, id: 'max' }]).code).toBe('invalid_integer');
});

test.each([
  [{ timeout: 60 }, 60n],
  [{ timeout_ms: 60_000 }, 60n],
  [{ timeout_ms: '0' }, 0n],
  [{ timeout_ms: '4294967295000' }, 4_294_967_295n],
])('%j is a timeout of %d seconds', (given, seconds) => {
  const request = accepted('create_transfers', [{ ...transfer, ...given }]);
  expect(fieldOf(request, 'timeout')).toBe(seconds);
});

test.each([
  [{ timeout_ms: 1_500 }, 'invalid_timeout', '#/0/timeout_ms'],
  [{ timeout_ms: 4_294_967_296_000 }, 'invalid_integer', '#/0/timeout_ms'],
  [{ timeout_ms: `${u128Max}` }, 'invalid_integer', '#/0/timeout_ms'],
  [{ timeout: 4_294_967_296 }, 'invalid_integer', '#/0/timeout'],
  [{ timeout: 1, timeout_ms: 1_000 }, 'conflicting_properties', '#/0/timeout_ms'],
  [{ timeout: 0, timeout_ms: 0 }, 'conflicting_properties', '#/0/timeout_ms'],
])('%j is refused: %s', (given, code, pointer) => {
  const problem = refused('create_transfers', [{ ...transfer, ...given }]);
  expect(problem.status).toBe(422);
  expect(problem.errors).toEqual([expect.objectContaining({ code, pointer })]);
});

test.each([
  ['create_accounts', {}, ['id', 'ledger', 'code']],
  [
    'create_transfers',
    {},
    ['id', 'debit_account_id', 'credit_account_id', 'amount', 'ledger', 'code'],
  ],
  ['create_transfers', { flags: 'post_pending_transfer' }, ['id', 'pending_id', 'amount']],
  ['create_transfers', { flags: 'void_pending_transfer' }, ['id', 'pending_id']],
] as const)('%s of %j needs %j', (operation, event, names) => {
  const { code, errors } = refused(operation, [event]);
  expect(code).toBe('validation_failed');
  expect(errors?.map((error) => error.pointer)).toEqual(names.map((name) => `#/0/${name}`));
  const given = Object.fromEntries(names.map((name) => [name, 1]));
  accepted(operation, [{ ...event, ...given }]);
});

test('a property that is not known is refused with its pointer, escaped', () => {
  const { code, errors } = refused('create_accounts', [{ ...account, 'a/b~c d': { x: [1] } }]);
  expect(code).toBe('validation_failed');
  expect(errors).toHaveLength(1);
  expect(errors?.[0]).toMatchObject({ pointer: '#/0/a~1b~0c%20d', code: 'unknown_property' });
  expect(errors?.[0]?.detail).toContain('user_data_128');
  const long = refused('create_accounts', [{ ...account, ['x'.repeat(500)]: 1, '\ud800': 1 }]);
  expect(long.errors?.map((error) => error.pointer)).toEqual(['#/0', '#/0/%EF%BF%BD']);
});

test('a property that is there twice makes the body no JSON, however it is written', () => {
  for (const body of ['[{"id":1,"id":1}]', '[{"id":1,"\\u0069d":2}]', '{"ids":[],"ids":[]}']) {
    const operation = body.startsWith('[') ? 'create_accounts' : 'lookup_accounts';
    const { status, code, detail } = refused(operation, body);
    expect([status, code]).toEqual([400, 'malformed_json']);
    expect(detail).toContain('twice');
  }
  expect(refused('create_accounts', '[{"id":1,"id":1}]').offset).toBe(9);
});

test('names written with escapes are names', () => {
  const request = accepted('create_accounts', '[{"\\u0069d":"\\u0037","ledger":1,"code":1}]');
  expect(fieldOf(request, 'id')).toBe(7n);
});

test('a body cut off is no JSON, whatever else is wrong with it', () => {
  const whole = JSON.stringify([{ ...transfer, amount: -1 }, transfer]);
  for (let end = 0; end < whole.length; end += 1) {
    expect(refused('create_transfers', whole.slice(0, end))).toMatchObject({
      status: 400,
      code: 'malformed_json',
      offset: end,
    });
  }
});

test('all errors are told, but no more than 20', () => {
  const { errors, detail, code } = refused(
    'create_transfers',
    Array.from({ length: 30 }, () => ({ ...transfer, amount: 1.5 })),
  );
  expect(code).toBe('invalid_integer');
  expect(errors?.map((error) => error.pointer)).toEqual(
    Array.from({ length: 20 }, (_, i) => `#/${i}/amount`),
  );
  expect(detail).toContain('and 29 more');
});

test.each([
  ['create_accounts', account, 'array of accounts'],
  ['create_transfers', 'null', 'array of transfers'],
  ['create_transfers', [[]], 'object'],
  ['query_accounts', [], 'object'],
  ['lookup_accounts', '"1"', 'array of ids'],
  ['lookup_accounts', { ids: '1' }, 'array of ids'],
] as const)('%s of %j is told what it must be', (operation, body, words) => {
  const { status, errors } = refused(operation, body);
  expect(status).toBe(422);
  expect(errors?.[0]?.code).toBe('invalid_type');
  expect(errors?.[0]?.detail).toContain(words);
});

test('8,189 events are a request, 8,190 are too many; ids too', () => {
  const text = (count: number) => `[${'{"id":1,"ledger":1,"code":1},'.repeat(count).slice(0, -1)}]`;
  expect(accepted('create_accounts', text(eventsMax)).count).toBe(8189);
  expect(refused('create_accounts', text(eventsMax + 1))).toMatchObject({
    status: 422,
    code: 'batch_too_large',
    maxEventsPerBatch: 8189,
  });
  const ids = Array.from({ length: 8190 }, (_, i) => i);
  expect(accepted('lookup_accounts', ids.slice(1)).events.length).toBe(8189 * 16);
  expect(refused('lookup_accounts', ids).code).toBe('batch_too_large');
});

test.each([
  ['properties that nobody knows', 'create_transfers', '[{', '"x":1,', '}]'],
  ['events beyond what is allowed', 'create_transfers', '[', '{},', ']'],
  ['ids that are none', 'lookup_accounts', '[', '-1,', ']'],
  ['names that nobody knows', 'lookup_accounts', '{', '"x":1,', '}'],
  ['flags', 'create_transfers', '[{"flags":[', '"linked",', ']}]'],
  ['names of flags', 'create_transfers', '[{"flags":"', 'linked|', '"}]'],
  ['text that is no ASCII', 'create_transfers', '[{"x":[', '"\u00e9",', ']}]'],
] as const)('8 MiB of %s are refused', (_what, operation, open, item, close) => {
  const count = Math.floor((ledgerBodyMax - 100) / new TextEncoder().encode(item).length);
  const body = `${open}${item.repeat(count)}${close}`.replace(`,${close}`, close);
  // Steps that grew with the square of this length would never end.
  expect(refused(operation, body).status).toBe(422);
});

test('beyond a thousand errors the rest is not read', () => {
  const { errors, detail } = refused('lookup_accounts', `[${'-1,'.repeat(1_000)}`);
  expect(errors).toHaveLength(20);
  expect(detail).toContain('at least 999 more');
});

test('a body beyond 8 MiB is not looked at', () => {
  expect(refused('create_accounts', `[${' '.repeat(ledgerBodyMax)}]`)).toMatchObject({
    status: 413,
    code: 'payload_too_large',
    limitBytes: ledgerBodyMax,
  });
});

test('nothing to create or to look up is a request', () => {
  expect(accepted('create_accounts', '[]')).toMatchObject({ count: 0 });
  expect(accepted('lookup_transfers', ' { "ids" : [ ] } ')).toMatchObject({ count: 0 });
});

test('ids come as an array or in an object', () => {
  const bytes = [
    ...Uint8Array.of(1, ...Array<number>(15).fill(0), ...Array<number>(16).fill(0xff)),
  ];
  for (const body of [`["1",${u128Max}]`, `{"ids":[1,"${u128Max}"]}`]) {
    expect([...accepted('lookup_accounts', body).events]).toEqual(bytes);
  }
  expect(refused('lookup_accounts', { ids: [1, -1] }).errors?.[0]?.pointer).toBe('#/ids/1');
  expect(refused('lookup_accounts', { id: [1] }).errors).toEqual([
    expect.objectContaining({ pointer: '#/id', code: 'unknown_property' }),
    expect.objectContaining({ pointer: '#/ids', code: 'required' }),
  ]);
});

test('a filter has its defaults, and asks the engine for one row more', () => {
  const query = accepted('query_transfers', '{}');
  expect([query.limit, fieldOf(query, 'limit'), fieldOf(query, 'flags')]).toEqual([100, 101n, 0n]);
  const filter = accepted('get_account_transfers', { account_id: 1 });
  expect([filter.limit, fieldOf(filter, 'limit'), fieldOf(filter, 'flags')]).toEqual([
    100,
    101n,
    3n,
  ]);
  const most = accepted('query_accounts', { limit: '8189', flags: 'reversed' });
  expect([most.limit, fieldOf(most, 'limit'), fieldOf(most, 'flags')]).toEqual([8189, 8189n, 1n]);
});

test('a filter lies on the wire where TigerBeetle has it', () => {
  const given = {
    user_data_128: 1,
    user_data_64: 2,
    user_data_32: 3,
    code: 5,
    timestamp_min: 6,
    timestamp_max: 7,
    limit: 8,
  };
  const query = accepted('query_accounts', { ...given, ledger: 4, flags: 1 });
  expect([...new Uint32Array(query.events.slice().buffer)]).toEqual([
    1, 0, 0, 0, 2, 0, 3, 4, 5, 0, 6, 0, 7, 0, 9, 1,
  ]);
  const filter = accepted('get_account_balances', {
    ...given,
    account_id: 9,
    flags: 'debits|reversed',
  });
  const words = [...new Uint32Array(filter.events.slice().buffer)];
  expect(words.slice(0, 12)).toEqual([9, 0, 0, 0, 1, 0, 0, 0, 2, 0, 3, 5]);
  expect(words.slice(12, 26)).toEqual(Array(14).fill(0));
  expect(words.slice(26)).toEqual([6, 0, 7, 0, 9, 5]);
});

test.each([
  ['query_accounts', { limit: 0 }, '#/limit'],
  ['query_accounts', { limit: 8190 }, '#/limit'],
  ['query_accounts', { timestamp_min: 2, timestamp_max: 1 }, '#/timestamp_min'],
  ['query_accounts', { timestamp_min: '9223372036854775808' }, '#/timestamp_min'],
  ['query_accounts', { timestamp_max: '18446744073709551615' }, '#/timestamp_max'],
  ['query_accounts', { flags: 2 }, '#/flags'],
  ['get_account_transfers', { account_id: 1, flags: 0 }, '#/flags'],
  ['get_account_transfers', { account_id: 1, flags: 'reversed' }, '#/flags'],
  ['get_account_balances', { account_id: 1, flags: 11 }, '#/flags'],
  ['get_account_balances', { account_id: 0 }, '#/account_id'],
  ['get_account_balances', { account_id: `${u128Max}` }, '#/account_id'],
] as const)('%s with %j would answer with nothing and is refused', (operation, filter, pointer) => {
  const { status, code, errors } = refused(operation, filter);
  expect([status, code]).toEqual([422, 'invalid_filter']);
  expect(errors).toEqual([expect.objectContaining({ pointer, code: 'invalid_filter' })]);
});

test.each([
  ['get_account_transfers', {}, '#/account_id', 'required'],
  ['query_accounts', { account_id: 1 }, '#/account_id', 'unknown_property'],
  ['query_accounts', { limits: 1 }, '#/limits', 'unknown_property'],
  ['query_accounts', { flags: 'debits' }, '#/flags', 'invalid_flag'],
  ['get_account_transfers', { account_id: 1, ledger: 1 }, '#/ledger', 'unknown_property'],
] as const)('%s with %j is refused', (operation, filter, pointer, code) => {
  const problem = refused(operation, filter);
  expect(problem).toMatchObject({ status: 422, code: 'validation_failed' });
  expect(problem.errors).toEqual([expect.objectContaining({ pointer, code })]);
});

test('timestamps at their bounds are valid', () => {
  accepted('query_accounts', { timestamp_min: 1, timestamp_max: '9223372036854775807' });
  accepted('query_accounts', { timestamp_min: 5, timestamp_max: 5 });
  accepted('query_accounts', { timestamp_min: 5, timestamp_max: 0 });
});

test('any request gets rows or a problem, never an exception', () => {
  const names = Object.keys(ledgerOperations) as LedgerOperationName[];
  assert(
    property(constantFrom(...names), json({ maxDepth: 4 }), (name, text) => {
      const decoded = decode(name, text);
      if (!decoded.ok) expect([400, 422]).toContain(decoded.problem.status);
    }),
    { numRuns: 2_000 },
  );
});

test('any account that is written down, in any order and form, is read back as it is', () => {
  const fields = outputFields(accountLayout);
  const values = record(
    Object.fromEntries(
      fields.map(({ name, width }) => [
        name,
        bigInt({ min: 0n, max: (1n << BigInt(8 * width)) - 1n }),
      ]),
    ),
  );
  assert(
    property(
      array(values, { maxLength: 4 }),
      boolean(),
      boolean(),
      (accounts, quoted, reversed) => {
        const texts = accounts.map((one) => {
          const properties = Object.entries(one).map(([name, value]) =>
            quoted ? `"${name}" : "${value}"` : `"${name}":${value}`,
          );
          return `{${(reversed ? properties.reverse() : properties).join(' ,\n')}}`;
        });
        const request = accepted('create_accounts', `[${texts.join(',')}]`);
        accounts.forEach((one, index) => {
          for (const { name } of fields) expect(fieldOf(request, name, index)).toBe(one[name]);
        });
      },
    ),
  );
});
