/**
 * Makes a backup of a data file while an engine goes on writing it. It sends only rows that no earlier backup has; the record
 * comes last, so that a backup exists whole or not at all. It may be killed at any point and run again.
 */
import { formatRelease } from '../wire/release.ts';
import type { StorageFile } from '../log/storage.ts';
import {
  allRecordKeys,
  openArchive,
  readRecord,
  recordKeys,
  writeRecord,
  type FoundRecord,
  type RecordKey,
} from './archive.ts';
import { decodeChunk, encodeChunk, rowsPerChunk, sha256, type ChunkHead } from './chunk.ts';
import { requireNotRemoved } from './data-files/record.ts';
import { ArchiveError, isLost } from './errors.ts';
import { inParallel } from './in-parallel.ts';
import { earlier, keepHead, keepUpTo, unlessMissing } from './keep-locked.ts';
import { chunkKey } from './keys.ts';
import { LiveRows } from './live-rows.ts';
import type { ObjectStore } from './object-store.ts';
import { sealedSize } from './sealed-object.ts';
import {
  chunksOf,
  RECORD_FORMAT,
  type BackupRecord,
  type StoredChunk,
  type StoredTable,
} from './record.ts';

export interface MakeOptions {
  readonly file: StorageFile;
  readonly store: ObjectStore;
  readonly databaseId: string;
  readonly backupId: string;
  /** The backup must contain this op. */
  readonly opMin: number;
  /** Reads every chunk of earlier backups again, and replaces damaged and missing ones. */
  readonly full: boolean;
  /** The store encrypts: chunks that earlier backups stored plain are stored again. */
  readonly seals: boolean;
  /** Maximum size of a chunk's rows. Tests make them smaller. */
  readonly chunkBytes?: number;
  readonly now: () => Date;
}

export interface MadeBackup extends FoundRecord {
  /** Objects and bytes that the store did not have before. */
  readonly newObjects: number;
  readonly newBytes: number;
}

/** Chunks at a time: with 4 MiB of rows each, they bound the memory. */
const CHUNKS_AT_A_TIME = 4;
const COPIES_MAX = 16;

export async function makeBackup(options: MakeOptions): Promise<MadeBackup> {
  const { file, store, databaseId, backupId, opMin, seals, now } = options;
  const startedAt = now().toISOString();
  const rows = await LiveRows.open(file);
  const { identity, position, release } = rows.superblock;
  if (position.op < opMin) {
    throw new ArchiveError(
      'checkpoint_old',
      `The data file's newest checkpoint is at op ${position.op}, and the backup is to contain op ${opMin}. Ask the engine for a checkpoint first.`,
    );
  }
  await openArchive(store, databaseId, identity.clusterId);
  // The sweep would take it for the removed one, or forget the removal and leave a record without rows.
  await requireNotRemoved(store, options);
  const keys = await recordKeys(store, databaseId);
  const own = keys.find((one) => one.backupId === backupId);
  // An earlier try made it, whose result was lost.
  if (own !== undefined) {
    return { ...(await readRecord(store, databaseId, own.key)), newObjects: 0, newBytes: 0 };
  }
  const last = keys.findLast(({ op }) => op <= position.op);
  const newest = last && (await readRecord(store, databaseId, last.key));
  const before = newest?.record;
  const base = (await isContinued(rows, before)) ? before : undefined;
  const making = new Making(options, rows, base, await takenBySweep(store, databaseId, keys, base));
  const tables: StoredTable[] = [];
  for (const table of rows.tables) tables.push(await making.store(table));
  const { locks } = store;
  let lockedUntil: string | undefined;
  if (locks !== undefined) {
    const shared = new Set(chunksOf({ databaseId, tables }).map(({ name }) => name));
    await keepUpTo(store, locks, { databaseId, before: newest, shared, op: position.op });
    const head = await keepHead(store, locks, databaseId);
    const ends = tables.flatMap(({ chunks }) => chunks.map((one) => one.lockedUntil ?? head));
    lockedUntil = [head, ...ends].reduce(earlier, locks.endOfNew());
  }
  const record: BackupRecord = {
    format: RECORD_FORMAT,
    databaseId,
    backupId,
    clusterId: String(identity.clusterId),
    replicaIndex: identity.replicaIndex,
    replicaCount: identity.replicaCount,
    release: formatRelease(release),
    op: position.op,
    timestamp: String(position.timestamp),
    view: position.view,
    stateHash: Buffer.from(position.stateHash).toString('hex'),
    ...(seals && { sealed: true as const }),
    ...(lockedUntil !== undefined && { lockedUntil }),
    tables,
    inline: rows.inline.map((one) => ({
      ...one,
      bytes: Buffer.from(one.bytes).toString('base64'),
    })),
    startedAt,
    completedAt: now().toISOString(),
  };
  const { newObjects, newBytes } = making;
  return { ...(await writeRecord(store, record)), newObjects, newBytes };
}

/**
 * Whether the file's history continues a backup's. After the restore of an older copy into the same database it does not: then
 * the last rows of some table differ, since a timestamp never occurs twice.
 */
async function isContinued(rows: LiveRows, before: BackupRecord | undefined): Promise<boolean> {
  for (const { table, rowSize, rowCount, chunks } of before?.tables ?? []) {
    const now = rows.tables.find((one) => one.table === table);
    const last = chunks.at(-1);
    if (last === undefined) continue;
    if (now === undefined || now.rowSize !== rowSize || now.rowCount < rowCount) return false;
    const bytes = await rows.read(table, last.firstRow, last.rowCount);
    if (sha256(bytes).toString('hex') !== last.sha256) return false;
  }
  return before !== undefined;
}

/**
 * Names of chunks that a sweep may delete at any time: it does not know of a backup before its record is written. A new backup
 * stores such rows under other names.
 */
async function takenBySweep(
  store: ObjectStore,
  databaseId: string,
  living: readonly RecordKey[],
  base: BackupRecord | undefined,
): Promise<ReadonlySet<string>> {
  const doomed = new Set<string>();
  for (const { key } of await allRecordKeys(store, databaseId)) {
    if (living.some((one) => one.key === key)) continue;
    const found = await readRecord(store, databaseId, key).catch(unlessLost);
    for (const { name } of found === undefined ? [] : chunksOf(found.record)) doomed.add(name);
  }
  for (const { name } of base === undefined ? [] : chunksOf(base)) doomed.delete(name);
  return doomed;
}

/** A removed backup that is damaged or gone names no chunks to the sweep either. */
function unlessLost(error: unknown): undefined {
  if (!isLost(error)) throw error;
}

class Making {
  readonly #options: MakeOptions;
  readonly #rows: LiveRows;
  readonly #before: ReadonlyMap<number, StoredTable>;
  readonly #doomed: ReadonlySet<string>;
  newObjects = 0;
  newBytes = 0;

  constructor(
    options: MakeOptions,
    rows: LiveRows,
    base: BackupRecord | undefined,
    doomed: ReadonlySet<string>,
  ) {
    this.#options = options;
    this.#rows = rows;
    this.#before = new Map(base?.tables.map((table) => [table.table, table]));
    this.#doomed = doomed;
  }

  async store(table: Omit<StoredTable, 'chunks'>): Promise<StoredTable> {
    const { table: id, rowSize, rowCount } = table;
    const perChunk = rowsPerChunk(rowSize, this.#options.chunkBytes);
    const chunks: StoredChunk[] = [];
    const known = this.#before.get(id)?.chunks ?? [];
    const starts: Pick<StoredChunk, 'firstRow' | 'rowCount'>[] = [];
    const reused: StoredChunk[] = [];
    for (let firstRow = 0; firstRow < rowCount; firstRow += perChunk) {
      const count = Math.min(perChunk, rowCount - firstRow);
      const same = known.find(
        (one) =>
          one.firstRow === firstRow &&
          one.rowCount === count &&
          (one.sealed ?? false) === this.#options.seals,
      );
      if (same !== undefined && !this.#options.full) reused.push(same);
      else starts.push({ firstRow, rowCount: count });
    }
    await inParallel(reused, CHUNKS_AT_A_TIME, async (chunk) => {
      const kept = await this.#keep(id, chunk);
      if (kept === undefined) starts.push(chunk);
      else chunks.push(kept);
    });
    const read = this.#read(table, starts);
    await inParallel(read, CHUNKS_AT_A_TIME, async ({ head, bytes }) => {
      chunks.push(await this.#storeChunk(head, bytes));
    });
    return { ...table, chunks: chunks.sort((one, other) => one.firstRow - other.firstRow) };
  }

  /** The chunk, locked for long enough if objects are. `undefined`: it is lost, and is stored again. */
  async #keep(table: number, chunk: StoredChunk): Promise<StoredChunk | undefined> {
    const { store, databaseId } = this.#options;
    const { locks } = store;
    if (locks === undefined) return chunk;
    if (chunk.lockedUntil !== undefined && locks.isEnough(chunk.lockedUntil)) return chunk;
    const lockedUntil = await locks.keep(chunkKey(databaseId, table, chunk)).catch(unlessMissing);
    return lockedUntil === undefined ? undefined : { ...chunk, lockedUntil };
  }

  async *#read(
    { table, rowSize }: Omit<StoredTable, 'chunks'>,
    starts: readonly { readonly firstRow: number; readonly rowCount: number }[],
  ): AsyncGenerator<{ head: ChunkHead; bytes: Uint8Array }> {
    const { databaseId } = this.#options;
    for (const { firstRow, rowCount } of starts) {
      const head = { databaseId, table, rowSize, firstRow, rowCount };
      yield { head, bytes: await this.#rows.read(table, firstRow, rowCount) };
    }
  }

  async #storeChunk(head: ChunkHead, bytes: Uint8Array): Promise<StoredChunk> {
    const { store, databaseId, seals } = this.#options;
    const { table, firstRow, rowCount } = head;
    const digest = sha256(bytes).toString('hex');
    const object = await encodeChunk(head, bytes);
    let damagedCopies = 0;
    for (let copy = 0; ; copy += 1) {
      const chunk = {
        firstRow,
        rowCount,
        sha256: digest,
        copy,
        ...(seals && { sealed: true as const }),
      };
      const key = chunkKey(databaseId, table, chunk);
      if (this.#doomed.has(key)) continue;
      const lockedUntil = store.locks?.endOfNew();
      const locked = lockedUntil === undefined ? {} : { lockedUntil };
      if ((await store.create(key, object)) === 'created') {
        this.newObjects += 1;
        const storedBytes = seals ? sealedSize(object.length) : object.length;
        this.newBytes += storedBytes;
        return { ...chunk, ...locked, storedBytes };
      }
      try {
        // Encrypted objects are verified already as they are opened.
        const found = await store.read(key);
        await decodeChunk(key, found, { ...head, sha256: digest });
        const kept = await store.locks?.keep(key);
        return {
          ...chunk,
          ...(kept !== undefined && { lockedUntil: kept }),
          storedBytes: seals ? sealedSize(found.length) : found.length,
        };
      } catch (error) {
        // Objects are never replaced: intact rows get another name.
        const isDamaged = error instanceof ArchiveError && error.code === 'object_damaged';
        damagedCopies += 1;
        if (!isDamaged || damagedCopies > COPIES_MAX) throw error;
      }
    }
  }
}
