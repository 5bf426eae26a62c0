/** Prometheus metrics of billing. Every series exists from the start. */
import type { MetricRegistry } from '../../base/metrics/metrics.ts';

const outcomes = ['sent', 'refused'] as const;
const stuckReasons = ['refused', 'unconfirmed'] as const;

export interface BillingMetrics {
  /** Counts hours of use that Stripe accepted or refused. */
  sent(counts: Readonly<Record<(typeof outcomes)[number], number>>): void;
  /** Number of hours of use that are not charged until a person acts. */
  stuck(counts: Readonly<Record<(typeof stuckReasons)[number], number>>): void;
  failed(task: string): void;
}

export function billingMetrics(
  registry: MetricRegistry,
  prefix: string,
  tasks: readonly string[],
): BillingMetrics {
  const usage = registry.counter(
    `${prefix}billing_usage_total`,
    'Hours of database use that this process sent to the payment provider.',
    outcomes.map((outcome) => ({ outcome })),
  );
  const stuck = registry.labelledGauge(
    `${prefix}billing_usage_stuck`,
    'Hours of database use that stay uncharged until a person acts.',
    stuckReasons.map((reason) => ({ reason })),
  );
  const failures = registry.counter(
    `${prefix}billing_failures_total`,
    'Billing runs that failed and are repeated.',
    tasks.map((task) => ({ task })),
  );
  return {
    sent: (counts) => {
      for (const outcome of outcomes) usage.inc({ outcome }, counts[outcome]);
    },
    stuck: (counts) => {
      for (const reason of stuckReasons) stuck.set({ reason }, counts[reason]);
    },
    failed: (task) => failures.inc({ task }),
  };
}
