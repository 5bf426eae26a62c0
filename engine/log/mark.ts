/**
 * Marks. A mark says that the group with its sequence was durable. The log writes one when it becomes idle and when it
 * closes, into two slots in turn. A damaged group at the log's end is a torn write unless a mark says that it was whole
 * once.
 */
import { Fields } from './fields.ts';
import { BLOCK_SIZE, MARK_SLOTS, MARKS_OFFSET } from './layout.ts';
import { seal, SEAL_SIZE, type SealKey, sealMatches } from './seal.ts';
import type { StorageFile } from './storage.ts';

const MAGIC = 0x4b52_4d4c; // "LMRK"
const MARK_SIZE = 32;

/** Writes a mark. The slots alternate, so that the mark before survives a torn write. */
export async function writeMark(
  file: StorageFile,
  key: SealKey,
  mark: { readonly slot: number; readonly sequence: number },
): Promise<void> {
  const fields = new Fields(new Uint8Array(BLOCK_SIZE));
  fields.putU32(0, MAGIC);
  fields.putU64(8, mark.sequence);
  fields.put(16, seal(key, fields.slice(0, 16)));
  await file.writeDurable(fields.bytes, MARKS_OFFSET + mark.slot * BLOCK_SIZE);
}

/** Returns the highest sequence in an intact mark (0 if there is none), and the slot to write next. */
export async function readMarks(
  file: StorageFile,
  key: SealKey,
): Promise<{ sequence: number; nextSlot: number }> {
  let newest = { sequence: 0, nextSlot: 0 };
  for (let slot = 0; slot < MARK_SLOTS; slot += 1) {
    const bytes = new Uint8Array(MARK_SIZE);
    const length = await file.read(bytes, MARKS_OFFSET + slot * BLOCK_SIZE);
    const fields = new Fields(bytes);
    if (length < MARK_SIZE || fields.u32(0) !== MAGIC) continue;
    if (!sealMatches(fields.slice(16, SEAL_SIZE), seal(key, fields.slice(0, 16)))) continue;
    if (fields.u64(8) > newest.sequence) {
      newest = { sequence: fields.u64(8), nextSlot: (slot + 1) % MARK_SLOTS };
    }
  }
  return newest;
}
