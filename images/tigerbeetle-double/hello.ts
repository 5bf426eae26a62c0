/** What replicas of the double tell each other, a line of JSON at a time, instead of TigerBeetle's messages. */
import type { ReplicaIdentity } from '../../engine/log/log.ts';

export interface Hello extends ReplicaIdentity {
  /** As `replica_status`: 0 normal, 1 view change. */
  readonly status: number;
  readonly view: number;
  readonly commit: number;
  /** The release that it runs, and the newest that its program has. */
  readonly release: number;
  readonly bundled: number;
}

/** The requests there are: a hello is asked for; a recovery commits operations first. */
export const Request = { hello: 'hello', commit: 'commit' } as const;

export const lineLengthMax = 1_024;

export const encodeHello = (hello: Hello): string =>
  `${JSON.stringify({ ...hello, clusterId: String(hello.clusterId) })}\n`;

/** The hello in a line, or undefined when it is none. */
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
