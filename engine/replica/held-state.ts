/**
 * The state that one replica of several holds: ledger and sessions in memory, the data file with its checkpoints, and its
 * place in the log.
 */
import { isDerived } from '../ledger/checkpoint.ts';
import type { Needs } from '../ledger/cold-rows.ts';
import { PAGE_BYTES, type PageName } from '../ledger/page.ts';
import { DataFileError, CORRUPTION_ADVICE } from '../log/errors.ts';
import type { DataFile } from '../log/data-file.ts';
import type { HeldRanges, OwnRanges } from '../log/page-ranges.ts';
import type { TakenState } from '../log/take-missing.ts';
import type { PageDonor } from '../log/mend.ts';
import { NOTHING_VERIFIED, type Scrubbing } from '../log/scrubber.ts';
import type { CheckpointPosition } from '../log/log.ts';
import { positionAfter, type Block, type LogPosition } from '../log/replicated/block.ts';
import { Checkpoints } from './checkpoints.ts';
import { Executor } from './executor.ts';
import { HaltedError } from './halted-error.ts';
import { IndexVolume } from './index-volume.ts';
import { memoryDonor, peerDonors } from './page-donors.ts';
import { sameChecksum } from './pending-requests.ts';
import type { ReplicatedReplicaOptions } from './replicated-options.ts';

const CHECKPOINT_AFTER_BYTES = 64 << 20;
/** Number of blocks, however small, after which a checkpoint is due: a start reads that many in some seconds. */
const CHECKPOINT_AFTER_BLOCKS = 16_384;

/** Bytes beyond the limit that a block may find taken: replicas' tables grow at slightly different moments. */
const ROWS_BEYOND_LIMIT = 32 << 20;
const ROWS_LOOK_MS = 100;

export class HeldState {
  readonly #options: ReplicatedReplicaOptions;
  /** Aborted when the replica stops. */
  readonly #stopped: AbortSignal;
  /** Called when a checkpoint is durable. */
  readonly #onDurable: (position: CheckpointPosition) => void;
  readonly #checkpointAfterBytes: number;
  readonly checkpoints: Checkpoints;
  #executor: Executor;
  #file: DataFile | undefined;
  #indexVolume: IndexVolume | undefined;
  #logBytes = 0;
  /** Position of the last executed block; `undefined` before the first load. */
  position: LogPosition | undefined;
  /** True while another replica's state is being fetched to replace the file. */
  replacing = false;
  #loaded = false;
  /** Resolves when the block in execution is over; `undefined` between blocks. */
  #block: PromiseWithResolvers<void> | undefined;
  /** True if a block was executed in part, and its rest never will be. */
  #brokenOff = false;

  constructor(
    options: ReplicatedReplicaOptions,
    stopped: AbortSignal,
    onDurable: (position: CheckpointPosition) => void,
  ) {
    this.#options = options;
    this.#stopped = stopped;
    this.#onDurable = onDurable;
    this.#executor = this.#newExecutor();
    this.#checkpointAfterBytes = options.checkpointAfterBytes ?? CHECKPOINT_AFTER_BYTES;
    this.checkpoints = new Checkpoints({
      nowMs: () => options.timers.nowMs(),
      onError: options.onCheckpointError,
      take: () => this.#checkpoint(),
    });
  }

  get executor(): Executor {
    return this.#executor;
  }

  /** True if the data file's state is in memory and is not being replaced. */
  get isWhole(): boolean {
    return this.#loaded && !this.replacing;
  }

  /** The state's hash: 32 hexadecimal digits. */
  get hash(): string {
    return Buffer.from(this.#executor.ledger.stateHash()).toString('hex');
  }

  /** True if the volume has little room left. */
  get isShort(): boolean {
    return this.#file?.isShort === true;
  }

  /** Whether something of the data file is damaged and being mended now. */
  get isMending(): boolean {
    return this.#file?.isMending ?? false;
  }

  scrubbing(): Scrubbing {
    return this.#file?.scrubbing() ?? NOTHING_VERIFIED;
  }

  storage(): { readonly usedBytes: number; readonly limitBytes: number } {
    return this.#file?.storage() ?? { usedBytes: 0, limitBytes: 0 };
  }

  /** Opens the data file and loads its checkpoint. Rejects with HaltedError or DataFileError. */
  async load(): Promise<CheckpointPosition> {
    const { openFile, incarnation, pause, timers, onMergeError } = this.#options;
    this.#loaded = false;
    // Memory holds only one ledger: the old one is dropped before the new one is filled. Until then the state is empty.
    // Nothing here may name it beyond that, because this function waits below.
    const ended = this.#executor.ledger.endIndexHelper();
    this.#executor = this.#newExecutor();
    this.#indexVolume = undefined;
    await ended;
    const file = await openFile();
    this.#file = file;
    const { place } = file.superblock.position;
    // Before anything of it is found damaged: no other state takes its place then.
    if (place !== undefined && place.incarnation !== incarnation) {
      throw new HaltedError(
        'incarnation_differs',
        `The data file belongs to incarnation ${place.incarnation} of this database, and the replica was started with incarnation ${incarnation}. Start it with the state that the incarnation began with, or bring the replica back with 'recover'.`,
      );
    }
    file.mendWith({
      donors: () => this.#donors(),
      checkpoint: (table) => {
        this.#executor.ledger.mustStay(table);
        this.checkpointForRows();
      },
    });
    const executor = this.#newExecutor();
    const position = await file.load(executor.state);
    if (position.op > 0 && !sameChecksum(executor.ledger.stateHash(), position.stateHash)) {
      throw new DataFileError(
        'state_rejected',
        `The checkpoint's state does not match its head. ${CORRUPTION_ADVICE}`,
      );
    }
    executor.loaded(position);
    file.beginCheckpoints({ ring: undefined, pause });
    this.#indexVolume = new IndexVolume({
      pages: file.pages,
      ledger: executor.ledger,
      nowMs: () => timers.nowMs(),
      onError: (error) => {
        // Another state may be about to take its place.
        if (this.isWhole && this.#executor === executor) onMergeError?.(error);
      },
    });
    this.#executor = executor;
    this.checkpoints.op = position.op;
    this.#logBytes = 0;
    this.#loaded = true;
    return position;
  }

  /** Does a part of the work on the index that no operation does. Call it every now and then. */
  advanceIndex(): void {
    this.#indexVolume?.tick();
    this.#executor.ledger.advanceIndexes();
  }

  /** Brings pages of the data file. Rejects with DataFileError if one is damaged. */
  async bring({ pages, arrived }: Needs): Promise<void> {
    if (this.#file === undefined) throw new Error('this replica has no state to read from now');
    await this.#file.pages.read(pages, arrived);
  }

  /** Call before the first of a block's entries is executed: from then on no checkpoint begins. */
  begins(): void {
    this.#block = Promise.withResolvers();
  }

  /** Call when the block's entries are executed. */
  executed(block: Block): void {
    this.#block?.resolve();
    this.#block = undefined;
    this.position = positionAfter(block);
    const least = this.#checkpointAfterBytes / CHECKPOINT_AFTER_BLOCKS;
    this.#logBytes += Math.max(block.contentBytes, least);
  }

  /** Call when nothing more will be executed. There are no more checkpoints if that is in the middle of a block. */
  breaksOff(): void {
    this.#brokenOff = this.#block !== undefined;
    this.#block?.resolve();
    this.#block = undefined;
  }

  checkpointWhenDue(): void {
    const { identity } = this.#options;
    // The replicas' first checkpoints come at different times, so that their disks are not all busy at once.
    const part = identity.replicaIndex / identity.replicaCount;
    const first = this.checkpoints.op === 0 ? part * this.#checkpointAfterBytes : 0;
    const { ledger } = this.#executor;
    // Asked in any case: its pauses begin anew when it sees that there was room.
    const looksForRoom = this.checkpoints.looksForRoom(ledger);
    const isDue =
      looksForRoom ||
      this.#logBytes >= this.#checkpointAfterBytes + first ||
      ledger.wantsCheckpoint;
    if (isDue) this.checkpointForRows();
  }

  /**
   * Returns a promise if rows that are in no checkpoint yet take more memory than the ledger may have: of several replicas only
   * the leader refuses requests, and this one's volume may be the one that is full. Resolves when it may be looked at again.
   */
  mustWaitForRows(): Promise<void> | undefined {
    if (!this.#executor.ledger.mustCheckpoint(ROWS_BEYOND_LIMIT)) return undefined;
    this.checkpointForRows();
    const { timers } = this.#options;
    return new Promise((resolve) => void timers.after(ROWS_LOOK_MS, resolve));
  }

  /** Begins a checkpoint, after which rows may leave memory. */
  checkpointForRows(): void {
    if (!this.replacing && this.checkpoints.mayBegin) this.checkpoints.begin();
  }

  /** Writes the newest checkpoint as an exported data file. Rejects while no data file is open. */
  async exportTo(write: (bytes: Uint8Array) => Promise<void>): Promise<void> {
    if (this.#file === undefined) throw new Error('this replica has no state to give now');
    await this.#file.exportTo({ write });
  }

  /**
   * Writes a state that contains the block before `floor`, for another replica of the cluster. Takes a checkpoint first if
   * the newest one is older. Rejects if there is no such state here.
   */
  async sendTo(floor: number, write: (bytes: Uint8Array) => Promise<void>): Promise<void> {
    const file = await this.#fileFrom(floor);
    await file.exportTo({ write }, { sameCluster: true });
  }

  /** The same without the pages of rows that the other replica holds. */
  async sendMissing(
    floor: number,
    held: HeldRanges,
    write: (bytes: Uint8Array) => Promise<void>,
  ): Promise<void> {
    const file = await this.#fileFrom(floor);
    await file.sendMissing(held, write);
  }

  /** Reads the pages of rows that the data file holds. Resolves with `undefined` if there are none, or no file is open. */
  async ownRanges(): Promise<OwnRanges | undefined> {
    return this.#file?.ownRanges();
  }

  /** Puts another replica's state in place of the data file's, and closes the file. It is unchanged and open if this rejects. */
  async takeMissing(
    ranges: OwnRanges,
    receive: (write: (bytes: Uint8Array) => Promise<void>) => Promise<void>,
  ): Promise<TakenState> {
    if (this.#file === undefined) throw new Error('no data file is open');
    const taken = await this.#file.takeMissing(ranges, receive);
    await this.closeFile();
    return taken;
  }

  /** Resolves with the data file when its checkpoint contains the block before `floor`. Rejects if there is no such state here. */
  async #fileFrom(floor: number): Promise<DataFile> {
    if (this.#file === undefined || !this.isWhole)
      throw new Error('this replica has no state to give now');
    // If nothing is logged yet, the only state is the one with which the incarnation began.
    const isEnough = (): boolean =>
      (this.position?.sequence === 0 && floor <= 1) ||
      (this.#file?.superblock.position.place?.sequence ?? 0) >= Math.max(1, floor - 1);
    if (!isEnough()) await this.checkpoints.mustReach(this.#executor.op);
    if (!isEnough())
      throw new Error(`this replica has no checkpoint at block ${floor - 1} or later`);
    if (this.#file === undefined) throw new Error('this replica has no state to give now');
    return this.#file;
  }

  /** The last block of the log that the file's checkpoint contains; 0 if there is none. */
  get storedSequence(): number {
    return this.#file?.superblock.position.place?.sequence ?? 0;
  }

  /** Writes those of the pages of rows that are in memory, or whole on the volume. Others know better than to take them as they are. */
  async sendPages(
    pages: readonly PageName[],
    write: (bytes: Uint8Array) => Promise<void>,
  ): Promise<void> {
    const { ledger } = this.#executor;
    const found: Uint8Array[] = [];
    const absent = pages.filter((name) => {
      const page = isDerived(name.table) ? undefined : ledger.pageInMemory(name);
      if (page !== undefined) found.push(page);
      return page === undefined && !isDerived(name.table);
    });
    await this.#file?.pages.readWhole(absent, (_, words) => {
      found.push(new Uint8Array(words.slice().buffer, 0, PAGE_BYTES));
      return true;
    });
    for (const page of found) await write(page);
  }

  async *#donors(): AsyncGenerator<PageDonor> {
    const { peers, timers } = this.#options;
    yield memoryDonor(this.#executor.ledger);
    yield* peerDonors({ peers, timers, stopped: this.#stopped });
  }

  async closeFile(): Promise<void> {
    await this.#file?.close();
    this.#file = undefined;
  }

  #newExecutor(): Executor {
    const { newLedger, identity, batchSizeLimit } = this.#options;
    return new Executor({ ledger: newLedger(), identity, batchSizeLimit });
  }

  async #checkpoint(): Promise<number | undefined> {
    const { incarnation } = this.#options;
    // The place in the log is known between blocks only.
    while (this.#block !== undefined) await this.#block.promise;
    const file = this.#file;
    const { position } = this;
    if (file === undefined || this.replacing || this.#brokenOff) return undefined;
    if (position === undefined) return undefined;
    const { sequence, fence, seal } = position;
    const place = { incarnation, sequence, fence, seal };
    const bytes = this.#logBytes;
    // Before the first block, the log begins with what the file says.
    const taken =
      sequence === 0 ? file.superblock.position : { ...this.#executor.position(), place };
    const durable = await file.checkpoint(this.#executor.state, taken);
    this.#logBytes -= bytes;
    this.#onDurable(durable);
    return durable.op;
  }
}
