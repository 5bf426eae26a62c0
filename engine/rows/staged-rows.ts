/**
 * Files with rows in a bucket, as somebody uploaded them in parts. They are read in ranges and are never on a disk. The caller
 * gives a digest of each: a file that was exchanged since is refused, each time that it is read.
 */
import { createHash, type Hash } from 'node:crypto';
import { stagedRowsKey, type RowsName } from '../../domain/import-files/staged-key.ts';
import { ArchiveError } from '../archive/errors.ts';
import type { RangedStore } from '../archive/object-store.ts';
import { accountRows, transferRows, type RowKind } from './columns.ts';
import type { RowFiles } from './import-rows.ts';
import type { RowFile } from './row-reader.ts';

export interface StagedRows {
  readonly importId: string;
  /** Digests: SHA-256 of the SHA-256s of a file's parts, in hexadecimal. */
  readonly accounts: string;
  readonly transfers: string | undefined;
  readonly partSizeBytes: number;
}

/** Bytes of one request. */
const WINDOW = 4 << 20;

export function stagedRowFiles(store: RangedStore, staged: StagedRows): RowFiles {
  const file = (kind: RowKind, digest: string) => stagedRowFile(store, kind, digest, staged);
  const { accounts, transfers } = staged;
  return {
    accounts: file(accountRows, accounts),
    ...(transfers === undefined ? {} : { transfers: file(transferRows, transfers) }),
  };
}

function stagedRowFile(
  store: RangedStore,
  kind: RowKind,
  digest: string,
  { importId, partSizeBytes }: StagedRows,
): RowFile {
  const key = stagedRowsKey(importId, kind.name satisfies RowsName);
  async function* open(): AsyncGenerator<Uint8Array> {
    const parts = new PartDigest(partSizeBytes);
    for (let at = 0, sizeBytes = Infinity; at < sizeBytes;) {
      const read = await readRange(store, key, at);
      if (read.bytes.length === 0) break;
      parts.add(read.bytes);
      yield read.bytes;
      at += read.bytes.length;
      sizeBytes = read.sizeBytes;
    }
    if (parts.end() === digest) return;
    throw new ArchiveError(
      'import_differs',
      `${key}: it is not the file that was uploaded. Nothing was made of it; upload both files again, in another import.`,
      { key },
    );
  }
  return { name: kind.name, kind, open };
}

async function readRange(store: RangedStore, key: string, at: number) {
  try {
    return await store.readRange(key, at, WINDOW);
  } catch (error) {
    if (!(error instanceof ArchiveError) || error.code !== 'object_missing') throw error;
    const what = 'there is no such object. Its import was deleted, has expired or was used.';
    throw new ArchiveError('import_missing', `${key}: ${what}`, { key, cause: error });
  }
}

/** Digest of a file that comes piece by piece. */
class PartDigest {
  readonly #partSizeBytes: number;
  readonly #whole = createHash('sha256');
  #part: Hash | undefined;
  #inPart = 0;

  constructor(partSizeBytes: number) {
    this.#partSizeBytes = partSizeBytes;
  }

  add(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length;) {
      const piece = bytes.subarray(at, at + this.#partSizeBytes - this.#inPart);
      this.#part ??= createHash('sha256');
      this.#part.update(piece);
      this.#inPart += piece.length;
      at += piece.length;
      if (this.#inPart === this.#partSizeBytes) this.#endPart();
    }
  }

  end(): string {
    this.#endPart();
    return this.#whole.digest('hex');
  }

  #endPart(): void {
    if (this.#part !== undefined) this.#whole.update(this.#part.digest());
    this.#part = undefined;
    this.#inPart = 0;
  }
}
