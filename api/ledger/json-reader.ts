/**
 * A strict reader of JSON (RFC 8259) over UTF-8 bytes that builds no values. The caller goes through the document once and takes
 * integers digit by digit; a parser into numbers would round them. At the first byte that is not JSON, it throws `MalformedJson`
 * with that byte's offset.
 */

import { isUtf8 } from 'node:buffer';
import { readDecimal } from './decimal.ts';

const depthMax = 32;

/** The text is not JSON. Thrown within the codec only, which turns it into a problem. */
export class MalformedJson extends Error {
  override readonly name = 'MalformedJson';
  readonly offset: number;

  constructor(offset: number, what: string) {
    super(what);
    this.offset = offset;
  }
}

const Byte = {
  space: 0x20,
  quote: 0x22,
  comma: 0x2c,
  minus: 0x2d,
  dot: 0x2e,
  zero: 0x30,
  nine: 0x39,
  colon: 0x3a,
  openArray: 0x5b,
  backslash: 0x5c,
  closeArray: 0x5d,
  openObject: 0x7b,
  closeObject: 0x7d,
} as const;

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });
const literals: Readonly<Record<string, string>> = { t: 'true', f: 'false', n: 'null' };

export const IntegerFound = { taken: 0, tooLarge: 1, none: 2 } as const;
export type IntegerFound = (typeof IntegerFound)[keyof typeof IntegerFound];

export class JsonReader {
  readonly bytes: Uint8Array;
  at = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  /** Skips white space and returns the next byte; `undefined` at the end. */
  peek(): number | undefined {
    const { bytes } = this;
    let at = this.at;
    let byte = bytes[at];
    while (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09)
      byte = bytes[(at += 1)];
    this.at = at;
    return byte;
  }

  /** Takes the given byte if it is next; returns whether it was. */
  takes(byte: number): boolean {
    if (this.peek() !== byte) return false;
    this.at += 1;
    return true;
  }

  opensArray(): boolean {
    return this.takes(Byte.openArray);
  }

  opensObject(): boolean {
    return this.takes(Byte.openObject);
  }

  /** After an element: returns whether another one follows. `first`: there was no element yet. */
  arrayGoesOn(first: boolean): boolean {
    if (this.takes(Byte.closeArray)) return false;
    if (!first && !this.takes(Byte.comma)) this.fail('a comma or the end of the array');
    return true;
  }

  /** Same for an object. If a property follows, the opening quote of its name is next. */
  objectGoesOn(first: boolean): boolean {
    if (this.takes(Byte.closeObject)) return false;
    if (!first && !this.takes(Byte.comma)) this.fail('a comma or the end of the object');
    if (this.peek() !== Byte.quote) this.fail('a property name in double quotes');
    return true;
  }

  colon(): void {
    if (!this.takes(Byte.colon)) this.fail('a colon');
  }

  /** Throws unless only white space follows. */
  end(): void {
    if (this.peek() !== undefined) this.fail('the end of the document');
  }

  /** Takes any value. If it is an unsigned integer, as a literal or a string of digits, its value goes into `words`. */
  integer(words: Uint32Array): IntegerFound {
    const { bytes } = this;
    const quoted = this.peek() === Byte.quote;
    const from = quoted ? this.at + 1 : this.at;
    let to = from;
    while (isDigit(bytes[to])) to += 1;
    const plain = quoted ? bytes[to] === Byte.quote : !isPartOfNumber(bytes[to]);
    if (to > from && plain && (quoted || bytes[from] !== Byte.zero || to === from + 1)) {
      this.at = quoted ? to + 1 : to;
      return readDecimal(bytes, from, to, words) ? IntegerFound.taken : IntegerFound.tooLarge;
    }
    if (!quoted) {
      this.skip();
      return IntegerFound.none;
    }
    const text = this.string();
    if (!/^\d+$/.test(text)) return IntegerFound.none;
    // Digits written as escapes are digits too.
    const digits = new TextEncoder().encode(text);
    return readDecimal(digits, 0, digits.length, words)
      ? IntegerFound.taken
      : IntegerFound.tooLarge;
  }

  /** Takes the next string and resolves its escapes. */
  string(): string {
    const { text: bytes, hasEscapes } = this.#takeString();
    const text = utf8.decode(bytes);
    if (!hasEscapes) return text;
    // The grammar was checked; the platform resolves the escapes.
    return JSON.parse(`"${text}"`) as string;
  }

  /** Takes any value. */
  skip(depth = 0): void {
    const byte = this.peek();
    if (depth > depthMax) throw new MalformedJson(this.at, `nested deeper than ${depthMax}`);
    if (byte === Byte.quote) this.#takeString();
    else if (this.opensArray()) {
      for (let first = true; this.arrayGoesOn(first); first = false) this.skip(depth + 1);
    } else if (this.opensObject()) {
      for (let first = true; this.objectGoesOn(first); first = false) {
        this.#takeString();
        this.colon();
        this.skip(depth + 1);
      }
    } else if (byte === Byte.minus || isDigit(byte)) this.#skipNumber();
    else this.#skipWord(byte);
  }

  /** Throws `MalformedJson`: the next bytes are not what was expected. */
  fail(expected: string): never {
    const end = this.at >= this.bytes.length;
    throw new MalformedJson(
      this.at,
      `${expected} expected${end ? ', but the body ends here' : ''}`,
    );
  }

  #skipWord(byte: number | undefined): void {
    const first = byte === undefined ? '' : String.fromCharCode(byte);
    const word = literals[first] ?? this.fail('a value');
    for (const letter of word) {
      if (this.bytes[this.at] !== letter.charCodeAt(0)) this.fail(`“${word}”`);
      this.at += 1;
    }
  }

  #skipNumber(): void {
    if (this.bytes[this.at] === Byte.minus) this.at += 1;
    if (this.bytes[this.at] === Byte.zero) this.at += 1;
    else this.#digits();
    if (this.bytes[this.at] === Byte.dot) {
      this.at += 1;
      this.#digits();
    }
    const exponent = this.bytes[this.at];
    if (exponent === 0x65 || exponent === 0x45) {
      this.at += 1;
      const sign = this.bytes[this.at];
      if (sign === 0x2b || sign === Byte.minus) this.at += 1;
      this.#digits();
    }
  }

  #digits(): void {
    if (!isDigit(this.bytes[this.at])) this.fail('a digit');
    while (isDigit(this.bytes[this.at])) this.at += 1;
  }

  /** Takes and checks the next string. Returns the raw text between its quotes. */
  #takeString(): { text: Uint8Array; hasEscapes: boolean } {
    const { bytes } = this;
    const from = this.at + 1;
    let isAscii = true;
    let hasEscapes = false;
    let at = from;
    for (let byte = bytes[at]; byte !== Byte.quote; byte = bytes[at]) {
      if (byte === undefined || byte < Byte.space) {
        this.at = at;
        this.fail('the closing quote of a string');
      }
      if (byte >= 0x80) isAscii = false;
      at += 1;
      if (byte !== Byte.backslash) continue;
      hasEscapes = true;
      at += this.#escape(at);
    }
    const text = bytes.subarray(from, at);
    if (!isAscii && !isUtf8(text)) throw new MalformedJson(from - 1, 'a string that is not UTF-8');
    this.at = at + 1;
    return { text, hasEscapes };
  }

  /** Returns the length of the escape whose backslash is just before `at`. */
  #escape(at: number): number {
    const byte = this.bytes[at];
    const isUnicode = byte === 0x75;
    let good = byte !== undefined && '"\\/bfnrtu'.includes(String.fromCharCode(byte));
    if (isUnicode) {
      for (let i = at + 1; i < at + 5; i += 1) good &&= isHex(this.bytes[i]);
    }
    if (!good) {
      this.at = at;
      this.fail('an escape of JSON');
    }
    return isUnicode ? 5 : 1;
  }
}

const isDigit = (byte: number | undefined): boolean =>
  byte !== undefined && byte >= Byte.zero && byte <= Byte.nine;

/** True for a byte that makes the preceding digits a number that is no integer literal. */
const isPartOfNumber = (byte: number | undefined): boolean =>
  byte === Byte.dot || byte === 0x65 || byte === 0x45;

const isHex = (byte: number | undefined): boolean =>
  isDigit(byte) || (byte !== undefined && (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66);
