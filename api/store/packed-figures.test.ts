import { expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { packFigures, rounded, unpackFigures, type FigureSlots } from './packed-figures.ts';

const slots = 40;
const highest = 3.4028234663852886e38;

const valuesOf = (figures: FigureSlots) =>
  [...figures].map(([place, values]) => [place, ...values] as const);

test('every value that the store can hold, and every gap, comes out of a pack as it went in', () => {
  const any = new Float32Array(new Uint8Array(randomBytes(slots * 4)).buffer);
  const edges = [0, -0, 1e-45, -highest, highest, NaN, 16_777_217, 0.1];
  const figures: FigureSlots = new Map([
    [7, any],
    [0, Float32Array.from({ length: slots }, (_, slot) => edges[slot % edges.length] ?? 0)],
    [65_535, new Float32Array(slots).fill(NaN)],
  ]);
  expect(valuesOf(unpackFigures(packFigures(figures)))).toEqual(valuesOf(figures));
});

test('only the wanted places are unpacked, and places without values are absent', () => {
  const figures: FigureSlots = new Map(
    Array.from({ length: 200 }, (_, place) => [place, new Float32Array(slots).fill(place / 3)]),
  );
  const packed = packFigures(figures);
  expect(valuesOf(unpackFigures(packed, [3, 199, 1_000]))).toEqual(
    [3, 199].map((place) => [place, ...(figures.get(place) ?? [])]),
  );
  expect(unpackFigures(packFigures(new Map())).size).toBe(0);
});

test('a pack that would unpack to more than the maximum is refused', () => {
  const huge = new Map([[0, new Float32Array(2 ** 19)]]);
  expect(() => unpackFigures(packFigures(huge))).toThrow(/larger than/);
});

test('bytes that are no pack are refused', () => {
  const pack = packFigures(new Map([[3, new Float32Array(slots).fill(1)]]));
  const inside = inflateRawSync(pack);
  for (const bytes of [
    Buffer.from('no pack'),
    pack.subarray(0, -1),
    deflateRawSync(inside.subarray(0, -1)),
    deflateRawSync(inside.subarray(0, 1)),
    deflateRawSync(Buffer.from([9, 0, 1, 2])),
    Buffer.alloc(0),
  ]) {
    expect(() => unpackFigures(bytes)).toThrow();
  }
});

test('a rounded value is at most a part in 4,096 off, and stays one that the store can hold', () => {
  for (const value of [1, 4_095, 4_097, 0.1, 1 / 3, -77_777, 1e9, 1e-30, 1e38, highest, -highest]) {
    expect(Math.abs(rounded(value) - value)).toBeLessThanOrEqual(Math.abs(value) / 4_096);
    expect(Number.isFinite(Math.fround(rounded(value)))).toBe(true);
    expect(rounded(rounded(value))).toBe(rounded(value));
  }
  expect([0, 4_095, 4_096].map(rounded)).toEqual([0, 4_095, 4_096]);
});
