/**
 * Codec of a pack's figures: first the places of the figures that have values, then the values, byte by byte: the first bytes of
 * all values, then the second ones. So what stays the same or changes little stands side by side, and Deflate finds it. Values have
 * the single precision that the store has.
 */
import { deflateRawSync, inflateRawSync } from 'node:zlib';

/** Values of each place by slot. NaN: a gap. */
export type FigureSlots = Map<number, Float32Array>;

const valueBytes = 4;
const placeBytes = 2;
/** Far above what a pack can have. */
const unpackedMax = 2 ** 20;

export const emptySlots = (slots: number): Float32Array => new Float32Array(slots).fill(NaN);

const roundedBits = 12;

/** The value with 12 significant bits, at most 1/4,096 off: it takes two bytes. */
export function rounded(value: number): number {
  const unit = 2 ** (Math.floor(Math.log2(Math.abs(value))) + 1 - roundedBits);
  const near = Math.round(value / unit) * unit;
  return Number.isFinite(Math.fround(near)) ? near : value;
}

export function packFigures(figures: FigureSlots): Buffer {
  const places = Uint16Array.from(figures.keys());
  const values = Float32Array.from([...figures.values()].flatMap((of) => [...of]));
  const bytes = Buffer.from(values.buffer);
  const split = Buffer.alloc(bytes.length);
  for (const [index, byte] of bytes.entries()) {
    split[(index % valueBytes) * values.length + Math.floor(index / valueBytes)] = byte;
  }
  const count = Uint16Array.of(places.length);
  return deflateRawSync(Buffer.concat([count, places].map(bytesOf).concat(split)));
}

const bytesOf = (numbers: Uint16Array): Buffer => Buffer.from(numbers.buffer);

/** The values of the wanted places that have any; all of them if none are named. Throws if the bytes are no pack. */
export function unpackFigures(packed: Uint8Array, wanted?: readonly number[]): FigureSlots {
  const bytes = inflateRawSync(packed, { maxOutputLength: unpackedMax });
  const count = bytes.readUInt16LE(0);
  const begin = placeBytes * (1 + count);
  const length = (bytes.length - begin) / valueBytes;
  const slots = count === 0 ? length : length / count;
  if (slots < 0 || !Number.isInteger(slots)) throw new Error('the length is not that of a pack');
  const figures: FigureSlots = new Map();
  for (let index = 0; index < count; index += 1) {
    const place = bytes.readUInt16LE(placeBytes * (1 + index));
    if (wanted !== undefined && !wanted.includes(place)) continue;
    const own = new Uint8Array(slots * valueBytes);
    for (let at = 0; at < own.length; at += 1) {
      const value = index * slots + Math.floor(at / valueBytes);
      own[at] = bytes[begin + (at % valueBytes) * length + value] ?? 0;
    }
    figures.set(place, new Float32Array(own.buffer));
  }
  return figures;
}
