/**
 * Makes a replica's data file from a backup. The file appears only when every byte is verified and durable. The rows are written
 * as pages, so that a ledger larger than memory can be loaded.
 */
import { randomBytes } from 'node:crypto';
import { assert } from '../../base/assert.ts';
import { SectionKind } from '../ledger/checkpoint.ts';
import { diskStorage } from '../log/disk-storage.ts';
import { checkIdentity, createWhole, writeZeros } from '../log/format-file.ts';
import { FORMAT_VERSION_OF_COPIES, LOG_OFFSET, roundUp } from '../log/layout.ts';
import type { ReplicaIdentity } from '../log/log.ts';
import {
  encodeManifest,
  manifestSize,
  pieceSizes,
  sectionBytes,
  type Piece,
  type StoredSection,
} from '../log/manifest.ts';
import { logSizeOf } from '../log/restore.ts';
import { seal, SEAL_SIZE } from '../log/seal.ts';
import type { Storage, StorageFile } from '../log/storage.ts';
import { writeSuperblock } from '../log/superblock.ts';
import { joinBytes } from './join-bytes.ts';
import type { ObjectStore } from './object-store.ts';
import { pagesOf, sectionsOf } from './paged-rows.ts';
import { fetchTable } from './read-rows.ts';
import type { BackupRecord, StoredTable } from './record.ts';

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
    const sections: StoredSection[] = [];
    for (const table of plan) sections.push(...(await writeTable(options, file, key, table)));
    const manifest = encodeManifest(sections);
    await file.write(manifest, manifestOffset);
    await file.sync();
    await writeSuperblock(file, {
      formatVersion: FORMAT_VERSION_OF_COPIES,
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

type PlannedSection = Omit<StoredSection, 'pieces'> & {
  readonly pieces: readonly Omit<Piece, 'seal'>[];
};

/** A table of the backup, and the sections that it becomes, whose bytes follow one another. */
interface PlannedTable {
  readonly sections: readonly PlannedSection[];
  /** The table's rows in the bucket, or bytes that the record itself holds. */
  readonly rows?: StoredTable;
  readonly bytes?: Uint8Array;
}

/** All sizes are known in advance, so that the manifest comes first. */
function planFile(
  { tables, inline }: BackupRecord,
  manifestOffset: number,
): readonly PlannedTable[] {
  const planned = [
    ...tables
      .filter(({ rowCount }) => rowCount > 0)
      .map((rows) => ({ rows, sections: sectionsOf(rows) })),
    ...inline.map(({ table, rowSize, bytes: text }) => {
      const bytes = Buffer.from(text, 'base64');
      const rowCount = bytes.length / rowSize;
      const kind = SectionKind.replace;
      return { bytes, sections: [{ kind, table, rowSize, firstRow: 0, rowCount }] };
    }),
  ];
  const sizes = planned.flatMap(({ sections }) =>
    sections.map((section) => ({ pieces: pieceSizes(sectionBytes(section)) })),
  );
  let at = manifestOffset + roundUp(manifestSize(sizes));
  return planned.map((table) => ({
    ...table,
    sections: table.sections.map((section) => ({
      ...section,
      pieces: pieceSizes(sectionBytes(section)).map((size) => {
        const offset = at;
        at += roundUp(size);
        return { offset, size };
      }),
    })),
  }));
}

/** Writes a table's sections one after another. Chunks are fetched ahead meanwhile. */
async function writeTable(
  { store, record }: RestoreOptions,
  file: StorageFile,
  key: Uint8Array,
  { sections, rows, bytes: inline }: PlannedTable,
): Promise<readonly StoredSection[]> {
  const pieces = sections.flatMap((section) => section.pieces);
  const written: Piece[] = [];
  const content = rows === undefined ? [inline!] : pagesOf(fetchTable(store, record, rows), rows);
  for await (const bytes of joinBytes(
    content,
    pieces.map(({ size }) => size),
  )) {
    const place = pieces[written.length]!;
    await file.write(bytes, place.offset);
    written.push({ ...place, seal: seal(key, bytes) });
  }
  assert(written.length === pieces.length, 'a backup has the rows that its record counts');
  return sections.map((section) => ({
    ...section,
    pieces: written.splice(0, section.pieces.length),
  }));
}
