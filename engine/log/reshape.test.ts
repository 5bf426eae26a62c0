/** Tests of giving a data file in place to another number of replicas. */
import { expect, test } from '@jest/globals';
import { createEmpty } from './format-file.ts';
import { LOG_SIZE_MIN } from './layout.ts';
import { inspectDataFile } from './inspect.ts';
import { reshapeDataFile } from './reshape.ts';
import { DataFile } from './data-file.ts';
import { MemoryStorage } from './testing/memory-storage.ts';
import {
  createToyFile,
  IDENTITY,
  messageOf,
  PATH,
  RELEASE,
  ToyReplica,
} from './testing/replica.ts';
import { ToyState } from './testing/toy-state.ts';
import { placeWithoutState } from './without-state.ts';

const ofThree = { ...IDENTITY, replicaCount: 3 };

async function single(): Promise<{ disk: MemoryStorage; digest: string }> {
  const disk = new MemoryStorage();
  await createToyFile(disk, 64 << 10);
  const replica = await ToyReplica.start(disk);
  for (let op = 1; op <= 8; op += 1) await replica.append(messageOf(op, 500));
  await replica.checkpoint();
  await replica.log.close();
  return { disk, digest: replica.state.digest(false) };
}

/** What one of several replicas loads from the file: its checkpoint, and nothing from the ring. */
async function loaded(disk: MemoryStorage) {
  const onFailure = (error: Error): void => {
    throw error;
  };
  const file = await DataFile.open({ path: PATH, release: RELEASE, storage: disk, onFailure });
  try {
    const state = new ToyState();
    const { op } = await file.load(state);
    return { identity: file.identity, op, digest: state.digest(false) };
  } finally {
    await file.close();
  }
}

test('the file is the first replica’s of three with the same state, and the single one’s again while no log has begun', async () => {
  const { disk, digest } = await single();
  expect((await reshapeDataFile({ path: PATH, identity: ofThree, storage: disk })).op).toBe(8);
  expect(await loaded(disk)).toEqual({ identity: ofThree, op: 8, digest });
  expect(await inspectDataFile(PATH, disk)).toMatchObject({ errors: [], lastOp: 8 });
  // Once more, as after a kill: nothing changes.
  await reshapeDataFile({ path: PATH, identity: ofThree, storage: disk });
  await reshapeDataFile({ path: PATH, identity: IDENTITY, storage: disk });
  const again = await ToyReplica.start(disk);
  expect(again.state.digest(false)).toBe(digest);
  await again.append(messageOf(9, 500));
  await again.log.close();
});

test('a power cut at any moment leaves the state, under the old or the new number of replicas', async () => {
  const { disk, digest } = await single();
  const whole = disk.afterKill();
  const before = whole.operations;
  await reshapeDataFile({ path: PATH, identity: ofThree, storage: whole });
  const steps = whole.operations - before;
  expect(steps).toBeGreaterThan(4);
  const found = new Set<number>();
  for (let step = 1; step <= steps; step += 1) {
    for (const survives of [() => true, () => false]) {
      const cut = disk.afterKill();
      cut.crashAt = cut.operations + step;
      await reshapeDataFile({ path: PATH, identity: ofThree, storage: cut }).catch(() => undefined);
      const left = cut.afterCrash(survives);
      const now = await loaded(left);
      found.add(now.identity.replicaCount);
      expect({ op: now.op, digest: now.digest }).toEqual({ op: 8, digest });
      await reshapeDataFile({ path: PATH, identity: ofThree, storage: left });
      expect(await loaded(left)).toEqual({ identity: ofThree, op: 8, digest });
    }
  }
  expect(found).toEqual(new Set([1, 3]));
});

test('another cluster’s or replica’s file, one without a state, and one with a place in a log or unexecuted entries are refused as they are', async () => {
  const { disk } = await single();
  const refused = (identity: typeof IDENTITY, code: string) =>
    expect(reshapeDataFile({ path: PATH, identity, storage: disk })).rejects.toMatchObject({
      code,
    });
  await refused({ ...ofThree, clusterId: 5n }, 'identity_invalid');
  await refused({ ...ofThree, replicaIndex: 1 }, 'identity_invalid');
  const replica = await ToyReplica.start(disk);
  await replica.append(messageOf(9, 500));
  await replica.log.close();
  await refused(ofThree, 'not_checkpointed');
  const rest = { identity: ofThree, release: RELEASE, logSizeBytes: LOG_SIZE_MIN };
  for (const place of [
    placeWithoutState(1, 'new'),
    { ...placeWithoutState(1, 'lost'), sequence: 4 },
  ]) {
    const other = new MemoryStorage();
    await createEmpty({ path: PATH, ...rest, place, storage: other });
    const reshaped = reshapeDataFile({ path: PATH, identity: IDENTITY, storage: other });
    await expect(reshaped).rejects.toMatchObject({
      code: place.sequence === 0 ? 'state_lost' : 'identity_invalid',
    });
    expect((await loaded(other)).identity).toEqual(ofThree);
  }
});
