import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { PIECE_SIZE_MAX } from './layout.ts';
import { readManifest } from './manifest.ts';
import { readSuperblock } from './superblock.ts';
import { MemoryStorage, PowerLoss } from './testing/memory-storage.ts';
import { createToyFile, IDENTITY, messageOf, PATH, ToyReplica } from './testing/replica.ts';
import { modelOf } from './testing/toy-state.ts';

const SMALL_LOG = 64 << 10;

/** A random generator; the same seed gives the same numbers. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Lets everything run that does not wait for the disk. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

async function newReplica(
  logSizeBytes = SMALL_LOG,
): Promise<{ disk: MemoryStorage; replica: ToyReplica }> {
  const disk = new MemoryStorage();
  await createToyFile(disk, logSizeBytes);
  return { disk, replica: await ToyReplica.start(disk) };
}

async function appendMany(replica: ToyReplica, count: number, size: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    await replica.append(messageOf(replica.state.op + 1, size));
    if (replica.log.logFull) await replica.checkpoint();
  }
}

test('acknowledged events are there after a clean stop, with and without a checkpoint', async () => {
  const { disk, replica } = await newReplica();
  expect(replica.log.identity).toEqual(IDENTITY);
  await appendMany(replica, 5, 300);
  await replica.checkpoint();
  await appendMany(replica, 5, 5000);
  await replica.log.close();
  const again = await ToyReplica.start(disk);
  expect(again.checkpointOp).toBe(5);
  expect(again.state.digest()).toBe(modelOf(replica.messages).digest());
});

test('appends that are issued together are durable in order, in few writes', async () => {
  const { disk, replica } = await newReplica();
  const before = disk.operations;
  const order: number[] = [];
  const all = Array.from({ length: 20 }, (_, index) =>
    replica.append(messageOf(index + 1, 100)).then(() => order.push(index + 1)),
  );
  await Promise.all(all);
  expect(order).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
  expect(disk.operations - before).toBeLessThanOrEqual(2);
});

test('the ring turns round many times', async () => {
  const { disk, replica } = await newReplica();
  await appendMany(replica, 300, 3000);
  await replica.log.close();
  const again = await ToyReplica.start(disk);
  expect(again.state.digest()).toBe(modelOf(replica.messages).digest());
});

test('appends that find the ring full wait for the checkpoint that frees it', async () => {
  const { disk, replica } = await newReplica();
  // Each takes one of sixteen blocks.
  for (let op = 1; op <= 13; op += 1) await replica.append(messageOf(op, 3900));
  expect(replica.log.logFull).toBe(true);
  const checkpoint = replica.checkpoint();
  const later = Array.from({ length: 10 }, (_, index) =>
    replica.append(messageOf(14 + index, 3900)),
  );
  await Promise.all([checkpoint, ...later]);
  expect(replica.log.logFull).toBe(false);
  await replica.log.close();
  const again = await ToyReplica.start(disk);
  expect(again.state.digest()).toBe(modelOf(replica.messages).digest());
});

test('a section larger than a piece comes back whole', async () => {
  const { disk, replica } = await newReplica();
  const row = new Uint8Array(16).fill(7);
  replica.state.history = Array.from({ length: PIECE_SIZE_MAX / 16 + 1000 }, () => row);
  await replica.append(messageOf(1, 10));
  await replica.checkpoint();
  await replica.log.close();
  const again = await ToyReplica.start(disk);
  expect(again.state.digest()).toBe(replica.state.digest());
});

test('a second opening of the file is refused', async () => {
  const { disk } = await newReplica();
  await expect(ToyReplica.start(disk)).rejects.toMatchObject({ code: 'locked' });
});

test('a failed write is final: it is told once, and nothing after it is acknowledged', async () => {
  const { disk, replica } = await newReplica();
  await appendMany(replica, 3, 100);
  disk.failAt = disk.operations + 1;
  let acknowledged = 0;
  for (let op = 4; op <= 8; op += 1)
    void replica.append(messageOf(op, 100)).then(() => (acknowledged += 1));
  for (let turn = 0; turn < 50; turn += 1) await settle();
  expect(acknowledged).toBe(0);
  expect(replica.failures).toHaveLength(1);
  expect(replica.failures[0]).toMatchObject({ code: 'storage_failed', cause: { code: 'EIO' } });
  await expect(replica.checkpoint()).rejects.toMatchObject({ code: 'storage_failed' });
});

test('a failed sync in a checkpoint is final, and the log keeps its entries', async () => {
  // Every operation that a checkpoint makes fails once.
  for (let nth = 1; nth <= 9; nth += 1) {
    const { disk, replica } = await newReplica();
    await appendMany(replica, 3, 100);
    disk.failAt = disk.operations + nth;
    await replica.checkpoint().then(
      () => expect(nth).toBeGreaterThan(8),
      (error: unknown) => expect(error).toMatchObject({ code: 'storage_failed' }),
    );
    const again = await ToyReplica.start(disk.afterCrash(() => false));
    expect(again.state.digest()).toBe(modelOf(replica.messages).digest());
  }
});

test('a failed sync is final while the file grows too, though its code says that there is no room', async () => {
  const { disk, replica } = await newReplica();
  await appendMany(replica, 5, 1000);
  disk.syncFailsWith = 'ENOSPC';
  await expect(replica.checkpoint()).rejects.toMatchObject({ code: 'storage_failed' });
  disk.syncFailsWith = undefined;
  await expect(replica.checkpoint()).rejects.toMatchObject({ code: 'storage_failed' });
});

test('a checkpoint on a full disk loses nothing, says so, and is made up for when there is room', async () => {
  const { disk, replica } = await newReplica();
  await appendMany(replica, 5, 300);
  await replica.checkpoint();
  await appendMany(replica, 5, 300);
  replica.state.history.push(...Array.from({ length: 100_000 }, () => new Uint8Array(16).fill(3)));
  const entries = replica.state.digest();
  disk.capacity = disk.bytes(PATH).length;
  await expect(replica.checkpoint()).rejects.toMatchObject({ code: 'storage_full' });
  await expect(replica.checkpoint()).rejects.toMatchObject({ code: 'storage_full' });
  expect(replica.failures).toEqual([]);
  expect(entries).toBe(replica.state.digest());
  const { op } = replica.state;
  await replica.append(messageOf(11, 20));
  const later = replica.state.digest();
  disk.capacity = Infinity;
  await replica.checkpoint();
  // It continues with the changes taken before; the next checkpoint catches up.
  expect(replica.checkpointOp).toBe(op);
  await replica.checkpoint();
  expect(replica.checkpointOp).toBe(op + 1);
  await replica.log.close();
  const again = await ToyReplica.start(disk);
  expect(again.state.digest()).toBe(later);
});

test('checkpoints without end make neither the list of pieces nor the file grow', async () => {
  const { disk, replica } = await newReplica();
  let most = 0;
  for (let round = 0; round < 1100; round += 1) {
    await replica.append(messageOf(replica.state.op + 1, 50));
    await replica.checkpoint();
    if (round < 990) continue;
    const file = await disk.open(PATH, { exclusive: false });
    const sections = await readManifest(file, await readSuperblock(file));
    most = Math.max(
      most,
      sections.reduce((sum, { pieces }) => sum + pieces.length, 0),
    );
  }
  expect(most).toBeGreaterThan(1990);
  expect(most).toBeLessThan(2015);
  expect(disk.bytes(PATH).length).toBeLessThan(12 << 20);
  await replica.log.close();
  const again = await ToyReplica.start(disk);
  expect(again.state.digest()).toBe(modelOf(replica.messages).digest());
});

/** Runs steps on a disk until the power fails. Returns the replica that was running then. */
async function runUntilCrash(disk: MemoryStorage, seed: number): Promise<ToyReplica> {
  const next = random(seed);
  const replica = await ToyReplica.start(disk);
  for (let step = 0; step < 25; step += 1) {
    const choice = next();
    const size = Math.floor(next() * 6000);
    const op = replica.state.op + 1;
    if (replica.log.logFull || choice < 0.15) {
      await replica.checkpoint().catch((error: unknown) => {
        expect(error).toMatchObject({ code: 'storage_failed' });
      });
    } else if (choice < 0.4 && op - replica.acknowledgedOp <= 2) {
      void replica.append(messageOf(op, size, seed));
    } else {
      await acknowledgedOrCrashed(replica, replica.append(messageOf(op, size, seed)));
    }
    if (replica.failures.length > 0) break;
  }
  return replica;
}

async function acknowledgedOrCrashed(replica: ToyReplica, append: Promise<void>): Promise<void> {
  const { op } = replica.state;
  void append;
  while (replica.acknowledgedOp < op && replica.failures.length === 0) await settle();
}

/** Recovers and checks that nothing acknowledged is missing and nothing is invented. Returns the recovered op. */
async function checkRecovered(
  disk: MemoryStorage,
  before: { messages: readonly Uint8Array[]; acknowledgedOp: number },
): Promise<number> {
  const replica = await ToyReplica.start(disk);
  const { op } = replica.state;
  expect(op).toBeGreaterThanOrEqual(before.acknowledgedOp);
  expect(op).toBeLessThanOrEqual(before.messages.length);
  expect(replica.state.digest()).toBe(modelOf(before.messages.slice(0, op)).digest());
  await replica.log.close();
  return op;
}

test('power loss at every write, with any of the unsynced blocks on the disk, loses nothing acknowledged', async () => {
  const first = new MemoryStorage();
  await createToyFile(first, SMALL_LOG);
  const start = first.bytes(PATH);
  for (const seed of [1, 2, 3]) {
    for (let crashAt = 1; ; crashAt += 1) {
      const disk = MemoryStorage.of(PATH, start);
      disk.crashAt = crashAt;
      const replica = await runUntilCrash(disk, seed).catch((error: unknown) => {
        expect(error).toBeInstanceOf(PowerLoss);
      });
      // A copy of the present state, because a replica without the power failure continues meanwhile.
      const before = {
        messages: [...(replica?.messages ?? [])],
        acknowledgedOp: replica?.acknowledgedOp ?? 0,
      };
      const survivals = [() => false, () => true, ...[11, 12, 13].map((s) => bools(s * crashAt))];
      for (const survives of survivals) await checkRecovered(disk.afterCrash(survives), before);
      if (disk.operations < crashAt) break;
    }
  }
});

function bools(seed: number): () => boolean {
  const next = random(seed);
  return () => next() < 0.5;
}

test('entries that a start after kill -9 finds in the page cache survive the following power loss', async () => {
  const { disk, replica } = await newReplica();
  await appendMany(replica, 2, 100);
  // The write of the third is in the page cache when the process is killed, and on no disk.
  disk.crashAt = disk.operations + 1;
  void replica.append(messageOf(3, 100));
  while (replica.failures.length === 0) await settle();
  const killed = disk.afterKill();
  const again = await ToyReplica.start(killed);
  expect(again.state.op).toBe(3);
  const third = await ToyReplica.start(killed.afterCrash(() => false));
  expect(third.state.digest()).toBe(modelOf(replica.messages).digest());
});

test('appends, checkpoints, crashes and recoveries in any order lose and invent nothing', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ seed: fc.nat(), crashAfter: fc.integer({ min: 1, max: 80 }) }), {
        minLength: 1,
        maxLength: 6,
      }),
      async (lives) => {
        let disk = new MemoryStorage();
        // Above the part at which a replica takes no more there is room for three entries, and for what a group leaves free at the end.
        await createToyFile(disk, 2 * SMALL_LOG);
        let messages: Uint8Array[] = [];
        for (const { seed, crashAfter } of lives) {
          disk.crashAt = disk.operations + crashAfter;
          const replica = await runUntilCrash(disk, seed).catch((error: unknown) => {
            if (!(error instanceof PowerLoss)) throw error;
          });
          const before = {
            messages: [...messages, ...(replica?.messages ?? [])],
            acknowledgedOp: Math.max(messages.length, replica?.acknowledgedOp ?? 0),
          };
          disk = disk.afterCrash(bools(seed));
          messages = before.messages.slice(0, await checkRecovered(disk, before));
          disk = disk.afterCrash(() => true);
        }
      },
    ),
    { numRuns: 60 },
  );
});
