/** Deliveries and attempts in the API's form. */
import type { KeptAttempt, WebhookDelivery } from '../store/webhook-deliveries.ts';

export const shownDelivery = (delivery: WebhookDelivery) => ({
  ...delivery,
  nextAttemptAt: delivery.nextAttemptAt?.toISOString() ?? null,
  lastAttemptAt: delivery.lastAttemptAt?.toISOString() ?? null,
  createdAt: delivery.createdAt.toISOString(),
});

export const shownAttempt = (attempt: KeptAttempt) => ({
  ...attempt,
  startedAt: attempt.startedAt.toISOString(),
});
