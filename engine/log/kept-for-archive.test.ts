/** What the log of a single replica keeps for an archive, and for how long. */
import { expect, test } from '@jest/globals';
import { MemoryStorage } from './testing/memory-storage.ts';
import { createToyFile, messageOf, ToyReplica } from './testing/replica.ts';

/** Sixteen blocks; a message of 3,900 bytes takes one. */
const LOG_SIZE = 64 << 10;

async function newReplica(): Promise<{ disk: MemoryStorage; replica: ToyReplica }> {
  const disk = new MemoryStorage();
  await createToyFile(disk, LOG_SIZE);
  return { disk, replica: await ToyReplica.start(disk) };
}

async function append(replica: ToyReplica, count: number): Promise<void> {
  for (let done = 0; done < count; done += 1)
    await replica.append(messageOf(replica.state.op + 1, 3_900));
}

/** The ops that can be read from one on, or the first that is left. */
async function opsFrom(
  replica: ToyReplica,
  op: number,
): Promise<readonly number[] | { readonly oldestOp: number }> {
  const found = await replica.log.read(op, Infinity);
  return 'oldestOp' in found ? found : found.map((entry) => entry.op);
}

test('without an archive a checkpoint frees the log before it', async () => {
  const { replica } = await newReplica();
  await append(replica, 3);
  expect(await opsFrom(replica, 1)).toEqual([1, 2, 3]);
  expect(await opsFrom(replica, 3)).toEqual([3]);
  await replica.checkpoint();
  expect(await opsFrom(replica, 3)).toEqual({ oldestOp: 4 });
  expect(await opsFrom(replica, 4)).toEqual([]);
});

test('entries that an archive lacks outlive checkpoints and starts, with the last one that it has', async () => {
  const { disk, replica } = await newReplica();
  replica.log.archived(0);
  await append(replica, 3);
  replica.log.archived(2);
  await replica.checkpoint();
  expect(await opsFrom(replica, 2)).toEqual([2, 3]);
  expect(replica.log.logBytesSinceCheckpoint).toBe(0);
  await append(replica, 1);
  const again = await ToyReplica.start(disk.afterKill());
  expect(again.checkpointOp).toBe(3);
  expect(again.state.op).toBe(4);
  expect(await opsFrom(again, 2)).toEqual([2, 3, 4]);
  expect(await opsFrom(again, 1)).toEqual({ oldestOp: 2 });
  again.log.archived(4);
  await again.checkpoint();
  expect(await opsFrom(again, 4)).toEqual([4]);
});

test('an archive that stands still gets a quarter of the ring, and never stops a write', async () => {
  const { disk, replica } = await newReplica();
  replica.log.archived(0);
  for (let round = 0; round < 40; round += 1) {
    await append(replica, 3);
    expect(replica.log.logFull).toBe(false);
    await replica.checkpoint();
    expect(await opsFrom(replica, 0)).toEqual({ oldestOp: Math.max(1, replica.state.op - 3) });
  }
  const again = await ToyReplica.start(disk.afterKill());
  expect(await opsFrom(again, 117)).toEqual([117, 118, 119, 120]);
});
