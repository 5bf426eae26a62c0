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
