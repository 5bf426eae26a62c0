/** Flags that say which replica a new data file belongs to. */
import { randomBytes } from 'node:crypto';
import type { ReplicaIdentity } from '../log/log.ts';
import { parseClusterId, parseInteger, required } from './values.ts';
import type { Flag, Input } from './verb.ts';

export const identityFlags: readonly Flag[] = [
  { name: 'cluster', value: 'id', help: 'cluster id, decimal; chosen at random when absent' },
  { name: 'replica', value: 'index', help: 'index of this replica, from 0' },
  { name: 'replica-count', value: 'count', help: 'replicas of the cluster: 1, 3 or 6' },
];

export function readIdentity(input: Input): ReplicaIdentity {
  const integer = (flag: string, min: number, max: number) =>
    parseInteger(flag, required(input.flag(flag), flag), min, max);
  const cluster = input.flag('cluster');
  const replicaCount = integer('replica-count', 1, 6);
  return {
    clusterId:
      cluster === undefined
        ? BigInt(`0x${randomBytes(16).toString('hex')}`)
        : parseClusterId(cluster),
    replicaIndex: integer('replica', 0, replicaCount - 1),
    replicaCount,
  };
}
