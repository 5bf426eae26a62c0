/** Check whether a replica's state and the log in etcd belong together. */
import type { LogPosition } from './block.ts';
import { ReplicatedLogError } from './errors.ts';
import type { Meta } from './records.ts';

export interface LogIdentity {
  readonly clusterId: bigint;
  /** Counts the logs that this database has had: an import or a restore begins a new one. */
  readonly incarnation: number;
  readonly replica: number;
  readonly replicaCount: number;
}

/** Returns the position at which an incarnation begins: after a state that all replicas have. */
export function originOf(state: {
  readonly op: number;
  readonly timestamp: bigint;
  readonly view: number;
  /** 16 bytes. */
  readonly stateHash: Uint8Array;
}): LogPosition {
  const { op, timestamp, view, stateHash } = state;
  return { sequence: 0, op, timestamp, view, fence: 0, seal: stateHash };
}

/**
 * Makes the `meta` record that the first leader writes. Returns `undefined` for a replica that took part in the log before.
 */
export function metaOf(identity: LogIdentity, position: LogPosition): Meta | undefined {
  if (position.sequence > 0) return undefined;
  return {
    clusterId: String(identity.clusterId),
    incarnation: identity.incarnation,
    replicaCount: identity.replicaCount,
    op: position.op,
    timestamp: String(position.timestamp),
    stateHash: Buffer.from(position.seal).toString('hex'),
  };
}

/**
 * Compares the result of `metaOf` (`own`) with the record in etcd. Returns the reason why this replica must not take part.
 */
export function identityProblem(
  identity: LogIdentity,
  own: Meta | undefined,
  found: Meta | undefined,
): ReplicatedLogError | undefined {
  if (found === undefined) {
    if (own !== undefined) return undefined;
    return new ReplicatedLogError(
      'log_gone',
      "This replica has been in the log, and etcd is empty: its volume was lost or replaced. Bring the replica back with 'recover'.",
    );
  }
  const { clusterId, incarnation, replicaCount } = identity;
  if (
    found.clusterId !== String(clusterId) ||
    found.incarnation !== incarnation ||
    found.replicaCount !== replicaCount
  ) {
    return new ReplicatedLogError(
      'log_foreign',
      `etcd holds the log of cluster ${found.clusterId}, incarnation ${found.incarnation}, ${found.replicaCount} replicas; this replica is of cluster ${clusterId}, incarnation ${incarnation}, ${replicaCount} replicas. Check which etcd it is started with.`,
    );
  }
  if (own === undefined) return undefined;
  if (
    own.op !== found.op ||
    own.timestamp !== found.timestamp ||
    own.stateHash !== found.stateHash
  ) {
    return new ReplicatedLogError(
      'state_differs',
      `The log begins after op ${found.op} with state ${found.stateHash}; this replica is at op ${own.op} with state ${own.stateHash}. Start it from the same data file as the others.`,
    );
  }
  return undefined;
}
