/**
 * Inspection of a data file: its kind, and whether every byte is as it was written. It changes nothing and takes no lock.
 */
import {
  TIGERBEETLE_HEAD_SIZE,
  type TigerBeetleHead,
} from '../../domain/import-files/tigerbeetle-head.ts';
import { diskStorage } from './disk-storage.ts';
import { DataFileError } from './errors.ts';
import { SUPERBLOCK_COPIES, BLOCK_SIZE } from './layout.ts';
import type { CheckpointPosition, ReplicaIdentity } from './log.ts';
import { readManifest, sectionBytes, sectionChunks } from './manifest.ts';
import { scanLog } from './scan.ts';
import type { Storage, StorageFile } from './storage.ts';
import { readHead, type Superblock } from './superblock.ts';
import { readTigerBeetleHead } from './tigerbeetle-head.ts';

export interface DataFileHead {
  readonly identity: ReplicaIdentity;
  readonly release: number;
  /** Number of the newest checkpoint. */
  readonly sequence: number;
  readonly checkpoint: CheckpointPosition;
  /** 0 in an exported file. */
  readonly logSizeBytes: number;
}

export type DataFileInspection =
  | {
      readonly kind: 'ledgerhouse';
      readonly head: DataFileHead;
      readonly sizeBytes: number;
      /** Intact copies of the superblock, of four; the next start repairs the others. */
      readonly wholeCopies: number;
      readonly tables: readonly {
        readonly table: number;
        readonly sections: number;
        readonly bytes: number;
      }[];
      /** Number of entries after the checkpoint, and the last op in the file. */
      readonly logEntries: number;
      readonly lastOp: number;
      /** True if an unfinished write is at the log's end, which is harmless. */
      readonly tornTail: boolean;
      /** Damage that was found; empty if everything was verified. */
      readonly errors: readonly { readonly code: string; readonly message: string }[];
    }
  | { readonly kind: 'tigerbeetle'; readonly head: TigerBeetleHead; readonly sizeBytes: number };

/** Bytes of a file that are enough for `recogniseHead`. */
export const HEAD_SIZE = TIGERBEETLE_HEAD_SIZE;

/**
 * Recognises a file's kind by its first bytes. HEAD_SIZE bytes are enough for both kinds, 4 KiB for our own. Throws
 * DataFileError `not_a_data_file` for anything else.
 */
export function recogniseHead(
  bytes: Uint8Array,
):
  | { readonly kind: 'ledgerhouse'; readonly head: DataFileHead }
  | { readonly kind: 'tigerbeetle'; readonly head: TigerBeetleHead } {
  const foreign = readTigerBeetleHead(bytes);
  if (foreign) return { kind: 'tigerbeetle', head: foreign };
  return { kind: 'ledgerhouse', head: headOf(readHead(bytes).superblock) };
}

/** Inspects a file. Rejects with DataFileError if the head cannot be read; damage after the head is listed in `errors`. */
export async function inspectDataFile(
  path: string,
  storage: Storage = diskStorage,
): Promise<DataFileInspection> {
  const file = await storage.open(path, { writable: false, exclusive: false });
  try {
    const sizeBytes = await file.size();
    const bytes = new Uint8Array(Math.min(HEAD_SIZE, sizeBytes));
    await file.read(bytes, 0);
    const recognised = recogniseHead(bytes);
    if (recognised.kind === 'tigerbeetle') return { ...recognised, sizeBytes };
    const { superblock, wholeCopies } = readHead(bytes.subarray(0, SUPERBLOCK_COPIES * BLOCK_SIZE));
    return { ...recognised, sizeBytes, wholeCopies, ...(await verify(file, superblock)) };
  } finally {
    await file.close();
  }
}

type Findings = Omit<
  Extract<DataFileInspection, { kind: 'ledgerhouse' }>,
  'kind' | 'head' | 'sizeBytes' | 'wholeCopies'
>;

async function verify(file: StorageFile, superblock: Superblock): Promise<Findings> {
  const errors: { code: string; message: string }[] = [];
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof DataFileError)) throw error;
      errors.push({ code: error.code, message: error.message });
    }
  };
  const tables = new Map<number, { sections: number; bytes: number }>();
  await attempt(async () => {
    for (const section of await readManifest(file, superblock)) {
      const sums = tables.get(section.table) ?? { sections: 0, bytes: 0 };
      tables.set(section.table, {
        sections: sums.sections + 1,
        bytes: sums.bytes + sectionBytes(section),
      });
      await attempt(() => drain(sectionChunks(file, superblock.key, section)));
    }
  });
  let logEntries = 0;
  let tornTail = false;
  await attempt(async () => {
    const scan = await scanLog(file, superblock, () => {
      logEntries += 1;
    });
    tornTail = scan.torn.length > 0;
  });
  return {
    tables: [...tables].map(([table, sums]) => ({ table, ...sums })),
    logEntries,
    lastOp: superblock.position.op + logEntries,
    tornTail,
    errors,
  };
}

async function drain(chunks: AsyncIterable<Uint8Array>): Promise<void> {
  // Reading a section verifies it.
  for await (const chunk of chunks) void chunk;
}

function headOf({ identity, release, sequence, position, logSizeBytes }: Superblock): DataFileHead {
  return { identity, release, sequence, checkpoint: position, logSizeBytes };
}
