/**
 * Client of Stripe. Every call has a deadline and is repeated once. Calls that make something have an idempotency key that is the
 * same after a crash (https://docs.stripe.com/api/idempotent_requests). Failures are refusals with which a request can end.
 */
import { Stripe } from 'stripe';
import { Refusal } from '../model/refusal.ts';
import type { Page } from '../store/page.ts';
import { invoiceOf, type Invoice } from './invoices.ts';
import type { Card, PaymentMethod } from '../store/billing-accounts.ts';
import type { StripeSettings } from './settings.ts';

const timeoutMs = 8_000;
/** Maximum age of a signed event; Stripe signs again when it repeats. */
const toleranceSeconds = 300;
/** Maximum number of open invoices that are tried with a new payment method. */
const openInvoicesMax = 10;

/** Stripe is unreachable or refused the call. Nothing is known to have been done. */
export class BillingUnavailable extends Refusal {
  /** Whether Stripe refused the call; repeating it is useless until a person acts. */
  readonly refused: boolean;

  constructor(cause: unknown, refused: boolean) {
    super('service_unavailable', {
      detail: refused
        ? 'The payment provider refused the request of the service. Nothing was done. Tell the operators of the service.'
        : 'The payment provider does not answer. Nothing was done; retry in a few seconds.',
      retryAfterSeconds: refused ? 60 : 5,
      cause,
    });
    this.refused = refused;
  }
}

export interface CheckoutSession {
  readonly id: string;
  readonly url: string | null;
  readonly expiresAt: Date;
  readonly status: 'open' | 'complete' | 'expired';
  readonly customerId: string | null;
  /** The payment method that the checkout set up. */
  readonly card: Card | null;
}

export interface StripeEvent {
  readonly id: string;
  readonly type: string;
  readonly customerId: string | null;
  /** ID of the checkout session, for events about a checkout. */
  readonly sessionId: string | null;
  /** TypeID that we gave the checkout. */
  readonly organizationId: string | null;
}

export type SubscriptionStatus = Stripe.Subscription.Status;

export interface Subscription {
  readonly id: string;
  readonly status: SubscriptionStatus;
}

/** Usage of one database in one hour, for one meter. */
interface MeterReading {
  /** Identifier of the reading, the same for each repeat. */
  readonly identifier: string;
  readonly eventName: string;
  readonly customerId: string;
  readonly at: Date;
  readonly value: bigint;
}

export class StripeClient {
  readonly #stripe: Stripe;
  readonly #settings: StripeSettings;

  constructor(settings: StripeSettings) {
    const { protocol, hostname, port } = new URL(settings.apiUrl);
    this.#settings = settings;
    this.#stripe = new Stripe(settings.secretKey, {
      protocol: protocol === 'http:' ? 'http' : 'https',
      host: hostname,
      port: port === '' ? (protocol === 'http:' ? 80 : 443) : Number(port),
      timeout: timeoutMs,
      maxNetworkRetries: 1,
      telemetry: false,
      appInfo: { name: 'ledgerhouse' },
    });
  }

  /** Makes a customer; repeated calls within a day return the same one. */
  async createCustomer(organizationId: string): Promise<string> {
    const { id } = await asked(
      this.#stripe.customers.create(
        { description: organizationId, metadata: { organization_id: organizationId } },
        { idempotencyKey: `customer:${organizationId}` },
      ),
    );
    return id;
  }

  /** Opens a checkout. `key`: idempotency key of this checkout of this organization. */
  async openCheckout(
    key: string,
    about: {
      readonly organizationId: string;
      readonly customerId: string;
      readonly returnUrl: string;
    },
  ): Promise<CheckoutSession> {
    const session = await asked(
      this.#stripe.checkout.sessions.create(
        {
          mode: 'setup',
          currency: this.#settings.currency.toLowerCase(),
          customer: about.customerId,
          client_reference_id: about.organizationId,
          success_url: withResult(about.returnUrl, 'completed'),
          cancel_url: withResult(about.returnUrl, 'canceled'),
        },
        { idempotencyKey: key },
      ),
    );
    return sessionOf(session);
  }

  /** Returns `undefined` if there is no such checkout. */
  async findCheckout(id: string): Promise<CheckoutSession | undefined> {
    const session = await unlessMissing(
      this.#stripe.checkout.sessions.retrieve(id, { expand: ['setup_intent.payment_method'] }),
    );
    return session && sessionOf(session);
  }

  /** The customer's payment method. */
  async findPaymentMethod(customerId: string): Promise<PaymentMethod | null> {
    const method = await this.#chargedMethod(customerId);
    return (
      method && { brand: method.card?.brand ?? method.type, last4: method.card?.last4 ?? null }
    );
  }

  /** The same, with its ID and the time of its making. */
  async findChargedCard(customerId: string): Promise<Card | null> {
    const method = await this.#chargedMethod(customerId);
    return method && { id: method.id, madeAt: new Date(method.created * 1_000) };
  }

  async #chargedMethod(customerId: string): Promise<Stripe.PaymentMethod | null> {
    const customer = await unlessMissing(
      this.#stripe.customers.retrieve(customerId, {
        expand: ['invoice_settings.default_payment_method'],
      }),
    );
    if (customer === undefined || customer.deleted === true) return null;
    const method = customer.invoice_settings.default_payment_method;
    return typeof method === 'string' ? null : method;
  }

  async pay(customerId: string, paymentMethodId: string): Promise<void> {
    await asked(
      this.#stripe.customers.update(customerId, {
        invoice_settings: { default_payment_method: paymentMethodId },
      }),
    );
  }

  /** Tries to pay open invoices with the new payment method. If it is declined, the subscription's status shows that. */
  async payOpenInvoices(customerId: string, paymentMethodId: string): Promise<void> {
    const { data } = await asked(
      this.#stripe.invoices.list({ customer: customerId, status: 'open', limit: openInvoicesMax }),
    );
    for (const { id } of data) {
      try {
        await asked(
          this.#stripe.invoices.pay(id, {}, { idempotencyKey: `pay:${id}:${paymentMethodId}` }),
        );
      } catch (error) {
        if (!(error instanceof BillingUnavailable) || !error.refused) throw error;
      }
    }
  }

  /** Invoices of a customer, the newest first. `after`: ID of the last invoice of the page before. */
  async listInvoices(
    customerId: string,
    limit: number,
    after: string | undefined,
  ): Promise<Page<Invoice, [string]>> {
    const found = await unlessMissing(
      this.#stripe.invoices.list({
        customer: customerId,
        limit,
        ...(after !== undefined && { starting_after: after }),
      }),
    );
    const rows = found?.data.map(invoiceOf) ?? [];
    const last = rows.at(-1);
    return { rows, next: found?.has_more === true && last !== undefined ? [last.id] : undefined };
  }

  /** Subscribes to all meters, from the first of each month. `key`: idempotency key of this subscription of this organization. */
  async subscribe(
    key: string,
    { organizationId, customerId }: { organizationId: string; customerId: string },
  ): Promise<Subscription> {
    return asked(
      this.#stripe.subscriptions.create(
        {
          customer: customerId,
          items: this.#settings.prices.map((price) => ({ price })),
          // Months in UTC, as in our own figures.
          billing_cycle_anchor_config: { day_of_month: 1, hour: 0, minute: 0, second: 0 },
          proration_behavior: 'none',
          off_session: true,
          metadata: { organization_id: organizationId },
        },
        { idempotencyKey: key },
      ),
    );
  }

  findSubscription(id: string): Promise<Subscription | undefined> {
    return unlessMissing(this.#stripe.subscriptions.retrieve(id));
  }

  /** Ends a subscription for good; its last use is invoiced at once. */
  async cancel(id: string): Promise<void> {
    await asked(this.#stripe.subscriptions.cancel(id, { invoice_now: true }));
  }

  /**
   * Sends a reading. Stripe counts an identifier once within at least a day (https://docs.stripe.com/api/billing/meter-event). It
   * refuses a repeat, recognizable only by the message; that counts as sent.
   */
  async send({ identifier, eventName, customerId, at, value }: MeterReading): Promise<void> {
    try {
      await this.#stripe.billing.meterEvents.create({
        identifier,
        event_name: eventName,
        timestamp: Math.floor(at.getTime() / 1_000),
        payload: { stripe_customer_id: customerId, value: String(value) },
      });
    } catch (error) {
      if (!isDuplicate(error)) throw unavailable(error);
    }
  }

  /** Reads an event. Returns `undefined` if Stripe did not sign it, or signed it too long ago. */
  read(body: Uint8Array, signature: string): StripeEvent | undefined {
    try {
      const { webhookSecret } = this.#settings;
      if (webhookSecret === undefined) throw new Error('this process receives no webhooks');
      return eventOf(
        this.#stripe.webhooks.constructEvent(
          Buffer.from(body),
          signature,
          webhookSecret,
          toleranceSeconds,
        ),
      );
    } catch (error) {
      if (error instanceof Stripe.errors.StripeSignatureVerificationError) return undefined;
      throw error;
    }
  }
}

async function asked<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw unavailable(error);
  }
}

/** Converts a failure of Stripe; returns any other error as it is. */
function unavailable(error: unknown): unknown {
  if (!(error instanceof Stripe.errors.StripeError)) return error;
  const refused =
    error instanceof Stripe.errors.StripeInvalidRequestError ||
    error instanceof Stripe.errors.StripeCardError;
  return new BillingUnavailable(error, refused);
}

const isDuplicate = (error: unknown): boolean =>
  error instanceof Stripe.errors.StripeInvalidRequestError &&
  (error.code === 'duplicate_meter_event' ||
    /event already exists with identifier/i.test(error.message));

async function unlessMissing<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await asked(call);
  } catch (error) {
    const cause = error instanceof BillingUnavailable ? error.occasion.cause : undefined;
    if (cause instanceof Stripe.errors.StripeError && cause.code === 'resource_missing') {
      return undefined;
    }
    throw error;
  }
}

function withResult(returnUrl: string, result: 'completed' | 'canceled'): string {
  const url = new URL(returnUrl);
  url.searchParams.set('billing', result);
  return url.href;
}

const sessionOf = (session: Stripe.Checkout.Session): CheckoutSession => {
  const intent = session.setup_intent;
  return {
    id: session.id,
    url: session.url,
    expiresAt: new Date(session.expires_at * 1_000),
    status: statusOf(session.status),
    customerId: idOf(session.customer),
    card: typeof intent === 'object' && intent !== null ? cardOf(intent) : null,
  };
};

function cardOf({ payment_method: method, created }: Stripe.SetupIntent): Card | null {
  const id = idOf(method);
  if (id === null) return null;
  const madeSeconds = typeof method === 'object' && method !== null ? method.created : created;
  return { id, madeAt: new Date(madeSeconds * 1_000) };
}

/** A status that Stripe may add counts as expired, so that another checkout is made. */
function statusOf(status: Stripe.Checkout.Session['status']): CheckoutSession['status'] {
  if (status === 'open') return 'open';
  return status === 'complete' ? 'complete' : 'expired';
}

/** Extracts the subject of an event. The rest is read from Stripe when the event is acted on. */
function eventOf({ id, type, data }: Stripe.Event): StripeEvent {
  const about = data.object as {
    readonly object?: string;
    readonly id?: string;
    readonly customer?: string | { readonly id: string } | null;
    readonly client_reference_id?: string | null;
  };
  const isSession = about.object === 'checkout.session';
  return {
    id,
    type,
    customerId: about.object === 'customer' ? (about.id ?? null) : idOf(about.customer ?? null),
    sessionId: isSession ? (about.id ?? null) : null,
    organizationId: isSession ? (about.client_reference_id ?? null) : null,
  };
}

const idOf = (expandable: string | { readonly id: string } | null): string | null =>
  typeof expandable === 'string' ? expandable : (expandable?.id ?? null);
