/**
 * The log of a single replica: a ring and checkpoints in one data file (FORMAT.md).
 *
 * Open, `recover` once, then append. One process has the file at a time.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { assert } from '../../base/assert.ts';
import type { Checkpointed } from '../ledger/checkpoint.ts';
import { CheckpointStore } from './checkpoint-store.ts';
import { diskStorage } from './disk-storage.ts';
import { DataFileError, StorageFailedError, StorageFullError } from './errors.ts';
import { exportCheckpoint, type ExportTarget } from './export.ts';
import { loadSections } from './load.ts';
import type { CheckpointPosition, LogEntry, ReplicaIdentity, ReplicaLog } from './log.ts';
import { readManifest } from './manifest.ts';
import { eraseTorn, LogRing } from './ring.ts';
import { scanLog } from './scan.ts';
import type { Storage, StorageFile } from './storage.ts';
import { readSuperblock, repairSuperblock, type Superblock } from './superblock.ts';

export interface FileLogOptions {
  readonly path: string;
  /** Written into the head with every checkpoint: major << 16 | minor << 8 | patch. */
  readonly release: number;
  /** A write or sync failed: the process must end. Called at most once. */
  readonly onFailure: (error: StorageFailedError) => void;
  /** The disk, unless a test brings its own. */
  readonly storage?: Storage;
}

/** The log is full, for new writes, at this part of the ring; what is on its way may fill the rest. */
const FULL_PART = 3 / 4;
/** Small entries are taken until this part; the rest holds what was on its way, whatever a ring's end costs. */
const EXHAUSTED_PART = 13 / 16;
/** A checkpoint is due at this part of the ring: it has as much again to finish before the log is full. */
const CHECKPOINT_PART = 3 / 8;
/** Free space is asked for again after this long. */
const FREE_BYTES_AGE_MS = 5000;

export class FileLog implements ReplicaLog {
  readonly identity: ReplicaIdentity;
  readonly checkpointAfterBytes: number;
  readonly #options: FileLogOptions;
  readonly #storage: Storage;
  readonly #file: StorageFile;
  readonly #head: Superblock;
  #ring: LogRing | undefined;
  #store: CheckpointStore | undefined;
  #failure: StorageFailedError | undefined;
  #space = { fileBytes: 0, freeBytes: 0, readAt: -Infinity };
  #appendsSeen = 0;

  private constructor(
    options: FileLogOptions,
    storage: Storage,
    file: StorageFile,
    head: Superblock,
  ) {
    this.#options = options;
    this.#storage = storage;
    this.#file = file;
    this.#head = head;
    this.identity = head.identity;
    this.checkpointAfterBytes = Math.floor(head.logSizeBytes * CHECKPOINT_PART);
  }

  /** Opens a data file for this process alone. Rejects with DataFileError. */
  static async open(options: FileLogOptions): Promise<FileLog> {
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
      const log = new FileLog(options, storage, file, head);
      await log.#readSpace();
      return log;
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  async recover(
    state: Checkpointed,
    replay: (entry: LogEntry) => void,
  ): Promise<CheckpointPosition> {
    assert(this.#ring === undefined, 'a log is recovered once');
    const file = this.#file;
    const superblock = this.#head;
    await repairSuperblock(file, superblock);
    const sections = await readManifest(file, superblock);
    await loadSections({ file, superblock, sections, state });
    const scan = await scanLog(file, superblock, replay);
    await eraseTorn(file, scan);
    const onFailure = (error: unknown): void => void this.#fail(error);
    const ring = new LogRing({ file, superblock, scan, onFailure });
    await ring.settle();
    this.#ring = ring;
    const pause = (tookMs: number): Promise<void> => this.#pause(tookMs);
    const { release } = this.#options;
    this.#store = new CheckpointStore({ file, superblock, sections, ring, release, pause });
    return superblock.position;
  }

  append(entry: LogEntry, committed: () => void): void {
    this.#appendsSeen += 1;
    this.#recovered().ring.append(entry, committed);
  }

  /** One replica: what it acknowledged, it has executed. */
  readBarrier(): Promise<void> {
    return Promise.resolve();
  }

  get logBytesSinceCheckpoint(): number {
    return this.#recovered().ring.usedBytes;
  }

  /** True when new writes are to be refused: checkpoints do not keep up, or find no room. Reads go on. */
  get logFull(): boolean {
    return this.#recovered().ring.usedBytes > this.#head.logSizeBytes * FULL_PART;
  }

  /** True when registrations are to be refused too. */
  get logExhausted(): boolean {
    return this.#recovered().ring.usedBytes > this.#head.logSizeBytes * EXHAUSTED_PART;
  }

  /**
   * As ReplicaLog says; resolves with the position that is durable, which is that of the call before when that one found
   * no room. Rejects with StorageFullError (call again when there may be room: nothing is lost) or StorageFailedError.
   */
  async checkpoint(state: Checkpointed, position: CheckpointPosition): Promise<CheckpointPosition> {
    const { store, ring } = this.#recovered();
    assert(position.op <= ring.appendedOp, 'a checkpoint is of appended entries');
    if (this.#failure) throw this.#failure;
    try {
      return await store.checkpoint(state, position);
    } catch (error) {
      if (error instanceof StorageFullError) throw error;
      throw this.#fail(error);
    } finally {
      this.#space.readAt = -Infinity;
    }
  }

  /** Bytes of the data file and what the volume has left for it, at most a few seconds old. */
  storage(): { readonly usedBytes: number; readonly limitBytes: number } {
    if (performance.now() - this.#space.readAt > FREE_BYTES_AGE_MS) {
      this.#space.readAt = performance.now();
      // A failed reading keeps the last figure; the file's own writes are what fails loudly.
      this.#readSpace().catch(() => undefined);
    }
    const { fileBytes, freeBytes } = this.#space;
    return { usedBytes: fileBytes, limitBytes: fileBytes + freeBytes };
  }

  /**
   * Writes the newest durable checkpoint out as an exported data file, while the log goes on; call `checkpoint` before for
   * the state as it is now. Resolves with the position that the file is at.
   */
  async exportTo(target: ExportTarget): Promise<CheckpointPosition> {
    const { store } = this.#recovered();
    const { superblock, sections } = store;
    const unpin = store.pin();
    try {
      await exportCheckpoint({ file: this.#file, superblock, sections }, target, this.#storage);
      return superblock.position;
    } finally {
      unpin();
    }
  }

  async close(): Promise<void> {
    try {
      if (!this.#failure) await this.#ring?.close();
    } finally {
      await this.#file.close();
    }
  }

  #recovered(): { ring: LogRing; store: CheckpointStore } {
    assert(
      this.#ring !== undefined && this.#store !== undefined,
      'recover comes before the log is used',
    );
    return { ring: this.#ring, store: this.#store };
  }

  #fail(cause: unknown): StorageFailedError {
    if (!this.#failure) {
      this.#failure = new StorageFailedError(
        'A write to the data file failed. The process ends, so that it starts from what is really on the disk.',
        { cause },
      );
      this.#options.onFailure(this.#failure);
    }
    return this.#failure;
  }

  /** While there are appends, a checkpoint takes at most half of the disk's time, unless the log is filling up. */
  async #pause(tookMs: number): Promise<void> {
    const busy = this.#appendsSeen > 0;
    this.#appendsSeen = 0;
    if (busy && this.logBytesSinceCheckpoint < this.#head.logSizeBytes / 2) await sleep(tookMs);
  }

  async #readSpace(): Promise<void> {
    const [fileBytes, freeBytes] = await Promise.all([
      this.#file.size(),
      this.#storage.freeBytes(this.#options.path),
    ]);
    this.#space = { fileBytes, freeBytes, readAt: performance.now() };
  }
}
