/** The latest statistics of TigerBeetle, bounded in time (old gauges do not count) and in number. */
import type { ReplicaIdentity } from '../log/log.ts';
import { exposition, single, type Metric, type Sample } from '../../base/metrics/exposition.ts';
import { parseStatsdLine, type StatsdSample } from './statsd.ts';

/** Age after which statistics are stale: two and a half of TigerBeetle's periods of 10 s. */
export const staleMs = 25_000;
/** Maximum number of series, some four times those of TigerBeetle 0.17. Each takes about 300 bytes. */
const seriesMax = 4_096;

const prefix = 'ledgerhouse_tigerbeetle_';

interface Series {
  readonly name: string;
  readonly type: StatsdSample['type'];
  readonly tags: StatsdSample['tags'];
  value: number;
  atMs: number;
}

/** Reasons for ignoring a line. */
const ignoredReasons = ['malformed', 'foreign', 'excess'] as const;
type Ignored = (typeof ignoredReasons)[number];

export class Statistics {
  readonly #identity: ReplicaIdentity;
  readonly #nowMs: () => number;
  /** Keyed by name and tags in Prometheus' form, so that no two Prometheus samples can be the same. */
  readonly #series = new Map<string, Series>();
  readonly #ignored = new Map<Ignored, number>();
  #lines = 0;
  #lastMs: number | undefined;

  /** `nowMs` returns milliseconds of a monotonic clock with any origin. */
  constructor(identity: ReplicaIdentity, nowMs: () => number) {
    this.#identity = identity;
    this.#nowMs = nowMs;
  }

  /** Takes the lines of a datagram, which may hold anything. */
  take(datagram: string): void {
    for (const line of datagram.split('\n')) {
      if (line === '') continue;
      const ignored = this.#takeLine(line);
      if (ignored === undefined) this.#lines += 1;
      else this.#ignored.set(ignored, (this.#ignored.get(ignored) ?? 0) + 1);
    }
  }

  /** Milliseconds since the last accepted line; `undefined` before the first one. */
  get ageMs(): number | undefined {
    return this.#lastMs === undefined ? undefined : this.#nowMs() - this.#lastMs;
  }

  /** Value of a gauge with exactly these tags; `undefined` if it is stale. */
  gauge(name: string, tags: StatsdSample['tags'] = {}): number | undefined {
    const series = this.#series.get(keyOf(exported(name, 'gauge'), tags));
    return series !== undefined && this.#isCurrent(series) ? series.value : undefined;
  }

  /** All current series in Prometheus' text format, with cluster and replica as labels. */
  exposition(): Promise<string> {
    const byName = new Map<string, { type: Metric['type']; samples: Sample[] }>();
    const { clusterId, replicaIndex } = this.#identity;
    const own = { cluster: String(clusterId), replica: String(replicaIndex) };
    for (const series of this.#series.values()) {
      if (series.type === 'gauge' && !this.#isCurrent(series)) continue;
      const metric = byName.get(series.name) ?? { type: series.type, samples: [] };
      byName.set(series.name, metric);
      metric.samples.push({ labels: { ...own, ...series.tags }, value: series.value });
    }
    return exposition([
      ...this.#ownMetrics(),
      ...[...byName].sort(byKey).map(([name, metric]) => ({
        name,
        help: 'As reported in the statistics of TigerBeetle.',
        ...metric,
      })),
    ]);
  }

  #takeLine(line: string): Ignored | undefined {
    const sample = parseStatsdLine(line);
    if (sample === undefined) return 'malformed';
    const { clusterId, replicaIndex } = this.#identity;
    if (sample.clusterId !== clusterId || sample.replicaIndex !== replicaIndex) return 'foreign';
    const name = exported(sample.name, sample.type);
    const key = keyOf(name, sample.tags);
    const known = this.#series.get(key);
    if (known === undefined && this.#series.size >= seriesMax) return 'excess';
    const atMs = this.#nowMs();
    this.#lastMs = atMs;
    if (known === undefined) {
      this.#series.set(key, { ...sample, name, atMs });
      return undefined;
    }
    known.value = sample.type === 'counter' ? known.value + sample.value : sample.value;
    known.atMs = atMs;
    return undefined;
  }

  #isCurrent({ atMs }: Series): boolean {
    return this.#nowMs() - atMs <= staleMs;
  }

  #ownMetrics(): readonly Metric[] {
    const { ageMs } = this;
    return [
      {
        name: 'ledgerhouse_agent_statsd_lines_total',
        type: 'counter',
        help: 'Lines of statistics accepted.',
        samples: single(this.#lines),
      },
      {
        name: 'ledgerhouse_agent_statsd_lines_ignored_total',
        type: 'counter',
        help: 'Lines ignored: malformed, of another replica, or beyond the maximum number of series.',
        samples: ignoredReasons.map((reason) => ({
          labels: { reason },
          value: this.#ignored.get(reason) ?? 0,
        })),
      },
      {
        name: 'ledgerhouse_agent_statsd_age_seconds',
        type: 'gauge',
        help: 'Time since the last statistics; absent before the first.',
        samples: ageMs === undefined ? [] : single(ageMs / 1_000),
      },
    ];
  }
}

const exported = (name: string, type: StatsdSample['type']) =>
  `${prefix}${name.replaceAll('.', '_')}${type === 'counter' ? '_total' : ''}`;

const keyOf = (name: string, tags: StatsdSample['tags']) =>
  [name, ...Object.entries(tags).map(([key, value]) => `${key}=${value}`)].join(',');

const byKey = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]) =>
  a < b ? -1 : 1;
