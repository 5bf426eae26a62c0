/**
 * Gives a data file another number of replicas, in place: only the head changes, however large the file is. The file is the one with the
 * database's state, that of the first replica; the others fetch it from there (without-state.ts).
 */
import { diskStorage } from './disk-storage.ts';
import { DataFileError } from './errors.ts';
import { readWholeCheckpoint } from './export.ts';
import { checkIdentity } from './format-file.ts';
import type { CheckpointPosition, ReplicaIdentity } from './log.ts';
import type { Storage } from './storage.ts';
import { repairSuperblock, writeSuperblock } from './superblock.ts';

export interface ReshapeOptions {
  readonly path: string;
  /** Identity that the file gets. Its cluster must be the file's. */
  readonly identity: ReplicaIdentity;
  readonly storage?: Storage;
}

/**
 * Resolves with the position of the state. The file has the old or the new identity at every instant. Rejects with DataFileError:
 * `not_checkpointed` if the log holds entries after the checkpoint, `identity_invalid` if the file has another cluster, or has its place in
 * the log of several replicas already.
 */
export async function reshapeDataFile({
  path,
  identity,
  storage = diskStorage,
}: ReshapeOptions): Promise<CheckpointPosition> {
  checkIdentity(identity);
  const file = await storage.open(path, { writable: true, exclusive: true });
  try {
    const { superblock } = await readWholeCheckpoint(file, path);
    const { identity: own, position, logSizeBytes } = superblock;
    if (logSizeBytes === 0) {
      throw new DataFileError(
        'exported_file',
        `${path} is an exported file. Make a replica's data file of it with 'restore'.`,
      );
    }
    if (
      own.clusterId !== identity.clusterId ||
      own.replicaIndex !== 0 ||
      identity.replicaIndex !== 0
    )
      throw refused(
        `${path} is of replica ${own.replicaIndex} of cluster ${own.clusterId}; only the first replica's file gets another number of replicas, for the same cluster`,
      );
    if (own.replicaCount === identity.replicaCount) {
      // An earlier run may have been killed between two copies of the head.
      await repairSuperblock(file, superblock);
      return position;
    }
    if (position.place !== undefined)
      throw refused(
        `${path} has its place in the log of ${own.replicaCount} replicas, which may hold more than the file. Begin with a backup or an exported file instead`,
      );
    await writeSuperblock(file, { ...superblock, identity, sequence: superblock.sequence + 1 });
    return position;
  } finally {
    await file.close();
  }
}

const refused = (message: string): DataFileError =>
  new DataFileError('identity_invalid', `${message}.`);
