/**
 * Keeps etcd small: the leader deletes blocks that no replica needs, because each has a checkpoint after them, and compacts
 * the deleted revisions. The blocks kept for replicas that are behind have a bound in bytes; a replica that falls below it
 * fetches a data file from a peer.
 *
 * A replica that is not heard counts like the others. If the other volumes are destroyed next, its data file and the blocks
 * in its member are all that is left: a block between the two must not be deleted while there is room for it.
 *
 * A block that is not in the checkpoints of a majority is never deleted, whatever the bound: the loss of a minority's
 * volumes must lose nothing. If a majority gets no checkpoint done, the blocks stay, etcd fills up to FULL_PART of its
 * quota, and the log takes no more entries (`ReplicatedLog.full`) until there is room for these checkpoints.
 *
 * The transaction that deletes also raises `floor`, and only from the value that was seen. A late try therefore neither
 * lowers it nor deletes anything that was put since.
 */
import { EtcdError, type Etcd, type Txn } from './etcd.ts';
import { blockKey, FLOOR, LEAD } from './keys.ts';
import { CALL_TIMEOUT_MS, TRIM_BLOCKS_MAX, TRIM_EVERY_BLOCKS } from './limits.ts';
import { encodeRecord } from './records.ts';
import type { Records } from './records-watch.ts';
import type { RetainedBytes } from './retained.ts';

interface TrimmerOptions {
  readonly etcd: Etcd;
  readonly fence: number;
  readonly replicaCount: number;
  readonly retained: RetainedBytes;
  /** Returns the maximum of bytes of blocks kept for replicas that are behind. */
  readonly retainedBytesMax: () => number;
  /** Returns the bytes that etcd has in use, which all blocks are part of; `undefined` if unknown. */
  readonly bytesInUse: () => number | undefined;
  /** First block that an archive needs, which counts like a replica's need; `undefined` without an archive. */
  readonly neededByArchive?: (() => number | undefined) | undefined;
}

interface TrimBounds {
  readonly replicaCount: number;
  /** First block that an archive needs. */
  readonly neededByArchive?: number | undefined;
  /** Lowest sequence from which on the blocks are within the bound in bytes. */
  readonly withinBudget: number;
}

/** Returns the new floor, or `undefined` if nothing is to be deleted. Exported for its tests. */
export function planTrim(
  { floor, checkpoints }: Pick<Records, 'floor' | 'checkpoints'>,
  { replicaCount, withinBudget, neededByArchive = Infinity }: TrimBounds,
): number | undefined {
  const firstNeeded = (replica: number): number => (checkpoints.get(replica)?.sequence ?? 0) + 1;
  const needed = Array.from({ length: replicaCount }, (_, replica) => firstNeeded(replica));
  // A majority has every block before this one in its checkpoints.
  const neededByMajority = needed.sort((a, b) => b - a)[Math.floor(replicaCount / 2)] ?? 1;
  const neededByAll = Math.min(needed.at(-1) ?? 1, neededByArchive);
  const target = Math.min(Math.max(neededByAll, withinBudget), neededByMajority);
  if (target <= floor.sequence || target <= 1) return undefined;
  return Math.min(target, Math.max(floor.sequence, 1) + TRIM_BLOCKS_MAX);
}

export class Trimmer {
  readonly #options: TrimmerOptions;
  readonly #stopped = new AbortController();
  #records: Records | undefined;
  #busy = false;
  #sinceLook = 0;
  /** Last revision that this reign compacted. The reign before may have ended between a deletion and its compaction. */
  #compactedRevision = 0;

  constructor(options: TrimmerOptions) {
    this.#options = options;
  }

  /** Counts one more committed block. */
  committed(): void {
    this.#sinceLook += 1;
    if (this.#sinceLook < TRIM_EVERY_BLOCKS) return;
    this.#sinceLook = 0;
    void this.#trim();
  }

  recordsChanged(records: Records): void {
    this.#records = records;
    void this.#trim();
  }

  stop(): void {
    this.#stopped.abort();
  }

  /**
   * Deletes blocks, one step at a time. A failed step is repeated at the next occasion. There is one even when the log is
   * full: a little is written from time to time (space-recovery.ts).
   */
  async #trim(): Promise<void> {
    const { replicaCount } = this.#options;
    const { signal } = this.#stopped;
    if (this.#busy || this.#records === undefined || signal.aborted) return;
    const { floor } = this.#records;
    const withinBudget = this.#withinBudget(floor.sequence);
    const neededByArchive = this.#options.neededByArchive?.();
    const target = planTrim(this.#records, { replicaCount, withinBudget, neededByArchive });
    if (target === undefined && floor.modRevision <= this.#compactedRevision) return;
    this.#busy = true;
    try {
      await (target === undefined ? this.#compact(floor.modRevision) : this.#delete(target, floor));
    } catch (error) {
      if (!(error instanceof EtcdError)) throw error;
      // `floor`, which is watched, shows whether the deletion happened.
    } finally {
      this.#busy = false;
    }
    // This step did not see records that changed meanwhile.
    if (this.#records.floor !== floor) void this.#trim();
  }

  /** Returns the lowest sequence from which on the blocks are within the bound in bytes, or `floor` if all of them are. */
  #withinBudget(floor: number): number {
    const { retained, retainedBytesMax, bytesInUse } = this.#options;
    const bytesMax = retainedBytesMax();
    // The sizes of blocks before this replica's own checkpoint are unknown, but their sum is in here.
    if ((bytesInUse() ?? Infinity) <= bytesMax) return floor;
    return retained.sequenceWithin(bytesMax, floor);
  }

  async #delete(target: number, floor: Records['floor']): Promise<void> {
    const { etcd } = this.#options;
    const options = { timeoutMs: CALL_TIMEOUT_MS, signal: this.#stopped.signal };
    const { succeeded, revision } = await etcd.txn(this.#deletion(target, floor), options);
    if (succeeded) await this.#compact(revision);
  }

  /** Frees the blocks that were deleted up to `revision`: without it, they continue to take room. */
  async #compact(revision: number): Promise<void> {
    const { etcd } = this.#options;
    await etcd.compact(revision, { timeoutMs: CALL_TIMEOUT_MS, signal: this.#stopped.signal });
    this.#compactedRevision = revision;
  }

  #deletion(target: number, floor: Records['floor']): Txn {
    return {
      compare: [
        { key: LEAD, target: 'modRevision', is: 'equal', revision: this.#options.fence },
        { key: FLOOR, target: 'modRevision', is: 'equal', revision: floor.modRevision },
      ],
      success: [
        { do: 'put', key: FLOOR, value: encodeRecord({ sequence: target }) },
        { do: 'delete', key: blockKey(0), rangeEnd: blockKey(target) },
      ],
      failure: [],
    };
  }
}
