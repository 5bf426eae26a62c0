/**
 * Moments that an archive can bring back. A backup is one; and from a backup on, each operation of the log up to the end of
 * its chain. Nothing here writes.
 */
import {
  describeMoment,
  describeTarget,
  isAt,
  isInside,
  nearestTo,
  type Moment,
  type Target,
} from '../../domain/recovery.ts';
import { readRecord, recordKeys, type FoundRecord } from './archive.ts';
import { ArchiveError } from './errors.ts';
import { segmentKey } from './keys.ts';
import { readChains, readSegmentHead, type Chain } from './log-chains.ts';
import { decodeSegment, type SegmentHead } from './log-segment.ts';
import type { ObjectStore, RangedStore } from './object-store.ts';
import type { LedgerMark } from '../log/ledger-mark.ts';

/** A run of moments without a break. */
export interface RecoveryWindow {
  /** The first moment; absent while the log has no backup to begin with. */
  readonly from: Moment | undefined;
  readonly to: Moment;
  readonly follows: Chain['follows'];
  /** Operations that the log lacks before this window, since the one before it. */
  readonly missingOps: number;
}

export interface MomentPlan {
  readonly databaseId: string;
  readonly moment: Moment;
  /** The backup to begin with; `undefined`: the empty ledger. */
  readonly base: FoundRecord | undefined;
  readonly line: number;
  /** First ops of the segments to replay, in order. */
  readonly segments: readonly number[];
}

interface ChainWindow {
  readonly chain: Chain;
  readonly head: SegmentHead;
  readonly window: RecoveryWindow;
  /** Backups with which a replay of this chain may begin, in the order of their ops. */
  readonly bases: readonly FoundRecord[];
}

/** Content of an archive, read once. */
export class Archive {
  readonly #store: ObjectStore & RangedStore;
  readonly #databaseId: string;
  readonly #records: readonly FoundRecord[];
  readonly #chains: readonly ChainWindow[];

  private constructor(
    store: ObjectStore & RangedStore,
    databaseId: string,
    records: readonly FoundRecord[],
    chains: readonly ChainWindow[],
  ) {
    this.#store = store;
    this.#databaseId = databaseId;
    this.#records = records;
    this.#chains = chains;
  }

  static async read(store: ObjectStore & RangedStore, databaseId: string): Promise<Archive> {
    const records: FoundRecord[] = [];
    for (const { key } of await recordKeys(store, databaseId))
      records.push(await readRecord(store, databaseId, key));
    const found: ChainWindow[] = [];
    for (const chain of await readChains(store, databaseId)) {
      const { line, firstOp, follows, segments } = chain;
      const head = await readSegmentHead(store, databaseId, line, segments.at(-1)!);
      const earlier = found.at(-1)?.head;
      const bases = records.filter(
        ({ record }) =>
          record.op >= firstOp - 1 &&
          record.op <= head.lastOp &&
          !(record.op < firstOp && isEndOf(earlier, record)),
      );
      const before = earlier?.lastOp ?? firstOp - 1;
      const from = firstOp === 1 ? { op: 0, timestamp: 0n } : momentOf(bases[0]);
      const to = { op: head.lastOp, timestamp: head.lastTimestamp };
      const missingOps = Math.max(0, firstOp - 1 - before);
      found.push({ chain, head, bases, window: { from, to, follows, missingOps } });
    }
    return new Archive(store, databaseId, records, found);
  }

  get windows(): readonly RecoveryWindow[] {
    return this.#chains.map(({ window }) => window);
  }

  /** The newest moment that can be had. */
  get newest(): Moment | undefined {
    const ends = this.windows.filter(({ from }) => from !== undefined).map(({ to }) => to);
    return [...ends, ...this.#records.map(({ record }) => momentOfRecord(record))]
      .sort((one, other) => one.op - other.op)
      .at(-1);
  }

  /** The newest mark of the ledger in the log. */
  get newestMark(): LedgerMark | undefined {
    return this.#chains.at(-1)?.head.mark;
  }

  /**
   * Plans a restore. Rejects with `moment_unavailable`, which names the nearest moments, or with the error of an object that it
   * had to read.
   */
  async plan(target: Target): Promise<MomentPlan> {
    const inside = this.#chains.findLast(
      ({ window: { from, to } }) => from !== undefined && isInside({ from, to }, target),
    );
    if (inside !== undefined) return this.#planInside(inside, target);
    const exact = this.#records.findLast(({ record }) => isAt(momentOfRecord(record), target));
    if (exact === undefined) throw this.#unavailable(target);
    const { databaseId } = exact.record;
    const moment = momentOfRecord(exact.record);
    return { databaseId, moment, base: exact, line: 1, segments: [] };
  }

  async #planInside({ chain, bases }: ChainWindow, target: Target): Promise<MomentPlan> {
    const { line, firstOp, segments } = chain;
    const databaseId = this.#databaseId;
    const moment = await this.#momentIn(chain, target);
    const base = bases.findLast(({ record }) => record.op <= moment.op);
    const baseOp = base?.record.op ?? firstOp - 1;
    const used = segmentsFor(segments, baseOp + 1, moment.op);
    return { databaseId, moment, base, line, segments: used };
  }

  /** The operation of a chain at a target, with its timestamp. */
  async #momentIn({ line, firstOp, segments }: Chain, target: Target): Promise<Moment> {
    const holding =
      target.kind === 'op'
        ? segments.findLast((op) => op <= target.op)
        : await this.#segmentAt(line, segments, target.timestamp);
    // Before the chain's first operation there is only the state with which it begins.
    if (holding === undefined) {
      const base = this.#records.find(({ record }) => record.op === firstOp - 1);
      return base === undefined ? { op: 0, timestamp: 0n } : momentOfRecord(base.record);
    }
    const { entries } = await this.segment(line, holding);
    const found = entries.findLast(({ op, timestamp }) =>
      target.kind === 'op' ? op <= target.op : timestamp <= target.timestamp,
    );
    if (found !== undefined) return { op: found.op, timestamp: found.timestamp };
    throw this.#unavailable(target);
  }

  /** The last segment that begins at or before a timestamp. */
  async #segmentAt(
    line: number,
    segments: readonly number[],
    timestamp: bigint,
  ): Promise<number | undefined> {
    let [low, high] = [0, segments.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const head = await readSegmentHead(this.#store, this.#databaseId, line, segments[middle]!);
      if (head.firstTimestamp <= timestamp) low = middle + 1;
      else high = middle;
    }
    return segments[low - 1];
  }

  /** Reads a segment whole. */
  async segment(line: number, firstOp: number): ReturnType<typeof decodeSegment> {
    const key = segmentKey(this.#databaseId, line, firstOp);
    return decodeSegment(key, await this.#store.read(key), this.#databaseId);
  }

  /** The first operation after a moment, if the log has it. */
  async after({ line, moment }: MomentPlan): Promise<Moment | undefined> {
    const chain = this.#chains.find((one) => one.chain.line === line && isIn(one, moment.op + 1));
    const holding = chain?.chain.segments.findLast((op) => op <= moment.op + 1);
    if (holding === undefined) return undefined;
    const { entries } = await this.segment(line, holding);
    const next = entries.find(({ op }) => op === moment.op + 1);
    return next && { op: next.op, timestamp: next.timestamp };
  }

  /** The newest mark at or before a moment. */
  async markBefore({ line, moment, segments }: MomentPlan): Promise<LedgerMark | undefined> {
    const last = segments.at(-1);
    if (last === undefined) return undefined;
    const { marks } = await this.segment(line, last);
    const within = marks.findLast(({ op }) => op <= moment.op);
    const before = segments.at(-2);
    if (within !== undefined || before === undefined) return within;
    return (await readSegmentHead(this.#store, this.#databaseId, line, before)).mark;
  }

  #unavailable(target: Target): ArchiveError {
    const moments = [
      ...this.#records.map(({ record }) => momentOfRecord(record)),
      ...this.windows.flatMap(({ from, to }) => (from === undefined ? [] : [from, to])),
    ];
    const { before, after } = nearestTo(moments, target);
    const near = [
      before === undefined ? undefined : `the last one before is ${describeMoment(before)}`,
      after === undefined ? undefined : `the next one is ${describeMoment(after)}`,
    ].filter((one) => one !== undefined);
    return new ArchiveError(
      'moment_unavailable',
      near.length === 0
        ? `The bucket has neither a backup nor a log of ${this.#databaseId} under this prefix.`
        : `The archive of ${this.#databaseId} cannot bring back ${describeTarget(target)}: ${near.join(', ')}.`,
    );
  }
}

/** The segments of a chain that hold the operations from `first` to `last`. */
export const segmentsFor = (
  segments: readonly number[],
  first: number,
  last: number,
): readonly number[] =>
  first > last
    ? []
    : segments.filter((op, index) => op <= last && (segments[index + 1] ?? Infinity) > first);

export const momentOfRecord = ({ op, timestamp }: FoundRecord['record']): Moment => ({
  op,
  timestamp: BigInt(timestamp),
});

const momentOf = (found: FoundRecord | undefined): Moment | undefined =>
  found && momentOfRecord(found.record);

/**
 * Whether a backup was made right at the end of a chain. If another chain begins with the next operation nevertheless, that is the log of
 * another history, and does not go on from the backup.
 */
const isEndOf = (head: SegmentHead | undefined, { op, timestamp }: FoundRecord['record']) =>
  head?.lastOp === op && head.lastTimestamp === BigInt(timestamp);

const isIn = ({ chain, head }: ChainWindow, op: number): boolean =>
  op >= chain.firstOp && op <= head.lastOp;
