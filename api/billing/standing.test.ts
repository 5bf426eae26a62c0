import { expect, test } from '@jest/globals';
import { reachedPercent } from './spend-limits.ts';
import { billingEventOf, billingStatusOf } from './standing.ts';
import type { SubscriptionStatus } from './stripe.ts';

const card = { brand: 'visa', last4: '4242' };

test.each([
  [undefined, null, 'SETUP_REQUIRED'],
  [undefined, card, 'SETUP_REQUIRED'],
  ['active', card, 'READY'],
  ['trialing', card, 'READY'],
  ['active', null, 'SETUP_REQUIRED'],
  ['incomplete', card, 'SETUP_REQUIRED'],
  ['past_due', card, 'PAST_DUE'],
  ['unpaid', card, 'SUSPENDED'],
  ['canceled', card, 'SUSPENDED'],
  ['paused', card, 'SUSPENDED'],
  ['a word that Stripe adds', card, 'PAST_DUE'],
] as const)('a subscription that is %s, paid with %j: %s', (status, method, expected) => {
  expect(billingStatusOf(status as SubscriptionStatus | undefined, method)).toBe(expected);
});

test('only changes are reported', () => {
  expect(billingEventOf('SETUP_REQUIRED', 'READY')).toBe('billing.setup_completed');
  expect(billingEventOf('SUSPENDED', 'READY')).toBe('billing.recovered');
  expect(billingEventOf('READY', 'PAST_DUE')).toBe('billing.payment_failed');
  expect(billingEventOf('PAST_DUE', 'SUSPENDED')).toBe('billing.suspended');
  expect(billingEventOf('READY', 'SETUP_REQUIRED')).toBe('billing.payment_method_removed');
  expect(billingEventOf('READY', 'READY')).toBeUndefined();
});

test('the highest threshold of a limit that is reached counts', () => {
  const limit = 1_000_000n;
  expect(
    [0n, 499_999n, 500_000n, 799_999n, 800_000n, 999_999n, 1_000_000n, 5_000_000n].map((micros) =>
      reachedPercent(micros, limit),
    ),
  ).toEqual([0, 0, 50, 50, 80, 80, 100, 100]);
});
