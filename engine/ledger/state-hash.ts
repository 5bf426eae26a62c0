/**
 * A rolling hash of all effects of writes: 128 bits in four lanes of 32, identical on every machine. It detects replicas
 * that differ by a bug or faulty memory; it does not withstand forgery.
 *
 * Absorbed word k goes to lane k % 4: `lane = rotate(imul(lane ^ word, prime), 13)`, a bijection of the lane for every word
 * and of the word for every lane, so that one changed word always changes its lane. The lanes are mixed with each other at
 * the end of every operation.
 */
import type { RowTable } from './row-table.ts';
import { hash32, imul } from './words.ts';

export class StateHash {
  readonly lanes = new Uint32Array(4);

  /** Absorbs `words[from … to)`; both ends are multiples of four words apart. */
  absorb(words: Uint32Array, from: number, to: number): void {
    const lanes = this.lanes;
    let a = lanes[0]! | 0;
    let b = lanes[1]! | 0;
    let c = lanes[2]! | 0;
    let d = lanes[3]! | 0;
    for (let i = from; i < to; i += 4) {
      a = imul(a ^ words[i]!, 0x9e3779b1);
      b = imul(b ^ words[i + 1]!, 0x85ebca77);
      c = imul(c ^ words[i + 2]!, 0xc2b2ae3d);
      d = imul(d ^ words[i + 3]!, 0x27d4eb2f);
      a = (a << 13) | (a >>> 19);
      b = (b << 13) | (b >>> 19);
      c = (c << 13) | (c >>> 19);
      d = (d << 13) | (d >>> 19);
    }
    lanes[0] = a;
    lanes[1] = b;
    lanes[2] = c;
    lanes[3] = d;
  }

  /** Absorbs a table's rows from `from` on. */
  absorbRows(table: RowTable, from: number): void {
    let row = from;
    while (row < table.count) {
      const end = Math.min(table.count, row - (row % table.rowsPerChunk) + table.rowsPerChunk);
      const offset = table.offsetOf(row);
      this.absorb(table.chunkOf(row), offset, offset + (end - row) * table.wordsPerRow);
      row = end;
    }
  }

  /** Ends an operation: makes every lane depend on every other. */
  mix(): void {
    const lanes = this.lanes;
    for (let round = 0; round < 2; round += 1) {
      for (let i = 0; i < 4; i += 1) {
        lanes[i] = hash32(lanes[i]! + imul(lanes[(i + 3) % 4]!, 0x9e3779b1) + i + 1);
      }
    }
  }

  bytes(): Uint8Array {
    return new Uint8Array(this.lanes.buffer).slice();
  }
}
