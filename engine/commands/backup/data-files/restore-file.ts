import { releaseOfText } from '../../../../domain/import-files/file-head.ts';
import { restoreFile } from '../../../archive/data-files/restore-file.ts';
import { identityFlags, readIdentity } from '../../identity.ts';
import { required } from '../../values.ts';
import { UsageError, type Verb } from '../../verb.ts';
import { resultFlag, tellResult } from '../result.ts';
import { storeFlags, withStore } from '../store-flags.ts';
import { findFiles, whichFilesFlags } from './which.ts';

export const restoreFileVerb: Verb = {
  name: 'restore-file',
  summary:
    "Make a replica's data file of TigerBeetle from a backup of data files, verifying all of it. Refuses to overwrite.",
  arguments: ['path'],
  flags: [
    ...storeFlags,
    ...whichFilesFlags,
    {
      name: 'release',
      value: 'release',
      help: 'the release of TigerBeetle that is to run on the files, such as 0.17.9; files of newer ones are refused',
    },
    ...identityFlags,
    resultFlag,
  ],
  run(input) {
    const [to = ''] = input.arguments;
    required(input.flag('cluster'), 'cluster');
    const identity = readIdentity(input);
    const text = required(input.flag('release'), 'release');
    const release = releaseOfText(text);
    if (release === undefined) throw new UsageError(`--release is "${text}"; it is such as 0.17.9`);
    return tellResult(input, async () => {
      const started = performance.now();
      const { backupId, sizeBytes } = await withStore(input, async (store) => {
        const { record } = await findFiles(input, store);
        const bytes = await restoreFile({ store, backup: record, to, identity, release });
        return { backupId: record.backupId, sizeBytes: bytes };
      });
      const seconds = Math.round(performance.now() - started) / 1_000;
      return { backupId, replicaIndex: identity.replicaIndex, sizeBytes, seconds };
    });
  },
};
