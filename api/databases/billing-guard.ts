/**
 * Guard: may an organization have something that costs money? It answers before anything is made, from memory or within a
 * deadline.
 */

const billingReasons = ['NO_PAYMENT_METHOD', 'PAYMENT_FAILED', 'SPEND_LIMIT_REACHED'] as const;
export type BillingReason = (typeof billingReasons)[number];

export interface BillingBlock {
  readonly ready: false;
  /** URL where a person sets billing up; null if no checkout helps, because a spend limit must be raised. */
  readonly checkoutUrl: string | null;
  readonly expiresAt: Date | null;
  readonly reason: BillingReason;
  readonly sessionId: string | null;
}

export type BillingState = { readonly ready: true } | BillingBlock;

export interface BillingGuard {
  /** Opens a checkout for an organization that is not ready. */
  ensureReady(organizationId: string): Promise<BillingState>;
  /** Like `ensureReady`, without side effects and without calls to others. Returns `undefined` if the organization is ready. */
  reasonNotReady(organizationId: string): Promise<BillingReason | undefined>;
}

/** Guard of a service without billing. */
export const noBilling: BillingGuard = {
  ensureReady: () => Promise.resolve({ ready: true }),
  reasonNotReady: () => Promise.resolve(undefined),
};
