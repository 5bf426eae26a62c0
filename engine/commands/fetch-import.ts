import { releaseOfText } from '../../domain/import-files/file-head.ts';
import { fetchImport } from '../archive/fetch-import.ts';
import { bucketFlags, withStore } from './backup/store-flags.ts';
import { identityFlags, readIdentity } from './identity.ts';
import { importFlag, importIdOf } from './rows/staged-flags.ts';
import { required } from './values.ts';
import { UsageError, type Verb } from './verb.ts';

export const fetchFromImport: Verb = {
  name: 'fetch-import',
  summary:
    "Copy a replica's data file of TigerBeetle from a bucket with those of all replicas, comparing the heads of all. Refuses to overwrite.",
  arguments: ['path'],
  flags: [
    ...bucketFlags,
    importFlag,
    {
      name: 'release',
      value: 'release',
      help: 'the release of TigerBeetle that is to run on the files, such as 0.17.9; files of newer ones are refused',
    },
    ...identityFlags,
  ],
  async run(input) {
    const [to = ''] = input.arguments;
    const importId = importIdOf(input);
    required(input.flag('cluster'), 'cluster');
    const identity = readIdentity(input);
    const text = required(input.flag('release'), 'release');
    const release = releaseOfText(text);
    if (release === undefined) throw new UsageError(`--release is "${text}"; it is such as 0.17.9`);
    const bytes = await withStore(input, (store) =>
      fetchImport({ store, importId, to, identity, release, now: () => new Date() }),
    );
    const { clusterId, replicaIndex, replicaCount } = identity;
    process.stderr.write(
      `copied ${to}: cluster=${clusterId} replica=${replicaIndex} replica-count=${replicaCount} bytes=${bytes}\n`,
    );
    return 0;
  },
};
