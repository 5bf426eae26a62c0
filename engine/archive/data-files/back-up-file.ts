/**
 * Copies a replica's data file of TigerBeetle into a bucket while nothing runs on it. What is zero is not stored, and bytes that the
 * replicas have in common are stored once. It may be killed at any point and run again.
 */
import { createHash } from 'node:crypto';
import { FILE_HEAD_SIZE_MAX, readFileHead } from '../../../domain/import-files/file-head.ts';
import type { ReplicaIdentity } from '../../log/log.ts';
import type { StorageFile } from '../../log/storage.ts';
import { checksumMatches } from '../../wire/checksum.ts';
import { openArchive } from '../archive.ts';
import { sha256 } from '../chunk.ts';
import { ArchiveError } from '../errors.ts';
import { inParallel } from '../in-parallel.ts';
import { earlier, unlessMissing } from '../keep-locked.ts';
import { pieceKey } from '../keys.ts';
import type { ObjectStore } from '../object-store.ts';
import { RECORD_FORMAT } from '../record.ts';
import { sealedSize } from '../sealed-object.ts';
import { decodePiece, encodePiece, isZero, PIECE_BYTES, type Part } from './piece.ts';
import {
  readReplicaFile,
  requireWanted,
  writeReplicaFile,
  type Found,
  type ReplicaFile,
  type StoredPiece,
} from './record.ts';

export interface BackUpFileOptions {
  readonly file: Pick<StorageFile, 'read' | 'size'>;
  readonly store: ObjectStore;
  readonly databaseId: string;
  readonly backupId: string;
  readonly identity: ReplicaIdentity;
  /** The store encrypts. */
  readonly seals: boolean;
  /** Rejects if the file was changed since the copy began. */
  readonly requireUnchanged: () => Promise<void>;
  readonly now: () => Date;
}

/** Pieces at a time: with 4 MiB each, they bound the memory. */
const PIECES_AT_A_TIME = 4;

/** Resolves with what is known of the file, and with the bytes that the store did not have before. */
export async function backUpFile(
  options: BackUpFileOptions,
): Promise<Found<ReplicaFile> & { readonly newBytes: number }> {
  const { file, store, databaseId, backupId, identity, seals, now } = options;
  await requireOwn(options);
  await openArchive(store, databaseId, identity.clusterId);
  await requireWanted(store, options);
  const known = await readReplicaFile(store, options, identity.replicaIndex).catch(unlessMissing);
  if (known !== undefined) {
    // An earlier try copied it, whose result was lost.
    await requireSame(options, known.record);
    return { ...known, newBytes: 0 };
  }
  const sizeBytes = await file.size();
  const hash = createHash('sha256');
  const pieces: StoredPiece[] = [];
  let newBytes = 0;
  let lockedUntil = store.locks?.endOfNew();
  const parts = readParts(file, sizeBytes, (bytes) => hash.update(bytes));
  await inParallel(parts, PIECES_AT_A_TIME, async (part) => {
    const stored = await storePiece(options, part);
    pieces.push(stored.piece);
    if (stored.isNew) newBytes += stored.piece.storedBytes;
    if (stored.lockedUntil !== undefined && lockedUntil !== undefined)
      lockedUntil = earlier(lockedUntil, stored.lockedUntil);
  });
  await options.requireUnchanged();
  // The sweep may have deleted a piece that was there already, a day after its note.
  await requireWanted(store, options);
  const { clusterId, replicaIndex, replicaCount } = identity;
  const record: ReplicaFile = {
    format: RECORD_FORMAT,
    databaseId,
    backupId,
    clusterId: String(clusterId),
    replicaIndex,
    replicaCount,
    sizeBytes,
    sha256: hash.digest('hex'),
    ...(seals && { sealed: true as const }),
    ...(lockedUntil !== undefined && { lockedUntil }),
    pieces: pieces.sort((one, other) => one.offset - other.offset),
    completedAt: now().toISOString(),
  };
  return { ...(await writeReplicaFile(store, record)), newBytes };
}

/** A file that no cluster could begin with is refused before it is copied. What all files say together is judged in the end. */
async function requireOwn({ file, identity }: BackUpFileOptions): Promise<void> {
  const { clusterId, replicaIndex, replicaCount } = identity;
  const start = new Uint8Array(Math.min(FILE_HEAD_SIZE_MAX, await file.size()));
  await file.read(start, 0);
  const head = readFileHead(start, checksumMatches);
  const found = head?.kind === 'tigerbeetle' ? head.head : undefined;
  const isOwn =
    found?.clusterId === clusterId &&
    found.replicaIndex === replicaIndex &&
    found.replicaCount === replicaCount;
  if (isOwn) return;
  throw new ArchiveError(
    'file_unfit',
    `The data file is not that of replica ${replicaIndex} of ${replicaCount} in cluster ${clusterId} of TigerBeetle, or the copies of its head do not agree.`,
  );
}

/**
 * Rejects if the file has changed since an earlier try copied it: the others are of another moment then. Its first piece tells, which has
 * the head and the headers of the whole log.
 */
async function requireSame(
  { file, identity }: BackUpFileOptions,
  known: ReplicaFile,
): Promise<void> {
  const sizeBytes = await file.size();
  const start = new Uint8Array(Math.min(PIECE_BYTES, sizeBytes));
  await file.read(start, 0);
  const [first] = known.pieces;
  const isSame =
    known.clusterId === String(identity.clusterId) &&
    known.replicaCount === identity.replicaCount &&
    known.sizeBytes === sizeBytes &&
    first?.offset === 0 &&
    first.sha256 === sha256(start).toString('hex');
  if (!isSame) throw changed();
}

async function* readParts(
  file: BackUpFileOptions['file'],
  sizeBytes: number,
  see: (bytes: Uint8Array) => void,
): AsyncGenerator<Part> {
  // Memory that nobody keeps is read into again: most of a young file is zeros.
  let free = new Uint8Array(0);
  for (let offset = 0; offset < sizeBytes; offset += PIECE_BYTES) {
    const size = Math.min(PIECE_BYTES, sizeBytes - offset);
    const bytes = free.length === size ? free : new Uint8Array(size);
    if ((await file.read(bytes, offset)) < size) throw changed();
    see(bytes);
    free = isZero(bytes) ? bytes : new Uint8Array(0);
    if (free.length === 0) yield { offset, bytes };
  }
}

interface Stored {
  readonly piece: StoredPiece;
  readonly isNew: boolean;
  readonly lockedUntil: string | undefined;
}

async function storePiece(
  { store, databaseId, backupId, seals }: BackUpFileOptions,
  { offset, bytes }: Part,
): Promise<Stored> {
  const sizeBytes = bytes.length;
  const digest = sha256(bytes).toString('hex');
  const key = pieceKey(databaseId, backupId, { sha256: digest, sealed: seals });
  const object = await encodePiece(databaseId, bytes);
  const lockedUntil = store.locks?.endOfNew();
  const isNew = (await store.create(key, object)) === 'created';
  const found = isNew ? object : await store.read(key);
  // Another replica's, or an earlier try's.
  if (!isNew) await decodePiece(key, found, databaseId, { sizeBytes, sha256: digest });
  return {
    piece: {
      offset,
      sizeBytes,
      storedBytes: seals ? sealedSize(found.length) : found.length,
      sha256: digest,
    },
    isNew,
    lockedUntil: isNew ? lockedUntil : await store.locks?.keep(key),
  };
}

export const changed = (): ArchiveError =>
  new ArchiveError(
    'file_changed',
    'The data file was changed while it was copied, or since. Leave the replica stopped, and make another backup, of another name.',
  );
