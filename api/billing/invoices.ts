/** Invoices in the form of answers, from those of Stripe. */
import type { Stripe } from 'stripe';
import type { z } from 'zod';
import type { invoiceList } from '../contract/schemas/billing-usage.ts';

export type Invoice = z.output<typeof invoiceList>['data'][number];

const statuses: Readonly<Record<Stripe.Invoice.Status, Invoice['status']>> = {
  draft: 'DRAFT',
  open: 'OPEN',
  paid: 'PAID',
  uncollectible: 'UNCOLLECTIBLE',
  void: 'VOID',
};

export const invoiceOf = (invoice: Stripe.Invoice): Invoice => ({
  id: invoice.id,
  number: invoice.number,
  // An invoice of a status that Stripe may add is not said to be paid.
  status: (invoice.status && statuses[invoice.status]) ?? 'DRAFT',
  createdAt: timeOf(invoice.created),
  periodStart: timeOf(invoice.period_start),
  periodEnd: timeOf(invoice.period_end),
  total: moneyOf(invoice.currency, invoice.total),
  remaining: moneyOf(invoice.currency, invoice.amount_remaining),
  pageUrl: safeUrl(invoice.hosted_invoice_url),
  pdfUrl: safeUrl(invoice.invoice_pdf),
});

const timeOf = (seconds: number): string => new Date(seconds * 1_000).toISOString();

/** Stripe counts in the smallest unit of a currency: cents, or whole yen. */
export function moneyOf(code: string, units: number): Invoice['total'] {
  const currency = code.toUpperCase();
  const { maximumFractionDigits: places = 2 } = new Intl.NumberFormat('en', {
    style: 'currency',
    currency,
  }).resolvedOptions();
  const digits = String(Math.abs(units)).padStart(places + 1, '0');
  const point = digits.length - places;
  const fraction = digits.slice(point).padEnd(2, '0');
  const amount = `${units < 0 ? '-' : ''}${digits.slice(0, point)}.${fraction}`;
  return { currency, amount };
}

/** Links of pages may lead nowhere but to the web. */
const safeUrl = (url: string | null | undefined): string | null =>
  url?.startsWith('https://') === true ? url : null;
