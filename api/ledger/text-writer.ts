/** Writes text and integers as bytes into one growing buffer, for the answer to a request. */
import { writeDecimal, writeSafeInteger } from './decimal.ts';

/** Maximum room that one integer takes, in bytes. */
const integerRoom = 40;
const quote = 0x22;

const encoder = new TextEncoder();

export const utf8 = (text: string): Uint8Array => encoder.encode(text);

export class TextWriter {
  #bytes: Uint8Array;
  #view: DataView | undefined;
  #at = 0;

  /** `room`: expected size in bytes. */
  constructor(room: number) {
    this.#bytes = new Uint8Array(room);
  }

  /** The written bytes. Nothing may be written afterwards. */
  get written(): Uint8Array {
    return this.#bytes.subarray(0, this.#at);
  }

  /** Number of bytes that are written. */
  get length(): number {
    return this.#at;
  }

  text(text: Uint8Array): void {
    this.#makeRoom(text.length);
    const bytes = this.#bytes;
    const at = this.#at;
    // A loop is faster than a call of `set` here.
    for (let i = 0; i < text.length; i += 1) bytes[at + i] = text[i] as number;
    this.#at = at + text.length;
  }

  /** Sets the records from which `integer` reads. */
  readsFrom(records: Uint8Array): void {
    this.#view = new DataView(records.buffer, records.byteOffset, records.length);
  }

  /** Writes the little-endian integer of `width` bytes at `offset` in decimal digits. */
  integer(offset: number, width: 2 | 4 | 8 | 16): void {
    const view = this.#view as DataView;
    this.#makeRoom(integerRoom);
    const bytes = this.#bytes;
    if (width === 2) this.#at = writeSafeInteger(bytes, this.#at, view.getUint16(offset, true));
    else if (width === 4) {
      this.#at = writeSafeInteger(bytes, this.#at, view.getUint32(offset, true));
    } else {
      const wide = width === 16;
      this.#at = writeDecimal(
        bytes,
        this.#at,
        view.getUint32(offset, true),
        view.getUint32(offset + 4, true),
        wide ? view.getUint32(offset + 8, true) : 0,
        wide ? view.getUint32(offset + 12, true) : 0,
      );
    }
  }

  /** The same as JSON that every reader takes exactly: in quotes from 2^53 on, which a double does not hold. */
  portableInteger(offset: number, width: 2 | 4 | 8 | 16): void {
    if (width < 8 || this.#isSafe(offset, width)) return this.integer(offset, width);
    this.#makeRoom(integerRoom + 2);
    this.#bytes[this.#at] = quote;
    this.#at += 1;
    this.integer(offset, width);
    this.#makeRoom(1);
    this.#bytes[this.#at] = quote;
    this.#at += 1;
  }

  #isSafe(offset: number, width: number): boolean {
    const view = this.#view as DataView;
    if (
      width === 16 &&
      (view.getUint32(offset + 8, true) | view.getUint32(offset + 12, true)) !== 0
    )
      return false;
    return view.getUint32(offset + 4, true) < 0x20_0000;
  }

  /** Writes an integer that is in no record, such as a count. */
  count(value: number): void {
    this.#makeRoom(integerRoom);
    this.#at = writeSafeInteger(this.#bytes, this.#at, value);
  }

  #makeRoom(count: number): void {
    if (this.#at + count <= this.#bytes.length) return;
    const larger = new Uint8Array(2 * this.#bytes.length + count);
    larger.set(this.written);
    this.#bytes = larger;
  }
}
