/** Flags that identify the expected data file, the same for every verb of the agent. */
import { parseClusterId, parseInteger, required } from '../commands/values.ts';
import { UsageError, type Flag, type Input } from '../commands/verb.ts';
import type { ReplicaIdentity } from '../log/log.ts';

const engines = ['Builtin', 'TigerBeetle'] as const;
type EngineName = (typeof engines)[number];

export interface Expected extends ReplicaIdentity {
  readonly engine: EngineName;
}

export const pathFlag: Flag = { name: 'path', value: 'file', help: 'the data file' };

export const identityFlags: readonly Flag[] = [
  { name: 'cluster', value: 'id', help: 'cluster id, decimal' },
  { name: 'replica', value: 'index', help: 'index of the replica, from 0' },
  { name: 'replica-count', value: 'count', help: 'replicas of the cluster, 1 to 6' },
];

export const engineFlag: Flag = {
  name: 'engine',
  value: 'name',
  help: `engine of the data file: ${engines.join(' or ')}`,
};

export function readIdentity(input: Input): ReplicaIdentity {
  const replicaCount = integer(input, 'replica-count', 1, 6);
  return {
    clusterId: parseClusterId(required(input.flag('cluster'), 'cluster')),
    replicaIndex: integer(input, 'replica', 0, replicaCount - 1),
    replicaCount,
  };
}

export function readEngine(input: Input): EngineName {
  const name = required(input.flag('engine'), 'engine');
  const engine = engines.find((candidate) => candidate === name);
  if (engine !== undefined) return engine;
  throw new UsageError(`--engine is "${name}"; it must be one of ${engines.join(', ')}`);
}

const integer = (input: Input, flag: string, min: number, max: number) =>
  parseInteger(flag, required(input.flag(flag), flag), min, max);
