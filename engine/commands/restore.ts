import { forgetMember } from '../members/own-member.ts';
import { restoreDataFile } from '../log/restore.ts';
import type { Verb } from './verb.ts';
import { parseClusterId, parseInteger } from './values.ts';

export const restore: Verb = {
  name: 'restore',
  summary:
    "Make a replica's data file from an exported one, verifying all of it. Refuses to overwrite.",
  arguments: ['from', 'to'],
  flags: [
    { name: 'cluster', value: 'id', help: 'another cluster id for the new file' },
    { name: 'replica', value: 'index', help: 'another replica index' },
    { name: 'replica-count', value: 'count', help: 'another replica count' },
  ],
  async run(input) {
    const [from = '', to = ''] = input.arguments;
    const [cluster, replica, count] = [
      input.flag('cluster'),
      input.flag('replica'),
      input.flag('replica-count'),
    ];
    const { identity, position } = await restoreDataFile({
      from,
      to,
      restamp: {
        ...(cluster === undefined ? {} : { clusterId: parseClusterId(cluster) }),
        ...(replica === undefined ? {} : { replicaIndex: parseInteger('replica', replica, 0, 5) }),
        ...(count === undefined
          ? {}
          : { replicaCount: parseInteger('replica-count', count, 1, 6) }),
      },
    });
    await forgetMember(to);
    process.stderr.write(
      `restored ${to}: cluster=${identity.clusterId} replica=${identity.replicaIndex} replica-count=${identity.replicaCount} op=${position.op}\n`,
    );
    return 0;
  },
};
