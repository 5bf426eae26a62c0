import { isThere } from '../../base/is-there.ts';
import { DataFileError } from '../log/errors.ts';
import { reshapeDataFile } from '../log/reshape.ts';
import { hasMember, memoPath } from '../members/files.ts';
import { closeCleanly } from '../replica/close-cleanly.ts';
import { identityFlags, readIdentity } from './identity.ts';
import { required } from './values.ts';
import { UsageError, type Verb } from './verb.ts';

export const reshape: Verb = {
  name: 'reshape',
  summary:
    "Give a single replica's data file, where it is, to the first of several replicas; the others begin with format --without-state.",
  arguments: ['path'],
  flags: [
    ...identityFlags,
    {
      name: 'member-folder',
      value: 'path',
      help: "folder of this replica's etcd member, which must not have begun",
    },
  ],
  async run(input) {
    const [path = ''] = input.arguments;
    required(input.flag('cluster'), 'cluster');
    const identity = readIdentity(input);
    const folder = input.flag('member-folder');
    if ((await isThere(memoPath(path))) || (folder !== undefined && (await hasMember(folder))))
      throw new UsageError(
        `the etcd member beside ${path} has begun: its log may hold more than the file. Begin with a backup or an exported file instead`,
      );
    const reshaped = () => reshapeDataFile({ path, identity });
    const { op } = await reshaped().catch(async (error: unknown) => {
      if (!(error instanceof DataFileError) || error.code !== 'not_checkpointed') throw error;
      process.stderr.write(`${path} was not closed cleanly: its log is executed first\n`);
      await closeCleanly(path);
      return reshaped();
    });
    process.stderr.write(
      `reshaped ${path}: cluster=${identity.clusterId} replica=${identity.replicaIndex} replica-count=${identity.replicaCount} op=${op}\n`,
    );
    return 0;
  },
};
