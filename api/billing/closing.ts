/**
 * Ends the subscriptions of purged organizations. Before the purge an organization can be restored, and a subscription without
 * use costs nothing.
 */
import { accountsToClose, closeAccount, type BillingAccount } from '../store/billing-accounts.ts';
import type { Store } from '../store/store.ts';
import { forEachOf } from './for-each-of.ts';
import { isOver } from './standing.ts';
import type { StripeClient } from './stripe.ts';

const atOnce = 20;

/**
 * Several workers may do this at once: an ended subscription is recognized. Accounts that Stripe refuses do not delay others.
 */
export async function closeAccounts(store: Store, stripe: StripeClient): Promise<void> {
  const failures: unknown[] = [];
  let after: string | undefined;
  for (;;) {
    const accounts = await accountsToClose(store.read, { after, limit: atOnce });
    await forEachOf(accounts.map((account) => () => close(store, stripe, account))).catch(
      (error: unknown) => failures.push(error),
    );
    if (accounts.length < atOnce) break;
    after = accounts.at(-1)?.organizationId;
  }
  if (failures.length > 0) throw new AggregateError(failures, 'accounts could not be closed');
}

async function close(
  store: Store,
  stripe: StripeClient,
  { organizationId, subscriptionId }: BillingAccount,
): Promise<void> {
  const subscription =
    subscriptionId === null ? undefined : await stripe.findSubscription(subscriptionId);
  if (subscription !== undefined && !isOver(subscription.status)) {
    await stripe.cancel(subscription.id);
  }
  await closeAccount(store.read, organizationId);
}
