/**
 * Lines of statsd with DogStatsD's tags, as TigerBeetle 0.17 sends them (its `src/trace/statsd.zig`):
 *
 *     tb.<name>:<integer>|<g or c>|#cluster:<32 hexadecimal digits>,replica:<index>[,<tag>:<value>…]
 */
export interface StatsdSample {
  /** Name without `tb.`: `replica_status`, `replica_commit_us.sum`. */
  readonly name: string;
  readonly value: number;
  /** A gauge's value replaces the last one; a counter's value, which is not negative, is added. */
  readonly type: 'gauge' | 'counter';
  readonly clusterId: bigint;
  readonly replicaIndex: number;
  /** The other tags, in the order of the line. */
  readonly tags: Readonly<Record<string, string>>;
}

const shape = /^tb\.([a-z][a-z0-9_.]{0,79}):(?:(-?\d{1,20})\|g|(\d{1,20})\|c)\|#(.{1,400})$/;
const tagShape = /^([a-z][a-z0-9_]{0,31}):([\x21-\x7e]{1,64})$/;
const tagsMax = 8;

/** Parses a line. Returns `undefined` if it is not a sample. */
export function parseStatsdLine(line: string): StatsdSample | undefined {
  const [, name, gauge, counter, list] = shape.exec(line) ?? [];
  if (name === undefined || list === undefined) return undefined;
  const pairs = list.split(',').map((tag) => tagShape.exec(tag));
  if (pairs.length > tagsMax) return undefined;
  const tags = new Map<string, string>();
  for (const pair of pairs) {
    if (pair === null || tags.has(pair[1]!)) return undefined;
    tags.set(pair[1]!, pair[2]!);
  }
  const { cluster = '', replica = '', ...others } = Object.fromEntries(tags);
  if (!/^[0-9a-f]{32}$/.test(cluster) || !/^\d{1,3}$/.test(replica)) return undefined;
  return {
    name,
    value: Number(gauge ?? counter),
    type: gauge === undefined ? 'counter' : 'gauge',
    clusterId: BigInt(`0x${cluster}`),
    replicaIndex: Number(replica),
    tags: others,
  };
}
