import { z } from 'zod';
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

import { invoiceExample, invoiceList, usageExample, usageList } from '../schemas/billing-usage.ts';
import { cursor, id, limit } from '../schemas/common.ts';

const path = '/api/v1/billing';
const tag = 'Billing';

export const billingRoutes = {
  getBilling: {
    method: 'GET',
    path,
    tag,
    summary: 'Read the billing status of the organization',
    access: access.billing,
    responses: { 200: answer('The billing status.', readBilling, { billing: billingExample }) },
    problems: [],
    conditional: 'settings',
  },
  updateBilling: {
    whileSuspended: true,
    method: 'PATCH',
    path,
    tag,
    summary: 'Set or remove the spend limit',
    description:
      'At 50, 80 and 100 percent of it, the event `billing.spend_threshold_reached` is sent once a month.',
    access: access.billing,
    body: jsonBody(updateBillingRequest, {
      limited: { spendLimit: { currency: 'EUR', amount: '500.00' } },
      unlimited: { spendLimit: null },
    }),
    responses: {
      200: answer('It is changed.', changedBilling, { success: true, billing: billingExample }),
    },
    problems: ['billing_not_used'],
    conditional: 'match',
  },
  listUsage: {
    method: 'GET',
    path: `${path}/usage`,
    tag,
    summary: 'List what the databases used in a month, by database or by day',
    description:
      'Counted by the hour, at the price that a database had in it. Deleted databases are listed too.',
    access: access.billing,
    query: z.strictObject({
      limit,
      cursor,
      month: z
        .string()
        .regex(/^20\d\d-(0[1-9]|1[0-2])$/)
        .optional()
        .describe('Such as `2026-11`, of UTC; the current one when absent.'),
      by: z.enum(['database', 'day']).default('database').describe('Subject of a row.'),
      databaseId: id('db', 'Only this database.').optional(),
    }),
    responses: { 200: answer('A page of usage.', usageList, usageExample) },
    problems: ['billing_not_used', 'invalid_cursor'],
  },
  listInvoices: {
    method: 'GET',
    path: `${path}/invoices`,
    tag,
    summary: 'List the invoices of the organization',
    description: 'The newest first. They are asked for at the provider of payments.',
    access: access.billing,
    query: z.strictObject({ limit, cursor }),
    responses: { 200: answer('A page of invoices.', invoiceList, invoiceExample) },
    problems: ['billing_not_used', 'invalid_cursor', 'service_unavailable'],
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
      201: answer('The checkout is open.', openedCheckout, {
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
    summary: 'Receive an event from Stripe',
    description: 'Signed by Stripe. A repeated event is processed once.',
    access: access.public,
    body: {
      form: 'signed',
      schema: stripeEvent,
      examples: { event: { id: 'evt_1', type: 'invoice.paid' } },
    } as const satisfies BodySpec,
    responses: { 204: empty('It was processed, or needs no processing.') },
    problems: ['invalid_credentials', 'csrf_failed', 'not_found'],
  },
} as const satisfies Record<string, RouteSpec>;
