/** An object with rows of one table: a head that describes it, and the rows, compressed. FORMAT.md, "Chunk". */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { constants, zstdCompress, zstdDecompress } from 'node:zlib';
import { PIECE_SIZE_MAX } from '../log/layout.ts';
import { Fields } from '../log/fields.ts';
import { ArchiveError, damaged } from './errors.ts';

const MAGIC = 0x4b48434c; // "LCHK"
const VERSION = 1;
const HEAD_SIZE = 192;
const HEAD_SEALED = 160;
const DATABASE_BYTES_MAX = 64;
/** Bytes of the hash of the compressed rows: the compression itself ignores some bits. */
const PAYLOAD_HASH_BYTES = 16;

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

/** Number of a table's rows in a chunk, except in the table's last one. A chunk is one piece of a data file. */
export const rowsPerChunk = (rowSize: number, bytesMax = PIECE_SIZE_MAX): number =>
  Math.floor(bytesMax / rowSize);

export interface ChunkHead {
  readonly databaseId: string;
  readonly table: number;
  readonly rowSize: number;
  readonly firstRow: number;
  readonly rowCount: number;
}

export const sha256 = (...parts: readonly Uint8Array[]): Buffer => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};

export async function encodeChunk(head: ChunkHead, rows: Uint8Array): Promise<Uint8Array> {
  const payload = await compress(rows, {
    params: { [constants.ZSTD_c_compressionLevel]: 1 },
  });
  const object = new Uint8Array(HEAD_SIZE + payload.length);
  const fields = new Fields(object);
  fields.putU32(0, MAGIC);
  fields.putU32(4, VERSION);
  fields.putU32(8, head.table);
  fields.putU32(12, head.rowSize);
  fields.putU64(16, head.firstRow);
  fields.putU64(24, head.rowCount);
  fields.putU64(32, rows.length);
  fields.putU64(40, payload.length);
  fields.put(48, sha256(rows));
  fields.put(80, databaseBytes(head.databaseId));
  fields.put(144, payloadHash(payload));
  fields.put(HEAD_SEALED, sha256(object.subarray(0, HEAD_SEALED)));
  object.set(payload, HEAD_SIZE);
  return object;
}

/** Returns the rows of a chunk and verifies every byte. Rejects with ArchiveError that names the key. */
export async function decodeChunk(
  key: string,
  object: Uint8Array,
  expected: ChunkHead & { readonly sha256: string },
): Promise<Uint8Array> {
  const fields = new Fields(object);
  if (object.length < HEAD_SIZE || fields.u32(0) !== MAGIC) throw damaged(key, 'it is no chunk');
  if (fields.u32(4) !== VERSION) {
    throw new ArchiveError(
      'format_unknown',
      `${key} has format ${fields.u32(4)}, this release knows ${VERSION}. Use a newer release.`,
      { key },
    );
  }
  const seal = sha256(object.subarray(0, HEAD_SEALED));
  if (!seal.equals(fields.slice(HEAD_SEALED, 32))) throw damaged(key, 'its head is damaged');
  if (!databaseBytes(expected.databaseId).equals(fields.slice(80, DATABASE_BYTES_MAX))) {
    throw new ArchiveError('archive_foreign', `${key} belongs to another database.`, { key });
  }
  const isExpected =
    fields.u32(8) === expected.table &&
    fields.u32(12) === expected.rowSize &&
    fields.u64(16) === expected.firstRow &&
    fields.u64(24) === expected.rowCount;
  if (!isExpected) throw damaged(key, 'it holds other rows than the backup says');
  if (fields.u64(40) !== object.length - HEAD_SIZE) throw damaged(key, 'it is cut');
  const size = fields.u64(32);
  if (size !== expected.rowSize * expected.rowCount || size > PIECE_SIZE_MAX)
    throw damaged(key, 'its size is not that of its rows');
  if (!payloadHash(object.subarray(HEAD_SIZE)).equals(fields.slice(144, PAYLOAD_HASH_BYTES)))
    throw damaged(key, 'its compressed rows are damaged');
  const rows = await decompress(object.subarray(HEAD_SIZE), { maxOutputLength: size }).catch(
    () => undefined,
  );
  const digest = rows === undefined ? '' : sha256(rows).toString('hex');
  if (rows?.length !== size || digest !== expected.sha256)
    throw damaged(key, 'its rows are damaged');
  return rows;
}

const payloadHash = (payload: Uint8Array): Buffer =>
  sha256(payload).subarray(0, PAYLOAD_HASH_BYTES);

function databaseBytes(databaseId: string): Buffer {
  const bytes = Buffer.alloc(DATABASE_BYTES_MAX);
  bytes.write(databaseId, 'utf8');
  return bytes;
}
