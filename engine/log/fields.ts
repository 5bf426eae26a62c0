/** Little-endian fields in a run of bytes. A u64 in our formats counts bytes or operations and stays below 2^53. */
import { assert } from '../../base/assert.ts';

export class Fields {
  readonly bytes: Uint8Array;
  readonly #view: DataView;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  u32(at: number): number {
    return this.#view.getUint32(at, true);
  }

  /** Reads a u64. It is a safe integer in bytes that a seal covers, so callers must verify the seal first. */
  u64(at: number): number {
    return Number(this.#view.getBigUint64(at, true));
  }

  big64(at: number): bigint {
    return this.#view.getBigUint64(at, true);
  }

  u128(at: number): bigint {
    return this.big64(at) | (this.big64(at + 8) << 64n);
  }

  slice(at: number, length: number): Uint8Array {
    return this.bytes.subarray(at, at + length);
  }

  putU32(at: number, value: number): void {
    this.#view.setUint32(at, value, true);
  }

  putU64(at: number, value: number): void {
    assert(Number.isSafeInteger(value) && value >= 0, 'a count is out of range');
    this.#view.setBigUint64(at, BigInt(value), true);
  }

  putBig64(at: number, value: bigint): void {
    this.#view.setBigUint64(at, value, true);
  }

  putU128(at: number, value: bigint): void {
    this.putBig64(at, BigInt.asUintN(64, value));
    this.putBig64(at + 8, value >> 64n);
  }

  put(at: number, bytes: Uint8Array): void {
    this.bytes.set(bytes, at);
  }
}
