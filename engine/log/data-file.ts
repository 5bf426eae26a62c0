/**
 * A replica's data file, opened by the one process that may have it: checkpoints in and out. What of the log is in the
 * file is its owner's: all of it for a single replica (file-log.ts), nothing for one of several.
 */
import { assert } from '../../base/assert.ts';
import type { Checkpointed } from '../ledger/checkpoint.ts';
import { CheckpointStore, type LogInFile } from './checkpoint-store.ts';
import { diskStorage } from './disk-storage.ts';
import { DataFileError, StorageFailedError, StorageFullError } from './errors.ts';
import { exportCheckpoint, type ExportTarget, type Restamp } from './export.ts';
import { loadSections } from './load.ts';
import type { CheckpointPosition, ReplicaIdentity } from './log.ts';
import { readManifest, type StoredSection } from './manifest.ts';
import { leastBytes, spareBytes } from './shared-volume.ts';
import type { Storage, StorageFile } from './storage.ts';
import { readSuperblock, repairSuperblock, type Superblock } from './superblock.ts';

export interface DataFileOptions {
  readonly path: string;
  /** Written into the head with every checkpoint: major << 16 | minor << 8 | patch. */
  readonly release: number;
  /** A member of etcd is on the same volume: room is left for it. */
  readonly sharesVolume?: boolean;
  /** A write or sync failed: the process must end. Called at most once. */
  readonly onFailure: (error: StorageFailedError) => void;
  /** The disk, unless a test brings its own. */
  readonly storage?: Storage;
}

/** The volume is looked at again after this long. */
const SPACE_AGE_MS = 1000;

export class DataFile {
  readonly file: StorageFile;
  readonly #options: DataFileOptions;
  readonly #storage: Storage;
  readonly #head: Superblock;
  #sections: readonly StoredSection[] | undefined;
  #store: CheckpointStore | undefined;
  #failure: StorageFailedError | undefined;
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

  /** With the newest checkpoint that is durable. */
  get superblock(): Superblock {
    return this.#store?.superblock ?? this.#head;
  }

  get failed(): boolean {
    return this.#failure !== undefined;
  }

  /** Mends the head and loads the newest checkpoint, every byte verified. Once. */
  async load(state: Checkpointed): Promise<CheckpointPosition> {
    assert(this.#sections === undefined, 'a data file is loaded once');
    const { file } = this;
    const superblock = this.#head;
    await repairSuperblock(file, superblock);
    const sections = await readManifest(file, superblock);
    await loadSections({ file, superblock, sections, state });
    this.#sections = sections;
    return superblock.position;
  }

  /** From now on `checkpoint` may be called. `pause` is called between pieces with what the last one took. */
  beginCheckpoints(options: {
    readonly ring: LogInFile | undefined;
    readonly pause: (tookMs: number) => Promise<void>;
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
  }

  /**
   * As ReplicaLog says: resolves with the position that is durable, which is that of the call before when that one found
   * no room. Rejects with StorageFullError (call again when there may be room: nothing is lost) or StorageFailedError.
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

  /** Bytes of the data file, and how many it may have on this volume, at most a few seconds old. */
  storage(): { readonly usedBytes: number; readonly limitBytes: number } {
    this.#lookAtSpace();
    const { fileBytes, roomBytes } = this.#space;
    return { usedBytes: fileBytes, limitBytes: fileBytes + roomBytes };
  }

  /** What is left of a shared volume is the other's: nothing is to be logged that can wait. */
  get isShort(): boolean {
    this.#lookAtSpace();
    return this.#space.isShort;
  }

  /** Writes the newest durable checkpoint out as an exported data file. Resolves with the position that it is at. */
  async exportTo(
    target: ExportTarget,
    what: Pick<Restamp, 'sameCluster'> = {},
  ): Promise<CheckpointPosition> {
    const store = this.#loaded();
    const { superblock, sections } = store;
    const { file } = this;
    const unpin = store.pin();
    try {
      await exportCheckpoint({ file, superblock, sections }, target, this.#storage, what);
      return superblock.position;
    } finally {
      unpin();
    }
  }

  close(): Promise<void> {
    return this.file.close();
  }

  /** Nothing is written any more. */
  fail(cause: unknown): StorageFailedError {
    if (!this.#failure) {
      this.#failure = new StorageFailedError(
        'A write to the data file failed. The process ends, so that it starts from what is really on the disk.',
        { cause },
      );
      this.#options.onFailure(this.#failure);
    }
    return this.#failure;
  }

  #loaded(): CheckpointStore {
    assert(this.#store !== undefined, 'a data file is loaded before it takes checkpoints');
    return this.#store;
  }

  #lookAtSpace(): void {
    if (performance.now() - this.#space.readAt < SPACE_AGE_MS) return;
    this.#space.readAt = performance.now();
    // A failed reading keeps the last figures; the file's own writes are what fails loudly.
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

  /** By which a checkpoint may let the file grow. Alone on its volume it finds out by writing. */
  async #room(): Promise<number> {
    if (this.#options.sharesVolume !== true) return Infinity;
    await this.#readSpace();
    return this.#space.roomBytes;
  }
}
