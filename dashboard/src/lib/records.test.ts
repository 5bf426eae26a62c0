import { expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { chainsIn, csvOf, netOf, accountFlagNames, transferFlagNames } from './records.ts';
import { grouped, most128, newId, readInteger } from './digits.ts';

const most = most128.toString();

test('the largest integers are shown, read and written exactly', () => {
  for (const digits of ['9007199254740993', '18446744073709551615', most]) {
    expect(grouped(digits).replaceAll(',', '')).toBe(digits);
    expect(readInteger(grouped(digits), 128)).toBe(digits);
    expect(csvOf(['id'], [{ id: digits }])).toBe(`id\r\n${digits}\r\n`);
  }
  expect(grouped(most)).toHaveLength(51);
});

test('any integer of 128 bits survives showing and reading', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: most128 }), (value) => {
      expect(readInteger(grouped(value.toString()), 128)).toBe(value.toString());
    }),
  );
});

test('a text that is no integer of that many bits is rejected', () => {
  for (const text of ['', '-1', '1.5', 'x', `${most128 + 1n}`, '1e3']) {
    expect(readInteger(text, 128)).toBeUndefined();
  }
  expect(readInteger('65536', 16)).toBeUndefined();
  expect(readInteger('0xff', 16)).toBe('255');
});

test('a balance is shown with its side, at any size', () => {
  expect(netOf({ debits_posted: most, credits_posted: '0' })).toBe(`Dr ${grouped(most)}`);
  expect(netOf({ debits_posted: '5', credits_posted: '12' })).toBe('Cr 7');
  expect(netOf({ debits_posted: '5', credits_posted: '5' })).toBe('0');
});

test('flags have the words of the documentation; unknown bits stay', () => {
  expect(accountFlagNames(2 | 8)).toEqual(['debits_must_not_exceed_credits', 'history']);
  expect(transferFlagNames(2 | 4096)).toEqual(['pending', '0x1000']);
});

test('a chain is a run of linked rows a nanosecond apart, and the row behind it', () => {
  const rows = [
    { flags: 0, timestamp: '10' },
    { flags: 1, timestamp: '20' },
    { flags: 1, timestamp: '21' },
    { flags: 0, timestamp: '22' },
    { flags: 0, timestamp: '23' },
  ];
  expect(chainsIn(rows)).toEqual([undefined, 1, 1, 1, undefined]);
  expect(chainsIn(rows.toReversed())).toEqual([undefined, 1, 1, 1, undefined]);
});

test('a new ID holds its time, so that later ones are larger', () => {
  const random = new Uint8Array(10).fill(255);
  const first = newId(1_700_000_000_000, random);
  expect(BigInt(first) >> 80n).toBe(1_700_000_000_000n);
  expect(BigInt(newId(1_700_000_000_001, new Uint8Array(10))) > BigInt(first)).toBe(true);
});
