/** Prometheus metrics of webhooks. Every series of the closed sets exists from the start. */
import type { MetricRegistry } from '../../base/metrics/metrics.ts';
import { attemptOutcomes } from '../model/webhook.ts';
import type { DueDelivery } from '../store/webhook-work.ts';
import type { Attempt } from './sender.ts';

const delayBuckets = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

export interface WebhookMetrics {
  attempted(delivery: DueDelivery, attempt: Attempt): void;
  disabled(): void;
  backlog(seconds: number): void;
}

/** `busy`: returns the number of endpoints to which this process is sending. */
export function webhookMetrics(
  registry: MetricRegistry,
  prefix: string,
  busy: () => number,
): WebhookMetrics {
  const attempts = registry.counter(
    `${prefix}webhook_attempts_total`,
    'Attempts to deliver webhooks.',
    attemptOutcomes.map((outcome) => ({ outcome })),
  );
  const delay = registry.histogram(
    `${prefix}webhook_delay_seconds`,
    'Time from an event until its first attempt was answered well.',
    delayBuckets,
  );
  const disabled = registry.counter(
    `${prefix}webhook_endpoints_disabled_total`,
    'Webhook endpoints that were disabled because their receivers failed.',
  );
  const backlog = registry.gauge(
    `${prefix}webhook_backlog_seconds`,
    'Time for which the oldest webhook has been due although its receiver could take it.',
  );
  registry.gauge(
    `${prefix}webhook_endpoints_busy`,
    'Webhook endpoints to which this process sends.',
    busy,
  );
  return {
    attempted: ({ event, attemptCount }, { outcome, startedAt, durationMs }) => {
      attempts.inc({ outcome });
      if (outcome !== 'SUCCESS' || attemptCount > 0) return;
      const endedAtMs = startedAt.getTime() + durationMs;
      delay.observe(Math.max(0, endedAtMs - event.occurredAt.getTime()) / 1_000);
    },
    disabled: () => disabled.inc(),
    backlog: (seconds) => backlog.set(Math.max(0, seconds)),
  };
}
