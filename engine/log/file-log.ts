/**
 * The log of a single replica: a ring and checkpoints in one data file (FORMAT.md).
 *
 * Open it, call `recover` once, then append. Only one process may have the file at a time.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { assert } from '../../base/assert.ts';
import type { Checkpointed } from '../ledger/checkpoint.ts';
import { DataFile, type DataFileOptions } from './data-file.ts';
import type { ExportTarget } from './export.ts';
import type { CheckpointPosition, LogEntry, ReplicaIdentity, ReplicaLog } from './log.ts';
import type { Menders } from './mender.ts';
import type { PageSource } from './page-reader.ts';
import { eraseTorn, LogRing } from './ring.ts';
import type { PlacedEntries } from './placed.ts';
import { scanLog } from './scan.ts';
import type { Scrubbing } from './scrubber.ts';

/** Part of the ring at which the log is full for new writes; entries in flight may fill the rest. */
const FULL_PART = 3 / 4;
/** Part of the ring up to which registrations are taken. */
const EXHAUSTED_PART = 13 / 16;
/**
 * Part of the ring up to which expiries are taken. The rest (5 MiB of the smallest ring) holds entries in flight, whatever
 * a ring's end costs.
 */
const PULSES_EXHAUSTED_PART = 27 / 32;
/** Part of the ring at which a checkpoint is due: a start replays so much, or a little more. It has twice that to finish before the log is full. */
const CHECKPOINT_PART = 1 / 4;

export class FileLog implements ReplicaLog {
  /** What an archiver may read in the file by itself. */
  readonly form = 'groups';
  readonly identity: ReplicaIdentity;
  readonly checkpointAfterBytes: number;
  readonly #data: DataFile;
  readonly #sizeBytes: number;
  #ring: LogRing | undefined;
  #appendsSeen = 0;

  constructor(data: DataFile) {
    this.#data = data;
    this.identity = data.identity;
    this.#sizeBytes = data.superblock.logSizeBytes;
    this.checkpointAfterBytes = Math.floor(this.#sizeBytes * CHECKPOINT_PART);
  }

  /** Opens a data file for this process alone. Rejects with DataFileError. */
  static async open(options: DataFileOptions): Promise<FileLog> {
    return new FileLog(await DataFile.open(options));
  }

  async recover(
    state: Checkpointed,
    replay: (entry: LogEntry) => void | Promise<void>,
  ): Promise<CheckpointPosition> {
    assert(this.#ring === undefined, 'a log is recovered once');
    const { file, superblock } = this.#data;
    const position = await this.#data.load(state);
    const scan = await scanLog(file, superblock, replay);
    await eraseTorn(file, scan);
    const onFailure = (error: unknown): void => void this.#data.fail(error);
    const ring = new LogRing({ file, superblock, scan, onFailure });
    await ring.settle();
    this.#ring = ring;
    this.#data.beginCheckpoints({ ring, pause: (tookMs) => this.#pause(tookMs) });
    return position;
  }

  /** Progress of the verification of the data file in the background. */
  scrubbing(): Scrubbing {
    return this.#data.scrubbing();
  }

  /** Lets damaged pieces of the data file be mended from now on. Call it before `recover`. */
  mendWith(menders: Menders): void {
    this.#data.mendWith(menders);
  }

  get pages(): PageSource {
    return this.#data.pages;
  }

  append(entry: LogEntry, committed: () => void): void {
    this.#appendsSeen += 1;
    this.#recovered().append(entry, committed);
  }

  /** Resolves at once: a single replica has executed everything that it acknowledged. */
  readBarrier(): Promise<void> {
    return Promise.resolve();
  }

  get logBytesSinceCheckpoint(): number {
    return this.#recovered().newBytes;
  }

  /** Says how far an archive has the log, which keeps the rest for it as long as there is room. */
  archived(op: number): void {
    this.#recovered().archived(op);
  }

  /**
   * Reads committed entries from `op` on, `bytesMax` or a little more. If the first of them is gone, because a checkpoint contains
   * it, says which op is the first that is left.
   */
  read(op: number, bytesMax: number): Promise<readonly LogEntry[] | { readonly oldestOp: number }> {
    return this.#recovered().read(op, bytesMax);
  }

  /** Where committed groups from the one with `op` on are in the file, `bytesMax` or a little more. */
  places(op: number, bytesMax: number): readonly PlacedEntries[] | { readonly oldestOp: number } {
    return this.#recovered().places(op, bytesMax);
  }

  /** True when new writes must be refused, because checkpoints do not keep up or find no room. Reads go on. */
  get logFull(): boolean {
    return this.#recovered().usedBytes > this.#sizeBytes * FULL_PART;
  }

  /** True when registrations must be refused, too. */
  get logExhausted(): boolean {
    return this.#recovered().usedBytes > this.#sizeBytes * EXHAUSTED_PART;
  }

  /** True when expiries must wait, too. */
  get logPulsesExhausted(): boolean {
    return this.#recovered().usedBytes > this.#sizeBytes * PULSES_EXHAUSTED_PART;
  }

  /**
   * Same contract as ReplicaLog: resolves with the durable position, which is that of the call before if that one found no
   * room. Rejects with StorageFullError (nothing is lost; call again when there may be room) or StorageFailedError.
   */
  checkpoint(state: Checkpointed, position: CheckpointPosition): Promise<CheckpointPosition> {
    assert(position.op <= this.#recovered().appendedOp, 'a checkpoint is of appended entries');
    return this.#data.checkpoint(state, position);
  }

  storage(): { readonly usedBytes: number; readonly limitBytes: number } {
    return this.#data.storage();
  }

  /**
   * Writes the newest durable checkpoint as an exported data file, while the log goes on. Call `checkpoint` first to export
   * the present state. Resolves with the file's position.
   */
  exportTo(target: ExportTarget): Promise<CheckpointPosition> {
    return this.#data.exportTo(target);
  }

  async close(): Promise<void> {
    try {
      if (!this.#data.failed) await this.#ring?.close();
    } finally {
      await this.#data.close();
    }
  }

  #recovered(): LogRing {
    assert(this.#ring !== undefined, 'recover comes before the log is used');
    return this.#ring;
  }

  /** Limits a checkpoint to half of the disk's time while there are appends, unless the log is filling up. */
  async #pause(tookMs: number): Promise<void> {
    const busy = this.#appendsSeen > 0;
    this.#appendsSeen = 0;
    if (busy && this.#recovered().usedBytes < this.#sizeBytes / 2) await sleep(tookMs);
  }
}
