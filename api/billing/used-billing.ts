import { Refusal } from '../model/refusal.ts';
import type { StripeBilling } from './stripe-billing.ts';

/** Refuses what needs billing in a service that has none. */
export function usedBilling(billing: StripeBilling | undefined): StripeBilling {
  if (billing !== undefined) return billing;
  throw new Refusal('billing_not_used', {
    detail: 'This service bills nobody, so billing needs no set-up.',
  });
}
