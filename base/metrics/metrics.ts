/**
 * Counters, gauges and histograms of a process, by prom-client. Series are declared up front, so that each is there with zero
 * from the start: a rate over a series that first appears with its first error misses that error.
 */
import { Counter, Gauge, Histogram, Registry, type Metric } from 'prom-client';
import { CountedHistogram, type HistogramOptions } from './counted-histogram.ts';

export type { Counter, Gauge, Histogram } from 'prom-client';

export type Labels = Readonly<Record<string, string>>;

/** Content type of Prometheus' text format. */
export const metricsContentType = Registry.PROMETHEUS_CONTENT_TYPE;

export class MetricRegistry {
  readonly #registry = new Registry();

  /** `labelNames` are those of the first series, if it is not given. */
  counter(
    name: string,
    help: string,
    series: readonly Labels[] = [],
    labelNames = namesIn(series),
  ): Counter {
    const counter = new Counter({ name, help, labelNames, registers: [this.#registry] });
    for (const labels of series) counter.inc(labels, 0);
    return counter;
  }

  /** Adds a gauge without labels. If `read` is given, each scrape calls it for the value. */
  gauge(name: string, help: string, read?: () => number): Gauge {
    const gauge: Gauge = new Gauge({
      name,
      help,
      registers: [this.#registry],
      ...(read && { collect: () => gauge.set(read()) }),
    });
    return gauge;
  }

  /** Adds a gauge with labels; `series` are zero from the start. */
  labelledGauge(
    name: string,
    help: string,
    series: readonly Labels[],
    labelNames = namesIn(series),
  ): Gauge {
    const gauge = new Gauge({ name, help, labelNames, registers: [this.#registry] });
    for (const labels of series) gauge.set(labels, 0);
    return gauge;
  }

  /** Adds a histogram. `buckets` are the upper ends of the buckets, ascending, without the last, which holds everything. */
  histogram(
    name: string,
    help: string,
    buckets: readonly number[],
    series: readonly Labels[] = [],
  ): Histogram {
    const histogram = new Histogram({
      name,
      help,
      buckets: [...buckets],
      labelNames: namesIn(series),
      registers: [this.#registry],
    });
    for (const labels of series) histogram.zero(labels);
    return histogram;
  }

  /** Adds a histogram whose series are known by their numbers in `series`. */
  countedHistogram(options: HistogramOptions): CountedHistogram {
    const histogram = new CountedHistogram(options);
    // The registry asks a metric for its name and its values, whatever its class.
    const metric = { name: options.name, get: async () => histogram.values() };
    this.#registry.registerMetric(metric as unknown as Metric);
    return histogram;
  }

  /** Returns all metrics in Prometheus' text format (0.0.4). */
  text(): Promise<string> {
    return this.#registry.metrics();
  }
}

/** Replaces all series of a gauge, for labels that come and go. */
export function replaceSeries(gauge: Gauge, rows: Iterable<readonly [Labels, number]>): void {
  gauge.reset();
  for (const [labels, value] of rows) gauge.set(labels, value);
}

const namesIn = (series: readonly Labels[]): string[] => Object.keys(series[0] ?? {});
