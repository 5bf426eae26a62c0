import { completeFileBackup } from '../../../archive/data-files/complete.ts';
import {
  sizeOf,
  storedSizeOf,
  type FileBackup,
  type Found,
} from '../../../archive/data-files/record.ts';
import { parseClusterId, parseInteger, required } from '../../values.ts';
import type { Verb } from '../../verb.ts';
import { resultFlag, tellResult } from '../result.ts';
import { databaseIdOf, parseBackupId, storeFlags, withStore } from '../store-flags.ts';

export const backupFiles: Verb = {
  name: 'backup-files',
  summary:
    'Make a backup of the files that backup-file has copied of all replicas, if they are those of one stopped cluster.',
  arguments: [],
  flags: [
    ...storeFlags,
    { name: 'id', value: 'name', help: 'name of the backup' },
    { name: 'cluster', value: 'id', help: 'cluster id, decimal' },
    { name: 'replica-count', value: 'count', help: 'replicas of the cluster: 1, 3 or 6' },
    resultFlag,
  ],
  run(input) {
    const databaseId = databaseIdOf(input);
    const backupId = parseBackupId('id', required(input.flag('id'), 'id'));
    const clusterId = parseClusterId(required(input.flag('cluster'), 'cluster'));
    const count = required(input.flag('replica-count'), 'replica-count');
    const replicaCount = parseInteger('replica-count', count, 1, 6);
    return tellResult(input, async () => {
      const started = performance.now();
      const now = () => new Date();
      const made = await withStore(input, (store) =>
        completeFileBackup({ store, databaseId, backupId, clusterId, replicaCount, now }),
      );
      const seconds = Math.round(performance.now() - started) / 1_000;
      return { ...summaryOfFiles(made), seconds };
    });
  },
};

export function summaryOfFiles({ key, record, sha256 }: Found<FileBackup>): object {
  const { databaseId, backupId, clusterId, release, files, lockedUntil, completedAt } = record;
  return {
    databaseId,
    backupId,
    key,
    sha256,
    clusterId,
    release,
    files: files.map((file, replica) => ({
      replica,
      sizeBytes: file.sizeBytes,
      sha256: file.sha256,
    })),
    sizeBytes: sizeOf(record),
    storedBytes: storedSizeOf(record),
    encrypted: record.sealed ?? false,
    ...(lockedUntil !== undefined && { lockedUntil }),
    completedAt,
  };
}
