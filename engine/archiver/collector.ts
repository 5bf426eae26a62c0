/**
 * Collects the log from the engine and seals it into segments: when enough has come, or when the oldest entry has waited as
 * long as the promise allows. It reads from the engine only what has room in the spool.
 */
import {
  encodeSegment,
  NO_SEGMENT,
  checksumOf,
  type SegmentContent,
} from '../archive/log-segment.ts';
import { sha256 } from '../archive/chunk.ts';
import { FIRST_LINE, type Chain } from '../archive/log-chains.ts';
import { entrySize } from '../log/entries.ts';
import type { LedgerMark } from '../log/ledger-mark.ts';
import type { LogEntry } from '../log/log.ts';
import type { FeedAnswer, FeedPlace } from '../feed/archive-feed.ts';
import type { SpooledSegment } from './spool.ts';

/** Bytes of entries that make a segment at once. */
const SEGMENT_BYTES = 2 << 20;
/** An answer of this size is followed by the next question at once. */
const MORE_BYTES = 1 << 20;
/** Time that sealing and sending are given of the promised time. */
const SEND_MS = 750;

/** Place at which collecting goes on: after an op, with the digest of the segment that ends with it. */
export interface CollectorPlace extends FeedPlace {
  /** `NO_SEGMENT` where a chain begins. */
  readonly previous: string;
  /** Beginning of a chain for the next segment; absent if it continues a chain. */
  readonly begins?: Chain['follows'];
}

/** The beginning of an archive that has nothing: whatever the engine's log still has comes first. */
export const BEGINNING: CollectorPlace = { op: 0, previous: NO_SEGMENT, begins: 'start' };

interface CollectorOptions {
  readonly databaseId: string;
  readonly rpoMs: number;
  readonly nowMs: () => number;
}

export class Collector {
  readonly #options: CollectorOptions;
  #place: CollectorPlace;
  #entries: LogEntry[] = [];
  #marks: LedgerMark[] = [];
  #bytes = 0;
  #oldestAtMs = 0;
  /** Whether the engine's last answer was so large that more waits. */
  hasMore = false;

  constructor(options: CollectorOptions, place: CollectorPlace) {
    this.#options = options;
    this.#place = place;
  }

  /** Place from which the engine is asked next. */
  get place(): FeedPlace {
    const last = this.#entries.at(-1);
    return last === undefined ? this.#place : { op: last.op, checksum: checksumOf(last) };
  }

  /** Time until the collected entries must be sealed; `undefined` if there are none. */
  get dueInMs(): number | undefined {
    if (this.#entries.length === 0) return undefined;
    if (this.#bytes >= SEGMENT_BYTES) return 0;
    const { rpoMs, nowMs } = this.#options;
    return Math.max(0, this.#oldestAtMs + Math.max(0, rpoMs - SEND_MS) - nowMs());
  }

  take({ entries, marks }: Extract<FeedAnswer, { kind: 'part' }>): void {
    if (this.#entries.length === 0) this.#oldestAtMs = this.#options.nowMs();
    const bytes = entries.reduce((sum, { message }) => sum + entrySize(message), 0);
    this.#bytes += bytes;
    this.hasMore = bytes >= MORE_BYTES;
    this.#entries.push(...entries);
    this.#marks.push(...marks);
  }

  /** The engine's log begins at `oldestOp` only. Seal what was collected before. */
  skipTo(oldestOp: number): void {
    const begins = this.#place.begins === 'start' ? 'start' : 'gap';
    this.#place = { op: oldestOp - 1, previous: NO_SEGMENT, begins };
  }

  /** Makes a segment of what was collected; `undefined` if nothing was. */
  async seal(): Promise<SpooledSegment | undefined> {
    const [first] = this.#entries;
    const last = this.#entries.at(-1);
    if (first === undefined || last === undefined) return undefined;
    const { databaseId } = this.#options;
    const { previous, begins } = this.#place;
    const content: SegmentContent = { entries: this.#entries, marks: this.#marks };
    [this.#entries, this.#marks, this.#bytes, this.hasMore] = [[], [], 0, false];
    const object = await encodeSegment({ databaseId, line: FIRST_LINE, previous }, content);
    this.#place = {
      op: last.op,
      checksum: checksumOf(last),
      previous: sha256(object).toString('hex'),
    };
    return { firstOp: first.op, begins, object };
  }
}
