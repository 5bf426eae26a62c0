import { access } from '../../model/access.ts';
import { answer, empty, jsonBody, type BodySpec, type RouteSpec } from '../route.ts';
import {
  billingExample,
  changedBilling,
  openCheckoutRequest,
  openedCheckout,
  readBilling,
  stripeEvent,
  updateBillingRequest,
} from '../schemas/billing.ts';

const path = '/api/v1/billing';
const tag = 'Billing';

export const billingRoutes = {
  getBilling: {
    method: 'GET',
    path,
    tag,
    summary: 'How the organization stands',
    access: access.billing,
    responses: { 200: answer('Its standing.', readBilling, { billing: billingExample }) },
    problems: [],
  },
  updateBilling: {
    whileSuspended: true,
    method: 'PATCH',
    path,
    tag,
    summary: 'Set or take away the spend limit',
    description:
      'At 50, 80 and 100 percent of it, `billing.spend_threshold_reached` is told once a month.',
    access: access.billing,
    body: jsonBody(updateBillingRequest, {
      limited: { spendLimit: { currency: 'EUR', amount: '500.00' } },
      unlimited: { spendLimit: null },
    }),
    responses: {
      200: answer('It is changed.', changedBilling, { success: true, billing: billingExample }),
    },
    problems: ['billing_not_used'],
  },
  openCheckout: {
    whileSuspended: true,
    method: 'POST',
    path: `${path}/checkout`,
    tag,
    summary: 'Open a checkout, in which a person sets up or changes the payment method',
    access: access.billing,
    body: { ...jsonBody(openCheckoutRequest, { plain: {} }), optional: true },
    responses: {
      201: answer('It is open.', openedCheckout, {
        success: true,
        checkoutUrl: 'https://checkout.stripe.com/c/pay/cs_1',
        expiresAt: '2026-11-22T02:03:04.567Z',
      }),
    },
    problems: ['billing_not_used'],
  },
  receiveStripeEvent: {
    method: 'POST',
    path: `${path}/stripe-events`,
    tag,
    summary: 'For Stripe, to tell what has happened',
    description: 'Signed by Stripe; the same event is acted on once, whenever it comes.',
    access: access.public,
    body: {
      form: 'signed',
      schema: stripeEvent,
      examples: { event: { id: 'evt_1', type: 'invoice.paid' } },
    } as const satisfies BodySpec,
    responses: { 204: empty('It was acted on, or is nothing to act on.') },
    problems: ['invalid_credentials', 'csrf_failed', 'not_found'],
  },
} as const satisfies Record<string, RouteSpec>;
