import { z } from 'zod';
import { exampleId, exampleTime, id, money, reason, success, time } from './common.ts';

const spendLimit = money
  .nullable()
  .describe(
    'Limit of a month. When it is reached, no further database can be created; existing ones go on.',
  );

const savedCreate = z
  .object({
    id: id('drf', 'ID of the draft.'),
    name: z.string().describe('Name of the database.'),
    status: z.enum(['WAITING', 'CREATED', 'FAILED']),
    databaseId: z.string().nullable().describe('The database that was made from it.'),
    error: reason.nullable().describe('Reason why no database was made from it.'),
    createdAt: time('Time of the request.'),
    expiresAt: time('Time until which it waits.'),
  })
  .meta({ id: 'SavedCreate' });

const billingStanding = z
  .object({
    provider: z.enum(['none', 'stripe']).describe('`none`: this service does not bill.'),
    status: z
      .enum(['READY', 'SETUP_REQUIRED', 'PAST_DUE', 'SUSPENDED'])
      .describe(
        '`PAST_DUE`: a payment failed and is tried again. `SUSPENDED`: payments failed for good, and the databases are suspended with all their data.',
      ),
    paymentMethod: z
      .object({ brand: z.string(), last4: z.string().nullable() })
      .nullable()
      .describe('Such as `visa` and `4242`.'),
    spendLimit,
    currentPeriod: z
      .object({
        start: time('Its start.'),
        end: time('Its end.'),
        accrued: money.describe('By the price of each database, up to `accruedUntil`.'),
        accruedUntil: time('The end of the last hour that is counted.').nullable(),
      })
      .nullable()
      .describe('The month, of UTC.'),
    savedCreates: z
      .array(savedCreate)
      .describe('Databases that were asked for before billing was set up, the newest first.'),
  })
  .meta({ id: 'BillingStanding' });

export const readBilling = z.object({ billing: billingStanding }).meta({ id: 'BillingAnswer' });
export const changedBilling = z
  .object({ success, billing: billingStanding })
  .meta({ id: 'ChangedBilling' });

export const updateBillingRequest = z
  .strictObject({ spendLimit })
  .meta({ id: 'UpdateBillingRequest' });

export const openCheckoutRequest = z
  .strictObject({
    returnUrl: z
      .url({ protocol: /^https?$/ })
      .max(500)
      .optional()
      .describe(
        'Page to which the checkout returns, on the service’s own site; its start page when absent.',
      ),
  })
  .meta({ id: 'OpenCheckoutRequest' });

export const openedCheckout = z
  .object({
    success,
    checkoutUrl: z.url().describe('Page on which a person sets billing up.'),
    expiresAt: time('Time until which it can be used.'),
  })
  .meta({ id: 'OpenedCheckout' });

/** Stripe's event. Only its signature is checked before it is read. */
export const stripeEvent = z.looseObject({}).meta({ id: 'StripeEvent' });

export const billingExample: z.input<typeof billingStanding> = {
  provider: 'stripe',
  status: 'READY',
  paymentMethod: { brand: 'visa', last4: '4242' },
  spendLimit: { currency: 'EUR', amount: '500.00' },
  currentPeriod: {
    start: '2026-11-01T00:00:00.000Z',
    end: '2026-12-01T00:00:00.000Z',
    accrued: { currency: 'EUR', amount: '12.34' },
    accruedUntil: '2026-11-21T02:00:00.000Z',
  },
  savedCreates: [
    {
      id: exampleId('drf'),
      name: 'payments-prod',
      status: 'CREATED',
      databaseId: exampleId('db'),
      error: null,
      createdAt: exampleTime,
      expiresAt: '2026-11-22T02:03:04.567Z',
    },
  ],
};
