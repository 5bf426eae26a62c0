import { expect, test } from '@jest/globals';
import {
  fieldNamesOf,
  formatted,
  labelsWithName,
  labelsWithoutName,
  type FieldName,
} from './field-names.ts';

const sale: FieldName = {
  record: 'transfer',
  field: 'code',
  code: '1',
  name: 'Sale',
  format: 'integer',
};
const order: FieldName = {
  ...sale,
  field: 'user_data_128',
  code: '',
  name: 'Order',
  format: 'UUID',
};

test('the labels of a database name its codes and its user data', () => {
  const labels = {
    team: 'payments',
    'codes/transfer': '1 Sale; 2 Refund of a sale',
    'codes/account': '10 Customers',
    'user-data/transfer': '128:uuid Order; 64 Invoice',
  };
  expect(fieldNamesOf(labels)).toEqual([
    { ...sale, record: 'account', code: '10', name: 'Customers' },
    sale,
    { ...sale, code: '2', name: 'Refund of a sale' },
    order,
    { ...order, field: 'user_data_64', name: 'Invoice', format: 'integer' },
  ]);
});

test.each(['Sale', '0 Sale', '65536 Sale', '1', ''])('the code entry %j names nothing', (entry) => {
  const fee = { ...sale, code: '7', name: 'Fee' };
  expect(fieldNamesOf({ 'codes/transfer': `${entry}; 7 Fee` })).toEqual([fee]);
});

test.each(['96 Order', '128:base64 Order', '128: Order', '128'])(
  'the user data entry %j names nothing',
  (entry) => {
    expect(fieldNamesOf({ 'user-data/transfer': entry })).toEqual([]);
  },
);

/** The labels after a change, as the service makes it. */
function after(labels: Record<string, string>, change: Record<string, string | null>) {
  const all: Record<string, string | null> = { ...labels, ...change };
  return Object.fromEntries(
    Object.entries(all).filter((row): row is [string, string] => row[1] !== null),
  );
}

test('a name is read as it was given, replaces the one before, and leaves other labels alone', () => {
  let labels = after({ team: 'a' }, labelsWithName({ team: 'a' }, sale));
  labels = after(labels, labelsWithName(labels, order));
  labels = after(labels, labelsWithName(labels, { ...sale, name: 'Sale; of <b>goods</b>' }));
  expect(labels).toEqual({
    team: 'a',
    'codes/transfer': '1 Sale of <b>goods</b>',
    'user-data/transfer': '128:uuid Order',
  });
  expect(after(labels, labelsWithoutName(labels, sale))).toEqual({
    team: 'a',
    'user-data/transfer': '128:uuid Order',
  });
});

test('text that somebody wrote into the labels in another form stays when a name changes', () => {
  const labels = {
    'codes/transfer': 'ours; 1 Sale; 1 Sold',
    'codes/transfer/notes/2': 'kept',
    'codes/transfer/x': 'kept',
  };
  expect(fieldNamesOf(labels)).toEqual([{ ...sale, name: 'Sold' }]);
  expect(after(labels, labelsWithName(labels, { ...sale, code: '2', name: 'Refund' }))).toEqual({
    ...labels,
    'codes/transfer': '1 Sold; 2 Refund; ours',
  });
});

test('many names take as many labels as they need, each of at most 255 characters, and none is lost', () => {
  let labels: Record<string, string> = {};
  const names = Array.from({ length: 12 }, (_, index) => ({
    ...sale,
    code: `${65_500 + index}`,
    name: `${index} `.padEnd(60, 'x'),
  }));
  for (const name of names) labels = after(labels, labelsWithName(labels, name));
  expect(Object.keys(labels)).toEqual([
    'codes/transfer',
    'codes/transfer/2',
    'codes/transfer/3',
    'codes/transfer/4',
  ]);
  for (const value of Object.values(labels)) expect(value.length).toBeLessThanOrEqual(255);
  expect(fieldNamesOf(labels)).toEqual(names);
  for (const name of names.slice(1)) labels = after(labels, labelsWithoutName(labels, name));
  expect(labels).toEqual({ 'codes/transfer': `65500 ${names[0]?.name}` });
});

test('values of user data are exact in every format', () => {
  const most = (2n ** 128n - 1n).toString();
  expect(formatted(most, 'integer')).toBe(most);
  expect(formatted(most, 'hexadecimal')).toBe(`0x${'f'.repeat(32)}`);
  expect(formatted(most, 'UUID')).toBe('ffffffff-ffff-ffff-ffff-ffffffffffff');
  expect(formatted('9007199254740993', 'UUID')).toBe('00000000-0000-0000-0020-000000000001');
});
