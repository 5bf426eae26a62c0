import type { billingRoutes } from '../contract/routes/billing.ts';
import { checkMatch, settingsTag } from '../http/conditional.ts';
import type { HandlersOf } from '../http/handler.ts';
import type { IdempotentRequests } from '../http/idempotent.ts';
import { Refusal } from '../model/refusal.ts';
import {
  ensureBillingAccount,
  findBillingAccount,
  lockBillingAccount,
  writeSpendLimit,
} from '../store/billing-accounts.ts';
import { accruedIn } from '../store/billing-usage.ts';
import { listSavedCreates, type SavedCreate } from '../store/saved-creates.ts';
import type { Cursors } from '../store/cursor.ts';
import type { Store } from '../store/store.ts';
import { decimalOf, microsOf, monthOf } from './money.ts';
import { usageHandlers } from './usage-handlers.ts';
import { usedBilling } from './used-billing.ts';
import type { StripeBilling } from './stripe-billing.ts';

export interface BillingHandlerOptions {
  readonly store: Store;
  readonly requests: IdempotentRequests;
  readonly cursors: Cursors;
  /** `undefined`: the service has no billing. */
  readonly billing: StripeBilling | undefined;
  readonly now: () => Date;
}

export type BillingHandlers = HandlersOf<typeof billingRoutes>;

export const billingHandlers = (options: BillingHandlerOptions): BillingHandlers => ({
  ...usageHandlers(options),
  async getBilling({ principal }) {
    const billing = await shownBilling(options, principal.organization.id);
    return { status: 200, etag: limitTag(billing.spendLimit), body: { billing } };
  },
  async updateBilling({ body: { spendLimit }, principal, author, ifMatch }) {
    const { id, name } = principal.organization;
    const { currency } = usedBilling(options.billing).settings;
    if (spendLimit !== null && spendLimit.currency !== currency) {
      throw invalid('#/spendLimit/currency', 'unavailable', `Must be ${currency}.`);
    }
    const micros = spendLimit === null ? null : microsOf(spendLimit.amount);
    if (micros === 0n) {
      throw invalid('#/spendLimit/amount', 'below_minimum', 'Must be more than 0.');
    }
    await ensureBillingAccount(options.store.read, id);
    await options.store.change(author, async (change) => {
      const before = (await lockBillingAccount(change, id))?.spendLimitMicros ?? null;
      const present = before === null ? null : { currency, amount: decimalOf(before) };
      checkMatch(ifMatch, limitTag(present));
      if (before === micros) return;
      await writeSpendLimit(change, id, micros);
      change.emit({
        organizationId: id,
        type: 'billing.spend_limit_changed',
        subject: { type: 'organization', id, display: name },
        data: {},
        changes: [
          {
            path: '/spendLimit/amount',
            from: present?.amount ?? null,
            to: spendLimit?.amount ?? null,
          },
        ],
      });
    });
    const billing = await shownBilling(options, id);
    return { status: 200, etag: limitTag(billing.spendLimit), body: { success: true, billing } };
  },
  openCheckout(request) {
    const { body, principal, author } = request;
    return options.requests.run(request, async (keep) => {
      const billing = usedBilling(options.billing);
      const returnUrl = body.returnUrl ?? billing.settings.returnUrl;
      // Another origin would lend our name to foreign pages.
      if (new URL(returnUrl).origin !== new URL(billing.settings.returnUrl).origin) {
        const own = new URL(billing.settings.returnUrl).origin;
        throw invalid('#/returnUrl', 'not_allowed', `Must begin with ${own}.`);
      }
      const checkout = await billing.openCheckout(principal.organization.id, returnUrl);
      const reply = {
        status: 201 as const,
        body: {
          success: true as const,
          checkoutUrl: checkout.url,
          expiresAt: checkout.expiresAt.toISOString(),
        },
      };
      // A separate change is enough: if the process dies before it, the repeated request finds this checkout open.
      await options.store.change(author, (change) => keep(change, reply));
      return reply;
    });
  },
  async receiveStripeEvent({ body, stripeSignature }) {
    if (options.billing === undefined) {
      throw new Refusal('not_found', { detail: 'This service does not use Stripe.' });
    }
    await options.billing.receive(body, stripeSignature);
    return { status: 204 };
  },
});

const invalid = (pointer: string, code: string, detail: string): Refusal =>
  new Refusal('validation_failed', { detail, errors: [{ pointer, code, detail }] });

/** ETag of the limit that people set; accrued amounts are not part of it. */
const limitTag = (limit: { readonly currency: string; readonly amount: string } | null): string =>
  settingsTag('spend-limit', { limit });

const notUsed = {
  provider: 'none',
  status: 'READY',
  paymentMethod: null,
  spendLimit: null,
  currentPeriod: null,
  savedCreates: [],
} as const;

async function shownBilling(
  { store, billing, now }: BillingHandlerOptions,
  organizationId: string,
) {
  if (billing === undefined) return notUsed;
  const { currency } = billing.settings;
  const month = monthOf(now());
  const [account, accrued, saved] = await Promise.all([
    findBillingAccount(store.read, organizationId),
    accruedIn(store.read, organizationId, currency, month),
    listSavedCreates(store.read, organizationId),
  ]);
  const limit = account?.spendLimitMicros ?? null;
  return {
    provider: 'stripe' as const,
    status: account?.status ?? ('SETUP_REQUIRED' as const),
    paymentMethod: account?.paymentMethod ?? null,
    spendLimit: limit === null ? null : { currency, amount: decimalOf(limit) },
    currentPeriod: {
      start: month.start.toISOString(),
      end: month.end.toISOString(),
      accrued: { currency, amount: decimalOf(accrued.micros) },
      accruedUntil: accrued.until?.toISOString() ?? null,
    },
    savedCreates: saved.map(shownSavedCreate),
  };
}

const shownSavedCreate = (saved: SavedCreate) => ({
  id: saved.id,
  name: saved.name,
  status: saved.status,
  databaseId: saved.databaseId,
  error: saved.error,
  createdAt: saved.createdAt.toISOString(),
  expiresAt: saved.expiresAt.toISOString(),
});
