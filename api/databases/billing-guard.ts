/** Whether an organization may have what costs money. Asked before anything is made; answers from what it knows, or in time. */

export const billingReasons = [
  'NO_PAYMENT_METHOD',
  'PAYMENT_FAILED',
  'SPEND_LIMIT_REACHED',
  'ACCOUNT_REVIEW',
] as const;

export interface BillingBlock {
  readonly ready: false;
  /** Where a person sets billing up. */
  readonly checkoutUrl: string;
  readonly expiresAt: Date | null;
  readonly reason: (typeof billingReasons)[number];
  readonly sessionId: string | null;
}

export type BillingState = { readonly ready: true } | BillingBlock;

export interface BillingGuard {
  ensureReady(organizationId: string): Promise<BillingState>;
}

/** For services that bill nobody. */
export const noBilling: BillingGuard = {
  ensureReady: () => Promise.resolve({ ready: true }),
};
