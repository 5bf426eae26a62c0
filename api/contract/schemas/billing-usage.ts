import { z } from 'zod';
import { emptyPage, exactMoney, exampleId, listOf, time } from './common.ts';

const part = (what: string) =>
  z.object({
    seconds: z.int().min(0).describe(what),
    amount: exactMoney,
  });

const usageRow = z
  .object({
    databaseId: z.string().nullable().describe('Null in a row of a day.'),
    databaseName: z.string().nullable(),
    day: z.iso.date().nullable().describe('Date in UTC. Null in a row of a database.'),
    compute: part('Time in which processes ran.'),
    storage: part('Time in which volumes existed.'),
    amount: exactMoney.describe('Both together.'),
    unpriced: z
      .boolean()
      .describe('Some of it has no price in the currency of the service, and costs nothing.'),
  })
  .meta({ id: 'UsageRow' });

export const usageList = listOf(usageRow)
  .extend({
    month: z.string().describe('Such as `2026-11`, of UTC.'),
    total: exactMoney.describe('Sum of the whole month, or of the requested database.'),
    usedUntil: time('The end of the last hour that is counted.').nullable(),
    forecast: exactMoney
      .nullable()
      .describe(
        'The total at the end of the month if every hour costs what the last counted one did. Null for another month than the current one.',
      ),
  })
  .meta({ id: 'UsageList' });

const invoice = z
  .object({
    id: z.string().describe('The provider’s ID.'),
    number: z.string().nullable().describe('Null until it is final.'),
    status: z
      .enum(['DRAFT', 'OPEN', 'PAID', 'UNCOLLECTIBLE', 'VOID'])
      .describe('`DRAFT`: it may still change. `OPEN`: it is to be paid.'),
    createdAt: time('Time of the invoice.'),
    periodStart: time('Start of what it is about.'),
    periodEnd: time('End of what it is about.'),
    total: exactMoney.describe('Below nothing when there is a credit.'),
    remaining: exactMoney.describe('The amount that is still to be paid.'),
    pageUrl: z.url().nullable().describe('Page of the provider on which it is shown and paid.'),
    pdfUrl: z.url().nullable(),
  })
  .meta({ id: 'Invoice' });

export const invoiceList = listOf(invoice).meta({ id: 'InvoiceList' });

const eur = (amount: string) => ({ currency: 'EUR', amount });
export const usageExample: z.input<typeof usageList> = {
  data: [
    {
      databaseId: exampleId('db'),
      databaseName: 'payments-prod',
      day: null,
      compute: { seconds: 1_735_200, amount: eur('6.602740') },
      storage: { seconds: 1_735_200, amount: eur('1.320548') },
      amount: eur('7.923288'),
      unpriced: false,
    },
  ],
  page: emptyPage,
  month: '2026-11',
  total: eur('7.923288'),
  usedUntil: '2026-11-21T02:00:00.000Z',
  forecast: eur('11.835616'),
};

export const invoiceExample: z.input<typeof invoiceList> = {
  data: [
    {
      id: 'in_1',
      number: 'A1B2C3-0001',
      status: 'PAID',
      createdAt: '2026-11-01T01:02:03.000Z',
      periodStart: '2026-10-01T00:00:00.000Z',
      periodEnd: '2026-11-01T00:00:00.000Z',
      total: eur('12.34'),
      remaining: eur('0.00'),
      pageUrl: 'https://invoice.stripe.com/i/acct_1/test_1',
      pdfUrl: 'https://pay.stripe.com/invoice/acct_1/test_1/pdf',
    },
  ],
  page: emptyPage,
};
