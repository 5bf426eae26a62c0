/**
 * The portable form of a checkpoint: a data file without a log whose extents hold its sections, one after another. Its head
 * comes first and describes everything after it, so that it can be written to a stream.
 */
import { isDerived } from '../ledger/checkpoint.ts';
import { diskStorage } from './disk-storage.ts';
import { DataFileError } from './errors.ts';
import { createWhole } from './format-file.ts';
import {
  BLOCK_SIZE,
  FORMAT_VERSION,
  FORMAT_VERSION_OF_COPIES,
  LOG_OFFSET,
  MARK_SLOTS,
  roundUp,
  isOfClients,
  SUPERBLOCK_COPIES,
} from './layout.ts';
import type { StoredCheckpoint } from './load.ts';
import type { CheckpointPosition, ReplicaIdentity } from './log.ts';
import {
  encodeManifest,
  manifestSize,
  readManifest,
  readPiece,
  type StoredSection,
} from './manifest.ts';
import { scanLog } from './scan.ts';
import { seal } from './seal.ts';
import type { ReadableFile, Storage, StorageFile } from './storage.ts';
import { encodeSuperblock, readSuperblock, type Superblock } from './superblock.ts';
import { lacksState } from './without-state.ts';

/**
 * Target of an export: a path that must not exist, or a function that takes bytes in order and resolves when it wants more.
 */
export type ExportTarget =
  | { readonly path: string }
  | { readonly write: (bytes: Uint8Array) => Promise<void> };

/** Properties in which a copy of a checkpoint differs from its source. */
export interface Restamp {
  readonly identity?: ReplicaIdentity;
  /** 0 for an exported file. */
  readonly logSizeBytes: number;
  /** True for another replica of the same cluster: the copy keeps the sessions and the place in the replicated log. */
  readonly sameCluster?: boolean;
}

/** In what an exported file differs from its source. */
export type ExportedAs = Pick<Restamp, 'identity' | 'sameCluster'>;

/** A checkpoint of a file that is only read. */
export interface ReadableCheckpoint extends Pick<StoredCheckpoint, 'superblock' | 'sections'> {
  readonly file: ReadableFile;
}

interface PortableCopy {
  readonly superblock: Superblock;
  readonly manifest: Uint8Array;
  readonly sections: readonly StoredSection[];
  /** Sections of the source that are copied, in this order. */
  readonly sources: readonly StoredSection[];
}

/**
 * Plans the layout of a copy: the manifest right after the log, then the pieces. Sessions, a pause of writes and the place in a replicated log
 * are left out unless the copy is for another replica, because their clients and that log are elsewhere. Derived tables are left out
 * always.
 */
export function planCopy(
  { superblock, sections }: Pick<StoredCheckpoint, 'superblock' | 'sections'>,
  restamp: Restamp,
): PortableCopy {
  const isWhole = restamp.sameCluster === true;
  const kept = sections.filter(
    ({ table }) => !isDerived(table) && (isWhole || !isOfClients(table)),
  );
  const { place: _elsewhere, ...portable } = superblock.position;
  const { formatVersion = FORMAT_VERSION } = superblock;
  const offset = LOG_OFFSET + restamp.logSizeBytes;
  let at = offset + roundUp(manifestSize(kept));
  const moved = kept.map((section) => ({
    ...section,
    pieces: section.pieces.map((piece) => {
      const placed = { ...piece, offset: at };
      at += roundUp(piece.size);
      return placed;
    }),
  }));
  const manifest = encodeManifest(moved);
  return {
    manifest,
    sections: moved,
    sources: kept,
    superblock: {
      ...superblock,
      isIndexSuspect: false,
      formatVersion: Math.min(formatVersion, FORMAT_VERSION_OF_COPIES),
      position: isWhole ? superblock.position : portable,
      identity: restamp.identity ?? superblock.identity,
      sequence: 1,
      logSizeBytes: restamp.logSizeBytes,
      logSequence: 1,
      logParent: new Uint8Array(superblock.logParent.length),
      manifest: { offset, size: manifest.length, seal: seal(superblock.key, manifest) },
    },
  };
}

/** Yields the manifest and the pieces of a copy, verified as they are read, each padded to whole blocks. */
export async function* copyExtents(
  { file, superblock }: ReadableCheckpoint,
  copy: PortableCopy,
): AsyncGenerator<Uint8Array> {
  yield padded(copy.manifest);
  for (const section of copy.sources) {
    for (const piece of section.pieces) yield padded(await readPiece(file, superblock.key, piece));
  }
}

async function* exportedBytes(
  checkpoint: StoredCheckpoint,
  what: ExportedAs,
): AsyncGenerator<Uint8Array> {
  const copy = planCopy(checkpoint, { logSizeBytes: 0, ...what });
  const head = encodeSuperblock(copy.superblock);
  for (let index = 0; index < SUPERBLOCK_COPIES; index += 1) yield head;
  yield new Uint8Array(MARK_SLOTS * BLOCK_SIZE);
  yield* copyExtents(checkpoint, copy);
}

export async function exportCheckpoint(
  checkpoint: StoredCheckpoint,
  target: ExportTarget,
  storage: Storage,
  what: ExportedAs = {},
): Promise<void> {
  if ('path' in target) {
    await createWhole(storage, target.path, async (file) => {
      let at = 0;
      for await (const bytes of exportedBytes(checkpoint, what)) {
        await file.write(bytes, at);
        at += bytes.length;
      }
    });
    return;
  }
  for await (const bytes of exportedBytes(checkpoint, what)) await target.write(bytes);
}

/**
 * Exports from a data file that no process has open. Rejects with DataFileError `not_checkpointed` when the log holds
 * entries after the checkpoint, which only the engine can execute, and `state_lost` when the state is at other replicas.
 */
export async function exportDataFile(
  from: string,
  target: ExportTarget,
  storage: Storage = diskStorage,
): Promise<CheckpointPosition> {
  const file = await storage.open(from, { writable: false, exclusive: true });
  try {
    const checkpoint = await readWholeCheckpoint(file, from);
    await exportCheckpoint(checkpoint, target, storage);
    return checkpoint.superblock.position;
  } finally {
    await file.close();
  }
}

/** Reads a file's checkpoint. Rejects if the log holds entries after it, or the file has no state of its own. */
export async function readWholeCheckpoint(
  file: StorageFile,
  path: string,
): Promise<StoredCheckpoint> {
  const superblock = await readSuperblock(file);
  if (lacksState(superblock.position.place)) {
    throw new DataFileError(
      'state_lost',
      `${path} has no state yet, which it was to fetch from another replica: a copy of it would be empty. Take the file of another replica.`,
    );
  }
  let entries = 0;
  await scanLog(file, superblock, () => {
    entries += 1;
  });
  if (entries > 0) {
    throw new DataFileError(
      'not_checkpointed',
      `${path} was not closed cleanly: ${entries} entries of its log are not in the checkpoint. Start the engine on it and stop it, then try again.`,
    );
  }
  return { file, superblock, sections: await readManifest(file, superblock) };
}

function padded(bytes: Uint8Array): Uint8Array {
  if (bytes.length % BLOCK_SIZE === 0) return bytes;
  const whole = new Uint8Array(roundUp(bytes.length));
  whole.set(bytes);
  return whole;
}
