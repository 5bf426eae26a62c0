import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { shownAmount } from '../../lib/amounts.ts';
import { widest } from './column-widths.ts';
import { cellText, columnsOf, type RecordRow, type Showing } from './columns.ts';

const most = 2n ** 128n - 1n;
const show = (digits: string, ledger: string) =>
  ledger === '1' ? shownAmount(digits, { scale: 2, currency: 'EUR' }) : `${digits} units`;
const code = (_record: string, digits: string) => (digits === '7' ? '7 Fees of customers' : digits);
const showing: Showing = { zone: 'utc', show, code };
const digits = fc.oneof(fc.bigInt(0n, most), fc.bigInt(0n, 2_000n)).map(String);
const rowsOf = fc.array(
  fc.record({
    id: digits,
    debits_posted: digits,
    credits_posted: digits,
    debits_pending: digits,
    credits_pending: digits,
    ledger: fc.constantFrom(1, 2),
    code: fc.nat(65_535),
    flags: fc.nat(63),
    timestamp: fc.bigInt(0n, 4n * 10n ** 18n).map(String),
    user_data_128: digits,
    user_data_64: digits,
    user_data_32: fc.nat(9_999),
  }),
);

test('a column is as wide as its longest value, whatever the rows', () => {
  fc.assert(
    fc.property(rowsOf, (rows: readonly RecordRow[]) => {
      for (const column of columnsOf.account) {
        const longest = Math.max(
          0,
          ...rows.map((row) => {
            const { length } = cellText(column, row, 'account', showing);
            if (column.kind === 'id') return Math.min(20, length);
            // Words may be cut, digits never are.
            return column.kind === 'flags' || column.kind === 'code'
              ? Math.min(32, length)
              : length;
          }),
        );
        expect([column.name, widest(column, rows, 'account', showing)]).toEqual([
          column.name,
          longest,
        ]);
      }
    }),
  );
});

test('the name of a code of 60 characters does not push the amounts out of sight', () => {
  const named: Showing = { ...showing, code: (_record, value) => `${value} ${'n'.repeat(60)}` };
  const column = { name: 'code', title: 'Code', kind: 'code' } as const;
  expect(widest(column, [{ code: 10 }], 'transfer', named)).toBe(32);
});
