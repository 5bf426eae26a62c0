/** What a subscription's state at Stripe means for an organization: pure. */
import type { BillingStatus, PaymentMethod } from '../store/billing-accounts.ts';
import type { SubscriptionStatus } from './stripe.ts';

/** It is over: another may be begun. */
export const isOver = (status: SubscriptionStatus): boolean =>
  status === 'canceled' || status === 'incomplete_expired';

/**
 * https://docs.stripe.com/billing/subscriptions/overview#subscription-statuses. While a payment is only late the databases go
 * on: Stripe tries again, and says `unpaid` or `canceled` when it has given up.
 */
export function billingStatusOf(
  subscription: SubscriptionStatus | undefined,
  paymentMethod: PaymentMethod | null,
): BillingStatus {
  switch (subscription) {
    case 'unpaid':
    case 'canceled':
    case 'paused':
      return 'SUSPENDED';
    case 'past_due':
      return 'PAST_DUE';
    case 'active':
    case 'trialing':
      return paymentMethod === null ? 'SETUP_REQUIRED' : 'READY';
    case 'incomplete':
    case 'incomplete_expired':
    case undefined:
      return 'SETUP_REQUIRED';
    default:
      // A state that Stripe may add: nobody is let in, and nobody stopped, for a word that we do not know.
      return 'PAST_DUE';
  }
}

/** The event that tells of the change; `undefined`: it is none. */
export function billingEventOf(before: BillingStatus, after: BillingStatus) {
  if (before === after) return undefined;
  switch (after) {
    case 'READY':
      return before === 'SETUP_REQUIRED' ? 'billing.setup_completed' : 'billing.recovered';
    case 'PAST_DUE':
      return 'billing.payment_failed';
    case 'SUSPENDED':
      return 'billing.suspended';
    case 'SETUP_REQUIRED':
      return 'billing.payment_method_removed';
    default:
      return undefined;
  }
}
