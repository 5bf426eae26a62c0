import { expect, test } from '@jest/globals';
import { labelPatch, linesOf } from './label-patch.ts';

test('labels that somebody else set meanwhile are never taken out', () => {
  const seen = { team: 'payments', cost: 'a' };
  // Meanwhile there is an owner, too: it is in no difference to what the person saw.
  expect(labelPatch(seen, 'team=ledger\ncost=a')).toEqual({ team: 'ledger', cost: 'a' });
  expect(labelPatch(seen, 'team=payments')).toEqual({ team: 'payments', cost: null });
  expect(labelPatch(seen, '')).toEqual({ team: null, cost: null });
});

test('the same labels are the same lines, in whatever order', () => {
  expect(linesOf({ b: '2', a: '1' })).toBe('a=1\nb=2');
  expect(linesOf({ a: '1', b: '2' })).toBe('a=1\nb=2');
});
