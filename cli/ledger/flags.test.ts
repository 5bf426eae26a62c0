import { expect, test } from '@jest/globals';
import {
  accountFilterFlags,
  accountFlags,
  queryFilterFlags,
  transferFlags,
} from '../../api/ledger/flags.ts';
import { CliFailure } from '../failure.ts';
import { describeFlags, flagNames, readFlags } from './flags.ts';

test('names and bits are those of the API', () => {
  expect(flagNames).toEqual({
    create_accounts: accountFlags,
    create_transfers: transferFlags,
    lookup_accounts: {},
    lookup_transfers: {},
    get_account_transfers: accountFilterFlags,
    get_account_balances: accountFilterFlags,
    query_accounts: queryFilterFlags,
    query_transfers: queryFilterFlags,
  });
});

test.each([
  [[], 'create_accounts', 0],
  [['history', 'linked'], 'create_accounts', 9],
  [['history|linked', '4', 'linked'], 'create_accounts', 13],
  [['imported'], 'create_accounts', 16],
  [['imported'], 'create_transfers', 256],
  [['reversed'], 'query_transfers', 1],
  [['reversed', 'debits'], 'get_account_balances', 5],
] as const)('%j of %s are %i', (values, operation, bits) => {
  expect(readFlags(values, operation, 16)).toBe(bits);
});

test('the highest bit of 32 is not a negative number', () => {
  expect(readFlags(['4294967295'], 'query_accounts', 32)).toBe(4_294_967_295);
});

test.each([
  ['histroy', 'create_accounts', 2, 'did you mean "history"?'],
  ['pending', 'create_accounts', 3, 'does not apply to create_accounts'],
  ['65536', 'create_accounts', 3, 'is out of range'],
  ['', 'create_accounts', 2, 'unknown flag ""'],
] as const)('"%s" for %s ends with %i', (value, operation, exitCode, says) => {
  expect.assertions(2);
  try {
    readFlags([value], operation, 16);
  } catch (error) {
    if (!(error instanceof CliFailure)) throw error;
    expect(error.message).toContain(says);
    expect(error.fields.exitCode).toBe(exitCode);
  }
});

test('bits without a name stay visible', () => {
  expect(describeFlags(0, accountFlags)).toBe('0');
  expect(describeFlags(0x109, accountFlags)).toBe('linked|history|256');
});
