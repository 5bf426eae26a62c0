/**
 * What we ask of Stripe. Every call has a deadline and is repeated once; what makes something has an idempotency key that is the
 * same after a crash (https://docs.stripe.com/api/idempotent_requests). Failures are refusals with which a request can end.
 */
import { Stripe } from 'stripe';
import { Refusal } from '../model/refusal.ts';
import type { PaymentMethod } from '../store/billing-accounts.ts';
import type { StripeSettings } from './settings.ts';

const timeoutMs = 8_000;
/** How old a signed event may be; Stripe signs anew when it repeats. */
const toleranceSeconds = 300;
/** Invoices that a new payment method is tried on. */
const openInvoicesMax = 10;

/** Stripe cannot be asked, or does not take what we ask: nothing is known to have been done. */
export class BillingUnavailable extends Refusal {
  /** Stripe has answered, and said no: repeating changes nothing until a person does. */
  readonly refused: boolean;

  constructor(cause: unknown, refused: boolean) {
    super('service_unavailable', {
      detail: refused
        ? 'The provider of payments refused what the service asked for. Tell the operators of the service; nothing was done.'
        : 'The provider of payments does not answer at the moment. Nothing was done; retry in a few seconds.',
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
  /** What it set up. */
  readonly paymentMethodId: string | null;
}

export interface StripeEvent {
  readonly id: string;
  readonly type: string;
  readonly customerId: string | null;
  /** Of events about a checkout. */
  readonly sessionId: string | null;
  /** TypeID that we gave the checkout. */
  readonly organizationId: string | null;
}

export type SubscriptionStatus = Stripe.Subscription.Status;

export interface Subscription {
  readonly id: string;
  readonly status: SubscriptionStatus;
}

/** One meter of one database and hour. */
export interface MeterReading {
  /** The same however often it is sent. */
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

  /** The same one however often it is asked for within a day. */
  async createCustomer(organizationId: string): Promise<string> {
    const { id } = await asked(
      this.#stripe.customers.create(
        { description: organizationId, metadata: { organization_id: organizationId } },
        { idempotencyKey: `customer:${organizationId}` },
      ),
    );
    return id;
  }

  /** `key`: of this checkout of this organization. */
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

  /** `undefined`: there is none. */
  async findCheckout(id: string): Promise<CheckoutSession | undefined> {
    const session = await unlessMissing(
      this.#stripe.checkout.sessions.retrieve(id, { expand: ['setup_intent'] }),
    );
    return session && sessionOf(session);
  }

  /** What the customer pays with. */
  async findPaymentMethod(customerId: string): Promise<PaymentMethod | null> {
    const customer = await unlessMissing(
      this.#stripe.customers.retrieve(customerId, {
        expand: ['invoice_settings.default_payment_method'],
      }),
    );
    if (customer === undefined || customer.deleted === true) return null;
    const method = customer.invoice_settings.default_payment_method;
    if (method === null || typeof method === 'string') return null;
    return { brand: method.card?.brand ?? method.type, last4: method.card?.last4 ?? null };
  }

  async pay(customerId: string, paymentMethodId: string): Promise<void> {
    await asked(
      this.#stripe.customers.update(customerId, {
        invoice_settings: { default_payment_method: paymentMethodId },
      }),
    );
  }

  /** Tries what is open with the new payment method. That one is declined is told by the subscription. */
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

  /** To all meters, from the first of each month. `key`: of this subscription of this organization. */
  async subscribe(
    key: string,
    { organizationId, customerId }: { organizationId: string; customerId: string },
  ): Promise<Subscription> {
    return asked(
      this.#stripe.subscriptions.create(
        {
          customer: customerId,
          items: this.#settings.prices.map((price) => ({ price })),
          // Months as our own figures have them: of UTC.
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

  /**
   * Stripe counts an identifier once within a day at least (https://docs.stripe.com/api/billing/meter-event), and refuses it when
   * it comes again, by words alone: that is as good as having sent it.
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

  /** `undefined`: Stripe did not sign it, or long ago. */
  read(body: Uint8Array, signature: string): StripeEvent | undefined {
    try {
      const { webhookSecret } = this.#settings;
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

/** Of what is no failure of Stripe's: itself. */
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
    paymentMethodId:
      typeof intent === 'object' && intent !== null ? idOf(intent.payment_method) : null,
  };
};

/** One of a kind that Stripe may add is over: another is made. */
function statusOf(status: Stripe.Checkout.Session['status']): CheckoutSession['status'] {
  if (status === 'open') return 'open';
  return status === 'complete' ? 'complete' : 'expired';
}

/** Our own reading of an event: whom it is about. What it says of them is asked for when it is acted on. */
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
