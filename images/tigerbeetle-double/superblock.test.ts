import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readTigerBeetleHead } from '../../engine/log/tigerbeetle-head.ts';
import { encodeSuperblock, replicaId } from './superblock.ts';

test.each([
  // reference: ids of the replicas of cluster 0 in upstream's production build.
  [0, 'c1872596799a28591ce7f9e40e2efd04'],
  [1, '10a2405fb0fe4beec563784dee596ce8'],
  [2, 'b94de027776e5c74fb70e4f4ac0fde64'],
])('replica %i of cluster 0 has the id that upstream gives it', (index, expected) => {
  expect(Buffer.from(replicaId(0n, index)).toString('hex')).toBe(expected);
});

test('copies with which TigerBeetle does not start are no head: one that is two ahead, and two that differ in nothing but content', () => {
  const at = (sequence: number, view = 1) =>
    encodeSuperblock({
      identity: { clusterId: 77n, replicaIndex: 0, replicaCount: 1 },
      sequence,
      release: 4361,
      releaseFormat: 4361,
      checkpointOp: 0,
      syncOpMax: 0,
      view,
    });
  const copySize = at(1).length / 4;
  /** Four copies, each of another write. */
  const of = (...copies: readonly Uint8Array[]) =>
    readTigerBeetleHead(
      Buffer.concat(
        copies.map((copy, index) => copy.subarray(index * copySize, (index + 1) * copySize)),
      ),
    );
  expect(of(at(2), at(2), at(2), at(4))).toBeUndefined();
  expect(of(at(4), at(4), at(4), at(4, 2))).toBeUndefined();
  // What a replica that was killed while it wrote leaves.
  expect(of(at(3), at(2), at(2), at(2))).toMatchObject({ sequence: 2, copies: 3 });
  expect(of(at(3), at(3), at(2), at(2))).toMatchObject({ sequence: 3, copies: 2 });
  expect(of(at(1), at(4), at(4), at(4))).toMatchObject({ sequence: 4, copies: 3 });
  const damaged = at(9);
  damaged[3 * copySize + 4_000] = 1;
  expect(of(at(2), at(2), at(2), damaged)).toMatchObject({ sequence: 2, copies: 3 });
});

const u32 = fc.nat(0xffff_ffff);
const superblock = fc.integer({ min: 1, max: 6 }).chain((replicaCount) =>
  fc.record({
    identity: fc.record({
      clusterId: fc.bigInt({ min: 0n, max: (1n << 128n) - 1n }),
      replicaIndex: fc.nat(replicaCount - 1),
      replicaCount: fc.constant(replicaCount),
    }),
    sequence: fc.maxSafeNat(),
    release: u32,
    releaseFormat: u32,
    checkpointOp: fc.maxSafeNat(),
    syncOpMax: fc.maxSafeNat(),
    view: u32,
  }),
);

test('the writer’s output is readable by the reader of TigerBeetle’s data files', () => {
  fc.assert(
    fc.property(superblock, (written) => {
      const { identity, ...rest } = written;
      expect(readTigerBeetleHead(encodeSuperblock(written))).toMatchObject({
        ...identity,
        ...rest,
        copies: 4,
        formatVersion: 2,
      });
    }),
  );
});
