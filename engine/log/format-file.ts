/** Creation of a new replica's data file with an empty state and an empty log. The file exists whole or not at all. */
import { randomBytes } from 'node:crypto';
import { diskStorage } from './disk-storage.ts';
import { DataFileError } from './errors.ts';
import { BLOCK_SIZE, LOG_OFFSET, LOG_SIZE_DEFAULT, LOG_SIZE_MIN } from './layout.ts';
import type { LogPlace, ReplicaIdentity } from './log.ts';
import { SEAL_SIZE } from './seal.ts';
import type { Storage, StorageFile } from './storage.ts';
import { writeSuperblock } from './superblock.ts';

interface FormatOptions {
  readonly path: string;
  readonly identity: ReplicaIdentity;
  /** major << 16 | minor << 8 | patch. */
  readonly release: number;
  /** Size of the log ring in bytes; must be a multiple of 4096. */
  readonly logSizeBytes?: number;
  /** For one of several replicas without a state, which fetches it from another one before it takes part. */
  readonly place?: LogPlace;
  readonly storage?: Storage;
}

const REPLICAS_MAX = 6;
const U128_MAX = (1n << 128n) - 1n;

/**
 * Creates the file. Rejects with DataFileError (`already_exists`, `identity_invalid`) or the system's error, and leaves
 * nothing then.
 */
export async function formatDataFile(options: FormatOptions): Promise<void> {
  const { storage = diskStorage, logSizeBytes = LOG_SIZE_DEFAULT } = options;
  checkIdentity(options.identity);
  checkLogSize(logSizeBytes);
  await createEmpty({ ...options, storage, logSizeBytes });
}

/** Creates the file without the checks of `formatDataFile`. Tests use it to make logs smaller than a server may have. */
export async function createEmpty({
  path,
  identity,
  release,
  logSizeBytes,
  place,
  storage,
}: Required<Omit<FormatOptions, 'place'>> & Pick<FormatOptions, 'place'>): Promise<void> {
  const where = place === undefined ? {} : { place };
  await createWhole(storage, path, async (file) => {
    await writeZeros(file, 0, LOG_OFFSET + logSizeBytes);
    await file.sync();
    await writeSuperblock(file, {
      sequence: 1,
      release,
      identity,
      position: { op: 0, timestamp: 0n, view: 0, stateHash: new Uint8Array(16), ...where },
      key: randomBytes(SEAL_SIZE),
      logSizeBytes,
      logSequence: 1,
      logParent: new Uint8Array(SEAL_SIZE),
      manifest: { offset: 0, size: 0, seal: new Uint8Array(SEAL_SIZE) },
    });
  });
}

export function checkIdentity({ clusterId, replicaIndex, replicaCount }: ReplicaIdentity): void {
  const countFits =
    Number.isInteger(replicaCount) && replicaCount >= 1 && replicaCount <= REPLICAS_MAX;
  const indexFits =
    Number.isInteger(replicaIndex) && replicaIndex >= 0 && replicaIndex < replicaCount;
  if (countFits && indexFits && clusterId >= 0n && clusterId <= U128_MAX) return;
  throw new DataFileError(
    'identity_invalid',
    `Replica ${replicaIndex} of ${replicaCount} in cluster ${clusterId} is not possible: a cluster has 1 to ${REPLICAS_MAX} replicas, counted from 0, and an id of 128 bits.`,
  );
}

export function checkLogSize(bytes: number): void {
  if (Number.isSafeInteger(bytes) && bytes % BLOCK_SIZE === 0 && bytes >= LOG_SIZE_MIN) return;
  throw new DataFileError(
    'identity_invalid',
    `A log of ${bytes} bytes is not possible: it has at least ${LOG_SIZE_MIN} bytes, a multiple of ${BLOCK_SIZE}.`,
  );
}

/**
 * Writes a file under a temporary name and renames it when `write` is done and everything is durable. Rejects with
 * `already_exists` instead of overwriting. Removes the temporary file if anything fails.
 */
export async function createWhole(
  storage: Storage,
  path: string,
  write: (file: StorageFile) => Promise<void>,
): Promise<void> {
  if (await storage.exists(path)) throw alreadyExists(path);
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  const file = await storage.create(temporary);
  try {
    try {
      await write(file);
      await file.sync();
    } finally {
      await file.close();
    }
    await storage.publish(temporary, path);
  } catch (error) {
    await storage.remove(temporary).catch(() => undefined);
    throw (error as { code?: string }).code === 'EEXIST' ? alreadyExists(path) : error;
  }
}

export function alreadyExists(path: string): DataFileError {
  return new DataFileError(
    'already_exists',
    `${path} exists and is not overwritten. Choose another path, or move the file away first.`,
  );
}

/** Writes zeros instead of leaving a hole, so that the log never finds the disk full. */
export async function writeZeros(file: StorageFile, offset: number, end: number): Promise<void> {
  const zeros = new Uint8Array(1 << 20);
  for (let at = offset; at < end; at += zeros.length) {
    await file.write(zeros.subarray(0, Math.min(zeros.length, end - at)), at);
  }
}
