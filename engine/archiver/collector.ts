/**
 * Collects the log from the engine and seals it into segments: when enough has come, or when the oldest entry has waited as
 * long as the promise allows. It reads from the engine only what has room in the spool.
 */
import { NO_SEGMENT, sealSegment } from '../archive/log-segment.ts';
import { sha256 } from '../archive/chunk.ts';
import { FIRST_LINE, type Chain } from '../archive/log-chains.ts';
import type { FeedPlace } from '../feed/archive-feed.ts';
import type { FeedPart } from '../feed/feed-body.ts';
import type { PlacedPart } from '../feed/placed-part.ts';
import type { LogSource } from './log-source.ts';
import { SegmentBuffer } from './segment-buffer.ts';
import type { ArchiveEnd, SpooledSegment } from './spool.ts';

/** Bytes of entries that make a segment at once. */
const SEGMENT_BYTES = 2 << 20;
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

/** After the end of an archive. */
export const placeAt = ({
  lastOp,
  checksum,
  sha256: previous,
}: Pick<ArchiveEnd, 'lastOp' | 'checksum' | 'sha256'>): CollectorPlace => ({
  op: lastOp,
  checksum: Buffer.from(checksum, 'hex'),
  previous,
});

interface CollectorOptions {
  readonly databaseId: string;
  readonly rpoMs: number;
  readonly nowMs: () => number;
}

export class Collector {
  readonly #options: CollectorOptions;
  #place: CollectorPlace;
  readonly #content = new SegmentBuffer();
  #oldestAtMs = 0;
  #heardAtMs: number;
  /** Time until the next look at the log: when what a segment lacks has come, at the pace of the last answer. */
  lookInMs = Infinity;

  constructor(options: CollectorOptions, place: CollectorPlace) {
    this.#options = options;
    this.#place = place;
    this.#heardAtMs = options.nowMs();
  }

  /** Place from which the engine is asked next. */
  get place(): FeedPlace {
    const { last } = this.#content;
    return last === undefined ? this.#place : { op: last.op, checksum: last.checksum };
  }

  /** Time until the collected entries must be sealed; `undefined` if there are none. */
  get dueInMs(): number | undefined {
    if (this.#content.last === undefined) return undefined;
    if (this.#content.bytes >= SEGMENT_BYTES) return 0;
    const { rpoMs, nowMs } = this.#options;
    return Math.max(0, this.#oldestAtMs + Math.max(0, rpoMs - SEND_MS) - nowMs());
  }

  /** Copies the entries: the feed uses their memory again. */
  take({ entries, marks, more }: FeedPart): void {
    if (this.#content.last === undefined) this.#oldestAtMs = this.#options.nowMs();
    const bytes = this.#content.add(entries, marks);
    this.#heard(bytes, more);
  }

  /** Reads the entries where the engine has its log. Says whether all were there; what was read counts in any case. */
  async takePlaced(part: PlacedPart, source: Pick<LogSource, 'read'>): Promise<boolean> {
    const { last, bytes } = this.#content;
    if (last === undefined) this.#oldestAtMs = this.#options.nowMs();
    const { op } = this.place;
    try {
      return await source.read(part, {
        room: (size) => this.#content.room(size),
        added: (size, entryCount) => this.#content.addFilled(size, entryCount, op),
      });
    } finally {
      const lastOp = this.#content.last?.op ?? op;
      this.#content.addMarks(part.marks.filter((mark) => mark.op <= lastOp));
      this.#heard(this.#content.bytes - bytes, part.more);
    }
  }

  /** Nothing has come since the last answer. */
  heardNothing(): void {
    this.#heard(0, false);
  }

  /** The engine's log begins at `oldestOp` only. Seal what was collected before. */
  skipTo(oldestOp: number): void {
    const begins = this.#place.begins === 'start' ? 'start' : 'gap';
    this.#place = { op: oldestOp - 1, previous: NO_SEGMENT, begins };
  }

  /** Makes a segment of what was collected; `undefined` if nothing was. */
  async seal(): Promise<SpooledSegment | undefined> {
    const { databaseId } = this.#options;
    const { previous, begins } = this.#place;
    return this.#content.take(async (content) => {
      const object = await sealSegment({ databaseId, line: FIRST_LINE, previous }, content);
      const { first, last, lastChecksum: checksum } = content;
      this.#place = { op: last.op, checksum, previous: sha256(object).toString('hex') };
      return { firstOp: first.op, begins, object };
    });
  }

  /** What waits is asked for at once. How many bytes an answer has says nothing: small groups have a tenth of what they take in a log. */
  #heard(bytes: number, more: boolean): void {
    const nowMs = this.#options.nowMs();
    const lacks = Math.max(0, SEGMENT_BYTES - this.#content.bytes);
    const paceMs = bytes === 0 ? Infinity : (lacks * (nowMs - this.#heardAtMs)) / bytes;
    this.lookInMs = more ? 0 : paceMs;
    this.#heardAtMs = nowMs;
  }
}
