/** Reads one JSON object of integers directly into a record's bytes. */
import { bitsOfNames } from './flags.ts';
import type { Issues } from './issues.ts';
import { IntegerFound, MalformedJson, type JsonReader } from './json-reader.ts';
import type { Field, Layout } from './layouts.ts';

type Path = readonly (string | number)[];

const quote = 0x22;
const u32Max = 0xffff_ffff;
const millisecondsMax = u32Max * 1_000;
/** A longer list of flag names can only repeat names. */
const flagNamesMax = 16;
const flagTextMax = 500;
/** A problem does not quote longer names. */
const nameMax = 100;

interface Column extends Field {
  readonly index: number;
  /** The name and its closing quote, as ASCII. */
  readonly ascii: Uint8Array;
}

export class RecordReader {
  readonly #json: JsonReader;
  readonly #issues: Issues;
  readonly #layout: Layout;
  readonly #columns: readonly Column[];
  readonly #known: string;
  readonly #words = new Uint32Array(4);
  /** Properties that were given: one bit for each field of the layout. */
  #seen = 0;

  constructor(json: JsonReader, issues: Issues, layout: Layout) {
    this.#json = json;
    this.#issues = issues;
    this.#layout = layout;
    this.#known = layout.fields.map((field) => field.name).join(', ');
    this.#columns = layout.fields.map((field, index) => ({
      ...field,
      index,
      ascii: new TextEncoder().encode(`${field.name}"`),
    }));
  }

  /** Tells whether the last record had this property. */
  has(name: string): boolean {
    const column = this.#columns.find((column) => column.name === name);
    return column !== undefined && (this.#seen & (1 << column.index)) !== 0;
  }

  /** Reads the next object into the record at `base`, which must be all zero. Returns false if it is no object. */
  read(record: DataView, base: number, path: Path): boolean {
    const json = this.#json;
    this.#seen = 0;
    if (!json.opensObject()) {
      this.#issues.add(path, 'invalid_type', 'Must be an object.');
      json.skip();
      return false;
    }
    let expected = 0;
    for (let first = true; json.objectGoesOn(first); first = false) {
      const column = this.#column(expected, path);
      if (column === undefined) continue;
      expected = column.index + 1;
      this.#value(column, record, base, path);
    }
    return true;
  }

  /**
   * Takes a property's name and colon. Tries `expected` first: objects of one request mostly have the same order of properties.
   */
  #column(expected: number, path: Path): Column | undefined {
    const json = this.#json;
    const at = json.at;
    const name = this.#columns[expected];
    const found =
      name !== undefined && this.#isHere(name, at + 1)
        ? name
        : this.#columns.find((column) => this.#isHere(column, at + 1));
    if (found === undefined) return this.#columnOfText(path);
    json.at = at + 1 + found.ascii.length;
    return this.#once(found, at);
  }

  #isHere(column: Column, at: number): boolean {
    const { bytes } = this.#json;
    const { ascii } = column;
    for (let i = 0; i < ascii.length; i += 1) {
      if (bytes[at + i] !== ascii[i]) return false;
    }
    return true;
  }

  /** Takes a name that has escapes or is unknown. The value of an unknown property is skipped. */
  #columnOfText(path: Path): Column | undefined {
    const json = this.#json;
    const at = json.at;
    const text = json.string();
    const found = this.#columns.find((column) => column.name === text);
    if (found !== undefined) return this.#once(found, at);
    json.colon();
    json.skip();
    const isShort = text.length <= nameMax;
    this.#issues.add(
      isShort ? [...path, text] : path,
      'unknown_property',
      `${isShort ? 'This property' : `A property with a name of ${text.length} characters`} is unknown here; known are ${this.#known}.`,
    );
    return undefined;
  }

  #once(column: Column, at: number): Column {
    const bit = 1 << column.index;
    if ((this.#seen & bit) !== 0) {
      throw new MalformedJson(at, `the property “${column.name}” is there twice`);
    }
    this.#seen |= bit;
    this.#json.colon();
    return column;
  }

  #value(column: Column, record: DataView, base: number, path: Path): void {
    const json = this.#json;
    const byte = json.peek();
    if (column.input === 'flags' && byte !== undefined && (byte < 0x30 || byte > 0x39)) {
      this.#flags(column, record, base, path);
      return;
    }
    const isText = column.input === 'amount' && byte === quote && this.#isMax();
    if (isText) this.#words.fill(u32Max);
    else if (!this.#integer(column, path)) return;
    this.#put(column, record, base, path);
  }

  /** Takes `"max"`, which means “as much as there is” for an amount. */
  #isMax(): boolean {
    const { bytes, at } = this.#json;
    const is = bytes[at + 1] === 0x6d && bytes[at + 2] === 0x61 && bytes[at + 3] === 0x78;
    if (!is || bytes[at + 4] !== quote) return false;
    this.#json.at = at + 5;
    return true;
  }

  #integer(column: Column, path: Path): boolean {
    const found = this.#json.integer(this.#words);
    if (found === IntegerFound.taken) return true;
    if (found === IntegerFound.tooLarge) this.#outOfRange(column, path);
    else {
      this.#issues.add(
        [...path, column.name],
        'invalid_integer',
        'Must be a whole number: a string of up to 39 decimal digits or a JSON integer without fraction, exponent or sign.',
      );
    }
    return false;
  }

  #put(column: Column, record: DataView, base: number, path: Path): void {
    const words = this.#words;
    const at = base + column.offset;
    const [w0 = 0, w1 = 0, w2 = 0, w3 = 0] = words;
    const { width } = column;
    if (column.input === 'milliseconds') {
      this.#putSeconds(column, record, at, path);
      return;
    }
    if (
      width < 16 &&
      ((w3 | w2) !== 0 || (width < 8 && (w1 !== 0 || (width < 4 && w0 > 0xffff))))
    ) {
      this.#outOfRange(column, path);
      return;
    }
    if (width === 2) record.setUint16(at, w0, true);
    else record.setUint32(at, w0, true);
    if (width < 8) return;
    record.setUint32(at + 4, w1, true);
    if (width < 16) return;
    record.setUint32(at + 8, w2, true);
    record.setUint32(at + 12, w3, true);
  }

  #putSeconds(column: Column, record: DataView, at: number, path: Path): void {
    const [w0 = 0, w1 = 0, w2 = 0, w3 = 0] = this.#words;
    const milliseconds = w1 * 2 ** 32 + w0;
    if ((w3 | w2) !== 0 || milliseconds > millisecondsMax) {
      this.#outOfRange(column, path, String(millisecondsMax));
      return;
    }
    if (milliseconds % 1_000 !== 0) {
      this.#issues.add(
        [...path, column.name],
        'invalid_timeout',
        'Must be a multiple of 1000: timeouts are whole seconds.',
      );
      return;
    }
    record.setUint32(at, milliseconds / 1_000, true);
  }

  #outOfRange(
    column: Column,
    path: Path,
    maximum = String((1n << BigInt(8 * column.width)) - 1n),
  ): void {
    this.#issues.add([...path, column.name], 'invalid_integer', `Must be at most ${maximum}.`, {
      maximum,
    });
  }

  /** Takes flags that are not a JSON number: a string of digits or of names, or an array of names. */
  #flags(column: Column, record: DataView, base: number, path: Path): void {
    const json = this.#json;
    const names = this.#layout.flags;
    if (json.opensArray()) {
      let bits: number | undefined = 0;
      for (let count = 0; json.arrayGoesOn(count === 0); count += 1) {
        const isText = json.peek() === quote && count < flagNamesMax;
        const more = isText ? bitsOfNames(json.string(), names) : undefined;
        if (!isText) json.skip();
        bits = bits === undefined || more === undefined ? undefined : bits | more;
      }
      this.#putFlags(bits, column, record, base, path);
      return;
    }
    if (json.peek() !== quote) {
      json.skip();
      this.#putFlags(undefined, column, record, base, path);
      return;
    }
    const from = json.at;
    const text = json.string();
    if (/^\d+$/.test(text)) {
      json.at = from;
      if (this.#integer(column, path)) this.#put(column, record, base, path);
    } else {
      const bits = text.length <= flagTextMax ? bitsOfNames(text, names) : undefined;
      this.#putFlags(bits, column, record, base, path);
    }
  }

  #putFlags(
    bits: number | undefined,
    column: Column,
    record: DataView,
    base: number,
    path: Path,
  ): void {
    const at = base + column.offset;
    if (bits === undefined) {
      const allowed = Object.keys(this.#layout.flags);
      this.#issues.add(
        [...path, column.name],
        'invalid_flag',
        `Must be a number, a name, names joined with “|” or an array of names; names here are ${allowed.join(', ')}.`,
        { allowed },
      );
    } else if (column.width === 2) record.setUint16(at, bits, true);
    else record.setUint32(at, bits, true);
  }
}
