/**
 * A histogram whose series are numbered, for what is observed at each request: prom-client finds a series by a text of its labels,
 * which costs as much as a small read takes. It is written by prom-client's registry like its own metrics.
 */
import type { MetricValueWithName } from 'prom-client';
import type { Labels } from './metrics.ts';

interface Series {
  readonly labels: Labels;
  /** Observations in each bucket, and in the last one those above all bounds. */
  readonly counts: Float64Array;
  sum: number;
}

export interface HistogramOptions {
  readonly name: string;
  readonly help: string;
  /** Upper ends of the buckets, ascending, without the last, which holds everything. */
  readonly buckets: readonly number[];
  readonly series: readonly Labels[];
}

export class CountedHistogram {
  readonly #options: HistogramOptions;
  readonly #series: readonly Series[];

  constructor(options: HistogramOptions) {
    this.#options = options;
    this.#series = options.series.map((labels) => ({
      labels,
      counts: new Float64Array(options.buckets.length + 1),
      sum: 0,
    }));
  }

  /** Counts a value in the series with that number. */
  observe(number: number, value: number): void {
    const series = this.#series[number];
    if (series === undefined) throw new RangeError(`there is no series ${number}`);
    const { buckets } = this.#options;
    let bucket = 0;
    while (bucket < buckets.length && value > buckets[bucket]!) bucket += 1;
    series.counts[bucket]! += 1;
    series.sum += value;
  }

  /** Returns the values that prom-client's registry writes. */
  values() {
    const { name, help } = this.#options;
    const values = this.#series.flatMap((series) => this.#valuesOf(series));
    return { name, help, type: 'histogram', aggregator: 'sum', values } as const;
  }

  #valuesOf({ labels, counts, sum }: Series): MetricValueWithName<string>[] {
    const { name, buckets } = this.#options;
    let count = 0;
    const cumulated = [...buckets, '+Inf'].map((le, i) => {
      count += counts[i]!;
      return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: count };
    });
    return [
      ...cumulated,
      { metricName: `${name}_sum`, labels: { ...labels }, value: sum },
      { metricName: `${name}_count`, labels: { ...labels }, value: count },
    ];
  }
}
