/** Meters each database's usage in an hour and its cost, from the store's events, so that any process gets the same result. */
import { systemAuthor } from '../model/actor.ts';
import {
  databasesOfHour,
  lastMeteredHour,
  takeHour,
  writeUsage,
  type DatabaseOfHour,
  type Meter,
  type Usage,
} from '../store/billing-usage.ts';
import type { Store } from '../store/store.ts';
import { storeTime } from '../store/time.ts';
import { microsOf, shareOf } from './money.ts';
import { hourMs, runningSeconds } from '../store/running.ts';

/** Wait between the end of an hour and its metering, so that transactions that began within it have ended. */
const graceMs = 5 * 60_000;
/** Maximum age of metered hours. Stripe accepts usage of at most 35 days. */
const oldestMs = 34 * 24 * hourMs;

/**
 * Meters all hours that are over by the store's clock. By the clock of a machine that is ahead, databases would be charged for hours
 * to come, and those hours would never be metered again.
 */
export async function meterDueHours(
  store: Store,
  stopping: AbortSignal,
  onMetered: (hour: Date) => void,
): Promise<void> {
  while (!stopping.aborted) {
    const hour = await meterNextHour(store, await storeTime(store.read));
    if (hour === undefined) return;
    onMetered(hour);
  }
}

/** Meters the next complete hour that was not metered. Returns `undefined` if there is none. */
export async function meterNextHour(store: Store, now: Date): Promise<Date | undefined> {
  const last = await lastMeteredHour(store.read);
  const newest = new Date(Math.floor((now.getTime() - graceMs) / hourMs) * hourMs - hourMs);
  // The first hour is the one in which billing is switched on: earlier usage is not charged.
  const next =
    last === undefined
      ? newest
      : new Date(Math.max(last.getTime() + hourMs, newest.getTime() - oldestMs));
  if (next > newest) return undefined;
  await store.change(systemAuthor('billing'), async (change) => {
    if (!(await takeHour(change, next))) return;
    // The first hour is only marked as metered.
    if (last === undefined) return;
    const databases = await databasesOfHour(change, next, new Date(next.getTime() + hourMs));
    await writeUsage(
      change,
      next,
      databases.flatMap((database) => usageOf(database, next)),
    );
  });
  return next;
}

export function usageOf(database: DatabaseOfHour, hour: Date): readonly Usage[] {
  const { events, price, ...what } = database;
  const seconds = runningSeconds(hour, events);
  const storage = microsOf(price?.storage ?? '0');
  const monthly: Readonly<Record<Meter, bigint>> = {
    compute: microsOf(price?.monthly ?? '0') - storage,
    storage,
  };
  return (['compute', 'storage'] as const)
    .filter((meter) => seconds[meter] > 0)
    .map((meter) => ({
      ...what,
      meter,
      seconds: seconds[meter],
      currency: price?.currency ?? null,
      amountMicros: price === null ? null : shareOf(monthly[meter], seconds[meter]),
    }));
}
