/** Files with rows are read strictly, and what is wrong is told by line before anything is made of them. */
import { expect, test } from '@jest/globals';
import { parseTime } from '../../domain/moment.ts';
import { Operation } from '../wire/operations.ts';
import { REPORTED_MAX } from '../../domain/import-files/row-faults.ts';
import { faultsOf, imported, NOW, type Texts } from './testing/row-files.ts';

const ACCOUNTS = 'id,ledger,code\n1,1,10\n2,1,10\n3,1,10\n';
const HEADER = 'id,debit_account_id,credit_account_id,amount,ledger,code';
const ofTransfers = (...lines: readonly string[]): Texts => ({
  accounts: ACCOUNTS,
  transfers: [HEADER, ...lines, ''].join('\n'),
});

function accountOf(
  ledger: { read: (operation: number, body: Uint8Array) => Uint8Array },
  id: bigint,
) {
  const ids = new DataView(new ArrayBuffer(16));
  ids.setBigUint64(0, id & ((1n << 64n) - 1n), true);
  ids.setBigUint64(8, id >> 64n, true);
  const bytes = ledger.read(Operation.lookupAccountsUnbatched, new Uint8Array(ids.buffer));
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const u128 = (at: number) =>
    (view.getBigUint64(at + 8, true) << 64n) | view.getBigUint64(at, true);
  return {
    debitsPending: u128(16),
    debitsPosted: u128(32),
    creditsPosted: u128(64),
    flags: view.getUint16(118, true),
    timestamp: view.getBigUint64(120, true),
  };
}

test('the fewest columns make a ledger, with timestamps of the import, accounts first', async () => {
  const made = await imported(ofTransfers('100,1,2,5,1,1', '101,2,3,4,1,1'));
  expect(faultsOf(made)).toEqual([]);
  expect(made.counts).toEqual({ accounts: 3, transfers: 2 });
  expect(accountOf(made.ledger, 2n)).toMatchObject({ debitsPosted: 4n, creditsPosted: 5n });
  expect(accountOf(made.ledger, 1n).timestamp).toBe(NOW + 1n);
  expect(made.timestamp).toBe(NOW + 5n);
});

test('a byte order mark, CR LF, quotes, empty lines, empty cells, any order of columns and any cut of the file change nothing', async () => {
  const accounts =
    '\uFEFFcode,"id",ledger,user_data_64\r\n10,1,1,\r\n"10","340282366920938463463374607431768211454",1,7\r\n\r\n10,3,1,""';
  for (const pieceBytes of [1, 2, 7, 1_000]) {
    const made = await imported(
      { accounts, transfers: `${HEADER}\r\n9,1,340282366920938463463374607431768211454,5,1,1\r\n` },
      { pieceBytes },
    );
    expect(faultsOf(made)).toEqual([]);
    expect(accountOf(made.ledger, (1n << 128n) - 2n).creditsPosted).toBe(5n);
  }
});

test('no digit of an amount of 128 bits is lost, in CSV and as number or string of NDJSON', async () => {
  const amount = (1n << 128n) - 3n;
  const row = (value: string) =>
    `{"id":"9", "debit_account_id":1,"credit_account_id":2,"amount":${value},"ledger":1,"code":1}\n`;
  for (const transfers of [
    `${HEADER}\n9,1,2,${amount},1,1\n`,
    row(`"${amount}"`),
    row(String(amount)),
  ]) {
    const made = await imported({ accounts: ACCOUNTS, transfers });
    expect(faultsOf(made)).toEqual([]);
    expect(accountOf(made.ledger, 1n).debitsPosted).toBe(amount);
  }
});

test('timestamps are kept, as nanoseconds or as times, and rows are executed in their order', async () => {
  const accounts =
    'id,ledger,code,timestamp\n1,1,1,2026-01-31T12:00:00Z\n2,1,1,2026-01-31T12:00:02Z\n';
  const late = parseTime('2026-01-31T12:00:03Z')!;
  const transfers = `${HEADER},timestamp\n9,1,2,5,1,1,${late}\n`;
  const made = await imported({ accounts, transfers });
  expect(faultsOf(made)).toEqual([]);
  expect(accountOf(made.ledger, 1n).timestamp).toBe(parseTime('2026-01-31T12:00:00Z'));
  expect(made.timestamp).toBe(late);
  const early = await imported({
    accounts,
    transfers: `${HEADER},timestamp\n9,1,2,5,1,1,2026-01-31T12:00:01Z\n`,
  });
  expect(faultsOf(early)).toEqual(['transfers:2 credit_account_not_found']);
});

test('a pending transfer that has expired gives its amount back before the next row', async () => {
  const accounts =
    'id,ledger,code,flags,timestamp\n1,1,1,2,2026-01-01T00:00:00Z\n2,1,1,0,2026-01-01T00:00:01Z\n';
  const head = `${HEADER},flags,timeout,timestamp`;
  const transfers = (second: string) =>
    [
      head,
      '1,2,1,10,1,1,0,0,2026-01-01T00:01:00Z',
      '2,1,2,10,1,1,2,60,2026-01-01T00:02:00Z',
      `3,1,2,10,1,1,0,0,2026-01-01T00:0${second}Z`,
      '',
    ].join('\n');
  const held = await imported({ accounts, transfers: transfers('2:59') });
  expect(faultsOf(held)).toEqual(['transfers:4 exceeds_credits']);
  const free = await imported({ accounts, transfers: transfers('3:01') });
  expect(faultsOf(free)).toEqual([]);
  expect(accountOf(free.ledger, 1n)).toMatchObject({ debitsPending: 0n, debitsPosted: 10n });
});

test('accounts that were created closed, closed by a transfer and opened again are so again', async () => {
  const accounts = 'id,ledger,code,flags,timestamp\n1,1,1,32,1\n2,1,1,32,2\n3,1,1,0,3\n4,1,1,0,4\n';
  const transfers = [
    `${HEADER},pending_id,flags,timestamp`,
    '1,2,4,0,1,1,0,66,10',
    '2,3,4,0,1,1,0,66,11',
    '3,3,4,0,1,1,2,8,12',
    '',
  ].join('\n');
  const made = await imported({ accounts, transfers });
  expect(faultsOf(made)).toEqual([]);
  const closed = [1n, 2n, 3n, 4n].map((id) => accountOf(made.ledger, id).flags & 32);
  expect(closed).toEqual([32, 32, 0, 0]);
});

test('a balancing transfer keeps the amount that the file says, or is at fault; the largest amount moves what there is', async () => {
  const balancing = (amount: bigint | number): Texts => ({
    accounts: ACCOUNTS,
    transfers: `${HEADER},flags\n8,3,1,40,1,1,\n9,1,2,${amount},1,1,16\n`,
  });
  expect(faultsOf(await imported(balancing(40)))).toEqual([]);
  const cut = await imported(balancing(100));
  expect(faultsOf(cut)).toEqual(['transfers:3 amount amount_differs']);
  expect(cut.report.lines()[0]).toContain('moves only 40');
  const all = await imported(balancing((1n << 128n) - 1n));
  expect(faultsOf(all)).toEqual([]);
  expect(accountOf(all.ledger, 1n).debitsPosted).toBe(40n);
});

test('balances of the accounts must be what the transfers give, unless they are to be ignored', async () => {
  const accounts = 'id,debits_posted,credits_posted,ledger,code\n1,5,0,1,1\n2,0,6,1,1\n';
  const files = { accounts, transfers: `${HEADER}\n9,1,2,5,1,1\n` };
  const made = await imported(files);
  expect(faultsOf(made)).toEqual(['accounts:3 credits_posted balance_differs']);
  expect(made.report.lines()[0]).toContain('The file has 6, but its transfers add up to 5.');
  expect(faultsOf(await imported(files, { ignoresBalances: true }))).toEqual([]);
  expect(faultsOf(await imported({ accounts }))).toHaveLength(2);
});

test.each<[string, Texts, readonly string[]]>([
  ['an empty file of accounts', { accounts: '' }, ['accounts:0 file_empty']],
  ['only a header', { accounts: 'id,ledger,code\n' }, ['accounts:0 file_empty']],
  ['a file that gzip made', { accounts: Uint8Array.of(0x1f, 0x8b, 8, 0) }, ['accounts:0 not_rows']],
  ['a workbook', { accounts: 'PK\u0003\u0004' }, ['accounts:0 not_rows']],
  ['UTF-16', { accounts: Buffer.from('\uFEFFid,ledger', 'utf16le') }, ['accounts:0 not_rows']],
  ['NUL bytes', { accounts: 'id,ledger,code\n1,\u0000,1\n' }, ['accounts:0 not_rows']],
  [
    'columns that do not exist, are missing and are there twice',
    { accounts: 'id,ledgr,code,code\n1,1,1,1\n' },
    [
      'accounts:1 column_unknown',
      'accounts:1 code column_twice',
      'accounts:1 ledger column_missing',
    ],
  ],
  [
    'no header',
    { accounts: '1,1,10\n' },
    [
      'accounts:1 column_unknown',
      'accounts:1 column_unknown',
      'accounts:1 column_unknown',
      'accounts:1 id column_missing',
      'accounts:1 ledger column_missing',
      'accounts:1 code column_missing',
    ],
  ],
  [
    'a CSV file that ends within its last field',
    { accounts: 'id,ledger,code\n1,1,10\n2,1,1' },
    ['accounts:3 line_cut'],
  ],
  [
    'a CSV file that ends within a quoted field',
    { accounts: 'id,ledger,code\n1,1,"1' },
    ['accounts:2 line_cut'],
  ],
  ['a header that is cut', { accounts: 'id,ledger,cod' }, ['accounts:1 line_cut']],
  [
    'objects that are cut',
    { accounts: '{"id":1,"ledger":1,"code":1}\n{"id":2,"ledger":1,"code":1' },
    ['accounts:2 line_malformed'],
  ],
  ['a field too many', ofTransfers('1,1,2,3,1,1,1'), ['transfers:2 fields_wrong']],
  [
    'semicolons',
    { accounts: 'id;ledger;code\n1;1;1' },
    [
      'accounts:1 column_unknown',
      'accounts:1 id column_missing',
      'accounts:1 ledger column_missing',
      'accounts:1 code column_missing',
    ],
  ],
  ['quotes that do not end', ofTransfers('1,1,2,"3,1,1'), ['transfers:2 line_malformed']],
  ['text after a quote', ofTransfers('1,1,2,"3"4,1,1'), ['transfers:2 line_malformed']],
  ['a formula', ofTransfers('1,1,2,=1+2,1,1'), ['transfers:2 amount value_not_an_integer']],
  [
    'an amount with cents',
    ofTransfers('1,1,2,12.50,1,1'),
    ['transfers:2 amount value_not_an_integer'],
  ],
  [
    'what a spreadsheet rounded',
    ofTransfers('1.23457E+18,1,2,1,1,1'),
    ['transfers:2 id value_not_an_integer'],
  ],
  [
    'an amount of 129 bits',
    ofTransfers(`1,1,2,${1n << 128n},1,1`),
    ['transfers:2 amount value_too_large'],
  ],
  ['a code of 17 bits', ofTransfers('1,1,2,3,1,65536'), ['transfers:2 code value_too_large']],
  ['an empty amount', ofTransfers('1,1,2,,1,1'), ['transfers:2 amount value_missing']],
  [
    'two faults in a line',
    ofTransfers('x,1,2,-5,1,1'),
    ['transfers:2 id value_not_an_integer', 'transfers:2 amount value_not_an_integer'],
  ],
  ['another script', ofTransfers('1,1,2,\u0661,1,1'), ['transfers:2 amount value_not_an_integer']],
  [
    'a row that is not JSON',
    { accounts: '{"id":1,"ledger":1,"code":1}\nx\n' },
    ['accounts:2 line_malformed'],
  ],
  [
    'a nested object',
    { accounts: '{"id":{"a":1},"ledger":1,"code":1}\n' },
    ['accounts:1 line_malformed'],
  ],
  [
    'a name twice in an object',
    { accounts: '{"id":1,"id":2,"ledger":1,"code":1}\n' },
    ['accounts:1 id column_twice'],
  ],
  [
    'names that are missing in an object',
    { accounts: '{"id":1}\n' },
    ['accounts:1 ledger value_missing', 'accounts:1 code value_missing'],
  ],
  ['an id twice', ofTransfers('1,1,2,3,1,1', '1,1,2,3,1,1'), ['transfers:3 exists']],
  [
    'an account that is not there',
    ofTransfers('1,1,9,3,1,1'),
    ['transfers:2 credit_account_not_found'],
  ],
  [
    'a chain that does not end',
    { accounts: 'id,ledger,code,flags\n1,1,1,1\n' },
    ['accounts:2 linked_event_chain_open'],
  ],
  [
    'timestamps that do not rise',
    { accounts: 'id,ledger,code,timestamp\n1,1,1,5\n2,1,1,5\n' },
    ['accounts:3 timestamp timestamp_not_rising'],
  ],
  [
    'timestamps of the future',
    { accounts: `id,ledger,code,timestamp\n1,1,1,${NOW + 1n}\n` },
    ['accounts:2 timestamp timestamp_in_future'],
  ],
  [
    'timestamps of some rows',
    { accounts: 'id,ledger,code,timestamp\n1,1,1,5\n2,1,1,\n' },
    ['accounts:3 timestamp timestamp_mixed'],
  ],
  [
    'imported rows without timestamps',
    { accounts: 'id,ledger,code,flags\n1,1,1,16\n' },
    ['accounts:2 timestamp timestamp_missing'],
  ],
  [
    'one timestamp of an account and a transfer',
    {
      accounts: 'id,ledger,code,timestamp\n1,1,1,5\n2,1,1,6\n3,1,1,9\n',
      transfers: `${HEADER},timestamp\n1,1,2,3,1,1,9\n`,
    },
    ['transfers:2 timestamp timestamp_not_rising'],
  ],
])('%s: told by name and line', async (_, files, expected) => {
  expect(faultsOf(await imported(files))).toEqual(expected);
});

test('a line without an end is passed over without being held, and the rows after it are read', async () => {
  async function* open() {
    await Promise.resolve();
    yield Buffer.from('id,ledger,code\n1,1,1\n');
    const piece = Buffer.alloc(1 << 20, 0x31);
    for (let mebibytes = 0; mebibytes < 200; mebibytes += 1) yield piece;
    yield Buffer.from('\nx,1,1\n');
  }
  const { readRows } = await import('./row-reader.ts');
  const { accountRows } = await import('./columns.ts');
  const faults: string[] = [];
  const file = { name: 'accounts', kind: accountRows, open };
  for await (const { lines } of readRows(file, ({ line, code }) => faults.push(`${line} ${code}`)))
    expect(lines).toEqual([2]);
  expect(faults).toEqual(['3 line_too_long', '4 value_not_an_integer']);
});

test('the report keeps the first faults and counts all', async () => {
  const lines = Array.from({ length: 5_000 }, (_, id) => `${id + 1},1,2,-1,1,1`);
  const { report } = await imported(ofTransfers(...lines));
  expect(report.count).toBe(5_000);
  expect(report.faults).toHaveLength(REPORTED_MAX);
  expect(report.lines().at(-1)).toBe('4900 more faults are not listed');
});

test('no character of a file acts on the terminal of whoever reads the report', async () => {
  const { report } = await imported(ofTransfers('1,1,2,\u001B[31m\u009B,1,1'));
  expect(report.lines().join('')).toMatch(/^[\u0020-\u007E\u00A0-\uFFFF]*$/);
});
