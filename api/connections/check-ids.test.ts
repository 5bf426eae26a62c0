import { expect, test } from '@jest/globals';
import { SigningKeys } from '../store/signing-keys.ts';
import { CheckIds } from './check-ids.ts';

const [old, present] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];

test('an ID is recognized for its database only, and after the change of the key', () => {
  const made = new CheckIds(new SigningKeys([old])).make('db_1');
  const ids = new CheckIds(new SigningKeys([present, old]));
  expect(ids.recognizes('db_1', made)).toBe(true);
  expect(ids.recognizes('db_2', made)).toBe(false);
  expect(ids.recognizes('db_1', made ^ 1n)).toBe(false);
  expect(new CheckIds(new SigningKeys([present])).recognizes('db_1', made)).toBe(false);
});

test('IDs differ, have 38 digits, and IDs of applications are none of them', () => {
  const ids = new CheckIds(new SigningKeys([old]));
  const made = Array.from({ length: 100 }, () => ids.make('db_1'));
  expect(new Set(made).size).toBe(100);
  expect(made.every((id) => String(id).length === 38)).toBe(true);
  expect([0n, 1n, 2n ** 127n, 0x1ed6n << 112n].filter((id) => ids.recognizes('db_1', id))).toEqual(
    [],
  );
});
