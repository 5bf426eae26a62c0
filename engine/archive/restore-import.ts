/**
 * Makes a replica's data file from exported files in a bucket: one for each replica of the new database. Each replica first
 * compares all heads, so that none begins with files that do not belong together. The first replica begins with any state; the
 * others only with the first one's, since the files may have been exchanged meanwhile.
 */
import type { LedgerState } from '../../domain/import-files/ledger-state.ts';
import { DataFileError } from '../log/errors.ts';
import { HEAD_SIZE, recogniseHead, type DataFileHead } from '../log/inspect.ts';
import type { CheckpointPosition, ReplicaIdentity } from '../log/log.ts';
import { piecesEnd, readManifest } from '../log/manifest.ts';
import { restoreCheckpoint } from '../log/restore.ts';
import type { Storage } from '../log/storage.ts';
import { readSuperblock } from '../log/superblock.ts';
import { formatRelease } from '../wire/release.ts';
import { ArchiveError, type ArchiveErrorCode } from './errors.ts';
import { exportFault } from './exported-sections.ts';
import { stagedKey } from './keys.ts';
import type { RangedStore } from './object-store.ts';
import { StagedFile } from './staged-file.ts';

export interface ImportOptions {
  readonly store: RangedStore;
  /** Folder of the files. */
  readonly importId: string;
  /** The cluster that the files were exported from. */
  readonly sourceCluster: bigint;
  readonly to: string;
  /** Identity of the new file. The files have the same index and count, and the source's cluster. */
  readonly identity: ReplicaIdentity;
  /** The state with which an earlier replica of the new database began. */
  readonly state?: LedgerState;
  /** Release of this engine: major << 16 | minor << 8 | patch. */
  readonly release: number;
  readonly now: () => Date;
  readonly logSizeBytes?: number;
  readonly storage?: Storage;
}

/** Maximum difference between the clocks of two machines. */
const CLOCK_DIFFERENCE_MS = 60_000;

interface Staged {
  readonly key: string;
  readonly file: StagedFile;
  readonly head: DataFileHead;
}

export async function restoreImport(options: ImportOptions): Promise<CheckpointPosition> {
  const { identity, to } = options;
  const files: Staged[] = [];
  for (let index = 0; index < identity.replicaCount; index += 1) {
    files.push(await openStaged(options, index));
  }
  for (const staged of files) requireSameState(files[0]!, staged);
  if (options.state !== undefined) requireState(options.state, files[0]!);
  const { key, file } = files[identity.replicaIndex]!;
  try {
    const superblock = await readSuperblock(file);
    const { manifest } = superblock;
    requireWhole(key, file, manifest.offset + manifest.size);
    const sections = await readManifest(file, superblock);
    requireWhole(key, file, piecesEnd(sections));
    const checkpoint = { file, superblock, sections };
    const fault = await exportFault(checkpoint);
    if (fault !== undefined) {
      const what = `its sections are not those of an exported ledger: ${fault}. Export it again, and upload that.`;
      throw refusal('object_damaged', key, what);
    }
    const { storage, logSizeBytes } = options;
    const { position } = await restoreCheckpoint(checkpoint, {
      to,
      restamp: identity,
      ...(logSizeBytes === undefined ? {} : { logSizeBytes }),
      ...(storage === undefined ? {} : { storage }),
    });
    return position;
  } catch (error) {
    throw isDamage(error)
      ? refusal('object_damaged', key, `${error.message} Upload the file again.`, error)
      : error;
  }
}

/** Opens the file of one replica, and checks its head. */
async function openStaged(options: ImportOptions, index: number): Promise<Staged> {
  const { store, importId, sourceCluster, identity, release } = options;
  const key = stagedKey(importId, sourceCluster, index);
  const file = await open(store, key, index, identity.replicaCount);
  const head = headOf(key, file);
  const { clusterId, replicaIndex, replicaCount } = head.identity;
  if (clusterId !== sourceCluster) {
    const what = `it is a file of cluster ${clusterId}, not of ${sourceCluster}. All files of an import are of one cluster.`;
    throw refusal('import_differs', key, what);
  }
  if (replicaIndex !== index) {
    const what = `it is the file of replica ${replicaIndex}, not of ${index}. Each replica has its own file.`;
    throw refusal('import_differs', key, what);
  }
  if (replicaCount !== identity.replicaCount) {
    const what = `its cluster has ${replicaCount} replicas, the new database ${identity.replicaCount}. Choose the topology of the files, or give the file another count with 'ledger-engine restore --replica-count' and export that.`;
    throw refusal('import_differs', key, what);
  }
  if (head.release > release) {
    const what = `release ${formatRelease(head.release)} wrote it, this engine is ${formatRelease(release)}. Choose a newer version.`;
    throw refusal('import_newer', key, what);
  }
  if (head.logSizeBytes > 0) {
    const what =
      "it is a replica's own file, with its log. Stage one that 'ledger-engine export' made.";
    throw refusal('import_foreign', key, what);
  }
  requireHistory(key, head.checkpoint, options.now());
  return { key, file, head };
}

/** Checks that a ledger can have reached this position by now. */
function requireHistory(key: string, { op, timestamp }: CheckpointPosition, now: Date): void {
  if (op === 0) {
    const what =
      'its ledger is empty, which need not be imported. Make the database without it, or export the right file.';
    throw refusal('import_empty', key, what);
  }
  if (!Number.isSafeInteger(op)) {
    throw refusal('object_damaged', key, `op ${op} is not possible. Export it again.`);
  }
  // Operations of the new database must have later timestamps.
  if (timestamp > BigInt(now.getTime() + CLOCK_DIFFERENCE_MS) * 1_000_000n) {
    const what = `its last operation is of ${timestamp} ns, this machine's clock says ${now.toISOString()}. Set the clock right; if it is, export the right file.`;
    throw refusal('import_future', key, what);
  }
}

async function open(
  store: RangedStore,
  key: string,
  index: number,
  count: number,
): Promise<StagedFile> {
  try {
    return await StagedFile.open(store, key, HEAD_SIZE);
  } catch (error) {
    if (!(error instanceof ArchiveError) || error.code !== 'object_missing') throw error;
    const what = `there is no such object. An import for ${count} replicas has a file for each index from 0 to ${count - 1}; upload that of ${index}.`;
    throw refusal('import_missing', key, what, error);
  }
}

function headOf(key: string, file: StagedFile): DataFileHead {
  try {
    const found = recogniseHead(file.head);
    if (found.kind === 'ledgerhouse') return found.head;
  } catch (error) {
    if (!(error instanceof DataFileError)) throw error;
    throw refusal('import_foreign', key, error.message, error);
  }
  const what =
    "it is TigerBeetle's. Only a database of TigerBeetle can begin with it; this one begins with files that 'ledger-engine export' made.";
  throw refusal('import_foreign', key, what);
}

/** Replicas that begin with different states would never agree. */
function requireSameState(first: Staged, other: Staged): void {
  const [one, two] = [first.head.checkpoint, other.head.checkpoint];
  if (one.op === two.op && Buffer.compare(one.stateHash, two.stateHash) === 0) return;
  const what = `its state is ${stateOf(two)}, that of replica 0 is ${stateOf(one)}. Export one replica, make the others' files of it with 'ledger-engine restore --replica', and export these.`;
  throw refusal('import_differs', other.key, what);
}

/** Checks that the file still has the state of the earlier replica. */
function requireState(begun: LedgerState, { key, head }: Staged): void {
  const { op, stateHash } = stateIn(head.checkpoint);
  if (op === begun.op && stateHash === begun.stateHash) return;
  const what = `its state is op ${op} with hash ${stateHash}, the first replica of this database began with op ${begun.op} and hash ${begun.stateHash}. Put the files of that state back, or delete the database and make it again.`;
  throw refusal('import_differs', key, what);
}

const stateIn = ({ op, stateHash }: CheckpointPosition): LedgerState => ({
  op,
  stateHash: Buffer.from(stateHash).toString('hex'),
});

const stateOf = (position: CheckpointPosition): string =>
  `op ${position.op} with hash ${stateIn(position).stateHash}`;

function requireWhole(key: string, { sizeBytes }: StagedFile, end: number): void {
  if (sizeBytes >= end) return;
  const what = `it is cut short: ${sizeBytes} bytes are there, it goes on to byte ${end} at least. Upload the file again.`;
  throw refusal('import_cut', key, what);
}

const isDamage = (error: unknown): error is DataFileError =>
  error instanceof DataFileError && error.code === 'checkpoint_corrupt';

const refusal = (code: ArchiveErrorCode, key: string, what: string, cause?: unknown) =>
  new ArchiveError(code, `${key}: ${what}`, { key, cause });
