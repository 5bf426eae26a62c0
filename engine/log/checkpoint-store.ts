/**
 * Writer of checkpoints into the extents after the log ring. The order of steps makes them safe: reserve room, write pieces
 * and manifest where nothing durable refers to, sync, write the superblock, and only then free anything older.
 *
 * When there is no room, the delta stays unread and the next call continues with it. The state machine hands out its
 * changes only once, so dropping them would cost a new copy of everything, and that on a full disk. Only derived tables are
 * left out then, because a start makes them from the others; if that is not enough, the room of those that are there is freed, but for
 * segments of the index that have left memory.
 *
 * A checkpoint never writes a second copy of a table to keep the manifest short. It copies a few small pieces into one
 * larger piece (merge.ts) of at most 4 MiB, or skips that when there is no room for it.
 */
import { assert } from '../../base/assert.ts';
import {
  DerivedTables,
  INDEX_TABLE,
  isDerived,
  SectionKind,
  type Checkpointed,
  type Section,
  type SectionHead,
} from '../ledger/checkpoint.ts';
import { StorageFullError } from './errors.ts';
import { ExtentAllocator, type Extent } from './extents.ts';
import { FORMAT_VERSION, LOG_OFFSET, PIECE_SIZE_MAX, roundUp } from './layout.ts';
import type { CheckpointPosition } from './log.ts';
import {
  encodeManifest,
  MANIFEST_SIZE_MAX,
  manifestSize,
  PIECE_RECORD_SIZE,
  pieceSizes,
  readPiece,
  sectionBytes,
  type Piece,
  type StoredSection,
} from './manifest.ts';
import { chooseMerge, hasManyPieces, joinSections, withMerged, type Merge } from './merge.ts';
import { seal } from './seal.ts';
import { isFull, type StorageFile } from './storage.ts';
import { writeSuperblock, type Superblock } from './superblock.ts';

/** The log in the same file, which a checkpoint frees. */
export interface LogInFile {
  /** Resolves when the entry `op` is durable. */
  durable(op: number): Promise<void>;
  /** Returns from which group on the log is needed once a checkpoint contains `op`. */
  startAfter(op: number): { readonly sequence: number; readonly parent: Uint8Array };
  /** Frees the groups before `sequence`. */
  release(sequence: number): void;
}

interface CheckpointStoreOptions {
  readonly file: StorageFile;
  readonly superblock: Superblock;
  readonly sections: readonly StoredSection[];
  /** The log in the file; `undefined` if the log is elsewhere, where every executed entry is committed. */
  readonly ring: LogInFile | undefined;
  readonly release: number;
  /** Returns the bytes by which the file may grow on the volume now. A write that does not fit fails. */
  readonly room: () => Promise<number>;
  /** Format version that the file has after a checkpoint; by default the newest. */
  readonly formatVersion?: number;
  /** Called between pieces with the time that the last one took, so that appends get through. */
  readonly pause: (tookMs: number) => Promise<void>;
}

/** Bytes per write when the file grows. */
const GROW_SIZE = 4 << 20;
/** A piece of this size or more is synced by itself. */
const SYNC_SIZE = 1 << 20;
/** Superseded updates of a table are kept up to this size, or the table's own if that is more. */
const UPDATE_BYTES_MIN = 64 << 20;

/** A checkpoint that was not made of this replica's state. */
export interface OtherCheckpoint {
  readonly position: CheckpointPosition;
  readonly sections: readonly StoredSection[];
}

interface Delta {
  readonly sections: readonly Section[];
  readonly position: CheckpointPosition;
  readonly rewrite: ReadonlySet<number>;
  /** Derived tables of the checkpoint with this delta. */
  readonly derived: DerivedTables;
}

/** Places of a delta's pieces and of the new manifest, and the free room beside them. */
interface Plan {
  readonly offsets: readonly number[][];
  readonly manifestOffset: number;
  readonly manifestSize: number;
  readonly end: number;
  readonly allocator: ExtentAllocator;
}

/** A merge whose bytes were read and verified, and the offset found for them. */
interface ReadyMerge {
  readonly merge: Merge;
  readonly bytes: Uint8Array;
  readonly offset: number;
}

export class CheckpointStore {
  readonly #options: CheckpointStoreOptions;
  #superblock: Superblock;
  #sections: readonly StoredSection[];
  #waiting: Delta | undefined;
  #running = false;
  /** Heads are written one after another. */
  #turn: Promise<unknown> = Promise.resolve();
  #isIndexSuspect = false;
  /** Tables that the next delta holds completely, because their stored parts are damaged. */
  #mustRewrite: ReadonlySet<number> = NO_TABLES;
  readonly #pins = new Set<readonly Extent[]>();
  /** Pieces that a merge could not read. */
  readonly #damaged = new WeakSet<Piece>();

  constructor(options: CheckpointStoreOptions) {
    this.#options = options;
    this.#superblock = options.superblock;
    this.#sections = joinSections(options.sections);
  }

  get superblock(): Superblock {
    return this.#superblock;
  }

  get sections(): readonly StoredSection[] {
    return this.#sections;
  }

  /** Keeps the newest checkpoint's bytes, or these of it, where they are until the returned function is called. */
  pin(extents: readonly Extent[] = extentsOf(this.#superblock, this.#sections)): () => void {
    this.#pins.add(extents);
    return () => this.#pins.delete(extents);
  }

  /**
   * Writes `state` as it is now. Resolves with the position that is durable then. It is an older one if the call before
   * found no room, because this call continues with that delta. Rejects with StorageFullError, or with the system's error
   * if a write failed, which is final.
   */
  async checkpoint(state: Checkpointed, position: CheckpointPosition): Promise<CheckpointPosition> {
    assert(!this.#running, 'one checkpoint at a time');
    this.#running = true;
    try {
      this.#waiting ??= this.#takeDelta(state, position);
      const plan = await this.#makeRoom(this.#waiting, state);
      const delta: Delta = this.#waiting;
      const kept = keptSections(this.#sections, delta);
      const merge = hasManyPieces(kept) ? await this.#readyMerge(kept, plan) : undefined;
      assertManifestFits(plan, merge);
      const stored = [
        ...(merge ? await this.#writeMerge(kept, merge) : kept),
        ...(await this.#writeSections(delta, plan.offsets)),
      ];
      await this.#commit(delta, joinSections(stored), plan.manifestOffset);
      this.#waiting = undefined;
      state.stored(delta.derived, delta.rewrite);
      return delta.position;
    } finally {
      this.#running = false;
    }
  }

  /**
   * Adds derived tables to the newest checkpoint, which is committed once more with them. Resolves with false if there is no room. No
   * checkpoint may wait.
   */
  async addDerived(state: Pick<Checkpointed, 'takeDelta' | 'stored'>): Promise<boolean> {
    const { position } = this.#superblock;
    const delta: Delta = {
      sections: state.takeDelta(NO_TABLES),
      position,
      rewrite: NO_TABLES,
      derived: DerivedTables.new,
    };
    let plan: Plan;
    try {
      plan = await this.#reservePlan(delta);
    } catch (error) {
      if (error instanceof StorageFullError) return false;
      throw error;
    }
    const kept = keptSections(this.#sections, delta);
    const sections = joinSections([...kept, ...(await this.#writeSections(delta, plan.offsets))]);
    const manifest = await this.#writeManifest(sections, plan.manifestOffset);
    const { formatVersion = FORMAT_VERSION } = this.#options;
    await this.#turnTo(
      (head) => ({ ...head, formatVersion, manifest, isIndexSuspect: false }),
      sections,
    );
    state.stored(delta.derived, delta.rewrite);
    return true;
  }

  /**
   * Puts another checkpoint in place of the newest one, which stays as it is until all of the other is durable. `make` writes pieces beside it,
   * and returns the other's position and sections, which may have pieces of the newest one. Rejects with StorageFullError, and changes
   * nothing, if there is no room; a failed write is final.
   */
  async adopt(
    make: (write: (bytes: Uint8Array) => Promise<Piece>) => Promise<OtherCheckpoint>,
  ): Promise<void> {
    assert(!this.#running, 'one checkpoint at a time');
    this.#running = true;
    try {
      const allocator = this.#allocator();
      const allocate = async (size: number): Promise<number> => {
        const offset = allocator.allocate(size);
        await this.#reserve(offset + roundUp(size));
        return offset;
      };
      const written: Piece[] = [];
      const { position, sections } = await make(async (bytes) => {
        const piece = await this.#writePiece(bytes, await allocate(bytes.length));
        written.push(piece);
        return piece;
      });
      const joined = joinSections(sections);
      const size = manifestSize(joined);
      if (size > MANIFEST_SIZE_MAX) throw manifestTooLong(size);
      const manifest = await this.#writeManifest(joined, await allocate(size));
      const { file, release, formatVersion = FORMAT_VERSION } = this.#options;
      for (const piece of written) await readPiece(file, this.#superblock.key, piece);
      const next = { formatVersion, release, position, manifest };
      await this.#turnTo((head) => ({ ...head, ...next }), joined);
      this.#waiting = undefined;
    } finally {
      this.#running = false;
    }
  }

  /** Notes in the head that the next start must verify derived tables completely. It needs no room. */
  async suspectIndex(): Promise<void> {
    this.#isIndexSuspect = true;
    await this.#turnTo((head) => head);
  }

  /** Lets the next delta hold a whole table, so that its checkpoint drops the stored parts of the table. */
  rewrite(table: number): void {
    this.#mustRewrite = new Set([...this.#mustRewrite, table]);
  }

  #takeDelta(state: Checkpointed, position: CheckpointPosition): Delta {
    const rewrite = new Set([...tablesToRewrite(this.#sections), ...this.#mustRewrite]);
    this.#mustRewrite = NO_TABLES;
    const { new: derived } = DerivedTables;
    return { sections: state.takeDelta(rewrite), position, rewrite, derived };
  }

  /** Plans the delta that waits and reserves its room: without derived tables if there is not enough for them. */
  async #makeRoom(delta: Delta, state: Checkpointed): Promise<Plan> {
    const least = withoutDerived(delta);
    try {
      return await this.#reservePlan(delta);
    } catch (error) {
      if (!(error instanceof StorageFullError)) throw error;
      const narrow = withoutRewrites(delta, this.#sections);
      if (narrow !== delta) {
        this.#waiting = narrow;
        return this.#makeRoom(narrow, state);
      }
      if (least === delta && !this.#hasDerived) throw error;
    }
    this.#waiting = least;
    try {
      return await this.#reservePlan(least);
    } catch (error) {
      if (!(error instanceof StorageFullError) || !this.#hasDerived) throw error;
    }
    await this.#dropDerived(state.keptTables?.() ?? NO_TABLES);
    this.#waiting = { ...least, derived: DerivedTables.none };
    return this.#reservePlan(this.#waiting);
  }

  async #reservePlan(delta: Delta): Promise<Plan> {
    const plan = this.#plan(delta);
    await this.#reserve(plan.end);
    return plan;
  }

  get #hasDerived(): boolean {
    return this.#sections.some(({ table }) => isDerived(table));
  }

  /** Commits the newest checkpoint once more, with none of its derived tables but those. The room of the others is free then. */
  async #dropDerived(kept: ReadonlySet<number>): Promise<void> {
    const stays = (table: number): boolean =>
      !isDerived(table) || kept.has(table) || (kept.size > 0 && table === INDEX_TABLE);
    const sections = this.#sections.filter(({ table }) => stays(table));
    const size = manifestSize(sections);
    const offset = this.#allocator().allocate(size);
    await this.#reserve(offset + roundUp(size));
    const manifest = await this.#writeManifest(sections, offset);
    await this.#turnTo((head) => ({ ...head, manifest }), sections);
  }

  #plan(delta: Delta): Plan {
    const allocator = this.#allocator();
    let end = 0;
    const allocate = (size: number): number => {
      const offset = allocator.allocate(size);
      end = Math.max(end, offset + roundUp(size));
      return offset;
    };
    const offsets = delta.sections.map((section) =>
      pieceSizes(sectionBytes(section)).map(allocate),
    );
    const placed = offsets.map((pieces) => ({ pieces }));
    // Joined and merged sections take less than this.
    const size = manifestSize([...keptSections(this.#sections, delta), ...placed]);
    return { offsets, manifestOffset: allocate(size), manifestSize: size, end, allocator };
  }

  #allocator(): ExtentAllocator {
    const used = [extentsOf(this.#superblock, this.#sections), ...this.#pins].flat();
    return new ExtentAllocator(used, LOG_OFFSET + this.#superblock.logSizeBytes);
  }

  /**
   * Chooses a merge that has room beside the delta, and reads it. Returns `undefined` if there is none or a piece is
   * damaged. A damaged piece stays as it is, because no new seal may cover unverified bytes.
   */
  async #readyMerge(
    kept: readonly StoredSection[],
    { allocator }: Plan,
  ): Promise<ReadyMerge | undefined> {
    const largest = chooseMerge(kept, PIECE_SIZE_MAX, this.#damaged);
    if (!largest) return undefined;
    if (await this.#hasRoom(allocator, largest.bytes)) return this.#readMerge(largest, allocator);
    const runMax = allocator.largestRun(await this.#options.file.size());
    const smaller = chooseMerge(kept, Math.min(runMax, PIECE_SIZE_MAX), this.#damaged);
    return smaller && this.#readMerge(smaller, allocator);
  }

  /** Returns whether the file has room for a piece, or can grow by it. */
  async #hasRoom(allocator: ExtentAllocator, bytes: number): Promise<boolean> {
    try {
      await this.#reserve(allocator.find(bytes) + roundUp(bytes));
      return true;
    } catch (error) {
      if (error instanceof StorageFullError) return false;
      throw error;
    }
  }

  async #readMerge(merge: Merge, allocator: ExtentAllocator): Promise<ReadyMerge | undefined> {
    const bytes = new Uint8Array(merge.bytes);
    let at = 0;
    for (const piece of merge.pieces) {
      try {
        bytes.set(await readPiece(this.#options.file, this.#superblock.key, piece), at);
      } catch {
        this.#damaged.add(piece);
        return undefined;
      }
      at += piece.size;
    }
    return { merge, bytes, offset: allocator.allocate(bytes.length) };
  }

  async #writeMerge(
    kept: readonly StoredSection[],
    { merge, bytes, offset }: ReadyMerge,
  ): Promise<readonly StoredSection[]> {
    return withMerged(kept, merge, await this.#writePiece(bytes, offset));
  }

  /**
   * Grows the file by writing zeros: with a hole, the disk could be full later, when it is too late to report it. It syncs
   * step by step, as for pieces, because appends wait for the file system's journal while the file's size becomes durable.
   *
   * Rejects with StorageFullError if a write finds no room. A failed sync is final whatever its code is, even ENOSPC: it is
   * then unknown which of the earlier writes are on the disk.
   */
  async #reserve(end: number): Promise<void> {
    const { file, pause, room } = this.#options;
    let size = await file.size();
    if (size >= end) return;
    if (roundUp(end) - size > (await room())) throw storageFull();
    const zeros = new Uint8Array(Math.min(GROW_SIZE, roundUp(end) - size));
    while (size < end) {
      const start = performance.now();
      const length = Math.min(GROW_SIZE, roundUp(end) - size);
      await file.write(zeros.subarray(0, length), size).catch((error: unknown) => {
        throw isFull(error) ? storageFull(error) : error;
      });
      size += length;
      await file.sync();
      await pause(performance.now() - start);
    }
  }

  async #writeSections(delta: Delta, offsets: readonly number[][]): Promise<StoredSection[]> {
    const stored: StoredSection[] = [];
    for (const [index, section] of delta.sections.entries()) {
      const pieces = await this.#writePieces(section, offsets[index]!);
      // A section without rows only voids what its table had.
      if (section.rowCount > 0) stored.push({ ...headOf(section), pieces });
    }
    return stored;
  }

  async #writePieces(section: Section, offsets: readonly number[]): Promise<Piece[]> {
    const pieces: Piece[] = [];
    const total = sectionBytes(section);
    const buffer = new Uint8Array(Math.min(PIECE_SIZE_MAX, total));
    let filled = 0;
    let done = 0;
    for (const chunk of section.chunks) {
      for (let at = 0; at < chunk.length;) {
        const length = Math.min(chunk.length - at, buffer.length - filled);
        assert(length > 0, 'a section gives the bytes that its head says, not more');
        buffer.set(chunk.subarray(at, at + length), filled);
        at += length;
        filled += length;
        done += length;
        if (filled < buffer.length && done < total) continue;
        pieces.push(await this.#writePiece(buffer.subarray(0, filled), offsets[pieces.length]!));
        filled = 0;
      }
    }
    assert(done === total, 'a section gives the bytes that its head says, not fewer');
    return pieces;
  }

  async #writePiece(bytes: Uint8Array, offset: number): Promise<Piece> {
    const { file, pause } = this.#options;
    const piece = { offset, size: bytes.length, seal: seal(this.#superblock.key, bytes) };
    const start = performance.now();
    await file.write(bytes, offset);
    // Synced piece by piece: one sync of everything at the end would hold up the appends behind it.
    if (bytes.length >= SYNC_SIZE) {
      await file.sync();
      await pause(performance.now() - start);
    }
    return piece;
  }

  async #commit(
    { position, derived }: Delta,
    sections: readonly StoredSection[],
    manifestOffset: number,
  ): Promise<void> {
    const { ring, release, formatVersion = FORMAT_VERSION } = this.#options;
    const manifest = await this.#writeManifest(sections, manifestOffset);
    await ring?.durable(position.op);
    const { logSequence, logParent } = this.#superblock;
    const start = ring?.startAfter(position.op) ?? { sequence: logSequence, parent: logParent };
    const next = {
      formatVersion,
      release,
      position,
      logSequence: start.sequence,
      logParent: start.parent,
      manifest,
      // The damage that a start found is gone.
      ...(derived === DerivedTables.new ? { isIndexSuspect: false } : {}),
    };
    await this.#turnTo((head) => ({ ...head, ...next }), sections);
    ring?.release(start.sequence);
  }

  async #writeManifest(
    sections: readonly StoredSection[],
    offset: number,
  ): Promise<Superblock['manifest']> {
    const { file } = this.#options;
    const manifest = encodeManifest(sections);
    await file.write(manifest, offset);
    await file.sync();
    return { offset, size: manifest.length, seal: seal(this.#superblock.key, manifest) };
  }

  /** Writes the head as the change says, with what was written as the newest checkpoint, if it is given. */
  #turnTo(
    change: (head: Superblock) => Superblock,
    sections?: readonly StoredSection[],
  ): Promise<void> {
    const turn = this.#turn.then(async () => {
      const { sequence } = this.#superblock;
      const next = change(this.#superblock);
      const isIndexSuspect = this.#isIndexSuspect || next.isIndexSuspect === true;
      const superblock = { ...next, sequence: sequence + 1, isIndexSuspect };
      await writeSuperblock(this.#options.file, superblock);
      this.#superblock = superblock;
      this.#sections = sections ?? this.#sections;
    });
    this.#turn = turn.catch(() => undefined);
    return turn;
  }
}

const NO_TABLES: ReadonlySet<number> = new Set();

const storageFull = (cause?: unknown): StorageFullError =>
  new StorageFullError(
    'The volume has no room for the next checkpoint. Make the volume larger; nothing is lost and writes go on then.',
    { cause },
  );

/** Throws StorageFullError if the manifest is too large. That takes two million pieces that there was no room to merge. */
function assertManifestFits({ manifestSize: unmerged }: Plan, ready: ReadyMerge | undefined): void {
  const size = unmerged - ((ready?.merge.pieces.length ?? 1) - 1) * PIECE_RECORD_SIZE;
  if (size > MANIFEST_SIZE_MAX) throw manifestTooLong(size);
}

const manifestTooLong = (size: number): StorageFullError =>
  new StorageFullError(
    `The checkpoint's list of pieces would take ${size} bytes, and ${MANIFEST_SIZE_MAX} is the most: there was no room to merge small pieces. Make the volume larger; nothing is lost and writes go on then.`,
  );

/** Returns the delta without derived tables: those of the checkpoint stay as they are. */
function withoutDerived(delta: Delta): Delta {
  const sections = delta.sections.filter(({ table }) => !isDerived(table));
  if (sections.length === delta.sections.length) return delta;
  return { ...delta, sections, derived: DerivedTables.old };
}

/**
 * Returns the delta with only the new rows of append-only tables that it holds completely: their stored parts stay, even if damaged.
 * Otherwise one damaged piece of a large table would prevent all checkpoints on a volume without room for a second copy.
 */
function withoutRewrites(delta: Delta, stored: readonly StoredSection[]): Delta {
  const narrowed = new Set<number>();
  const sections = delta.sections.flatMap((section): readonly Section[] => {
    const { kind, table, rowSize, firstRow, rowCount } = section;
    const before = stored.filter((one) => one.table === table);
    const isWhole = kind === SectionKind.append && firstRow === 0 && delta.rewrite.has(table);
    if (!isWhole || before.length === 0) return [section];
    if (before.some((one) => one.kind === SectionKind.update)) return [section];
    narrowed.add(table);
    const rows = before.reduce((sum, one) => sum + one.rowCount, 0);
    if (rows === rowCount) return [];
    const chunks = bytesAfter(section.chunks, rows * rowSize);
    return [{ ...section, firstRow: rows, rowCount: rowCount - rows, chunks }];
  });
  if (narrowed.size === 0) return delta;
  const rewrite = new Set([...delta.rewrite].filter((table) => !narrowed.has(table)));
  return { ...delta, sections, rewrite };
}

function* bytesAfter(chunks: Iterable<Uint8Array>, skipped: number): Generator<Uint8Array> {
  let rest = skipped;
  for (const chunk of chunks) {
    if (rest < chunk.length) yield chunk.subarray(rest);
    rest = Math.max(0, rest - chunk.length);
  }
}

function headOf({ kind, table, rowSize, firstRow, rowCount }: SectionHead): SectionHead {
  return { kind, table, rowSize, firstRow, rowCount };
}

/** Returns the stored sections that the delta does not supersede. */
function keptSections(stored: readonly StoredSection[], delta: Delta): readonly StoredSection[] {
  const anew = new Set(
    delta.sections
      .filter(({ kind, table, firstRow }) => {
        if (kind === SectionKind.replace) return true;
        return kind === SectionKind.append && firstRow === 0 && delta.rewrite.has(table);
      })
      .map(({ table }) => table),
  );
  return stored.filter(({ table }) => !anew.has(table));
}

/** Returns the tables whose superseded updates cost more than the table itself. */
function tablesToRewrite(sections: readonly StoredSection[]): ReadonlySet<number> {
  const tables = new Map<number, { own: number; updates: number }>();
  for (const section of sections) {
    const sums = tables.get(section.table) ?? { own: 0, updates: 0 };
    if (section.kind === SectionKind.update) sums.updates += sectionBytes(section);
    else sums.own += sectionBytes(section);
    tables.set(section.table, sums);
  }
  return new Set(
    [...tables]
      .filter(([, { own, updates }]) => updates > Math.max(own, UPDATE_BYTES_MIN))
      .map(([table]) => table),
  );
}

function extentsOf(superblock: Superblock, sections: readonly StoredSection[]): Extent[] {
  const { offset, size } = superblock.manifest;
  const pieces = sections.flatMap((section) => section.pieces);
  return [...pieces, ...(size > 0 ? [{ offset, size }] : [])];
}
