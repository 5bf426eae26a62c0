/** Settings of billing. */
export interface StripeSettings {
  readonly kind: 'stripe';
  readonly secretKey: string;
  /** Secret that signs Stripe's webhooks; `undefined` in a process that receives none. */
  readonly webhookSecret: string | undefined;
  /** `https://api.stripe.com`, or the URL of a substitute. */
  readonly apiUrl: string;
  /** ISO 4217, the same as in our catalog. Databases with prices in another currency are metered but not charged. */
  readonly currency: string;
  /** IDs of the Stripe prices of a subscription: one for each of our meters, at a millionth of the currency's unit per unit. */
  readonly prices: readonly string[];
  /** URL to which a checkout sends people back. */
  readonly returnUrl: string;
}

export type BillingSettings = { readonly kind: 'none' } | StripeSettings;
