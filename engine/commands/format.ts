import { randomBytes } from 'node:crypto';
import { formatDataFile } from '../log/format-file.ts';
import { forgetMember } from '../members/own-member.ts';
import { LOG_SIZE_MIN } from '../log/layout.ts';
import { engineRelease } from '../wire/release.ts';
import { UsageError, type Verb } from './verb.ts';
import { parseClusterId, parseInteger, parseSize } from './values.ts';

export const format: Verb = {
  name: 'format',
  summary: 'Make the data file of a new replica. Refuses to overwrite.',
  arguments: ['path'],
  flags: [
    { name: 'cluster', value: 'id', help: 'cluster id, decimal; chosen at random when absent' },
    { name: 'replica', value: 'index', help: 'index of this replica, from 0' },
    { name: 'replica-count', value: 'count', help: 'replicas of the cluster: 1, 3 or 6' },
    {
      name: 'log-size',
      value: 'size',
      help: 'size of the log within the file, 256MiB by default; of one replica',
    },
    {
      name: 'development',
      value: undefined,
      help: 'taken for compatibility; changes nothing here',
    },
  ],
  async run(input) {
    const [path = ''] = input.arguments;
    const cluster = input.flag('cluster');
    const replicaCount = parseInteger(
      'replica-count',
      required(input.flag('replica-count'), 'replica-count'),
      1,
      6,
    );
    const identity = {
      clusterId:
        cluster === undefined
          ? BigInt(`0x${randomBytes(16).toString('hex')}`)
          : parseClusterId(cluster),
      replicaIndex: parseInteger(
        'replica',
        required(input.flag('replica'), 'replica'),
        0,
        replicaCount - 1,
      ),
      replicaCount,
    };
    const logSize = input.flag('log-size');
    await formatDataFile({
      path,
      identity,
      release: engineRelease,
      ...(logSize === undefined
        ? logOf(replicaCount)
        : { logSizeBytes: parseSize('log-size', logSize) }),
    });
    await forgetMember(path);
    process.stderr.write(
      `formatted ${path}: cluster=${identity.clusterId} replica=${identity.replicaIndex} replica-count=${replicaCount}\n`,
    );
    return 0;
  },
};

/** Options of the log in the data file. Several replicas keep their log in etcd, so theirs has the minimum size. */
export const logOf = (replicaCount: number): { logSizeBytes?: number } =>
  replicaCount === 1 ? {} : { logSizeBytes: LOG_SIZE_MIN };

export function required(value: string | undefined, flag: string): string {
  if (value === undefined) throw new UsageError(`--${flag} is missing; see --help`);
  return value;
}
