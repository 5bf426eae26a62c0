import { expect, test } from '@jest/globals';
import type { Import } from '../../../../../gen/api.ts';
import { bytesOf, missingParts, partsOf, totalBytesOf } from './parts.ts';

const begun = (files: readonly object[]) => ({ partSizeBytes: 10, files }) as Import;

test('the parts of a file are equal, and the last one has the rest', () => {
  const parts = partsOf({ replicaIndex: 2, sizeBytes: 25 }, 10);
  expect(parts.map(({ from, to }) => [from, to])).toEqual([
    [0, 10],
    [10, 20],
    [20, 25],
  ]);
  expect(parts.map(({ number }) => number)).toEqual([1, 2, 3]);
  expect(bytesOf(parts)).toBe(25);
  expect(partsOf({ replicaIndex: 0, sizeBytes: 20 }, 10)).toHaveLength(2);
});

test('only what the service does not have yet is sent', () => {
  const one = begun([
    { replicaIndex: 0, sizeBytes: 25, parts: [1, 3] },
    { replicaIndex: 1, sizeBytes: 15, parts: [] },
  ]);
  expect(missingParts(one).map(({ replicaIndex, number }) => [replicaIndex, number])).toEqual([
    [0, 2],
    [1, 1],
    [1, 2],
  ]);
  expect(totalBytesOf(one)).toBe(40);
});
