/** Writes figures that are already known in Prometheus' text format. */
import { Counter, Gauge, Registry } from 'prom-client';

export interface Metric {
  readonly name: string;
  readonly type: 'gauge' | 'counter';
  readonly help: string;
  /** A metric without samples is left out. */
  readonly samples: readonly Sample[];
}

/** One sample of a metric, with labels in the order in which they are written; a value may hold any character. */
export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export const single = (value: number): readonly Sample[] => [{ labels: {}, value }];

export async function exposition(metrics: readonly Metric[]): Promise<string> {
  const registry = new Registry();
  for (const { name, type, help, samples } of metrics) {
    if (samples.length === 0) continue;
    const labelNames = [...new Set(samples.flatMap(({ labels }) => Object.keys(labels)))];
    const options = { name, help, labelNames, registers: [registry] };
    if (type === 'counter') {
      const counter = new Counter(options);
      for (const { labels, value } of samples) counter.inc(labels, value);
    } else {
      const gauge = new Gauge(options);
      for (const { labels, value } of samples) gauge.set(labels, value);
    }
  }
  return registry.metrics();
}
