import { expect, test } from '@jest/globals';
import { allocatedAhead } from './allocated-ahead.ts';

const MIB = 2 ** 20;

test('blocks that XFS has allocated beyond the end of a file are room', () => {
  const xfs = { type: 0x58465342 };
  expect(allocatedAhead(xfs, { blocks: (192 * MIB) / 512, size: 128 * MIB })).toBe(64 * MIB);
  expect(allocatedAhead(xfs, { blocks: (64 * MIB) / 512, size: 128 * MIB })).toBe(0);
});

test('a file system that stores each block twice has no more room than it says', () => {
  const zfs = { type: 0x2fc12fc1 };
  expect(allocatedAhead(zfs, { blocks: (256 * MIB) / 512, size: 128 * MIB })).toBe(0);
});
