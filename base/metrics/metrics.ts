/**
 * Counters, gauges and histograms in Prometheus' text format (0.0.4). Series are declared up front, so that each is there
 * with zero from the start: a rate over a series that first appears with its first error misses that error.
 */
import { assert } from '../assert.ts';

export type Labels = Readonly<Record<string, string>>;

interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  lines(): readonly string[];
}

export class MetricRegistry {
  readonly #metrics = new Map<string, Metric>();

  counter(name: string, help: string, series: readonly Labels[] = [{}]): Counter {
    return this.#add(new Counter(name, help, series));
  }

  /** Adds a gauge. If `read` is given, each scrape calls it for the value. */
  gauge(name: string, help: string, read?: () => number): Gauge {
    return this.#add(new Gauge(name, help, read));
  }

  /** Adds a histogram. `bounds` are the upper ends of the buckets, ascending, without the last, which holds everything. */
  histogram(
    name: string,
    help: string,
    bounds: readonly number[],
    series: readonly Labels[] = [{}],
  ): Histogram {
    return this.#add(new Histogram(name, help, bounds, series));
  }

  text(): string {
    const lines = [...this.#metrics.values()].flatMap((metric) => [
      `# HELP ${metric.name} ${metric.help}`,
      `# TYPE ${metric.name} ${metric.type}`,
      ...metric.lines(),
    ]);
    return `${lines.join('\n')}\n`;
  }

  #add<M extends Metric>(metric: M): M {
    assert(!this.#metrics.has(metric.name), `the metric ${metric.name} is there already`);
    this.#metrics.set(metric.name, metric);
    return metric;
  }
}

export class Counter implements Metric {
  readonly type = 'counter';
  readonly name: string;
  readonly help: string;
  readonly #values: Series<number>;

  constructor(name: string, help: string, series: readonly Labels[]) {
    this.name = name;
    this.help = help;
    this.#values = new Series(series, () => 0);
  }

  increment(labels: Labels = {}, by = 1): void {
    assert(by >= 0, 'a counter never goes back');
    this.#values.set(labels, this.#values.get(labels) + by);
  }

  lines(): readonly string[] {
    return this.#values.map((labels, value) => `${this.name}${labels} ${value}`);
  }
}

export class Gauge implements Metric {
  readonly type = 'gauge';
  readonly name: string;
  readonly help: string;
  readonly #read: (() => number) | undefined;
  readonly #values: Series<number>;

  constructor(name: string, help: string, read?: () => number) {
    this.name = name;
    this.help = help;
    this.#read = read;
    this.#values = new Series<number>([], () => 0);
  }

  set(labels: Labels, value: number): void {
    this.#values.set(labels, value);
  }

  /** Replaces all series, for labels that come and go. */
  replace(rows: Iterable<readonly [Labels, number]>): void {
    this.#values.clear();
    for (const [labels, value] of rows) this.#values.set(labels, value);
  }

  lines(): readonly string[] {
    if (this.#read !== undefined) return [`${this.name} ${this.#read()}`];
    return this.#values.map((labels, value) => `${this.name}${labels} ${value}`);
  }
}

interface Distribution {
  readonly counts: number[];
  sum: number;
  count: number;
}

export class Histogram implements Metric {
  readonly type = 'histogram';
  readonly name: string;
  readonly help: string;
  readonly #bounds: readonly number[];
  readonly #values: Series<Distribution>;

  constructor(name: string, help: string, bounds: readonly number[], series: readonly Labels[]) {
    this.name = name;
    this.help = help;
    this.#bounds = bounds;
    this.#values = new Series(series, () => ({ counts: bounds.map(() => 0), sum: 0, count: 0 }));
  }

  observe(labels: Labels, value: number): void {
    const seen = this.#values.get(labels);
    const bucket = this.#bounds.findIndex((bound) => value <= bound);
    if (bucket !== -1) seen.counts[bucket] = (seen.counts[bucket] ?? 0) + 1;
    seen.sum += value;
    seen.count += 1;
    this.#values.set(labels, seen);
  }

  lines(): readonly string[] {
    return this.#values
      .map((labels, seen) => {
        let below = 0;
        const buckets = this.#bounds.map((bound, index) => {
          below += seen.counts[index] ?? 0;
          return `${this.name}_bucket${withLabel(labels, 'le', String(bound))} ${below}`;
        });
        return [
          ...buckets,
          `${this.name}_bucket${withLabel(labels, 'le', '+Inf')} ${seen.count}`,
          `${this.name}_sum${labels} ${seen.sum}`,
          `${this.name}_count${labels} ${seen.count}`,
        ];
      })
      .flat();
  }
}

/** Values by labels, keyed by their written form. */
class Series<V> {
  readonly #values = new Map<string, V>();
  readonly #initial: () => V;

  constructor(series: readonly Labels[], initial: () => V) {
    this.#initial = initial;
    for (const labels of series) this.set(labels, initial());
  }

  get(labels: Labels): V {
    return this.#values.get(written(labels)) ?? this.#initial();
  }

  set(labels: Labels, value: V): void {
    this.#values.set(written(labels), value);
  }

  clear(): void {
    this.#values.clear();
  }

  map<R>(line: (labels: string, value: V) => R): R[] {
    return [...this.#values].map(([labels, value]) => line(labels, value));
  }
}

function written(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

const withLabel = (labels: string, name: string, value: string): string =>
  `${labels === '' ? '{' : `${labels.slice(0, -1)},`}${name}="${value}"}`;

const escaped = (value: string): string =>
  value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
