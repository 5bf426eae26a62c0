import { expect, test } from '@jest/globals';
import { Checkpoints } from './checkpoints.ts';

/** A state that advances, and a disk that takes one checkpoint at a time. */
function newWorld({ fails = 0 } = {}) {
  const world = { op: 5, taken: 0, running: 0, most: 0, nowMs: 0, errors: [] as unknown[], fails };
  const checkpoints = new Checkpoints({
    nowMs: () => world.nowMs,
    onError: (error) => void world.errors.push(error),
    take: async () => {
      const { op } = world;
      world.taken += 1;
      world.running += 1;
      world.most = Math.max(world.most, world.running);
      await new Promise((resolve) => setImmediate(resolve));
      world.running -= 1;
      if (world.taken <= world.fails) throw new Error('no room');
      return op;
    },
  });
  return { world, checkpoints };
}

test('concurrent callers that need a checkpoint share one', async () => {
  const { world, checkpoints } = newWorld();
  checkpoints.begin();
  world.op = 8;
  await Promise.all([checkpoints.mustReach(8), checkpoints.mustReach(8), checkpoints.mustReach(3)]);
  expect(checkpoints.op).toBe(8);
  expect(world).toMatchObject({ most: 1, taken: 2 });
});

test('one that is due is not begun while somebody gets one', async () => {
  const { world, checkpoints } = newWorld();
  const reached = checkpoints.mustReach(5);
  expect(checkpoints.mayBegin).toBe(false);
  checkpoints.begin();
  await reached;
  expect(checkpoints.mayBegin).toBe(true);
  expect(world).toMatchObject({ most: 1, taken: 1 });
});

test('one that fails is told of, and the next one that is due waits for a second', async () => {
  const { world, checkpoints } = newWorld({ fails: 1 });
  checkpoints.begin();
  await checkpoints.idle();
  expect(world.errors).toHaveLength(1);
  expect(checkpoints).toMatchObject({ op: 0, failures: 1, mayBegin: false });
  world.nowMs = 1000;
  expect(checkpoints.mayBegin).toBe(true);
});

test('the caller that needs a checkpoint is told that it failed, after a second try', async () => {
  const { world, checkpoints } = newWorld({ fails: 2 });
  await expect(checkpoints.mustReach(5)).rejects.toThrow('the checkpoint failed');
  expect(world.taken).toBe(2);
  await checkpoints.mustReach(5);
  expect(checkpoints.op).toBe(5);
});

test('an earlier state that had waited for room is followed by one of the state as it is', async () => {
  const { world, checkpoints } = newWorld();
  checkpoints.begin();
  world.op = 9;
  await checkpoints.reach(9);
  expect(checkpoints.op).toBe(9);
});

test('one that only the next start needs is tried again after pauses that grow to an hour, and sooner only once the volume has had room', async () => {
  const { world, checkpoints } = newWorld();
  const ledger = { lacksVolume: false, startWorkLacksRoom: true };
  /** Tries for so long. Returns the pauses before each try, in minutes. */
  const pausesWithin = async (hours: number): Promise<number[]> => {
    const pauses: number[] = [];
    let before = world.nowMs;
    for (const end = world.nowMs + hours * 3_600_000; world.nowMs < end; world.nowMs += 1000) {
      if (!checkpoints.looksForRoom(ledger)) continue;
      pauses.push((world.nowMs - before) / 60_000);
      before = world.nowMs;
      checkpoints.begin();
      await checkpoints.idle();
    }
    return pauses;
  };
  checkpoints.begin();
  await checkpoints.idle();
  expect(await pausesWithin(5)).toEqual([0.5, 1, 2, 4, 8, 16, 32, 60, 60, 60]);
  ledger.startWorkLacksRoom = false;
  expect(await pausesWithin(5)).toEqual([]);
  checkpoints.begin();
  await checkpoints.idle();
  ledger.startWorkLacksRoom = true;
  expect(await pausesWithin(0.05)).toEqual([0.5, 1]);
});

test('one that found no room, and does now, makes the next pause half a minute again: it wrote what had waited, and the next one writes the rest', async () => {
  const { world, checkpoints } = newWorld({ fails: 8 });
  const ledger = { lacksVolume: false, startWorkLacksRoom: true };
  const taken: number[] = [];
  checkpoints.begin();
  await checkpoints.idle();
  for (let before = 0; world.nowMs < 4 * 3_600_000; world.nowMs += 1000) {
    if (!checkpoints.looksForRoom(ledger)) continue;
    taken.push((world.nowMs - before) / 60_000);
    before = world.nowMs;
    checkpoints.begin();
    await checkpoints.idle();
    // The tenth one begins with a state that the volume has room for.
    ledger.startWorkLacksRoom = world.taken < 10;
  }
  expect(taken).toEqual([0.5, 1, 2, 4, 8, 16, 32, 60, 0.5]);
});
