/**
 * The log of a single replica: a ring and checkpoints in one data file (FORMAT.md).
 *
 * Open, `recover` once, then append. One process has the file at a time.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { assert } from '../../base/assert.ts';
import type { Checkpointed } from '../ledger/checkpoint.ts';
import { DataFile, type DataFileOptions } from './data-file.ts';
import type { ExportTarget } from './export.ts';
import type { CheckpointPosition, LogEntry, ReplicaIdentity, ReplicaLog } from './log.ts';
import { eraseTorn, LogRing } from './ring.ts';
import { scanLog } from './scan.ts';

/** The log is full, for new writes, at this part of the ring; what is on its way may fill the rest. */
const FULL_PART = 3 / 4;
/** Registrations are taken until this part, and expiries until the next. */
const EXHAUSTED_PART = 13 / 16;
/** The rest holds what was on its way, whatever a ring's end costs: 5 MiB of the smallest ring. */
const PULSES_EXHAUSTED_PART = 27 / 32;
/** A checkpoint is due at this part of the ring: it has as much again to finish before the log is full. */
const CHECKPOINT_PART = 3 / 8;

export class FileLog implements ReplicaLog {
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
    replay: (entry: LogEntry) => void,
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

  append(entry: LogEntry, committed: () => void): void {
    this.#appendsSeen += 1;
    this.#recovered().append(entry, committed);
  }

  /** One replica: what it acknowledged, it has executed. */
  readBarrier(): Promise<void> {
    return Promise.resolve();
  }

  get logBytesSinceCheckpoint(): number {
    return this.#recovered().usedBytes;
  }

  /** True when new writes are to be refused: checkpoints do not keep up, or find no room. Reads go on. */
  get logFull(): boolean {
    return this.#recovered().usedBytes > this.#sizeBytes * FULL_PART;
  }

  /** True when registrations are to be refused too. */
  get logExhausted(): boolean {
    return this.#recovered().usedBytes > this.#sizeBytes * EXHAUSTED_PART;
  }

  /** True when expiries are to wait too. */
  get logPulsesExhausted(): boolean {
    return this.#recovered().usedBytes > this.#sizeBytes * PULSES_EXHAUSTED_PART;
  }

  /**
   * As ReplicaLog says; resolves with the position that is durable, which is that of the call before when that one found
   * no room. Rejects with StorageFullError (call again when there may be room: nothing is lost) or StorageFailedError.
   */
  checkpoint(state: Checkpointed, position: CheckpointPosition): Promise<CheckpointPosition> {
    assert(position.op <= this.#recovered().appendedOp, 'a checkpoint is of appended entries');
    return this.#data.checkpoint(state, position);
  }

  storage(): { readonly usedBytes: number; readonly limitBytes: number } {
    return this.#data.storage();
  }

  /**
   * Writes the newest durable checkpoint out as an exported data file, while the log goes on; call `checkpoint` before for
   * the state as it is now. Resolves with the position that the file is at.
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

  /** While there are appends, a checkpoint takes at most half of the disk's time, unless the log is filling up. */
  async #pause(tookMs: number): Promise<void> {
    const busy = this.#appendsSeen > 0;
    this.#appendsSeen = 0;
    if (busy && this.logBytesSinceCheckpoint < this.#sizeBytes / 2) await sleep(tookMs);
  }
}
