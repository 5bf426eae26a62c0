/** Usage of an organization in a month, and a forecast of the cost of the whole month. */
import { lastMeteredHour } from '../store/billing-usage.ts';
import { hourMs } from '../store/running.ts';
import type { Store } from '../store/store.ts';
import { usageByDatabase, usageByDay, usageTotal, type UsageSum } from '../store/usage-sums.ts';
import { exactDecimalOf, monthOf } from './money.ts';

interface UsageAsked {
  readonly organizationId: string;
  readonly databaseId?: string;
  readonly currency: string;
  /** `2026-11`. */
  readonly month: string;
  readonly by: 'database' | 'day';
  readonly page: { readonly limit: number; readonly position?: readonly [string] };
}

export const monthName = (at: Date): string => at.toISOString().slice(0, 7);

export async function readUsage(store: Store, now: Date, { month, by, page, ...rest }: UsageAsked) {
  const span = { ...rest, ...monthOf(new Date(`${month}-01T00:00:00.000Z`)) };
  const rows = by === 'day' ? usageByDay : usageByDatabase;
  const [found, total, last] = await Promise.all([
    rows(store.read, span, page),
    usageTotal(store.read, span),
    lastMeteredHour(store.read),
  ]);
  const isNow = month === monthName(now);
  const isCounted = last !== undefined && last >= span.start;
  const money = (micros: bigint) => moneyOf(span.currency, micros);
  return {
    found,
    month,
    total: money(total),
    usedUntil: isCounted
      ? new Date(Math.min(last.getTime() + hourMs, span.end.getTime())).toISOString()
      : null,
    forecast: isNow && isCounted ? money(total + (await costOfTheRest(store, span, last))) : null,
  };
}

/** The cost of the hours of the month that are not counted yet, at what the last counted hour cost. */
async function costOfTheRest(
  store: Store,
  span: Parameters<typeof usageTotal>[1],
  last: Date,
): Promise<bigint> {
  const next = new Date(last.getTime() + hourMs);
  const hours = Math.max(0, Math.round((span.end.getTime() - next.getTime()) / hourMs));
  return BigInt(hours) * (await usageTotal(store.read, { ...span, start: last, end: next }));
}

export const shownUsage = (currency: string) => (sum: UsageSum) => ({
  databaseId: sum.databaseId,
  databaseName: sum.databaseName,
  day: sum.day,
  compute: { seconds: sum.computeSeconds, amount: moneyOf(currency, sum.computeMicros) },
  storage: { seconds: sum.storageSeconds, amount: moneyOf(currency, sum.storageMicros) },
  amount: moneyOf(currency, sum.computeMicros + sum.storageMicros),
  unpriced: sum.unpriced,
});

const moneyOf = (currency: string, micros: bigint) => ({
  currency,
  amount: exactDecimalOf(micros),
});
