/** Makes a backup of the copied files of all replicas, if they are those of one cluster that was stopped. */
import { importFaults } from '../../../domain/import-files/faults.ts';
import { readFileHead } from '../../../domain/import-files/file-head.ts';
import type { ReplicaIdentity } from '../../log/log.ts';
import { checksumMatches } from '../../wire/checksum.ts';
import { formatRelease } from '../../wire/release.ts';
import { ArchiveError } from '../errors.ts';
import { earlier, keepHead } from '../keep-locked.ts';
import { pieceKey } from '../keys.ts';
import type { ObjectStore } from '../object-store.ts';
import { RECORD_FORMAT } from '../record.ts';
import { startOf } from './piece.ts';
import {
  readFileBackup,
  readReplicaFile,
  requireNotRemoved,
  requireWanted,
  writeFileBackup,
  type FileBackup,
  type Found,
  type ReplicaFile,
} from './record.ts';

interface CompleteOptions extends Pick<ReplicaIdentity, 'clusterId' | 'replicaCount'> {
  readonly store: ObjectStore;
  readonly databaseId: string;
  readonly backupId: string;
  readonly now: () => Date;
}

/** Rejects with `object_missing` if a file was not copied, with `file_unfit` if they do not belong together, and with `backup_removed`. */
export async function completeFileBackup(options: CompleteOptions): Promise<Found<FileBackup>> {
  const made = (await readFileBackup(options.store, options)) ?? (await complete(options));
  await requireNotRemoved(options.store, options);
  return made;
}

async function complete(options: CompleteOptions): Promise<Found<FileBackup>> {
  const { store, databaseId, backupId, clusterId, replicaCount, now } = options;
  await requireWanted(store, options);
  const copied: Found<ReplicaFile>[] = [];
  for (let index = 0; index < replicaCount; index += 1)
    copied.push(await readReplicaFile(store, options, index));
  const files = copied.map(({ record }) => record);
  const release = await judge(options, files);
  const lockedUntil = await endOfLocks(store, databaseId, files);
  return writeFileBackup(store, {
    format: RECORD_FORMAT,
    databaseId,
    backupId,
    clusterId: String(clusterId),
    replicaCount,
    release: formatRelease(release),
    ...(files.every(({ sealed }) => sealed === true) && { sealed: true as const }),
    ...(lockedUntil !== undefined && { lockedUntil }),
    files: withStoredBytes(copied),
    completedAt: now().toISOString(),
  });
}

/** `undefined`: not all of it is locked. */
async function endOfLocks(
  store: ObjectStore,
  databaseId: string,
  files: readonly ReplicaFile[],
): Promise<string | undefined> {
  if (store.locks === undefined) return undefined;
  let earliest = await keepHead(store, store.locks, databaseId);
  for (const { lockedUntil } of files) {
    // An earlier try copied it, when the bucket did not lock.
    if (lockedUntil === undefined) return undefined;
    earliest = earlier(earliest, lockedUntil);
  }
  return earliest;
}

/** Each object counts once, for the first file that it is part of. */
function withStoredBytes(copied: readonly Found<ReplicaFile>[]): FileBackup['files'] {
  const counted = new Set<string>();
  return copied.map(({ record: file, sha256: record }) => {
    let storedBytes = 0;
    for (const piece of file.pieces) {
      const key = pieceKey(file.databaseId, file.backupId, { ...piece, sealed: file.sealed });
      if (!counted.has(key)) storedBytes += piece.storedBytes;
      counted.add(key);
    }
    return { sizeBytes: file.sizeBytes, sha256: file.sha256, storedBytes, record };
  });
}

/** Returns the newest release of the files. */
async function judge(
  { store, clusterId, replicaCount, now }: CompleteOptions,
  files: readonly ReplicaFile[],
): Promise<number> {
  const read = [];
  for (const file of files) {
    const { replicaIndex, sizeBytes } = file;
    const head = readFileHead(await startOf(store, file), checksumMatches);
    read.push({ replicaIndex, sizeBytes, head });
  }
  const release = Number.MAX_SAFE_INTEGER;
  const [fault] = importFaults(read, {
    release,
    tigerBeetleRelease: release,
    now: now(),
    replicaCount,
  });
  if (fault !== undefined) {
    const of = fault.file === undefined ? '' : `The file of replica ${fault.file}: `;
    throw new ArchiveError('file_unfit', `${of}${fault.detail}`);
  }
  const heads = read.flatMap(({ head }) => (head?.kind === 'tigerbeetle' ? [head.head] : []));
  if (heads.length < files.length || heads.some((head) => head.clusterId !== clusterId))
    throw new ArchiveError('file_unfit', `The files are not those of cluster ${clusterId}.`);
  return Math.max(...heads.map((head) => head.release));
}
