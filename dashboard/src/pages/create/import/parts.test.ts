import { expect, test } from '@jest/globals';
import type { Import } from '../../../../../gen/api.ts';
import { bytesOf, partsOf, partsToSend, totalBytesOf, type Part } from './parts.ts';

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

test('a resumed upload sends what the service does not have, and before that the first part of each file, which shows whether it is the same file', () => {
  const one = begun([
    { replicaIndex: 0, sizeBytes: 25, parts: [1, 3] },
    { replicaIndex: 1, sizeBytes: 15, parts: [] },
    { replicaIndex: 2, sizeBytes: 15, parts: [1, 2] },
  ]);
  const { first, others } = partsToSend(one);
  const named = ({ replicaIndex, number }: Part) => [replicaIndex, number];
  expect(first.map(named)).toEqual([
    [0, 1],
    [1, 1],
    [2, 1],
  ]);
  expect(others.map(named)).toEqual([
    [0, 2],
    [1, 2],
  ]);
  expect(totalBytesOf(one)).toBe(55);
});
