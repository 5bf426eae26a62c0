/**
 * The part of protobuf's wire format that etcd's messages need: varints, bytes and nested messages. Fields with their
 * default value (0, empty) are left out, as in proto3. Source: protobuf.dev, "Encoding".
 */
import { assert } from '../../../base/assert.ts';

const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;
const FIXED32 = 5;

/** Collects the fields of one message. Long values are not copied before `finish`. */
export class ProtoWriter {
  readonly #parts: Uint8Array[] = [];
  #size = 0;

  /** Adds an unsigned value; leaves it out when it is 0. */
  uint(field: number, value: number | bigint): this {
    return Number(value) === 0 ? this : this.uintAlways(field, value);
  }

  /** Adds an unsigned value even when it is 0: in a `oneof`, the presence of a field says which one is set. */
  uintAlways(field: number, value: number | bigint): this {
    this.#add(varint(field * 8 + VARINT));
    this.#add(varint(value));
    return this;
  }

  flag(field: number, value: boolean): this {
    return this.uint(field, value ? 1 : 0);
  }

  bytes(field: number, value: Uint8Array): this {
    if (value.length === 0) return this;
    this.#add(varint(field * 8 + BYTES));
    this.#add(varint(value.length));
    this.#add(value);
    return this;
  }

  /** Adds a nested message, even when it is empty. */
  message(field: number, inner: ProtoWriter): this {
    this.#add(varint(field * 8 + BYTES));
    this.#add(varint(inner.#size));
    this.#parts.push(...inner.#parts);
    this.#size += inner.#size;
    return this;
  }

  finish(): Buffer {
    return Buffer.concat(this.#parts, this.#size);
  }

  #add(part: Uint8Array): void {
    this.#parts.push(part);
    this.#size += part.length;
  }
}

function varint(value: number | bigint): Uint8Array {
  const bytes: number[] = [];
  if (typeof value === 'number') {
    assert(Number.isSafeInteger(value) && value >= 0, 'a varint counts');
    let left = value;
    for (; left > 0x7f; left = Math.floor(left / 128)) bytes.push((left % 128) | 0x80);
    bytes.push(left);
    return Uint8Array.from(bytes);
  }
  let rest = value;
  assert(rest >= 0n && rest < 1n << 64n, 'a varint has 64 bits');
  for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  bytes.push(Number(rest));
  return Uint8Array.from(bytes);
}

/** Received bytes that the format does not allow: cut off, or otherwise malformed. */
export class ProtoError extends Error {
  override readonly name = 'ProtoError';
  readonly code = 'malformed_message';
}

/** Walks over the fields of a message: `next` moves to one, and one of the getters takes its value. */
export class ProtoReader {
  readonly #bytes: Uint8Array;
  #at = 0;
  #type = VARINT;
  #taken = true;
  field = 0;

  constructor(bytes: Uint8Array) {
    // Never a Buffer: its `slice` makes no copy, but callers that keep a part of a message rely on one.
    this.#bytes = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  /** Moves to the next field and skips a value that was not taken. Returns false at the end. */
  next(): boolean {
    if (!this.#taken) this.#skip();
    if (this.#at >= this.#bytes.length) return false;
    const tag = this.#count();
    this.field = Math.floor(tag / 8);
    this.#type = tag % 8;
    this.#taken = false;
    return true;
  }

  /** Takes a count, a revision or a size. Throws ProtoError if it is not below 2^53. */
  number(): number {
    this.#take(VARINT);
    return this.#count();
  }

  flag(): boolean {
    return this.number() !== 0;
  }

  /** Takes all 64 bits: the IDs of members and clusters are random. */
  id(): bigint {
    this.#take(VARINT);
    return this.#varint();
  }

  /** Takes a field of bytes, as a view of the message's own bytes. */
  bytes(): Uint8Array {
    this.#take(BYTES);
    const size = this.#count();
    const end = this.#at + size;
    if (end > this.#bytes.length) throw new ProtoError(`field ${this.field} is cut off`);
    const value = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return value;
  }

  text(): string {
    return Buffer.from(this.bytes()).toString('utf8');
  }

  #take(type: number): void {
    if (this.#type !== type)
      throw new ProtoError(`field ${this.field} has wire type ${this.#type}, not ${type}`);
    this.#taken = true;
  }

  #skip(): void {
    switch (this.#type) {
      case VARINT:
        this.#taken = true;
        this.#varint();
        return;
      case BYTES:
        this.bytes();
        return;
      case FIXED64:
      case FIXED32:
        this.#taken = true;
        this.#at += this.#type === FIXED64 ? 8 : 4;
        if (this.#at > this.#bytes.length) throw new ProtoError(`field ${this.field} is cut off`);
        return;
      default:
        throw new ProtoError(`field ${this.field} has the unknown wire type ${this.#type}`);
    }
  }

  /** Reads a varint below 2^53, without the cost of a bigint. */
  #count(): number {
    let low = 0;
    let scale = 1;
    // The first seven bytes hold 49 bits; few values are longer.
    for (let index = 0; index < 7; index += 1) {
      const byte = this.#byte();
      low += (byte & 0x7f) * scale;
      if (byte < 0x80) return low;
      scale *= 128;
    }
    const value = Number(this.#longVarint(low));
    if (!Number.isSafeInteger(value))
      throw new ProtoError(`field ${this.field} counts further than 2^53`);
    return value;
  }

  #varint(): bigint {
    let low = 0;
    let scale = 1;
    for (let index = 0; index < 7; index += 1) {
      const byte = this.#byte();
      low += (byte & 0x7f) * scale;
      if (byte < 0x80) return BigInt(low);
      scale *= 128;
    }
    return this.#longVarint(low);
  }

  /** Reads the rest of a varint whose first 49 bits are `low`. */
  #longVarint(low: number): bigint {
    let value = BigInt(low);
    for (let shift = 49n; shift < 70n; shift += 7n) {
      const byte = this.#byte();
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw new ProtoError('a varint does not end');
  }

  #byte(): number {
    const byte = this.#bytes[this.#at];
    if (byte === undefined) throw new ProtoError('a varint is cut off');
    this.#at += 1;
    return byte;
  }
}
