/**
 * Billing by Stripe. A webhook is only a hint: an organization's standing is what Stripe answers when it is asked, so events
 * may come twice, late, in any order or not at all. If several processes check one account at once, its version shows which of
 * them was overtaken; that one checks again.
 */
import { createHash } from 'node:crypto';
import type { Logger } from 'pino';
import { isTypeId } from '../../domain/type-id.ts';
import { systemAuthor, type Author } from '../model/actor.ts';
import { Refusal } from '../model/refusal.ts';
import {
  ensureBillingAccount,
  findBillingAccount,
  findOrganizationOfCustomer,
  isBillingEventKnown,
  keepCheckout,
  keepCustomer,
  lockBillingAccount,
  noteBillingEvent,
  writeStanding,
  type BillingAccount,
  type BillingStanding,
  type Checkout,
  keepNewestCard,
  newestCard,
  noteCardApplied,
  type Card,
} from '../store/billing-accounts.ts';
import { isSuspensionDue } from '../store/billing-suspensions.ts';
import { accruedIn } from '../store/billing-usage.ts';
import type { Change } from '../store/change.ts';
import { findOrganization } from '../store/organizations.ts';
import type { Store } from '../store/store.ts';
import type {
  BillingBlock,
  BillingGuard,
  BillingReason,
  BillingState,
} from '../databases/billing-guard.ts';
import { monthOf } from './money.ts';
import type { StripeSettings } from './settings.ts';
import { billingEventOf, billingStatusOf, isOver } from './standing.ts';
import {
  StripeClient,
  type CheckoutSession,
  type StripeEvent,
  type Subscription,
} from './stripe.ts';

interface StripeBillingOptions {
  readonly store: Store;
  readonly settings: StripeSettings;
  readonly logger: Logger;
  readonly now: () => Date;
}

/** Minimum time left for an open checkout to be handed out again. */
const checkoutMinMs = 30 * 60_000;
/** Maximum of rounds when other processes change the same account. */
const roundsMax = 5;

/** Event types that may change an organization's standing. */
const telling = new Set([
  'checkout.session.completed',
  'customer.updated',
  'customer.deleted',
  'payment_method.detached',
  'customer.subscription.created',
  'customer.subscription.updated',
  'customer.subscription.deleted',
  'customer.subscription.paused',
  'customer.subscription.resumed',
  'invoice.paid',
  'invoice.payment_failed',
]);

export class StripeBilling implements BillingGuard {
  readonly stripe: StripeClient;
  readonly settings: StripeSettings;
  readonly #store: Store;
  readonly #logger: Logger;
  readonly #now: () => Date;
  /** Called when an organization's standing may have changed. */
  onChange: () => void = () => {};

  constructor({ store, settings, logger, now }: StripeBillingOptions) {
    this.stripe = new StripeClient(settings);
    this.settings = settings;
    this.#store = store;
    this.#logger = logger;
    this.#now = now;
  }

  /** Returns the billing state. Asks Stripe only about organizations that are not ready; its outage stops no others. */
  async ensureReady(organizationId: string): Promise<BillingState> {
    const account = await findBillingAccount(this.#store.read, organizationId);
    if (account?.status === 'READY') {
      return (await this.isLimitReached(account)) ? limitReached : { ready: true };
    }
    if (account !== undefined && (await this.#isSetUpNow(account))) return { ready: true };
    const checkout = await this.openCheckout(organizationId, this.settings.returnUrl);
    const { id, url, expiresAt } = checkout;
    return {
      ready: false,
      checkoutUrl: url,
      expiresAt,
      reason: reasonOf(account),
      sessionId: id,
    };
  }

  async reasonNotReady(organizationId: string): Promise<BillingReason | undefined> {
    const account = await findBillingAccount(this.#store.read, organizationId);
    if (account?.status !== 'READY') return reasonOf(account);
    return (await this.isLimitReached(account)) ? 'SPEND_LIMIT_REACHED' : undefined;
  }

  async isLimitReached({ organizationId, spendLimitMicros }: BillingAccount): Promise<boolean> {
    if (spendLimitMicros === null) return false;
    const { currency } = this.settings;
    const month = monthOf(this.#now());
    const { micros } = await accruedIn(this.#store.read, organizationId, currency, month);
    return micros >= spendLimitMicros;
  }

  /** Returns the refusal for requests to a database that was stopped because its organization does not pay. */
  async whySuspended(databaseId: string): Promise<Refusal | undefined> {
    if (!(await isSuspensionDue(this.#store.read, databaseId))) return undefined;
    return new Refusal('billing_required', {
      detail:
        'The database is suspended because payments failed; it keeps all its data. It runs again once a payment succeeds.',
      members: {
        success: false,
        billing: {
          checkoutUrl: this.settings.returnUrl,
          expiresAt: null,
          reason: 'PAYMENT_FAILED',
          sessionId: null,
        },
      },
    });
  }

  /** Whether the checkout was completed while its event is still on its way. */
  async #isSetUpNow({ organizationId, checkout }: BillingAccount): Promise<boolean> {
    const session = checkout === null ? undefined : await this.stripe.findCheckout(checkout.id);
    if (session?.status !== 'complete') return false;
    const { status } = await this.look(organizationId, { sessionId: session.id });
    return status === 'READY';
  }

  /** Returns the open checkout, or makes one. */
  async openCheckout(organizationId: string, returnUrl: string): Promise<Checkout> {
    for (let round = 0; round < roundsMax; round += 1) {
      const account = await ensureBillingAccount(this.#store.read, organizationId);
      const { customerId, checkout } = account;
      if (customerId === null) {
        const made = await this.stripe.createCustomer(organizationId);
        await keepCustomer(this.#store.read, organizationId, made);
        continue;
      }
      const session = checkout === null ? undefined : await this.stripe.findCheckout(checkout.id);
      if (session?.status === 'complete') {
        await this.look(organizationId, { sessionId: session.id });
        continue;
      }
      const reusable = session?.status === 'open' && this.#hasTime(session.expiresAt);
      if (checkout !== null && reusable && checkout.returnUrl === returnUrl) {
        return checkout;
      }
      const key = `checkout:${organizationId}:${account.checkouts}:${digest(returnUrl)}`;
      const made = checkoutOf(
        await this.stripe.openCheckout(key, { organizationId, customerId, returnUrl }),
        returnUrl,
      );
      const kept = await keepCheckout(this.#store.read, account, made);
      // The checkout of a try that died long ago has little time left. The next round has another key.
      if (kept && this.#hasTime(made.expiresAt)) return made;
    }
    throw busy();
  }

  #hasTime(expiresAt: Date): boolean {
    return expiresAt.getTime() > this.#now().getTime() + checkoutMinMs;
  }

  /** Acts on an event of Stripe, once. Throws a `Refusal` if Stripe must send it again. */
  async receive(body: Uint8Array, signature: string | undefined): Promise<void> {
    const event = signature === undefined ? undefined : this.stripe.read(body, signature);
    if (event === undefined) {
      throw new Refusal('invalid_credentials', {
        detail: 'The header Stripe-Signature is missing, wrong or older than five minutes.',
      });
    }
    if (!telling.has(event.type)) return;
    if (await isBillingEventKnown(this.#store.read, event.id)) return;
    const organizationId = await this.#organizationOf(event);
    if (organizationId === undefined) {
      this.#logger.info(
        { event: event.id, type: event.type },
        'ignored an event of an unknown customer',
      );
      return;
    }
    const account = await findBillingAccount(this.#store.read, organizationId);
    // Its subscription was ended here, and nobody is left to notify.
    if (account !== undefined && account.closedAt !== null) return;
    await this.look(organizationId, {
      event,
      ...(event.sessionId !== null && { sessionId: event.sessionId }),
    });
  }

  /** Organization of an event. The checkout names it if a process died before it recorded the customer or checkout. */
  async #organizationOf(event: StripeEvent): Promise<string | undefined> {
    const { customerId, organizationId } = event;
    if (customerId === null) return undefined;
    const known = await findOrganizationOfCustomer(this.#store.read, customerId);
    if (known !== undefined || organizationId === null) return known;
    if (!isTypeId('org', organizationId)) return undefined;
    if ((await findOrganization(this.#store.read, organizationId)) === undefined) return undefined;
    await ensureBillingAccount(this.#store.read, organizationId);
    await keepCustomer(this.#store.read, organizationId, customerId);
    return findOrganizationOfCustomer(this.#store.read, customerId);
  }

  /** Asks Stripe for an organization's standing, stores it and emits what has changed. */
  async look(
    organizationId: string,
    about: { readonly sessionId?: string; readonly event?: StripeEvent } = {},
  ): Promise<BillingAccount> {
    const author = systemAuthor('billing', null);
    for (let round = 0; round < roundsMax; round += 1) {
      const account = await ensureBillingAccount(this.#store.read, organizationId);
      const seen = await this.#ask(account, about.sessionId);
      const written = await this.#write(author, account, seen, about.event);
      if (written !== 'overtaken') {
        this.onChange();
        return written;
      }
    }
    throw busy();
  }

  async #ask(account: BillingAccount, sessionId?: string): Promise<BillingStanding> {
    const { organizationId, customerId } = account;
    const nothing = {
      status: 'SETUP_REQUIRED',
      subscriptionId: null,
      paymentMethod: null,
    } as const;
    if (customerId === null) {
      return { ...nothing, subscriptions: account.subscriptions, checkoutOver: false };
    }
    const id = sessionId ?? account.checkout?.id;
    const session = id === undefined ? undefined : await this.stripe.findCheckout(id);
    const completed = session?.status === 'complete' && session.customerId === customerId;
    const chosen = completed ? session.card : null;
    const cardId = chosen && (await this.#payWithNewest(organizationId, customerId, chosen));
    const paymentMethod = await this.stripe.findPaymentMethod(customerId);
    const before = await this.#subscriptionOf(account);
    let subscription = before;
    if (before === undefined || isOver(before.status)) {
      // A check does not restart an ended subscription: a person must set billing up.
      const wanted = cardId !== null || (before === undefined && paymentMethod !== null);
      if (wanted && paymentMethod !== null) {
        const key = `subscription:${organizationId}:${account.subscriptions}`;
        subscription = await this.stripe.subscribe(key, { organizationId, customerId });
      }
    } else if (cardId !== null && before.status !== 'active') {
      await this.stripe.payOpenInvoices(customerId, cardId);
      subscription = await this.stripe.findSubscription(before.id);
    }
    return {
      status: billingStatusOf(subscription?.status, paymentMethod),
      subscriptionId: subscription?.id ?? account.subscriptionId,
      paymentMethod,
      subscriptions: account.subscriptions + (subscription?.id === before?.id ? 0 : 1),
      checkoutOver: session !== undefined && session.status !== 'open',
    };
  }

  /**
   * Makes Stripe charge the newest card of all completed checkouts, in whatever order their events come, and only once: a late
   * event does not overrule a person who has since chosen another card at Stripe. Returns the newest card's ID.
   */
  async #payWithNewest(organizationId: string, customerId: string, chosen: Card): Promise<string> {
    const db = this.#store.read;
    let newest = await keepNewestCard(db, organizationId, chosen);
    if (newest.applied) return newest.id;
    const charged = await this.stripe.findChargedCard(customerId);
    if (charged !== null && charged.id !== newest.id && charged.madeAt > newest.madeAt) {
      // A person added it at Stripe after the checkout.
      await noteCardApplied(db, organizationId, newest.id);
      return newest.id;
    }
    for (let round = 0; round < roundsMax; round += 1) {
      await this.stripe.pay(customerId, newest.id);
      // A newer card may have come in during this call, and may have been set earlier.
      if (await noteCardApplied(db, organizationId, newest.id)) return newest.id;
      newest = await newestCard(db, organizationId);
    }
    throw busy();
  }

  async #subscriptionOf({ subscriptionId }: BillingAccount): Promise<Subscription | undefined> {
    return subscriptionId === null ? undefined : this.stripe.findSubscription(subscriptionId);
  }

  #write(
    author: Author,
    before: BillingAccount,
    standing: BillingStanding,
    event: StripeEvent | undefined,
  ): Promise<BillingAccount | 'overtaken'> {
    const { organizationId } = before;
    return this.#store.change(author, async (change) => {
      const now = await lockBillingAccount(change, organizationId);
      if (now === undefined) throw new Error('accounts of billing are never deleted');
      if (now.version !== before.version) return 'overtaken';
      if (event !== undefined) {
        const { id, type } = event;
        // Another process has acted on the event meanwhile, with the same knowledge.
        if (!(await noteBillingEvent(change, organizationId, { id, type }))) return now;
      }
      await writeStanding(change, organizationId, standing);
      await tellStanding(change, before, standing);
      return { ...now, ...standing };
    });
  }
}

/** State when the spend limit is reached. The organization has set it itself, so no checkout helps. */
const limitReached: BillingBlock = {
  ready: false,
  checkoutUrl: null,
  expiresAt: null,
  reason: 'SPEND_LIMIT_REACHED',
  sessionId: null,
};

const reasonOf = (account: BillingAccount | undefined): BillingReason =>
  account?.status === 'PAST_DUE' || account?.status === 'SUSPENDED'
    ? 'PAYMENT_FAILED'
    : 'NO_PAYMENT_METHOD';

async function tellStanding(
  change: Change,
  { organizationId, status: before }: BillingAccount,
  { status }: BillingStanding,
): Promise<void> {
  const type = billingEventOf(before, status);
  if (type === undefined) return;
  const organization = await findOrganization(change.db, organizationId);
  change.emit({
    organizationId,
    type,
    outcome: type === 'billing.payment_failed' ? 'FAILED' : 'SUCCESS',
    subject: { type: 'organization', id: organizationId, display: organization?.name ?? '' },
    data: { status },
  });
}

function checkoutOf({ id, url, expiresAt }: CheckoutSession, returnUrl: string): Checkout {
  if (url === null) throw new Error(`Stripe made the checkout ${id} without an address`);
  return { id, url, returnUrl, expiresAt };
}

const digest = (text: string): string =>
  createHash('sha256').update(text).digest('hex').slice(0, 16);

const busy = () =>
  new Refusal('service_unavailable', {
    detail: 'Other requests are changing the billing of this organization; retry.',
    retryAfterSeconds: 1,
  });
