import { randomBytes } from 'node:crypto';
import { parseClusterId, parseInteger, required } from '../../engine/commands/values.ts';
import type { Input, Verb } from '../../engine/commands/verb.ts';
import type { ReplicaIdentity } from '../../engine/log/log.ts';
import type { DoubleConfig } from './config.ts';
import { createDataFile } from './data-file.ts';

export const formatWith = ({ release }: DoubleConfig): Verb => ({
  name: 'format',
  summary: 'Make the data file of a new replica.',
  arguments: ['path'],
  flags: [
    { name: 'cluster', value: 'id', help: 'cluster id, decimal; chosen at random when absent' },
    { name: 'replica', value: 'index', help: 'index of this replica, from 0' },
    { name: 'replica-count', value: 'count', help: 'replicas of the cluster' },
    { name: 'development', value: undefined, help: 'taken; changes nothing here' },
    { name: 'log-debug', value: undefined, help: 'taken; changes nothing here' },
  ],
  async run(input) {
    const [path = ''] = input.arguments;
    const cluster = input.flag('cluster');
    const identity = {
      ...readReplica(input),
      clusterId:
        cluster === undefined
          ? BigInt(`0x${randomBytes(16).toString('hex')}`)
          : parseClusterId(cluster),
    };
    await createDataFile(path, {
      identity,
      sequence: 1,
      release,
      releaseFormat: release,
      checkpointOp: 0,
      syncOpMax: 0,
      view: 0,
    });
    process.stderr.write(`formatted: cluster=${identity.clusterId}\n`);
    return 0;
  },
});

export function readReplica(input: Input): Pick<ReplicaIdentity, 'replicaIndex' | 'replicaCount'> {
  const integer = (flag: string, min: number, max: number) =>
    parseInteger(flag, required(input.flag(flag), flag), min, max);
  const replicaCount = integer('replica-count', 1, 6);
  return { replicaCount, replicaIndex: integer('replica', 0, replicaCount - 1) };
}
