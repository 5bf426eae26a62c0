/** What the configuration says of billing. */
export interface StripeSettings {
  readonly kind: 'stripe';
  readonly secretKey: string;
  /** Signs what Stripe tells us. */
  readonly webhookSecret: string;
  /** `https://api.stripe.com`, or what stands in for it. */
  readonly apiUrl: string;
  /** ISO 4217, as our catalog has it. Databases with prices in another currency are metered and not charged. */
  readonly currency: string;
  /** Of Stripe's prices that a subscription is made of: each of a meter of ours, a millionth of the currency's unit a unit. */
  readonly prices: readonly string[];
  /** Where a checkout sends people back to. */
  readonly returnUrl: string;
}

export type BillingSettings = { readonly kind: 'none' } | StripeSettings;
