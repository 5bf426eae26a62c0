import { stat } from 'node:fs/promises';
import { backUpFile, changed } from '../../../archive/data-files/back-up-file.ts';
import { diskStorage } from '../../../log/disk-storage.ts';
import { identityFlags, readIdentity } from '../../identity.ts';
import { required } from '../../values.ts';
import type { Verb } from '../../verb.ts';
import { resultFlag, tellResult } from '../result.ts';
import { databaseIdOf, parseBackupId, storeFlags, withStore } from '../store-flags.ts';

export const backupFile: Verb = {
  name: 'backup-file',
  summary:
    "Copy a replica's data file of TigerBeetle, which must not run, into a bucket. Once those of all replicas are there, backup-files makes them a backup.",
  arguments: ['path'],
  flags: [
    ...storeFlags,
    { name: 'id', value: 'name', help: 'name of the backup, unique for the database' },
    ...identityFlags,
    resultFlag,
  ],
  run(input) {
    const [path = ''] = input.arguments;
    const databaseId = databaseIdOf(input);
    const backupId = parseBackupId('id', required(input.flag('id'), 'id'));
    required(input.flag('cluster'), 'cluster');
    const identity = readIdentity(input);
    return tellResult(input, async () => {
      const started = performance.now();
      const file = await diskStorage.open(path, { writable: false, exclusive: false });
      try {
        const before = await markOf(path);
        const { record, newBytes } = await withStore(input, (store) =>
          backUpFile({
            file,
            store,
            databaseId,
            backupId,
            identity,
            seals: store.seals,
            requireUnchanged: async () => {
              if ((await markOf(path)) !== before) throw changed();
            },
            now: () => new Date(),
          }),
        );
        const { sizeBytes, sha256, completedAt } = record;
        const seconds = Math.round(performance.now() - started) / 1_000;
        const { replicaIndex } = identity;
        return {
          databaseId,
          backupId,
          replicaIndex,
          sizeBytes,
          sha256,
          newBytes,
          completedAt,
          seconds,
        };
      } finally {
        await file.close();
      }
    });
  },
};

/** Changes with each write to the file, and if another one takes its name. */
async function markOf(path: string): Promise<string> {
  const { ino, size, mtimeNs } = await stat(path, { bigint: true });
  return `${ino} ${size} ${mtimeNs}`;
}
