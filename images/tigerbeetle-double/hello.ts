/** Messages between replicas of the double: one line of JSON each, instead of TigerBeetle's messages. */
import type { ReplicaIdentity } from '../../engine/log/log.ts';

export interface Hello extends ReplicaIdentity {
  /** Same values as `replica_status`: 0 normal, 1 view change. */
  readonly status: number;
  readonly view: number;
  readonly commit: number;
  /** `release` is the running release, `bundled` the newest that the program has. */
  readonly release: number;
  readonly bundled: number;
}

/** The two requests: `hello` asks for a hello; `commit` is sent by a recovery and commits operations first. */
export const Request = { hello: 'hello', commit: 'commit' } as const;

export const lineLengthMax = 1_024;

export const encodeHello = (hello: Hello): string =>
  `${JSON.stringify({ ...hello, clusterId: String(hello.clusterId) })}\n`;

/** Parses a hello from a line; `undefined` if it is none. */
export function parseHello(line: string): Hello | undefined {
  let fields: Record<string, unknown>;
  try {
    fields = Object(JSON.parse(line)) as Record<string, unknown>;
  } catch {
    return undefined;
  }
  const counts = [
    'replicaIndex',
    'replicaCount',
    'status',
    'view',
    'commit',
    'release',
    'bundled',
  ].map((name) => fields[name]);
  const { clusterId } = fields;
  if (!counts.every((value) => Number.isSafeInteger(value) && Number(value) >= 0)) return undefined;
  if (typeof clusterId !== 'string' || !/^\d{1,39}$/.test(clusterId)) return undefined;
  const [replicaIndex, replicaCount, status, view, commit, release, bundled] = counts.map(Number);
  return {
    clusterId: BigInt(clusterId),
    replicaIndex: replicaIndex!,
    replicaCount: replicaCount!,
    status: status!,
    view: view!,
    commit: commit!,
    release: release!,
    bundled: bundled!,
  };
}
