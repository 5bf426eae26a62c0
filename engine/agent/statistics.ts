/** What TigerBeetle's statistics last said, bounded in time (old gauges do not count) and in number. */
import type { ReplicaIdentity } from '../log/log.ts';
import { exposition, single, type Metric, type Sample } from '../server/exposition.ts';
import { parseStatsdLine, type StatsdSample } from './statsd.ts';

/** TigerBeetle sends every 10 s: after two and a half rounds without, what was said no longer holds. */
export const staleMs = 25_000;
/** Some four times what TigerBeetle 0.17 has; each takes about 300 bytes. */
const seriesMax = 4_096;

const prefix = 'ledgerhouse_tigerbeetle_';

interface Series {
  readonly name: string;
  readonly type: StatsdSample['type'];
  readonly tags: StatsdSample['tags'];
  value: number;
  atMs: number;
}

/** Why a line was passed over. */
const ignoredReasons = ['malformed', 'foreign', 'excess'] as const;
type Ignored = (typeof ignoredReasons)[number];

export class Statistics {
  readonly #identity: ReplicaIdentity;
  readonly #nowMs: () => number;
  /** By name and tags as Prometheus will see them, so that no two of its samples can be the same one. */
  readonly #series = new Map<string, Series>();
  readonly #ignored = new Map<Ignored, number>();
  #lines = 0;
  #lastMs: number | undefined;

  /** `nowMs` counts milliseconds from anywhere and never goes back. */
  constructor(identity: ReplicaIdentity, nowMs: () => number) {
    this.#identity = identity;
    this.#nowMs = nowMs;
  }

  /** Takes a datagram's lines; whatever is in it. */
  take(datagram: string): void {
    for (const line of datagram.split('\n')) {
      if (line === '') continue;
      const ignored = this.#takeLine(line);
      if (ignored === undefined) this.#lines += 1;
      else this.#ignored.set(ignored, (this.#ignored.get(ignored) ?? 0) + 1);
    }
  }

  /** Since the last line that counted, in milliseconds; undefined before the first one. */
  get ageMs(): number | undefined {
    return this.#lastMs === undefined ? undefined : this.#nowMs() - this.#lastMs;
  }

  /** A gauge's value unless it is stale; of those with tags, the one with just these. */
  gauge(name: string, tags: StatsdSample['tags'] = {}): number | undefined {
    const series = this.#series.get(keyOf(exported(name, 'gauge'), tags));
    return series !== undefined && this.#isCurrent(series) ? series.value : undefined;
  }

  /** Everything, under names of Prometheus, with cluster and replica as labels. */
  exposition(): string {
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
        help: 'As TigerBeetle says it in its statistics.',
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
        help: 'Lines of statistics taken.',
        samples: single(this.#lines),
      },
      {
        name: 'ledgerhouse_agent_statsd_lines_ignored_total',
        type: 'counter',
        help: "Lines passed over: not understood, another replica's, or one series too many.",
        samples: ignoredReasons.map((reason) => ({
          labels: { reason },
          value: this.#ignored.get(reason) ?? 0,
        })),
      },
      {
        name: 'ledgerhouse_agent_statsd_age_seconds',
        type: 'gauge',
        help: 'Since the last statistics; absent before the first.',
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
