/** Handlers for the usage of an organization and its invoices. */
import { readCursor, shownPage } from '../http/paging.ts';
import { findBillingAccount } from '../store/billing-accounts.ts';
import type { BillingHandlerOptions, BillingHandlers } from './handlers.ts';
import { monthName, readUsage, shownUsage } from './usage.ts';
import { usedBilling } from './used-billing.ts';

type Options = Pick<BillingHandlerOptions, 'store' | 'cursors' | 'billing' | 'now'>;
type Handlers = Pick<BillingHandlers, 'listUsage' | 'listInvoices'>;

export const usageHandlers = ({ store, cursors, billing, now }: Options): Handlers => ({
  async listUsage({ query, principal }) {
    const { currency } = usedBilling(billing).settings;
    const { limit, cursor, by, databaseId } = query;
    const { id: organizationId } = principal.organization;
    const at = now();
    const list = { of: 'usage', organizationId, by, month: query.month, databaseId };
    const position = readCursor(cursors, list, cursor, 2);
    const asked = {
      organizationId,
      currency,
      // A page after midnight is of the same month as the one before it.
      month: position?.[0] ?? query.month ?? monthName(at),
      by,
      ...(databaseId !== undefined && { databaseId }),
      page: { limit, ...(position && { position: [position[1]] as const }) },
    };
    const { found, ...sums } = await readUsage(store, at, asked);
    const next = found.next && ([asked.month, found.next[0]] as [string, string]);
    const page = { rows: found.rows, next };
    const shown = shownPage(cursors, list, limit, page, shownUsage(currency));
    return { status: 200, body: { ...shown, ...sums } };
  },
  async listInvoices({ query: { limit, cursor }, principal }) {
    const { stripe } = usedBilling(billing);
    const { id: organizationId } = principal.organization;
    const list = { of: 'invoices', organizationId };
    const position = readCursor(cursors, list, cursor, 1);
    const account = await findBillingAccount(store.read, organizationId);
    const customerId = account?.customerId ?? null;
    const found =
      customerId === null
        ? { rows: [], next: undefined }
        : await stripe.listInvoices(customerId, limit, position?.[0]);
    return { status: 200, body: shownPage(cursors, list, limit, found, (one) => one) };
  },
});
