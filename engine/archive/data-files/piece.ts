/** Bytes of a file as an object: a chunk of the archive, of table 0, whose rows are single bytes. FORMAT.md, "Data files". */
import { createHash, type Hash } from 'node:crypto';
import { PIECE_SIZE_MAX } from '../../log/layout.ts';
import { decodeChunk, encodeChunk, type ChunkHead } from '../chunk.ts';
import { damaged } from '../errors.ts';
import { pieceKey, replicaFileKey } from '../keys.ts';
import type { ObjectStore } from '../object-store.ts';
import type { ReplicaFile, StoredPiece } from './record.ts';

export const PIECE_BYTES = PIECE_SIZE_MAX;
/** Pieces that are fetched at a time. */
const PIECES_AHEAD = 8;

const zeros = new Uint8Array(PIECE_BYTES);

const headOf = (databaseId: string, sizeBytes: number): ChunkHead => ({
  databaseId,
  table: 0,
  rowSize: 1,
  firstRow: 0,
  rowCount: sizeBytes,
});

export const isZero = (bytes: Uint8Array): boolean =>
  Buffer.compare(bytes, zeros.subarray(0, bytes.length)) === 0;

export const encodePiece = (databaseId: string, bytes: Uint8Array): Promise<Uint8Array> =>
  encodeChunk(headOf(databaseId, bytes.length), bytes);

/** Rejects with ArchiveError that names the key unless the object holds these bytes. */
export const decodePiece = (
  key: string,
  object: Uint8Array,
  databaseId: string,
  { sizeBytes, sha256 }: Pick<StoredPiece, 'sizeBytes' | 'sha256'>,
): Promise<Uint8Array> => decodeChunk(key, object, { ...headOf(databaseId, sizeBytes), sha256 });

async function fetchPiece(
  store: ObjectStore,
  { databaseId, backupId, sealed }: ReplicaFile,
  piece: StoredPiece,
): Promise<Uint8Array> {
  const key = pieceKey(databaseId, backupId, { sha256: piece.sha256, sealed });
  return decodePiece(key, await store.read(key), databaseId, piece);
}

export interface Part {
  readonly offset: number;
  readonly bytes: Uint8Array;
}

/** The first bytes of a file, which hold its head. */
export async function startOf(store: ObjectStore, file: ReplicaFile): Promise<Uint8Array> {
  const [first] = file.pieces;
  return first?.offset === 0 ? fetchPiece(store, file, first) : new Uint8Array(0);
}

/** Yields what is not zero, in order, each piece verified. Rejects at the end unless all of it is the file that was copied. */
export async function* partsOf(store: ObjectStore, file: ReplicaFile): AsyncGenerator<Part> {
  const hash = createHash('sha256');
  let at = 0;
  for await (const part of fetched(store, file)) {
    hashZeros(hash, part.offset - at);
    hash.update(part.bytes);
    at = part.offset + part.bytes.length;
    yield part;
  }
  hashZeros(hash, file.sizeBytes - at);
  if (hash.digest('hex') === file.sha256) return;
  const key = replicaFileKey(file.databaseId, file.backupId, file.replicaIndex);
  throw damaged(key, 'its pieces do not make the file of its digest');
}

async function* fetched(store: ObjectStore, file: ReplicaFile): AsyncGenerator<Part> {
  const ahead: { readonly offset: number; readonly bytes: Promise<Uint8Array> }[] = [];
  const take = async (): Promise<Part> => {
    const { offset, bytes } = ahead.shift()!;
    return { offset, bytes: await bytes };
  };
  for (const piece of file.pieces) {
    const bytes = fetchPiece(store, file, piece);
    // Rejections are seen when their turn comes.
    bytes.catch(() => undefined);
    ahead.push({ offset: piece.offset, bytes });
    if (ahead.length === PIECES_AHEAD) yield await take();
  }
  while (ahead.length > 0) yield await take();
}

function hashZeros(hash: Hash, count: number): void {
  for (let left = count; left > 0; left -= zeros.length)
    hash.update(zeros.subarray(0, Math.min(left, zeros.length)));
}
