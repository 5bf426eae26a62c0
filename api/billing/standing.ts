/** Maps a subscription's state at Stripe to an organization's standing. Pure. */
import type { BillingStatus, PaymentMethod } from '../store/billing-accounts.ts';
import type { SubscriptionStatus } from './stripe.ts';

/** Whether the subscription is over, so that a new one may begin. */
export const isOver = (status: SubscriptionStatus): boolean =>
  status === 'canceled' || status === 'incomplete_expired';

/**
 * Status of an account (https://docs.stripe.com/billing/subscriptions/overview#subscription-statuses). While a payment is only
 * late, the databases keep running: Stripe tries again, and reports `unpaid` or `canceled` when it gives up.
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
      // A state that Stripe may add: an unknown word neither admits nor stops anybody.
      return 'PAST_DUE';
  }
}

/** The event for a change of status; `undefined` if it has none. */
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
