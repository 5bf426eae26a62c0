/** A data file as written by releases without merging of pieces: each row of the toy state's history is a section. */
import { SectionKind } from '../../ledger/checkpoint.ts';
import {
  encodeManifest,
  manifestSize,
  readManifest,
  readPiece,
  type StoredSection,
} from '../manifest.ts';
import { LOG_OFFSET, roundUp } from '../layout.ts';
import { seal } from '../seal.ts';
import { readSuperblock, writeSuperblock } from '../superblock.ts';
import { MemoryStorage } from './memory-storage.ts';
import { createToyFile, messageOf, PATH, ToyReplica } from './replica.ts';

/** The toy state's table that only grows. */
export const HISTORY = 1;

/** Makes a closed file whose checkpoint has a section for each of `rows` messages. Returns its bytes and those messages. */
export async function fileOfManySections(
  rows: number,
): Promise<{ bytes: Uint8Array; messages: readonly Uint8Array[] }> {
  const disk = new MemoryStorage();
  await createToyFile(disk, 64 << 10);
  const replica = await ToyReplica.start(disk);
  while (replica.messages.length < rows) {
    const batch: Promise<void>[] = [];
    while (batch.length < 100 && replica.messages.length < rows) {
      batch.push(replica.append(messageOf(replica.state.op + 1, 50)));
    }
    await Promise.all(batch);
    await replica.checkpoint();
  }
  await replica.log.close();
  await splitHistory(disk);
  return { bytes: disk.bytes(PATH), messages: replica.messages };
}

async function splitHistory(disk: MemoryStorage): Promise<void> {
  const file = await disk.open(PATH, { exclusive: true });
  const superblock = await readSuperblock(file);
  const { key, logSizeBytes } = superblock;
  const rows: { section: StoredSection; bytes: Uint8Array }[] = [];
  for (const section of await readManifest(file, superblock)) {
    const parts = await Promise.all(section.pieces.map((piece) => readPiece(file, key, piece)));
    const bytes = Buffer.concat(parts);
    const count = section.table === HISTORY ? section.rowCount : 1;
    const kind = section.table === HISTORY ? SectionKind.append : section.kind;
    for (let row = 0; row < count; row += 1) {
      const size = bytes.length / count;
      const own = bytes.subarray(row * size, (row + 1) * size);
      const head = { firstRow: section.firstRow + row, rowCount: section.rowCount / count };
      rows.push({ section: { ...section, kind, ...head }, bytes: own });
    }
  }
  // All rows are in memory now. They are written one after another from the log's end on, so that nothing is free between.
  let end = LOG_OFFSET + logSizeBytes;
  const sections: StoredSection[] = [];
  for (const { section, bytes } of rows) {
    await file.write(bytes, end);
    const pieces = [{ offset: end, size: bytes.length, seal: seal(key, bytes) }];
    sections.push({ ...section, pieces });
    end += roundUp(bytes.length);
  }
  const manifest = encodeManifest(sections);
  const padded = new Uint8Array(roundUp(manifestSize(sections)));
  padded.set(manifest);
  await file.write(padded, end);
  await file.sync();
  await writeSuperblock(file, {
    ...superblock,
    sequence: superblock.sequence + 1,
    manifest: { offset: end, size: manifest.length, seal: seal(superblock.key, manifest) },
  });
  await file.close();
}
