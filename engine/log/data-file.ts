/**
 * A replica's data file, opened by the only process that may have it. It reads and writes checkpoints. The log in the file
 * belongs to the owner of this object: a single replica has its whole log there (file-log.ts), one of several has none.
 */
import { randomBytes } from 'node:crypto';
import { assert } from '../../base/assert.ts';
import { type Checkpointed, isDerived } from '../ledger/checkpoint.ts';
import { CheckpointStore, type LogInFile } from './checkpoint-store.ts';
import { areContinued } from './continued-rows.ts';
import { diskStorage } from './disk-storage.ts';
import { DataFileError, StorageFailedError, StorageFullError } from './errors.ts';
import { exportCheckpoint, type ExportedAs, type ExportTarget } from './export.ts';
import { loadSections, type StoredCheckpoint } from './load.ts';
import type { CheckpointPosition, ReplicaIdentity } from './log.ts';
import { type Piece, readManifest, type StoredSection } from './manifest.ts';
import { Mender, type Menders } from './mender.ts';
import type { Mended, PagePiece } from './mend.ts';
import { type HeldRanges, type OwnRanges, readRanges } from './page-ranges.ts';
import { PageReader } from './page-reader.ts';
import { NOTHING_VERIFIED, Scrubber, type Scrubbing } from './scrubber.ts';
import { SEAL_SIZE } from './seal.ts';
import { missingBytes } from './send-missing.ts';
import { leastBytes, spareBytes } from './shared-volume.ts';
import { isUnreadable, type Storage, type StorageFile } from './storage.ts';
import { readSuperblock, repairSuperblock, type Superblock } from './superblock.ts';
import { MissingParts, type TakenState } from './take-missing.ts';

export interface DataFileOptions {
  readonly path: string;
  /** Written into the head with every checkpoint: major << 16 | minor << 8 | patch. */
  readonly release: number;
  /** True if an etcd member is on the same volume: room is left for it. */
  readonly sharesVolume?: boolean;
  /** Called at most once, when a write or sync failed, or a page of the index is damaged: the process must end. */
  readonly onFailure: (error: StorageFailedError) => void;
  /** The disk by default; tests bring their own storage. */
  readonly storage?: Storage;
  /** If given, the checkpoint's pieces are verified in the background; called for each damaged one. */
  readonly onDamage?: (error: DataFileError) => void;
  /** Called when pages of a damaged piece were written again. */
  readonly onMended?: (mended: Mended & PagePiece) => void;
}

const WRITE_FAILED =
  'A write to the data file failed. The process ends, so that it starts from what is really on the disk.';
const INDEX_DAMAGED =
  'A page of the stored index is damaged. The process ends, because the next start makes the index from the records. No record is lost.';

/** Maximum age of the figures about the volume. */
const SPACE_AGE_MS = 1000;

export class DataFile {
  readonly file: StorageFile;
  readonly #options: DataFileOptions;
  readonly #storage: Storage;
  #head: Superblock;
  #sections: readonly StoredSection[] | undefined;
  #store: CheckpointStore | undefined;
  #scrubber: Scrubber | undefined;
  #mender: Mender | undefined;
  #isClosed = false;
  /** Pieces whose damage was told. */
  readonly #told = new WeakSet<Piece>();
  #failure: StorageFailedError | undefined;
  /** Pages of the newest checkpoint. */
  readonly pages: PageReader;
  #space = { fileBytes: 0, roomBytes: 0, isShort: false, readAt: -Infinity };

  private constructor(
    options: DataFileOptions,
    storage: Storage,
    file: StorageFile,
    head: Superblock,
  ) {
    this.#options = options;
    this.#storage = storage;
    this.file = file;
    this.#head = head;
    this.pages = new PageReader({
      file,
      sections: () => this.#newestSections,
      onIndexDamage: async (error) => {
        await this.#suspectIndex();
        this.fail(error, INDEX_DAMAGED);
      },
      mend: async (piece, error) => {
        const isMended = await this.#mend(piece, error);
        if (!isMended) this.#scrubber?.found(piece);
        return isMended;
      },
    });
  }

  /** Opens a data file for this process alone. Rejects with DataFileError. */
  static async open(options: DataFileOptions): Promise<DataFile> {
    const storage = options.storage ?? diskStorage;
    const file = await storage.open(options.path, { writable: true, exclusive: true });
    try {
      const head = await readSuperblock(file);
      if (head.logSizeBytes === 0) {
        throw new DataFileError(
          'exported_file',
          `${options.path} is an exported file. Make a replica's data file of it with 'restore'.`,
        );
      }
      const data = new DataFile(options, storage, file, head);
      await data.#readSpace();
      return data;
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  get identity(): ReplicaIdentity {
    return this.#head.identity;
  }

  get path(): string {
    return this.#options.path;
  }

  /** The superblock with the newest durable checkpoint. */
  get superblock(): Superblock {
    return this.#store?.superblock ?? this.#head;
  }

  /** Whether the newest durable checkpoint has derived tables. */
  get hasDerived(): boolean {
    return this.#newestSections.some(({ table }) => isDerived(table));
  }

  get #newestSections(): readonly StoredSection[] {
    return this.#store?.sections ?? this.#sections ?? [];
  }

  get failed(): boolean {
    return this.#failure !== undefined;
  }

  /** Lets damaged pieces be mended from now on. Call it before `load`. */
  mendWith(menders: Menders): void {
    this.#mender = new Mender({
      ...menders,
      file: this.file,
      key: this.#head.key,
      sections: () => this.#newestSections,
      // While the checkpoint is loaded, none drops anything of it.
      pin: (extents) => this.#store?.pin(extents) ?? (() => undefined),
      rewrite: (table) => {
        this.#store?.rewrite(table);
        return this.#store !== undefined;
      },
      onMended: (mended) => this.#options.onMended?.(mended),
    });
  }

  /**
   * Repairs the head and loads the newest checkpoint. Every byte that the state reads is verified; what it leaves on the volume is when
   * it is needed, and in the background. Call it only once.
   */
  async load(state: Checkpointed): Promise<CheckpointPosition> {
    assert(this.#sections === undefined, 'a data file is loaded once');
    const { file } = this;
    const superblock = this.#head;
    await repairSuperblock(file, superblock);
    const sections = await readManifest(file, superblock);
    this.#sections = sections;
    const store = this.#storeWhileLoading(superblock, sections);
    await loadSections({
      file,
      superblock,
      sections,
      state,
      mend: (piece, error) => this.#mend(piece, error),
      // Rows of format version 1 are in no pages yet, so that the index could not be read with them.
      ...(superblock.formatVersion === 1 ? {} : { store: (derived) => this.#add(store, derived) }),
    });
    return superblock.position;
  }

  /** Adds derived tables to the checkpoint that is being loaded. */
  async #add(
    store: CheckpointStore,
    derived: Pick<Checkpointed, 'takeDelta' | 'stored'>,
  ): Promise<boolean> {
    try {
      const hasRoom = await store.addDerived(derived);
      this.#head = store.superblock;
      this.#sections = store.sections;
      return hasRoom;
    } catch (error) {
      throw this.fail(error);
    }
  }

  #storeWhileLoading(superblock: Superblock, sections: readonly StoredSection[]): CheckpointStore {
    const pause = (): Promise<void> => Promise.resolve();
    const room = (): Promise<number> => this.#room();
    const { file } = this;
    const { release } = this.#options;
    return new CheckpointStore({
      file,
      superblock,
      sections,
      release,
      room,
      pause,
      ring: undefined,
    });
  }

  /** Allows calls of `checkpoint`. `pause` is called between pieces with the time that the last one took. */
  beginCheckpoints(options: {
    readonly ring: LogInFile | undefined;
    readonly pause: (tookMs: number) => Promise<void>;
    /** Format version that the file has then; by default the newest. */
    readonly formatVersion?: number;
  }): void {
    assert(this.#sections !== undefined, 'a checkpoint continues the one that was loaded');
    const { file } = this;
    const { release } = this.#options;
    const superblock = this.#head;
    this.#store = new CheckpointStore({
      file,
      superblock,
      sections: this.#sections,
      release,
      room: () => this.#room(),
      ...options,
    });
    const { onDamage } = this.#options;
    if (onDamage === undefined) return;
    this.#scrubber = new Scrubber({
      file,
      key: superblock.key,
      sections: () => this.#newestSections,
      mend: (piece, error) => this.foundDamage(error, piece),
    });
    this.#scrubber.begin();
  }

  /** Takes what the verification in the background has found. Resolves with true if it was mended. */
  async foundDamage(error: DataFileError, piece?: Piece): Promise<boolean> {
    if (error.code !== 'index_damaged' && piece !== undefined) return this.#mend(piece, error);
    if (this.#tell(error, piece)) await this.#suspectIndex();
    return false;
  }

  async #exportFound(damage: DataFileError, piece: Piece): Promise<void> {
    // A write that fails ends the process.
    const isMended = await this.foundDamage(damage, piece).catch(() => false);
    if (!isMended) this.#scrubber?.found(piece);
  }

  /** Progress of the verification in the background, and number of mended pages. */
  scrubbing(): Scrubbing {
    const mendedPages = this.#mender?.mendedPages ?? 0;
    return { ...(this.#scrubber?.standing() ?? NOTHING_VERIFIED), mendedPages };
  }

  /** Whether something of the file is damaged and being mended now. */
  get isMending(): boolean {
    return this.#mender?.isMending ?? false;
  }

  /** Verifies the next piece at once, as the verification in the background does sooner or later. */
  async verifyNext(): Promise<void> {
    await this.#scrubber?.step();
  }

  async #mend(piece: Piece, error: DataFileError): Promise<boolean> {
    this.#tell(error, piece);
    try {
      return (await this.#mender?.mend(piece)) ?? false;
    } catch (cause) {
      if (this.#isClosed) return false;
      throw this.fail(cause);
    }
  }

  /** Tells each damaged piece once. Returns whether it did. */
  #tell(error: DataFileError, piece?: Piece): boolean {
    if (piece !== undefined && this.#told.has(piece)) return false;
    if (piece !== undefined) this.#told.add(piece);
    this.#options.onDamage?.(error);
    return true;
  }

  /**
   * Same contract as ReplicaLog: resolves with the durable position, which is that of the call before if that one found no
   * room. Rejects with StorageFullError (nothing is lost; call again when there may be room) or StorageFailedError.
   */
  async checkpoint(state: Checkpointed, position: CheckpointPosition): Promise<CheckpointPosition> {
    const store = this.#loaded();
    if (this.#failure) throw this.#failure;
    try {
      return await store.checkpoint(state, position);
    } catch (error) {
      if (error instanceof StorageFullError) throw error;
      throw this.fail(error);
    } finally {
      this.#space.readAt = -Infinity;
    }
  }

  /** Returns the size of the data file and its maximum on this volume, in bytes, at most a few seconds old. */
  storage(): { readonly usedBytes: number; readonly limitBytes: number } {
    this.#lookAtSpace();
    const { fileBytes, roomBytes } = this.#space;
    return { usedBytes: fileBytes, limitBytes: fileBytes + roomBytes };
  }

  /** True if the rest of a shared volume is needed by the etcd member: log nothing that can wait. */
  get isShort(): boolean {
    this.#lookAtSpace();
    return this.#space.isShort;
  }

  /** Writes the newest durable checkpoint as an exported data file. Resolves with its position. */
  exportTo(target: ExportTarget, what: ExportedAs = {}): Promise<CheckpointPosition> {
    return this.#give((checkpoint) => exportCheckpoint(checkpoint, target, this.#storage, what));
  }

  /** Writes the newest durable checkpoint without the pages of rows that another replica of the cluster holds. */
  async sendMissing(
    held: HeldRanges,
    write: (bytes: Uint8Array) => Promise<void>,
  ): Promise<CheckpointPosition> {
    return this.#give(async (checkpoint) => {
      for await (const bytes of missingBytes(checkpoint, held)) await write(bytes);
    });
  }

  /**
   * Reads the pages of rows that this file holds, verified, for a fetch of another replica's state without them. Resolves with `undefined` if
   * there are none.
   */
  async ownRanges(): Promise<OwnRanges | undefined> {
    const { superblock, file } = this;
    const key = randomBytes(SEAL_SIZE);
    const ranges = await readRanges({ file, superblock, sections: this.#newestSections }, key);
    const hasAny = ranges.tables.some((one) =>
      one.ranges.some((range) => range.seal !== undefined),
    );
    return hasAny ? ranges : undefined;
  }

  /**
   * Puts another replica's state in place of this file's. `receive` writes what that one sends for these ranges. The state here stays as it is
   * until the other is whole, verified and durable. Close the file then: nothing that was loaded from it is what it holds. Rejects with
   * StorageFullError or DataFileError if the state does not fit here, and changes nothing.
   */
  async takeMissing(
    ranges: OwnRanges,
    receive: (write: (bytes: Uint8Array) => Promise<void>) => Promise<void>,
  ): Promise<TakenState> {
    if (this.#failure) throw this.#failure;
    const store = this.#store ?? this.#storeWhileLoading(this.superblock, this.#newestSections);
    let taken: TakenState | undefined;
    let notReceived: unknown;
    try {
      await store.adopt(async (write) => {
        const parts = new MissingParts({
          own: this.superblock,
          ranges,
          write: this.#orFail(write),
        });
        await receive((bytes) => parts.take(bytes)).catch((error: unknown) => {
          notReceived = error;
          throw error;
        });
        taken = parts.end();
        const derived = await this.#derivedOf(taken.sections);
        return { ...taken, sections: [...taken.sections, ...derived] };
      });
    } catch (error) {
      if (error === notReceived) throw error;
      throw this.#failedUnlessRefused(error);
    }
    return taken!;
  }

  /** Returns the derived tables of this file's checkpoint, if its rows are the first ones of these sections. */
  async #derivedOf(sections: readonly StoredSection[]): Promise<readonly StoredSection[]> {
    const { file } = this;
    const { key } = this.superblock;
    const own = this.#newestSections;
    const rows = own.filter(({ table }) => !isDerived(table));
    if (rows.length === own.length) return [];
    const isKept = await areContinued({ file, key }, rows, sections).catch((error: unknown) => {
      // Damage here is no reason against what has come.
      if (error instanceof DataFileError || isUnreadable(error)) return false;
      throw error;
    });
    return isKept ? own.filter(({ table }) => isDerived(table)) : [];
  }

  #orFail<Args extends readonly unknown[], Result>(
    write: (...args: Args) => Promise<Result>,
  ): (...args: Args) => Promise<Result> {
    return (...args) =>
      write(...args).catch((error: unknown) => {
        throw this.#failedUnlessRefused(error);
      });
  }

  /** Takes the error of a write. One for which there is no room, or into a file that was closed, is no failure of the disk. */
  #failedUnlessRefused(error: unknown): unknown {
    const isRefused =
      this.#isClosed ||
      error instanceof StorageFullError ||
      error instanceof StorageFailedError ||
      error instanceof DataFileError;
    return isRefused ? error : this.fail(error);
  }

  async #give(give: (checkpoint: StoredCheckpoint) => Promise<void>): Promise<CheckpointPosition> {
    const store = this.#loaded();
    const { superblock, sections } = store;
    const { file } = this;
    const unpin = store.pin();
    try {
      await give({ file, superblock, sections });
      return superblock.position;
    } catch (error) {
      // The caller is informed now, and again once the damage is mended.
      const pieces = sections.flatMap((section) => section.pieces);
      const offset = error instanceof DataFileError ? error.offset : undefined;
      const piece = pieces.find((one) => one.offset === offset);
      if (piece !== undefined) void this.#exportFound(error as DataFileError, piece);
      throw error;
    } finally {
      unpin();
    }
  }

  close(): Promise<void> {
    this.#isClosed = true;
    this.#scrubber?.stop();
    return this.file.close();
  }

  /** Ends all writes. Returns the error that every later call gets. */
  fail(cause: unknown, message = WRITE_FAILED): StorageFailedError {
    if (!this.#failure) {
      this.#failure = new StorageFailedError(message, { cause });
      this.#options.onFailure(this.#failure);
    }
    return this.#failure;
  }

  /** Lets the next start verify the whole index. If that cannot be written, the start after the next damage does. */
  async #suspectIndex(): Promise<void> {
    try {
      const store = this.#store ?? this.#storeWhileLoading(this.#head, this.#sections ?? []);
      await store.suspectIndex();
      if (store !== this.#store) this.#head = store.superblock;
    } catch (error) {
      this.fail(error);
    }
  }

  #loaded(): CheckpointStore {
    assert(this.#store !== undefined, 'a data file is loaded before it takes checkpoints');
    return this.#store;
  }

  #lookAtSpace(): void {
    if (performance.now() - this.#space.readAt < SPACE_AGE_MS) return;
    this.#space.readAt = performance.now();
    // If reading fails, the last figures stay. Errors of the volume show in the file's own writes.
    this.#readSpace().catch(() => undefined);
  }

  async #readSpace(): Promise<void> {
    const { path, sharesVolume = false } = this.#options;
    const [fileBytes, { sizeBytes, freeBytes }] = await Promise.all([
      this.file.size(),
      this.#storage.volume(path),
    ]);
    const spare = sharesVolume ? spareBytes(sizeBytes) : 0;
    const roomBytes = Math.max(0, freeBytes - spare);
    const isShort = sharesVolume && freeBytes < leastBytes(sizeBytes);
    this.#space = { fileBytes, roomBytes, isShort, readAt: performance.now() };
  }

  /** Returns the bytes by which a checkpoint may grow the file. A file alone on its volume finds the limit by writing. */
  async #room(): Promise<number> {
    if (this.#options.sharesVolume !== true) return Infinity;
    await this.#readSpace();
    return this.#space.roomBytes;
  }
}
