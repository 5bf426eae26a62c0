/** Makes a replica's data file from a backup. The file appears only when every byte is verified and durable. */
import { randomBytes } from 'node:crypto';
import { SectionKind } from '../ledger/checkpoint.ts';
import { diskStorage } from '../log/disk-storage.ts';
import { checkIdentity, createWhole, writeZeros } from '../log/format-file.ts';
import { LOG_OFFSET, roundUp } from '../log/layout.ts';
import type { ReplicaIdentity } from '../log/log.ts';
import { encodeManifest, manifestSize, type Piece, type StoredSection } from '../log/manifest.ts';
import { logSizeOf } from '../log/restore.ts';
import { seal, SEAL_SIZE } from '../log/seal.ts';
import type { Storage, StorageFile } from '../log/storage.ts';
import { writeSuperblock } from '../log/superblock.ts';
import { inParallel } from './in-parallel.ts';
import type { ObjectStore } from './object-store.ts';
import { CHUNKS_AHEAD, fetchChunk } from './read-rows.ts';
import type { BackupRecord, StoredChunk, StoredTable } from './record.ts';

export interface RestoreOptions {
  readonly store: ObjectStore;
  readonly record: BackupRecord;
  readonly to: string;
  readonly identity: ReplicaIdentity;
  /** Release that writes the file: major << 16 | minor << 8 | patch. */
  readonly release: number;
  readonly logSizeBytes?: number;
  readonly storage?: Storage;
}

export async function restoreBackup(options: RestoreOptions): Promise<void> {
  const { record, to, identity, release, storage = diskStorage } = options;
  checkIdentity(identity);
  const logSizeBytes = options.logSizeBytes ?? logSizeOf(identity);
  const key = randomBytes(SEAL_SIZE);
  const manifestOffset = LOG_OFFSET + logSizeBytes;
  const plan = planFile(record, manifestOffset);
  await createWhole(storage, to, async (file) => {
    await writeZeros(file, 0, manifestOffset);
    const written = new Map<number, readonly Piece[]>();
    for (const table of plan) written.set(table.table, await writeTable(options, file, key, table));
    const sections = plan.map(({ chunks: _places, bytes: _bytes, ...head }) => ({
      ...head,
      pieces: written.get(head.table) ?? [],
    }));
    const manifest = encodeManifest(sections);
    await file.write(manifest, manifestOffset);
    await file.sync();
    await writeSuperblock(file, {
      sequence: 1,
      release,
      identity,
      position: {
        op: record.op,
        timestamp: BigInt(record.timestamp),
        view: record.view,
        stateHash: Buffer.from(record.stateHash, 'hex'),
      },
      key,
      logSizeBytes,
      logSequence: 1,
      logParent: new Uint8Array(SEAL_SIZE),
      manifest: { offset: manifestOffset, size: manifest.length, seal: seal(key, manifest) },
    });
  });
}

/** A section of the file, with the places of its bytes. */
interface PlannedSection extends Omit<StoredSection, 'pieces'> {
  readonly chunks: readonly { readonly chunk?: StoredChunk; readonly offset: number }[];
  /** Bytes of a table that the record itself holds. */
  readonly bytes?: Uint8Array;
}

/** All sizes are known in advance, so that chunks can be written in any order. */
function planFile(
  { tables, inline }: BackupRecord,
  manifestOffset: number,
): readonly PlannedSection[] {
  const rows = tables.filter(({ rowCount }) => rowCount > 0);
  const pieces = [
    ...rows.map(({ chunks }) => ({ pieces: chunks })),
    ...inline.map(() => ({ pieces: [1] })),
  ];
  let at = manifestOffset + roundUp(manifestSize(pieces));
  const place = (size: number): number => {
    const offset = at;
    at += roundUp(size);
    return offset;
  };
  return [
    ...rows.map(({ table, rowSize, rowCount, chunks }) => ({
      kind: SectionKind.append,
      table,
      rowSize,
      firstRow: 0,
      rowCount,
      chunks: chunks.map((chunk) => ({ chunk, offset: place(chunk.rowCount * rowSize) })),
    })),
    ...inline.map(({ table, rowSize, bytes: text }) => {
      const bytes = Buffer.from(text, 'base64');
      return {
        kind: SectionKind.replace,
        table,
        rowSize,
        firstRow: 0,
        rowCount: bytes.length / rowSize,
        chunks: [{ offset: place(bytes.length) }],
        bytes,
      };
    }),
  ];
}

async function writeTable(
  { store, record }: RestoreOptions,
  file: StorageFile,
  key: Uint8Array,
  { table, rowSize, rowCount, chunks, bytes: inline }: PlannedSection,
): Promise<readonly Piece[]> {
  const stored: StoredTable = { table, rowSize, rowCount, chunks: [] };
  const pieces: Piece[] = [];
  await inParallel(chunks, CHUNKS_AHEAD, async ({ chunk, offset }) => {
    const bytes =
      chunk === undefined
        ? (inline ?? new Uint8Array(0))
        : await fetchChunk(store, record, stored, chunk);
    await file.write(bytes, offset);
    pieces.push({ offset, size: bytes.length, seal: seal(key, bytes) });
  });
  return pieces.sort((one, other) => one.offset - other.offset);
}
