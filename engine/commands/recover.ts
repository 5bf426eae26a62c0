import { formatDataFile } from '../log/format-file.ts';
import { engineRelease } from '../wire/release.ts';
import { logOf, required } from './format.ts';
import { UsageError, type Verb } from './verb.ts';
import { parseAddresses, parseClusterId, parseInteger } from './values.ts';

export const recover: Verb = {
  name: 'recover',
  summary:
    'Make a data file for a replica that is lost: started, it fetches the state from another one. Refuses to overwrite.',
  arguments: ['path'],
  flags: [
    { name: 'cluster', value: 'id', help: 'cluster id, decimal' },
    { name: 'addresses', value: 'list', help: 'taken for compatibility; start names the others' },
    { name: 'replica', value: 'index', help: 'index of the lost replica' },
    { name: 'replica-count', value: 'count', help: 'replicas of the cluster' },
    { name: 'incarnation', value: 'count', help: 'as for start; 1 by default' },
    { name: 'development', value: undefined, help: 'taken for compatibility' },
  ],
  async run(input) {
    const [path = ''] = input.arguments;
    const count = input.flag('replica-count');
    // What a lost file held must come from other replicas. A single one has none, and formatting anew would look like
    // recovery and be the loss of everything.
    if (count === '1' || count === undefined) {
      throw new UsageError(
        'a cluster of one replica cannot recover a lost data file: restore it from a backup (ledger-engine restore)',
      );
    }
    const addresses = input.flag('addresses');
    if (addresses !== undefined) parseAddresses(addresses);
    const replicaCount = parseInteger('replica-count', count, 2, 6);
    const replica = required(input.flag('replica'), 'replica');
    const incarnation = input.flag('incarnation') ?? '1';
    const identity = {
      clusterId: parseClusterId(required(input.flag('cluster'), 'cluster')),
      replicaIndex: parseInteger('replica', replica, 0, replicaCount - 1),
      replicaCount,
    };
    await formatDataFile({
      path,
      identity,
      release: engineRelease,
      lostIn: parseInteger('incarnation', incarnation, 1, 2 ** 32 - 1),
      ...logOf(replicaCount),
    });
    process.stderr.write(
      `recovering ${path}: cluster=${identity.clusterId} replica=${identity.replicaIndex} replica-count=${replicaCount}\n`,
    );
    return 0;
  },
};
