/** Emits events when an organization has spent half, most and all of its monthly spend limit. */
import { systemAuthor } from '../model/actor.ts';
import {
  lockBillingAccount,
  organizationsWithLimit,
  writeTold,
} from '../store/billing-accounts.ts';
import { accruedIn } from '../store/billing-usage.ts';
import { findOrganization } from '../store/organizations.ts';
import type { Store } from '../store/store.ts';
import { forEachOf } from './for-each-of.ts';
import { decimalOf, monthOf } from './money.ts';

const spendThresholds = [50, 80, 100] as const;

/** Returns the highest threshold that is reached; 0 if none is. */
export const reachedPercent = (micros: bigint, limitMicros: bigint): number =>
  spendThresholds.findLast((percent) => micros * 100n >= limitMicros * BigInt(percent)) ?? 0;

/** Emits each threshold once a month, only the highest of those that were passed at once. Returns the number of events. */
export async function tellSpending(store: Store, currency: string, now: Date): Promise<number> {
  let told = 0;
  const ids = await organizationsWithLimit(store.read);
  await forEachOf(
    ids.map((id) => async () => {
      if (await tellOne(store, id, currency, now)) told += 1;
    }),
  );
  return told;
}

function tellOne(
  store: Store,
  organizationId: string,
  currency: string,
  now: Date,
): Promise<boolean> {
  const month = monthOf(now);
  return store.change(systemAuthor('billing'), async (change) => {
    const account = await lockBillingAccount(change, organizationId);
    const limitMicros = account?.spendLimitMicros ?? null;
    if (account === undefined || limitMicros === null) return false;
    const { micros } = await accruedIn(change.db, organizationId, currency, month);
    const percent = reachedPercent(micros, limitMicros);
    const sameMonth = account.toldMonth?.getTime() === month.start.getTime();
    if (percent === 0 || (sameMonth && percent <= account.toldPercent)) return false;
    await writeTold(change, organizationId, percent, month.start);
    const organization = await findOrganization(change.db, organizationId);
    change.emit({
      organizationId,
      type: 'billing.spend_threshold_reached',
      subject: { type: 'organization', id: organizationId, display: organization?.name ?? '' },
      data: {
        percent,
        currency,
        accrued: decimalOf(micros),
        spendLimit: decimalOf(limitMicros),
      },
    });
    return true;
  });
}
