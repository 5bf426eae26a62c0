import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { dataFileSize, encodeSuperblock } from '../../images/tigerbeetle-double/superblock.ts';
import { BLOCK_SIZE, LOG_OFFSET } from '../log/layout.ts';
import { encodeSuperblock as encodeBuiltin } from '../log/superblock.ts';
import { checksumInto } from '../wire/checksum.ts';
import { judge } from './examine.ts';
import type { Expected } from './identity.ts';

const identity = { clusterId: 12n, replicaIndex: 1, replicaCount: 3 };
const builtin: Expected = { ...identity, engine: 'Builtin' };
const tigerBeetle: Expected = { ...identity, engine: 'TigerBeetle' };
const logSizeBytes = 32 << 20;

function builtinHead(change: { logSizeBytes?: number } = {}): Uint8Array {
  const copy = encodeBuiltin({
    sequence: 1,
    release: 4361,
    identity,
    position: { op: 0, timestamp: 0n, view: 0, stateHash: new Uint8Array(16) },
    key: new Uint8Array(16),
    logSizeBytes,
    logSequence: 1,
    logParent: new Uint8Array(16),
    manifest: { offset: 0, size: 0, seal: new Uint8Array(16) },
    ...change,
  });
  const bytes = new Uint8Array(4 * BLOCK_SIZE);
  for (let at = 0; at < 4; at += 1) bytes.set(copy, at * BLOCK_SIZE);
  return bytes;
}

const tigerBeetleHead = () =>
  encodeSuperblock({
    identity,
    sequence: 1,
    release: 4360,
    releaseFormat: 4360,
    checkpointOp: 0,
    syncOpMax: 0,
    view: 0,
  });

const files = {
  Builtin: { head: builtinHead, size: LOG_OFFSET + logSizeBytes, expected: builtin },
  TigerBeetle: { head: tigerBeetleHead, size: dataFileSize, expected: tigerBeetle },
} as const;
const engines = ['Builtin', 'TigerBeetle'] as const;

test.each(engines)("%s: its own file is the replica's", (engine) => {
  const { head, size, expected } = files[engine];
  expect(judge(head(), size, expected)).toBeUndefined();
  expect(judge(head(), size + 4096, expected)).toBeUndefined();
});

test.each(engines)("%s: another's file is foreign, and all that differs is named", (engine) => {
  const { head, size, expected } = files[engine];
  const other = engine === 'Builtin' ? 'TigerBeetle' : 'Builtin';
  expect(judge(head(), size, { ...expected, clusterId: 13n })).toEqual({
    reason: 'DataFileForeign',
    message: 'it belongs to another replica: cluster=12; expected cluster=13',
  });
  expect(judge(head(), size, { ...expected, replicaIndex: 2, replicaCount: 6 })?.message).toBe(
    'it belongs to another replica: replica=1 replica-count=3; expected replica=2 replica-count=6',
  );
  expect(judge(head(), size, { ...expected, engine: other })?.reason).toBe('DataFileForeign');
});

test.each(engines)('%s: a file that was cut off is damaged', (engine) => {
  const { head, size, expected } = files[engine];
  expect(judge(head(), size - 1, expected)?.reason).toBe('DataFileDamaged');
});

test('zeros, nothing and noise are damage, not a crash', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 20_000 }),
      fc.constantFrom(...engines),
      (bytes, engine) => {
        expect(judge(bytes, bytes.length, files[engine].expected)?.reason).toBe('DataFileDamaged');
      },
    ),
  );
});

test('an exported file is no replica’s', () => {
  expect(judge(builtinHead({ logSizeBytes: 0 }), files.Builtin.size, builtin)).toMatchObject({
    reason: 'DataFileForeign',
    message: expect.stringContaining('exported'),
  });
});

test.each(engines)('%s: damage to all but two copies is no damage to the file', (engine) => {
  const { head, size, expected } = files[engine];
  const distance = engine === 'Builtin' ? BLOCK_SIZE : 24_576;
  const bytes = head();
  bytes[2 * distance + 300]! ^= 1;
  bytes[3 * distance + 300]! ^= 1;
  expect(judge(bytes, size, expected)).toBeUndefined();
  bytes[300]! ^= 1;
  bytes[distance + 300]! ^= 1;
  expect(judge(bytes, size, expected)?.reason).toBe('DataFileDamaged');
});

test('a file of a newer format is reported as unknown, not as bad', () => {
  const bytes = tigerBeetleHead();
  for (let copy = 0; copy < 4; copy += 1) {
    const own = bytes.subarray(copy * 24_576, copy * 24_576 + 8_192);
    own[34] = 3;
    checksumInto(own.subarray(34), own, 0);
  }
  expect(() => judge(bytes, dataFileSize, tigerBeetle)).toThrow('format version 3');
});
