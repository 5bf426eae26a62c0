/**
 * Writer of the log ring. It groups the entries appended during the last write, writes one group at a time, and reports
 * durable entries in op order. A group starts where the one before ended, or at the ring's beginning if it does not fit
 * before the end. It never overwrites a group that the newest checkpoint still needs.
 */
import { createSecretKey, type KeyObject } from 'node:crypto';
import { assert } from '../../base/assert.ts';
import { checksumOf, entrySize } from './entries.ts';
import {
  encodeGroup,
  fitsGroup,
  groupSize,
  GROUP_HEAD_SIZE,
  readGroupEntries,
  readGroupHead,
} from './group.ts';
import { BLOCK_SIZE, GROUP_SIZE_MAX, LOG_OFFSET, MARK_SLOTS, roundUp } from './layout.ts';
import type { LogEntry } from './log.ts';
import { writeMark } from './mark.ts';
import type { PlacedEntries } from './placed.ts';
import type { LiveGroup, LogScan } from './scan.ts';
import type { StorageFile } from './storage.ts';
import type { Superblock } from './superblock.ts';

interface RingOptions {
  readonly file: StorageFile;
  readonly superblock: Superblock;
  readonly scan: LogScan;
  /** Called once, for the first write that failed. */
  readonly onFailure: (error: unknown) => void;
}

/** Part of the ring that groups may take which only an archive still needs. */
const ARCHIVE_PART = 1 / 4;

/** Time without an append after which the log counts as idle and marks its last group. */
const MARK_AFTER_MS = 20;

export class LogRing {
  readonly #file: StorageFile;
  readonly #key: KeyObject;
  readonly #size: number;
  readonly #onFailure: (error: unknown) => void;
  readonly #buffer: Uint8Array;
  readonly #queue: { entry: LogEntry; committed: () => void }[] = [];
  #queuedBytes = 0;
  readonly #live: LiveGroup[];
  #liveBytes: number;
  /** Op of the newest durable checkpoint, and the bytes of the live groups that it contains completely. */
  #checkpointOp: number;
  #containedBytes: number;
  /** The op up to which an archive has the log; `undefined`: there is no archive, and nothing is kept for it. */
  #archivedOp: number | undefined;
  #sequence: number;
  #parent: Uint8Array;
  #position: number;
  #appendedOp: number;
  #durableOp: number;
  #writing: Promise<void> | undefined;
  #failure: { readonly error: unknown } | undefined;
  #markSlot: number;
  #markedSequence = 0;
  #markTimer: NodeJS.Timeout | undefined;
  #marking: Promise<void> = Promise.resolve();
  readonly #waiters: { op: number; resolve: () => void; reject: (error: unknown) => void }[] = [];

  constructor({ file, superblock, scan, onFailure }: RingOptions) {
    this.#file = file;
    this.#key = createSecretKey(superblock.key);
    this.#size = superblock.logSizeBytes;
    this.#onFailure = onFailure;
    this.#buffer = new Uint8Array(Math.min(GROUP_SIZE_MAX, this.#size));
    this.#live = [...scan.groups];
    this.#liveBytes = bytesOf(this.#live);
    this.#checkpointOp = superblock.position.op;
    this.#containedBytes = this.#contained();
    const last = scan.groups.at(-1);
    this.#sequence = (last?.sequence ?? superblock.logSequence - 1) + 1;
    this.#parent = last?.seal ?? superblock.logParent;
    this.#position = last ? last.offset + last.size : 0;
    this.#appendedOp = scan.lastOp;
    this.#durableOp = scan.lastOp;
    this.#markSlot = scan.nextMarkSlot;
  }

  /**
   * Call after a start: makes the groups that were read durable and marks them. A killed process may have left them only in
   * the page cache.
   */
  async settle(): Promise<void> {
    if (this.#live.length === 0) return;
    await this.#file.sync();
    await this.#mark();
  }

  /** Bytes of the log that are needed, and those in flight. */
  get usedBytes(): number {
    return this.#liveBytes + this.#queuedBytes;
  }

  /** Used bytes that the newest checkpoint does not contain. */
  get newBytes(): number {
    return this.usedBytes - this.#containedBytes;
  }

  get appendedOp(): number {
    return this.#appendedOp;
  }

  append(entry: LogEntry, committed: () => void): void {
    assert(entry.op === this.#appendedOp + 1, 'ops are appended without holes');
    assert(
      roundUp(GROUP_HEAD_SIZE + entrySize(entry.message)) <= this.#buffer.length,
      'a message fits the log',
    );
    if (this.#failure) return;
    this.#appendedOp = entry.op;
    this.#queue.push({ entry, committed });
    this.#queuedBytes += entrySize(entry.message);
    this.#pump();
  }

  /** Resolves when the entry `op` is durable. */
  durable(op: number): Promise<void> {
    if (this.#failure) return Promise.reject(this.#failure.error);
    if (op <= this.#durableOp) return Promise.resolve();
    return new Promise((resolve, reject) => this.#waiters.push({ op, resolve, reject }));
  }

  /**
   * Returns from which group on the log is needed once a checkpoint contains `op`: by the next start, or by the archive as far
   * as its part of the ring reaches.
   */
  startAfter(op: number): { sequence: number; parent: Uint8Array } {
    assert(op <= this.#durableOp, 'a checkpoint is of durable entries');
    this.#checkpointOp = op;
    const after = this.#live.findIndex((group) => group.lastOp > op);
    const first = this.#keptFrom(after === -1 ? this.#live.length : after);
    return this.#live[first] ?? { sequence: this.#sequence, parent: this.#parent };
  }

  /** Frees the groups before `sequence`, because a durable checkpoint contains them. */
  release(sequence: number): void {
    const keep = this.#live.findIndex((group) => group.sequence >= sequence);
    for (const group of this.#live.splice(0, keep === -1 ? this.#live.length : keep)) {
      this.#liveBytes -= group.size;
    }
    this.#containedBytes = this.#contained();
    this.#pump();
  }

  /** Says how far an archive has the log: later checkpoints keep what it has not, as long as there is room. */
  archived(op: number): void {
    this.#archivedOp = op;
  }

  /**
   * Reads durable entries from `op` on: whole groups, until they have `bytesMax` or more. If the first of them is gone, says
   * which op is the first that is left.
   */
  async read(
    op: number,
    bytesMax: number,
  ): Promise<readonly LogEntry[] | { readonly oldestOp: number }> {
    if (op < this.#oldest().oldestOp) return this.#oldest();
    const entries: LogEntry[] = [];
    for (const group of this.#groupsFrom(op, bytesMax)) {
      const found = await this.#readGroup(group);
      // It may have been released and overwritten meanwhile.
      if (found === undefined) return entries.length === 0 ? this.#oldest() : entries;
      entries.push(...found.filter((entry) => entry.op >= op));
    }
    return entries;
  }

  /**
   * The durable groups from the one with `op` on, until they have `bytesMax` or more: where they are, to be read by others. They may be released
   * and overwritten at any time, which their seals show.
   */
  places(op: number, bytesMax: number): readonly PlacedEntries[] | { readonly oldestOp: number } {
    const { oldestOp } = this.#oldest();
    if (op < oldestOp) return { oldestOp };
    return this.#groupsFrom(op, bytesMax).map(
      ({ lastOp, lastChecksum, offset, payloadSize, seal }) => ({
        lastOp,
        lastChecksum,
        at: LOG_OFFSET + offset,
        bytes: payloadSize,
        seal,
      }),
    );
  }

  #oldest(): { readonly oldestOp: number } {
    return { oldestOp: this.#live[0]?.firstOp ?? this.#appendedOp + 1 };
  }

  /** The durable groups from the one with `op` on, until they have `bytesMax` or more. Small requests make tens of thousands. */
  #groupsFrom(op: number, bytesMax: number): readonly LiveGroup[] {
    let [low, high] = [0, this.#live.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#live[middle]!.lastOp < op) low = middle + 1;
      else high = middle;
    }
    let [end, bytes] = [low, 0];
    for (; bytes < bytesMax; end += 1) {
      const group = this.#live[end];
      if (group === undefined || group.lastOp > this.#durableOp) break;
      bytes += group.size;
    }
    return this.#live.slice(low, end);
  }

  /** Resolves when everything appended is durable and marked. Nothing is written afterwards. */
  async close(): Promise<void> {
    clearTimeout(this.#markTimer);
    await this.durable(this.#appendedOp);
    clearTimeout(this.#markTimer);
    await this.#marking;
    if (!this.#failure) await this.#mark();
    if (this.#failure) throw this.#failure.error;
  }

  async #readGroup(group: LiveGroup): Promise<LogEntry[] | undefined> {
    const bytes = new Uint8Array(group.size);
    const length = await this.#file.read(bytes, LOG_OFFSET + group.offset);
    const head = readGroupHead(this.#key, bytes);
    const isWhole = head?.sequence === group.sequence;
    const entries = isWhole
      ? readGroupEntries(this.#key, head, bytes.subarray(0, length))
      : undefined;
    if (!this.#live.includes(group)) return undefined;
    if (entries === undefined)
      throw new Error(`group ${group.sequence} of the log cannot be read: it is damaged`);
    return entries;
  }

  /** Index of the first live group that is kept, when a checkpoint needs those from `after` on. */
  #keptFrom(after: number): number {
    if (this.#archivedOp === undefined) return after;
    let first = after;
    let bytes = 0;
    for (;;) {
      const group = this.#live[first - 1];
      // The group with the archive's last op is kept, too: it shows that the archive is of this history.
      if (group === undefined || group.lastOp < this.#archivedOp) return first;
      bytes += group.size;
      if (bytes > this.#size * ARCHIVE_PART) return first;
      first -= 1;
    }
  }

  #contained(): number {
    return bytesOf(this.#live.filter(({ lastOp }) => lastOp <= this.#checkpointOp));
  }

  #pump(): void {
    if (this.#writing || this.#failure || this.#queue.length === 0) return;
    const group = this.#nextGroup();
    const offset = this.#place(group.size);
    // No room: the next release pumps again.
    if (offset === undefined) return;
    clearTimeout(this.#markTimer);
    const taken = this.#queue.splice(0, group.count);
    this.#writing = this.#write(taken, offset);
  }

  /** Returns the number of queued entries in the next group, and its bytes. */
  #nextGroup(): { count: number; size: number } {
    let count = 0;
    let payloadSize = 0;
    for (const { entry } of this.#queue) {
      const next = payloadSize + entrySize(entry.message);
      if (!fitsGroup(payloadSize, entry.message) || GROUP_HEAD_SIZE + next > this.#buffer.length)
        break;
      payloadSize = next;
      count += 1;
    }
    return { count, size: groupSize({ payloadSize }) };
  }

  #place(size: number): number | undefined {
    const tail = this.#live[0]?.offset;
    if (tail === undefined) return this.#position + size <= this.#size ? this.#position : 0;
    if (this.#position > tail) {
      if (this.#position + size <= this.#size) return this.#position;
      return size <= tail ? 0 : undefined;
    }
    // Here the position has wrapped, or it equals the tail: then the ring is full to the last byte.
    return this.#position + size <= tail ? this.#position : undefined;
  }

  async #write(
    taken: readonly { entry: LogEntry; committed: () => void }[],
    offset: number,
  ): Promise<void> {
    const { head, bytes } = encodeGroup(this.#buffer, this.#key, {
      sequence: this.#sequence,
      parent: this.#parent,
      entries: taken.map(({ entry }) => entry),
    });
    const lastOp = head.firstOp + head.entryCount - 1;
    const lastChecksum = checksumOf(taken.at(-1)!.entry);
    this.#live.push({ ...head, lastOp, lastChecksum, offset, size: bytes.length });
    this.#liveBytes += bytes.length;
    this.#queuedBytes -= head.payloadSize;
    this.#position = offset + bytes.length;
    try {
      await this.#file.writeDurable(bytes, LOG_OFFSET + offset);
    } catch (error) {
      this.#fail(error);
      return;
    }
    this.#sequence += 1;
    this.#parent = head.seal;
    this.#durableOp = lastOp;
    this.#writing = undefined;
    // The next group is written before the callers of this one are notified.
    this.#pump();
    if (!this.#writing) this.#markTimer = setTimeout(() => this.#markSoon(), MARK_AFTER_MS).unref();
    for (const { committed } of taken) committed();
    this.#wake();
  }

  #wake(): void {
    while (this.#waiters.some(({ op }) => op <= this.#durableOp)) {
      const index = this.#waiters.findIndex(({ op }) => op <= this.#durableOp);
      this.#waiters.splice(index, 1)[0]!.resolve();
    }
  }

  #markSoon(): void {
    this.#marking = this.#marking.then(() => this.#mark());
  }

  async #mark(): Promise<void> {
    const sequence = this.#sequence - 1;
    if (this.#failure || sequence <= this.#markedSequence) return;
    try {
      await writeMark(this.#file, this.#key, { slot: this.#markSlot, sequence });
    } catch (error) {
      this.#fail(error);
      return;
    }
    this.#markSlot = (this.#markSlot + 1) % MARK_SLOTS;
    this.#markedSequence = sequence;
  }

  #fail(error: unknown): void {
    if (this.#failure) return;
    this.#failure = { error };
    this.#queue.length = 0;
    for (const { reject } of this.#waiters.splice(0)) reject(error);
    this.#onFailure(error);
  }
}

const bytesOf = (groups: readonly LiveGroup[]): number =>
  groups.reduce((sum, { size }) => sum + size, 0);

/** Makes torn groups unreadable, durably, because their sequences will be used again. */
export async function eraseTorn(file: StorageFile, scan: LogScan): Promise<void> {
  for (const offset of scan.torn) {
    await file.writeDurable(new Uint8Array(BLOCK_SIZE), LOG_OFFSET + offset);
  }
}
