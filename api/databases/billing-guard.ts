/** Whether an organization may have what costs money. Asked before anything is made; answers from what it knows, or in time. */

export const billingReasons = [
  'NO_PAYMENT_METHOD',
  'PAYMENT_FAILED',
  'SPEND_LIMIT_REACHED',
  'ACCOUNT_REVIEW',
] as const;
export type BillingReason = (typeof billingReasons)[number];

export interface BillingBlock {
  readonly ready: false;
  /** Where a person sets billing up; null where no checkout helps: a spend limit has to be raised. */
  readonly checkoutUrl: string | null;
  readonly expiresAt: Date | null;
  readonly reason: BillingReason;
  readonly sessionId: string | null;
}

export type BillingState = { readonly ready: true } | BillingBlock;

export interface BillingGuard {
  /** Opens a checkout for an organization that is not ready. */
  ensureReady(organizationId: string): Promise<BillingState>;
  /** The same question without any effect: nothing is made, and nobody else is asked. `undefined`: it is ready. */
  reasonNotReady(organizationId: string): Promise<BillingReason | undefined>;
}

/** For services that bill nobody. */
export const noBilling: BillingGuard = {
  ensureReady: () => Promise.resolve({ ready: true }),
  reasonNotReady: () => Promise.resolve(undefined),
};
