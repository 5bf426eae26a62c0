/** Makes a replica's data file of TigerBeetle from a backup of data files. The file appears only when every byte is verified and durable. */
import { releaseOfText } from '../../../domain/import-files/file-head.ts';
import { diskStorage } from '../../log/disk-storage.ts';
import { createWhole, writeZeros } from '../../log/format-file.ts';
import type { ReplicaIdentity } from '../../log/log.ts';
import type { Storage } from '../../log/storage.ts';
import { ArchiveError } from '../errors.ts';
import type { ObjectStore } from '../object-store.ts';
import { partsOf } from './piece.ts';
import { replicaFileOf, type FileBackup } from './record.ts';

export interface RestoreFileOptions {
  readonly store: ObjectStore;
  readonly backup: FileBackup;
  readonly to: string;
  /** The new replica's, which is that of the file. */
  readonly identity: ReplicaIdentity;
  /** Release of TigerBeetle that is to run on the files: major << 16 | minor << 8 | patch. */
  readonly release: number;
  readonly storage?: Storage;
}

/** Returns the size of the file. */
export async function restoreFile(options: RestoreFileOptions): Promise<number> {
  const { store, backup, to, identity, storage = diskStorage } = options;
  requireFit(options);
  const file = await replicaFileOf(store, backup, identity.replicaIndex);
  const { sizeBytes } = file;
  const { freeBytes } = await storage.volume(to);
  if (freeBytes < sizeBytes) {
    const what = `The file of replica ${identity.replicaIndex} has ${sizeBytes} bytes, and the volume room for ${freeBytes}. Make the database with more storage.`;
    throw new ArchiveError('import_no_room', what);
  }
  await createWhole(storage, to, async (target) => {
    let at = 0;
    for await (const { offset, bytes } of partsOf(store, file)) {
      // Written, too, so that a full volume is noticed now.
      await writeZeros(target, at, offset);
      await target.write(bytes, offset);
      at = offset + bytes.length;
    }
    await writeZeros(target, at, sizeBytes);
  });
  return sizeBytes;
}

function requireFit({ backup, identity, release }: RestoreFileOptions): void {
  const { clusterId, replicaCount } = identity;
  if (backup.clusterId !== String(clusterId)) {
    const what = `The backup has the data files of cluster ${backup.clusterId}, not of ${clusterId}. The database keeps the cluster ID of its files.`;
    throw new ArchiveError('import_differs', what);
  }
  if (backup.replicaCount !== replicaCount) {
    const what = `The backup has the data files of ${backup.replicaCount} replicas, and the database has ${replicaCount}. Choose the topology of the backup.`;
    throw new ArchiveError('import_differs', what);
  }
  if ((releaseOfText(backup.release) ?? Infinity) > release) {
    const what = `Release ${backup.release} of TigerBeetle wrote the files. Choose that version, or a newer one.`;
    throw new ArchiveError('import_newer', what);
  }
}
