import { expect, test } from '@jest/globals';
import type { Transfer } from '../../../../gen/api.ts';
import { lifeOf } from './pending.ts';

const pending = { id: '7', timestamp: '1000000000', timeout: 10 };
const resolver = (flags: number) => ({ id: '8', pending_id: '7', flags }) as Transfer;
const other = { id: '9', pending_id: '6', flags: 4 } as Transfer;
const now = 5_000_000_000n;

test('a pending transfer is posted or voided by the one that names it', () => {
  const later = { later: [other, resolver(4)], isWhole: false };
  expect(lifeOf(pending, later, now)).toEqual({ state: 'posted', by: resolver(4) });
  expect(lifeOf(pending, { later: [resolver(8)], isWhole: true }, now).state).toBe('voided');
});

test('a pending transfer that nobody names is open until its timeout, and expired behind it', () => {
  const later = { later: [other], isWhole: true };
  expect(lifeOf(pending, later, now)).toEqual({ state: 'open', until: '11000000000' });
  expect(lifeOf(pending, later, 11_000_000_000n)).toEqual({ state: 'expired', at: '11000000000' });
  expect(lifeOf({ ...pending, timeout: 0 }, later, now)).toEqual({
    state: 'open',
    until: undefined,
  });
});

test('when not all transfers behind it were read, nothing is claimed', () => {
  expect(lifeOf(pending, { later: [other], isWhole: false }, 99_000_000_000n)).toEqual({
    state: 'unknown',
  });
});
