import { formatDataFile } from '../log/format-file.ts';
import { forgetMember } from '../members/own-member.ts';
import { LOG_SIZE_MIN } from '../log/layout.ts';
import type { LogPlace, ReplicaIdentity } from '../log/log.ts';
import { placeWithoutState } from '../log/without-state.ts';
import { engineRelease } from '../wire/release.ts';
import { identityFlags, readIdentity } from './identity.ts';
import { parseIncarnation, parseSize } from './values.ts';
import { UsageError, type Input, type Verb } from './verb.ts';

export const format: Verb = {
  name: 'format',
  summary: 'Make the data file of a new replica. Refuses to overwrite.',
  arguments: ['path'],
  flags: [
    ...identityFlags,
    {
      name: 'log-size',
      value: 'size',
      help: 'size of the log within the file, 256MiB by default; only for a single replica',
    },
    {
      name: 'without-state',
      value: undefined,
      help: 'for all but the first replica, whose file has the state already (reshape): this one fetches it when it starts',
    },
    {
      name: 'incarnation',
      value: 'count',
      help: 'with --without-state: as for start; 1 by default',
    },
    {
      name: 'development',
      value: undefined,
      help: 'accepted for compatibility; has no effect',
    },
  ],
  async run(input) {
    const [path = ''] = input.arguments;
    const identity = readIdentity(input);
    const logSize = input.flag('log-size');
    await formatDataFile({
      path,
      identity,
      release: engineRelease,
      ...placeOf(input, identity),
      ...(logSize === undefined
        ? logOf(identity.replicaCount)
        : { logSizeBytes: parseSize('log-size', logSize) }),
    });
    await forgetMember(path);
    process.stderr.write(
      `formatted ${path}: cluster=${identity.clusterId} replica=${identity.replicaIndex} replica-count=${identity.replicaCount}\n`,
    );
    return 0;
  },
};

function placeOf(input: Input, { replicaIndex }: ReplicaIdentity): { readonly place?: LogPlace } {
  if (input.flag('without-state') === undefined) return {};
  // All replicas would wait for each other.
  if (replicaIndex === 0)
    throw new UsageError('the first replica has the state that the others fetch: see reshape');
  return { place: placeWithoutState(parseIncarnation(input.flag('incarnation')), 'new') };
}

/** Options of the log in the data file. Several replicas keep their log in etcd, so theirs has the minimum size. */
export const logOf = (replicaCount: number): { logSizeBytes?: number } =>
  replicaCount === 1 ? {} : { logSizeBytes: LOG_SIZE_MIN };
