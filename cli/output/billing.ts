/** Text of billing for people. */
import type { BillingStanding, Invoice, UsageList } from '../../gen/api.ts';
import { orDash } from './answer.ts';
import { fields, table } from './table.ts';

interface Money {
  readonly amount: string;
  readonly currency: string;
}

export function billingText(billing: BillingStanding): string {
  const { provider, status, paymentMethod, spendLimit, currentPeriod: month } = billing;
  if (provider === 'none') return 'this service bills nobody\n';
  const card = paymentMethod && `${paymentMethod.brand} ${orDash(paymentMethod.last4)}`;
  const head = fields([
    ['status', status],
    ['payment method', orDash(card)],
    ['spend limit', spendLimit === null ? 'none' : `${moneyText(spendLimit)} a month`],
    ...(month === null
      ? []
      : [
          ['month', `${month.start} to ${month.end}`] as const,
          ['so far', `${moneyText(month.accrued)}, until ${orDash(month.accruedUntil)}`] as const,
        ]),
  ]);
  return billing.savedCreates.length === 0 ? head : `${head}\n${savedText(billing.savedCreates)}`;
}

const savedText = (rows: BillingStanding['savedCreates']): string =>
  table(
    [
      { title: 'SAVED CREATE', cell: ({ id }) => id },
      { title: 'NAME', cell: ({ name }) => name },
      { title: 'STATUS', cell: ({ status }) => status },
      { title: 'DATABASE', cell: ({ databaseId }) => orDash(databaseId) },
      { title: 'WAITS UNTIL', cell: ({ expiresAt }) => expiresAt },
      { title: 'REASON', cell: ({ error }) => orDash(error && `${error.code}: ${error.message}`) },
    ],
    rows,
  );

export function usageText({ data, month, total, usedUntil, forecast }: UsageList): string {
  const rows =
    data.length === 0
      ? '(no use)\n'
      : table(
          [
            { title: 'DATABASE', cell: ({ databaseId, day }) => orDash(databaseId ?? day) },
            { title: 'NAME', cell: ({ databaseName }) => orDash(databaseName) },
            { title: 'COMPUTE', cell: ({ compute }) => hoursText(compute), align: 'right' },
            { title: 'STORAGE', cell: ({ storage }) => hoursText(storage), align: 'right' },
            {
              title: 'COST',
              cell: ({ amount, unpriced }) => `${moneyText(amount)}${unpriced ? ' *' : ''}`,
              align: 'right',
            },
          ],
          data,
        );
  const sums = fields([
    ['month', month],
    ['total', moneyText(total)],
    ['counted until', orDash(usedUntil)],
    ...(forecast === null ? [] : [['forecast', moneyText(forecast)] as const]),
    ...(data.some(({ unpriced }) => unpriced)
      ? [['*', 'some of it has no price, and costs nothing'] as const]
      : []),
  ]);
  return `${rows}\n${sums}`;
}

const hoursText = ({ seconds, amount }: { readonly seconds: number; readonly amount: Money }) =>
  `${(seconds / 3_600).toFixed(1)} h, ${moneyText(amount)}`;

export const invoicesText = (rows: readonly Invoice[]): string =>
  rows.length === 0
    ? '(no invoices)\n'
    : table(
        [
          { title: 'NUMBER', cell: ({ number }) => orDash(number) },
          { title: 'STATUS', cell: ({ status }) => status },
          { title: 'CREATED', cell: ({ createdAt }) => createdAt },
          { title: 'FROM', cell: ({ periodStart }) => periodStart.slice(0, 10) },
          { title: 'TO', cell: ({ periodEnd }) => periodEnd.slice(0, 10) },
          { title: 'TOTAL', cell: ({ total }) => moneyText(total), align: 'right' },
          { title: 'TO PAY', cell: ({ remaining }) => moneyText(remaining), align: 'right' },
          { title: 'PAGE', cell: ({ pageUrl, pdfUrl }) => orDash(pageUrl ?? pdfUrl) },
        ],
        rows,
      );

const moneyText = ({ amount, currency }: Money): string => `${amount} ${currency}`;
