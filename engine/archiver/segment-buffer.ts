/**
 * The content of the next segment, in one buffer that is used again for each. With buffers of their own, entries would make so much garbage that
 * collecting it takes most of the archiver's memory and processor time (docs/decisions/0197-archiver-memory.md).
 */
import { assert } from '../../base/assert.ts';
import type { PlainSegment } from '../archive/log-segment.ts';
import { checksumOf, encodeEntries, entrySize, spanAfter, type Span } from '../log/entries.ts';
import { encodeMarks, MARK_BYTES, type LedgerMark } from '../log/ledger-mark.ts';
import type { LogEntry } from '../log/log.ts';

/** Marks that a segment may have: beyond that the oldest go, as in the engine. */
const MARKS_MAX = 6_000;
/** Place before the entries for the marks, whose number is known last. */
const MARKS_ROOM = MARKS_MAX * MARK_BYTES;
/** Room for most segments. The kernel gives memory only for what is written. */
const USUAL_BYTES = 4 << 20;
/** Step in which the memory grows: each one copies what is there. */
const GROWTH_BYTES = 1 << 20;

export class SegmentBuffer {
  #buffer = new Uint8Array(USUAL_BYTES);
  #end = MARKS_ROOM;
  #count = 0;
  #first: Span['first'] | undefined;
  #last: Span['last'] | undefined;
  #marks: LedgerMark[] = [];
  /** Whether somebody reads the content that was taken. */
  #isLent = false;

  /** Bytes of the entries. */
  get bytes(): number {
    return this.#end - MARKS_ROOM;
  }

  /** The last entry; `undefined` if there is none. */
  get last(): Span['last'] | undefined {
    return this.#last;
  }

  /** Copies entries, and marks of them. Returns the bytes of the entries. */
  add(entries: readonly LogEntry[], marks: readonly LedgerMark[]): number {
    assert(!this.#isLent, 'a segment is sealed before entries of the next one come');
    const [first, last] = [entries[0], entries.at(-1)];
    if (first === undefined || last === undefined) return 0;
    const bytes = entries.reduce((sum, { message }) => sum + entrySize(message), 0);
    this.#grow(this.#end + bytes);
    encodeEntries(this.#buffer, this.#end, entries);
    this.#note(bytes, {
      count: entries.length,
      first: { op: first.op, timestamp: first.timestamp },
      last: { op: last.op, timestamp: last.timestamp, checksum: checksumOf(last) },
    });
    this.addMarks(marks);
    return bytes;
  }

  /** Memory behind what was added, to be filled, and then added by `addFilled`. */
  room(bytes: number): Uint8Array {
    assert(!this.#isLent, 'a segment is sealed before entries of the next one come');
    this.#grow(this.#end + bytes);
    return this.#buffer.subarray(this.#end, this.#end + bytes);
  }

  /** Adds the entries after `op` of those that are encoded in the room. */
  addFilled(bytes: number, entryCount: number, op: number): void {
    const payload = this.room(bytes);
    const span = spanAfter(payload, entryCount, op);
    if (span === undefined) return;
    payload.copyWithin(0, span.start);
    this.#note(bytes - span.start, span);
  }

  /** Adds marks of entries that were added. */
  addMarks(marks: readonly LedgerMark[]): void {
    this.#marks.push(...marks);
  }

  /** Empties it. The content is the buffer's own: nothing may be added until `lent` has settled. `undefined` if it is empty. */
  async take<T>(lent: (content: PlainSegment) => Promise<T>): Promise<T | undefined> {
    const [first, last] = [this.#first, this.#last];
    if (first === undefined || last === undefined) return undefined;
    const marks = this.#marks.slice(-MARKS_MAX);
    const start = MARKS_ROOM - marks.length * MARK_BYTES;
    this.#buffer.set(encodeMarks(marks), start);
    const content: PlainSegment = {
      plain: this.#buffer.subarray(start, this.#end),
      entryCount: this.#count,
      markCount: marks.length,
      first,
      last,
      lastChecksum: last.checksum,
      lastMark: marks.at(-1),
    };
    [this.#end, this.#count, this.#first, this.#last, this.#marks] = [
      MARKS_ROOM,
      0,
      undefined,
      undefined,
      [],
    ];
    this.#isLent = true;
    try {
      return await lent(content);
    } finally {
      this.#isLent = false;
    }
  }

  #note(bytes: number, { count, first, last }: Span): void {
    this.#end += bytes;
    this.#count += count;
    this.#first ??= first;
    this.#last = last;
  }

  #grow(size: number): void {
    if (size <= this.#buffer.length) return;
    const larger = new Uint8Array(Math.ceil(size / GROWTH_BYTES) * GROWTH_BYTES);
    larger.set(this.#buffer.subarray(0, this.#end));
    this.#buffer = larger;
  }
}
