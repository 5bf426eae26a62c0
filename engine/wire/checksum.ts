/**
 * The protocol's checksum: the 128-bit tag of AEGIS-128L (draft-irtf-cfrg-aegis-aead, in its 2023 form) with key and nonce
 * zero, the data as associated data and no message. Sixteen bytes in wire order.
 */
import { aegisModule } from '../../gen/aegis-module.ts';
import { aegisTables } from './aegis-tables.ts';

const checksumSize = 16;

interface Aegis {
  readonly memory: WebAssembly.Memory;
  readonly INPUT: WebAssembly.Global;
  absorb(from: number, chunks: number): void;
  finish(bits: bigint): void;
  convertState(): void;
}

const module = new WebAssembly.Module(Uint8Array.from(atob(aegisModule), (c) => c.charCodeAt(0)));
// The module's exports are those of assembly/aegis.ts, from which it is compiled.
const aegis = new WebAssembly.Instance(module, {}).exports as unknown as Aegis;
const memory = new Uint8Array(aegis.memory.buffer);
const stateAt = 256;
const tagAt = 384;
const inputAt = Number(aegis.INPUT.value);
const inputSize = 65_536;
/** Bytes that are absorbed at a time. */
const BLOCK = 32;
const STATE_SIZE = 128;

const c0 = [
  0x00, 0x01, 0x01, 0x02, 0x03, 0x05, 0x08, 0x0d, 0x15, 0x22, 0x37, 0x59, 0x90, 0xe9, 0x79, 0x62,
];
const c1 = [
  0xdb, 0x3d, 0x18, 0x55, 0x6d, 0xc2, 0x2f, 0xf1, 0x20, 0x11, 0x31, 0x42, 0x73, 0xb5, 0x28, 0xdd,
];

memory.set(aegisTables(), 0);
/** Key and nonce are zero, so the state after the ten steps of initialization is a constant. */
const initialState = (() => {
  const zero = Array.from({ length: 16 }, () => 0);
  memory.set([zero, c1, c0, c1, zero, c0, c1, c0].flat(), stateAt);
  aegis.convertState();
  memory.fill(0, inputAt, inputAt + 32);
  for (let i = 0; i < 10; i += 1) aegis.absorb(inputAt, 1);
  return memory.slice(stateAt, stateAt + STATE_SIZE);
})();

/** Computes the tag of `data` in the module's memory. It is not reentrant and need not be, because it is synchronous. */
function compute(data: Uint8Array): void {
  memory.set(initialState, stateAt);
  const at = absorbWhole(data, 0);
  finish(data, at);
}

/** Takes the whole blocks of `data` from `from` on. Returns where they end. */
function absorbWhole(data: Uint8Array, from: number): number {
  let at = from;
  while (at + BLOCK <= data.length) {
    const size = Math.min(inputSize, (data.length - at) & -BLOCK);
    memory.set(size === data.length ? data : data.subarray(at, at + size), inputAt);
    aegis.absorb(inputAt, size / BLOCK);
    at += size;
  }
  return at;
}

/** Takes the rest of `data`, less than a block, and leaves the tag of all. */
function finish(data: Uint8Array, at: number): void {
  if (at < data.length) {
    memory.fill(0, inputAt, inputAt + BLOCK);
    memory.set(data.subarray(at), inputAt);
    aegis.absorb(inputAt, 1);
  }
  aegis.finish(BigInt(data.length) * 8n);
}

/** Returns the checksum of `data`, in fresh memory. */
export function checksum(data: Uint8Array): Uint8Array {
  compute(data);
  return memory.slice(tagAt, tagAt + checksumSize);
}

/** Writes the checksum of `data` to `out[offset … offset + 15]`; `out` may hold `data`. */
export function checksumInto(data: Uint8Array, out: Uint8Array, offset: number): void {
  compute(data);
  for (let i = 0; i < checksumSize; i += 1) out[offset + i] = memory[tagAt + i] ?? 0;
}

/** Returns whether `expected[offset … offset + 15]` is the checksum of `data`. */
export function checksumMatches(data: Uint8Array, expected: Uint8Array, offset: number): boolean {
  compute(data);
  return tagIs(expected, offset);
}

/**
 * Checksum of data that arrive in pieces, at one place in memory. Each piece is taken while it is in the processor's cache, and the sender
 * still sends the next one. Several may be in progress.
 */
export class GrowingChecksum {
  readonly #state = initialState.slice();
  #at = 0;

  /** Takes what of `data`, which has grown by some bytes, makes whole blocks. */
  grow(data: Uint8Array): void {
    if (data.length - this.#at < BLOCK) return;
    memory.set(this.#state, stateAt);
    this.#at = absorbWhole(data, this.#at);
    this.#state.set(memory.subarray(stateAt, stateAt + STATE_SIZE));
  }

  /** Returns whether `expected[offset … offset + 15]` is the checksum of `data`, which is complete. */
  matches(data: Uint8Array, expected: Uint8Array, offset: number): boolean {
    memory.set(this.#state, stateAt);
    finish(data, absorbWhole(data, this.#at));
    return tagIs(expected, offset);
  }
}

function tagIs(expected: Uint8Array, offset: number): boolean {
  for (let i = 0; i < checksumSize; i += 1) {
    if (expected[offset + i] !== memory[tagAt + i]) return false;
  }
  return true;
}
