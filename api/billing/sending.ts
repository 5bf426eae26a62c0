/**
 * Sends usage to Stripe. It repeats usage that may have arrived under the same identifier, while Stripe still detects repeats.
 */
import {
  claimUnsentUsage,
  noteRefused,
  noteSent,
  noteTrying,
  releaseUsage,
  type Meter,
  type UnsentUsage,
} from '../store/billing-usage.ts';
import type { Store } from '../store/store.ts';
import { BillingUnavailable, type StripeClient } from './stripe.ts';

/** Names of Stripe's meters. */
const meterNames: Readonly<Record<Meter, string>> = {
  compute: 'ledgerhouse-compute',
  storage: 'ledgerhouse-storage',
};

const batchMax = 100;

interface Sent {
  readonly sent: number;
  readonly refused: number;
}

/** Sends one batch. Throws if Stripe does not answer; the rest is left to the next run. */
export async function sendUsage(
  store: Store,
  stripe: StripeClient,
  currency: string,
): Promise<Sent> {
  const rows = [...(await claimUnsentUsage(store.read, currency, batchMax))];
  const counts = { sent: 0, refused: 0 };
  for (let row = rows.shift(); row !== undefined; row = rows.shift()) {
    try {
      counts[await sendOne(store, stripe, row)] += 1;
    } catch (error) {
      for (const { key } of rows) await releaseUsage(store.read, key);
      throw error;
    }
  }
  return counts;
}

async function sendOne(
  { read }: Store,
  stripe: StripeClient,
  { key, databaseId, customerId, amountMicros }: UnsentUsage,
): Promise<'sent' | 'refused'> {
  await noteTrying(read, key);
  try {
    await stripe.send({
      identifier: `${databaseId}/${key.hour.toISOString()}/${key.meter}`,
      eventName: meterNames[key.meter],
      customerId,
      at: key.hour,
      value: amountMicros,
    });
  } catch (error) {
    if (!(error instanceof BillingUnavailable) || !error.refused) throw error;
    await noteRefused(read, key, String((error.occasion.cause as Error).message).slice(0, 500));
    return 'refused';
  }
  await noteSent(read, key);
  return 'sent';
}
