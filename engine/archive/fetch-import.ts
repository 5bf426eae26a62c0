/**
 * Copies a replica's data file of TigerBeetle out of a bucket, byte for byte: one for each replica of the new database. Each replica
 * first compares the heads of all files, so that none begins with files that do not belong together. What is behind the head only
 * TigerBeetle can check, and does when it reads it.
 */
import {
  importFaults,
  type ImportFault,
  type ImportFaultCode,
  type ImportFile,
} from '../../domain/import-files/faults.ts';
import { FILE_HEAD_SIZE_MAX, readFileHead } from '../../domain/import-files/file-head.ts';
import { diskStorage } from '../log/disk-storage.ts';
import { createWhole } from '../log/format-file.ts';
import type { ReplicaIdentity } from '../log/log.ts';
import type { Storage, StorageFile } from '../log/storage.ts';
import { checksumMatches } from '../wire/checksum.ts';
import { ArchiveError, type ArchiveErrorCode } from './errors.ts';
import { inParallel } from './in-parallel.ts';
import { stagedKey } from './keys.ts';
import type { RangedStore } from './object-store.ts';

export interface FetchOptions {
  readonly store: RangedStore;
  /** Folder of the files. */
  readonly importId: string;
  readonly to: string;
  /** The new replica's, which is that of its file. */
  readonly identity: ReplicaIdentity;
  /** Release of TigerBeetle that is to run on the files: major << 16 | minor << 8 | patch. */
  readonly release: number;
  readonly now: () => Date;
  readonly storage?: Storage;
}

/** Bytes of one request, and requests at a time. */
const RANGE = 8 << 20;
const AT_ONCE = 4;

interface Staged {
  readonly key: string;
  readonly sizeBytes: number;
  readonly start: Uint8Array;
}

/** Returns the size of the file. */
export async function fetchImport(options: FetchOptions): Promise<number> {
  const { store, identity, to, storage = diskStorage } = options;
  const files: Staged[] = [];
  for (let index = 0; index < identity.replicaCount; index += 1) {
    files.push(await openStaged(options, index));
  }
  requireSound(options, files);
  const own = files[identity.replicaIndex]!;
  const { freeBytes } = await storage.volume(to);
  if (freeBytes < own.sizeBytes) {
    const what = `it has ${own.sizeBytes} bytes, and the volume room for ${freeBytes}. Make the database with more storage.`;
    throw refusal('import_no_room', own.key, what);
  }
  await createWhole(storage, to, async (file) => {
    await copy(store, own, file);
    const { start } = await readStart(store, own.key);
    if (Buffer.compare(start, own.start) !== 0) throw changed(own.key);
  });
  return own.sizeBytes;
}

async function copy(
  store: RangedStore,
  { key, sizeBytes }: Staged,
  file: StorageFile,
): Promise<void> {
  const offsets = Array.from({ length: Math.ceil(sizeBytes / RANGE) }, (_, at) => at * RANGE);
  await inParallel(offsets, AT_ONCE, async (offset) => {
    const end = Math.min(offset + RANGE, sizeBytes);
    for (let at = offset; at < end;) {
      const read = await store.readRange(key, at, end - at);
      if (read.sizeBytes !== sizeBytes || read.bytes.length === 0) throw changed(key);
      await file.write(read.bytes, at);
      at += read.bytes.length;
    }
  });
}

async function openStaged(
  { store, importId, identity }: FetchOptions,
  index: number,
): Promise<Staged> {
  const key = stagedKey(importId, identity.clusterId, index, 'TigerBeetle');
  try {
    return { key, ...(await readStart(store, key)) };
  } catch (error) {
    if (!(error instanceof ArchiveError) || error.code !== 'object_missing') throw error;
    const what = `there is no such object. An import for ${identity.replicaCount} replicas has a file for each index from 0 to ${identity.replicaCount - 1}; upload that of ${index}.`;
    throw refusal('import_missing', key, what, error);
  }
}

async function readStart(store: RangedStore, key: string): Promise<Omit<Staged, 'key'>> {
  const { bytes, sizeBytes } = await store.readRange(key, 0, FILE_HEAD_SIZE_MAX);
  return { start: bytes.slice(0, FILE_HEAD_SIZE_MAX), sizeBytes };
}

/** Throws unless the files are those of one cluster's replicas, and of this one. */
function requireSound({ identity, release, now }: FetchOptions, files: readonly Staged[]): void {
  const read: readonly ImportFile[] = files.map(({ start, sizeBytes }, replicaIndex) => ({
    replicaIndex,
    sizeBytes,
    head: readFileHead(start, checksumMatches),
  }));
  for (const [at, { head }] of read.entries()) {
    const { key } = files[at]!;
    if (head?.kind === 'ledger') {
      const what = 'it is a file of the built-in engine. Only files of TigerBeetle are copied.';
      throw refusal('import_foreign', key, what);
    }
    if (head?.kind === 'tigerbeetle' && head.head.clusterId !== identity.clusterId) {
      const what = `it is a file of cluster ${head.head.clusterId}, not of ${identity.clusterId}. The database keeps the cluster ID of its files.`;
      throw refusal('import_differs', key, what);
    }
  }
  const [fault] = importFaults(read, {
    release,
    tigerBeetleRelease: release,
    now: now(),
    replicaCount: identity.replicaCount,
  });
  if (fault === undefined) return;
  throw refusal(codeOf(fault), files[fault.file ?? 0]!.key, wordsOf(fault));
}

const wordsOf = ({ detail }: ImportFault): string =>
  `${detail.slice(0, 1).toLowerCase()}${detail.slice(1)}`;

const codes: Partial<Record<ImportFaultCode, ArchiveErrorCode>> = {
  file_cut_short: 'import_cut',
  not_a_data_file: 'import_foreign',
  format_unknown: 'import_foreign',
  standby_file: 'import_foreign',
  state_incomplete: 'import_foreign',
  cluster_reserved: 'import_foreign',
  head_damaged: 'object_damaged',
  format_newer: 'import_newer',
  release_newer: 'import_newer',
  timestamp_in_future: 'import_future',
};

const codeOf = ({ code }: ImportFault): ArchiveErrorCode => codes[code] ?? 'import_differs';

const changed = (key: string): ArchiveError =>
  refusal('import_differs', key, 'it was changed while it was read. Leave the files as they are.');

const refusal = (code: ArchiveErrorCode, key: string, what: string, cause?: unknown) =>
  new ArchiveError(code, `${key}: ${what}`, { key, cause });
