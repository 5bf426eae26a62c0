import { expect, test } from '@jest/globals';
import {
  FILE_HEAD_SIZE,
  FILE_HEAD_SIZE_MAX,
  headSizeOf,
  readFileHead,
} from '../../domain/import-files/file-head.ts';
import { checksumInto, checksumMatches } from '../wire/checksum.ts';
import { exportDataFile } from './export.ts';
import { createEmpty, formatDataFile } from './format-file.ts';
import { inspectDataFile, recogniseHead } from './inspect.ts';
import { LOG_SIZE_MIN } from './layout.ts';
import { restoreDataFile } from './restore.ts';
import { MemoryStorage } from './testing/memory-storage.ts';
import { placeWithoutState } from './without-state.ts';
import {
  createToyFile,
  IDENTITY,
  messageOf,
  PATH,
  RELEASE,
  ToyReplica,
} from './testing/replica.ts';

const EXPORTED = '/disk/exported.ledger';
const RESTORED = '/disk/restored.ledger';

async function runningReplica(): Promise<{ disk: MemoryStorage; replica: ToyReplica }> {
  const disk = new MemoryStorage();
  await createToyFile(disk, 64 << 10);
  const replica = await ToyReplica.start(disk);
  for (let op = 1; op <= 8; op += 1) {
    await replica.append(messageOf(op, 500));
    if (op === 4 || op === 8) await replica.checkpoint();
  }
  return { disk, replica };
}

test('an export of a running replica restores to the state at its op, without sessions, under another identity', async () => {
  const { disk, replica } = await runningReplica();
  const atCheckpoint = replica.state.digest(false);
  const exporting = replica.log.exportTo({ path: EXPORTED });
  for (let op = 9; op <= 12; op += 1) {
    await replica.append(messageOf(op, 700));
    await replica.checkpoint();
  }
  expect((await exporting).op).toBe(8);
  const restamp = { clusterId: 99n, replicaIndex: 2, replicaCount: 3 };
  await restoreDataFile({
    from: EXPORTED,
    to: RESTORED,
    restamp,
    logSizeBytes: LOG_SIZE_MIN,
    storage: disk,
  });
  const restored = await ToyReplica.start(disk, RESTORED);
  expect(restored.log.identity).toEqual(restamp);
  expect(restored.state.op).toBe(8);
  expect(restored.state.digest(false)).toBe(atCheckpoint);
  expect(restored.state.session).toBe(0);
  // The restored replica continues from there.
  await restored.append(messageOf(9, 100));
  await restored.checkpoint();
  await restored.log.close();
  expect((await ToyReplica.start(disk, RESTORED)).state.op).toBe(9);
});

test('a stream gets the same bytes as a file, and its head describes it', async () => {
  const { disk, replica } = await runningReplica();
  await replica.log.exportTo({ path: EXPORTED });
  const streamed = await replica.exported();
  expect(Buffer.compare(streamed, disk.bytes(EXPORTED))).toBe(0);
  expect(recogniseHead(streamed.subarray(0, 4096))).toMatchObject({
    kind: 'ledgerhouse',
    head: { identity: IDENTITY, release: RELEASE, logSizeBytes: 0, checkpoint: { op: 8 } },
  });
  const inspection = await inspectDataFile(EXPORTED, disk);
  expect(inspection).toMatchObject({ errors: [], wholeCopies: 4, logEntries: 0, lastOp: 8 });
});

test('a stopped file exports once its log is in a checkpoint, and is refused before', async () => {
  const { disk, replica } = await runningReplica();
  await replica.append(messageOf(9, 100));
  await replica.log.close();
  const target = { path: EXPORTED };
  await expect(exportDataFile(PATH, target, disk)).rejects.toMatchObject({
    code: 'not_checkpointed',
  });
  const again = await ToyReplica.start(disk);
  await again.checkpoint();
  await again.log.close();
  expect((await exportDataFile(PATH, target, disk)).op).toBe(9);
});

test('a file that is marked as lost is neither exported nor restored from: its copy would be an empty ledger', async () => {
  const disk = new MemoryStorage();
  const identity = { clusterId: 7n, replicaIndex: 1, replicaCount: 3 };
  const rest = { release: RELEASE, logSizeBytes: LOG_SIZE_MIN, storage: disk };
  await createEmpty({ path: PATH, identity, place: placeWithoutState(1, 'lost'), ...rest });
  const refused = { code: 'state_lost', message: expect.stringContaining(PATH) };
  await expect(exportDataFile(PATH, { path: EXPORTED }, disk)).rejects.toMatchObject(refused);
  const restore = restoreDataFile({ from: PATH, to: RESTORED, storage: disk });
  await expect(restore).rejects.toMatchObject(refused);
  expect(disk.paths).toEqual([PATH]);
});

test('neither format nor export nor restore overwrites, and none leaves anything behind when it fails', async () => {
  const { disk, replica } = await runningReplica();
  await replica.log.exportTo({ path: EXPORTED });
  const paths = disk.paths;
  const exists = { code: 'already_exists' };
  const format = formatDataFile({
    path: PATH,
    identity: IDENTITY,
    release: RELEASE,
    storage: disk,
  });
  await expect(format).rejects.toMatchObject(exists);
  await expect(replica.log.exportTo({ path: EXPORTED })).rejects.toMatchObject(exists);
  await expect(restoreDataFile({ from: EXPORTED, to: PATH, storage: disk })).rejects.toMatchObject(
    exists,
  );
  // From a damaged export, no file appears under the target's name.
  const damaged = disk.bytes(EXPORTED);
  damaged[damaged.length - 4090]! ^= 1;
  const other = MemoryStorage.of(EXPORTED, damaged);
  const restore = restoreDataFile({
    from: EXPORTED,
    to: RESTORED,
    logSizeBytes: LOG_SIZE_MIN,
    storage: other,
  });
  await expect(restore).rejects.toMatchObject({ code: 'checkpoint_corrupt' });
  expect(other.paths).toEqual([EXPORTED]);
  // The same on a full disk.
  disk.capacity = 0;
  const full = restoreDataFile({ from: EXPORTED, to: RESTORED, storage: disk });
  await expect(full).rejects.toMatchObject({ code: 'ENOSPC' });
  expect(disk.paths).toEqual(paths);
});

test('an exported file is not started, and says what to do', async () => {
  const { disk, replica } = await runningReplica();
  await replica.log.exportTo({ path: EXPORTED });
  await expect(ToyReplica.start(disk, EXPORTED)).rejects.toThrow(/restore/);
});

test.each([
  { clusterId: 1n, replicaIndex: 1, replicaCount: 1 },
  { clusterId: 1n, replicaIndex: 0, replicaCount: 7 },
  { clusterId: 1n << 128n, replicaIndex: 0, replicaCount: 1 },
  { clusterId: -1n, replicaIndex: 0, replicaCount: 1 },
])('an identity that cannot be is refused: %p', async (identity) => {
  const storage = new MemoryStorage();
  const format = formatDataFile({ path: PATH, identity, release: RELEASE, storage });
  await expect(format).rejects.toMatchObject({ code: 'identity_invalid' });
});

/** Makes a TigerBeetle head as the reference describes it. */
function tigerBeetleHead(damagedCopies: number): Uint8Array {
  const head = new Uint8Array(4 * 24_576);
  for (let copy = 0; copy < 4; copy += 1) {
    const bytes = head.subarray(copy * 24_576, copy * 24_576 + 8192);
    const view = new DataView(bytes.buffer, bytes.byteOffset, 8192);
    view.setUint16(32, copy, true);
    view.setUint16(34, 2, true);
    view.setUint32(36, 4361, true);
    view.setBigUint64(40, 7n, true);
    view.setBigUint64(48, 42n, true);
    view.setBigUint64(320, 959n, true);
    view.setUint32(708, 4361, true);
    view.setBigUint64(1120, 1001n, true);
    for (let member = 0; member < 12; member += 1)
      view.setBigUint64(1136 + member * 16, 1000n + BigInt(member), true);
    view.setUint8(1364, 3);
    checksumInto(bytes.subarray(34), bytes, 0);
    if (copy < damagedCopies) bytes[5000]! ^= 1;
  }
  return head;
}

test('a check without the engine reads the head of a TigerBeetle data file, while two copies agree', () => {
  const expected = {
    kind: 'tigerbeetle',
    head: {
      clusterId: 42n,
      replicaIndex: 1,
      replicaCount: 3,
      release: 4361,
      op: 959,
      isSyncing: false,
      endsAfterBytes: 1_141_374_976,
    },
  };
  for (const damaged of [0, 1, 2]) {
    const bytes = tigerBeetleHead(damaged);
    // The check without checksums takes copies that are equal, so that their damage must differ.
    bytes[4_000]! ^= damaged;
    expect(readFileHead(bytes.subarray(0, FILE_HEAD_SIZE_MAX))).toMatchObject(expected);
    expect(readFileHead(bytes.subarray(0, FILE_HEAD_SIZE_MAX), checksumMatches)).toMatchObject(
      expected,
    );
  }
  expect(headSizeOf(tigerBeetleHead(0))).toBe(FILE_HEAD_SIZE_MAX);
});

test('a TigerBeetle head that is cut, damaged or of another format is named, and is never taken for another file', () => {
  const kindOf = (bytes: Uint8Array, matches?: typeof checksumMatches) =>
    readFileHead(bytes, matches).kind;
  expect(kindOf(tigerBeetleHead(0).slice(0, FILE_HEAD_SIZE))).toBe('tigerbeetle-cut');
  expect(kindOf(tigerBeetleHead(3), checksumMatches)).toBe('tigerbeetle-damaged');
  const forged = tigerBeetleHead(0);
  for (let copy = 0; copy < 4; copy += 1) forged[copy * 24_576 + 48]! ^= 1;
  expect(kindOf(forged, checksumMatches)).toBe('tigerbeetle-damaged');
  const ofVersion = (version: number) => {
    const bytes = tigerBeetleHead(0);
    for (let copy = 0; copy < 4; copy += 1) {
      const own = bytes.subarray(copy * 24_576, copy * 24_576 + 8192);
      own[34] = version;
      checksumInto(own.subarray(34), own, 0);
    }
    return bytes;
  };
  expect(readFileHead(ofVersion(3), checksumMatches)).toEqual({
    kind: 'newer-format',
    formatVersion: 3,
  });
  expect(kindOf(ofVersion(0), checksumMatches)).toBe('tigerbeetle-development');
});

test('a TigerBeetle data file is recognised while two copies of its head agree', () => {
  for (const damaged of [0, 1, 2]) {
    expect(recogniseHead(tigerBeetleHead(damaged))).toMatchObject({
      kind: 'tigerbeetle',
      head: {
        clusterId: 42n,
        replicaIndex: 1,
        replicaCount: 3,
        release: 4361,
        checkpointOp: 959,
        copies: 4 - damaged,
      },
    });
  }
  expect(() => recogniseHead(tigerBeetleHead(3))).toThrow(
    expect.objectContaining({ code: 'not_a_data_file' }),
  );
});

test('any other file is named as such', () => {
  expect(() => recogniseHead(new Uint8Array(100_000))).toThrow(
    expect.objectContaining({ code: 'not_a_data_file' }),
  );
  expect(() => recogniseHead(new Uint8Array(0))).toThrow(
    expect.objectContaining({ code: 'not_a_data_file' }),
  );
});
