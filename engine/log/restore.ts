/** Restore: makes a replica's data file from an exported one, or from a cleanly closed one. */
import { diskStorage } from './disk-storage.ts';
import { copyExtents, planCopy, readWholeCheckpoint, type ReadableCheckpoint } from './export.ts';
import { checkIdentity, checkLogSize, createWhole, writeZeros } from './format-file.ts';
import { LOG_OFFSET, LOG_SIZE_DEFAULT, LOG_SIZE_MIN } from './layout.ts';
import type { CheckpointPosition, ReplicaIdentity } from './log.ts';
import type { Storage } from './storage.ts';
import { writeSuperblock } from './superblock.ts';

interface RestoreOptions {
  readonly from: string;
  /** Path of the new file, which must not exist. It appears only when everything in `from` is verified and copied. */
  readonly to: string;
  /** Fields of the identity that differ from those in `from`. */
  readonly restamp?: Partial<ReplicaIdentity>;
  readonly logSizeBytes?: number;
  readonly storage?: Storage;
}

/**
 * Restores. Resolves with the identity and the position of the new file. Rejects with DataFileError or the system's error.
 */
export async function restoreDataFile(
  options: RestoreOptions,
): Promise<{ identity: ReplicaIdentity; position: CheckpointPosition }> {
  const { from, logSizeBytes, storage = diskStorage } = options;
  if (logSizeBytes !== undefined) checkLogSize(logSizeBytes);
  const source = await storage.open(from, { writable: false, exclusive: false });
  try {
    return await restoreCheckpoint(await readWholeCheckpoint(source, from), options);
  } finally {
    await source.close();
  }
}

/** Restores from a checkpoint, wherever its file is. */
export async function restoreCheckpoint(
  checkpoint: ReadableCheckpoint,
  { to, storage = diskStorage, ...options }: Omit<RestoreOptions, 'from'>,
): Promise<{ identity: ReplicaIdentity; position: CheckpointPosition }> {
  const identity = { ...checkpoint.superblock.identity, ...options.restamp };
  checkIdentity(identity);
  const logSizeBytes = options.logSizeBytes ?? logSizeOf(identity);
  const copy = planCopy(checkpoint, { identity, logSizeBytes });
  await createWhole(storage, to, async (file) => {
    await writeZeros(file, 0, LOG_OFFSET + logSizeBytes);
    let at = copy.superblock.manifest.offset;
    for await (const bytes of copyExtents(checkpoint, copy)) {
      await file.write(bytes, at);
      at += bytes.length;
    }
    await file.sync();
    await writeSuperblock(file, copy.superblock);
  });
  return { identity, position: copy.superblock.position };
}

/** Default size of the log: the smallest for several replicas, which have their log in etcd. */
export const logSizeOf = ({ replicaCount }: ReplicaIdentity): number =>
  replicaCount === 1 ? LOG_SIZE_DEFAULT : LOG_SIZE_MIN;
