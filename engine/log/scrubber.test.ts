import { expect, jest, test } from '@jest/globals';
import type { DataFileError } from './errors.ts';
import { readManifest } from './manifest.ts';
import { Scrubber } from './scrubber.ts';
import { readSuperblock } from './superblock.ts';
import { MemoryStorage } from './testing/memory-storage.ts';
import { createToyFile, messageOf, PATH, ToyReplica } from './testing/replica.ts';

async function scrubbed() {
  const disk = new MemoryStorage();
  await createToyFile(disk, 64 << 10);
  const replica = await ToyReplica.start(disk);
  for (let round = 0; round < 5; round += 1) {
    await replica.append(messageOf(replica.state.op + 1, 100));
    await replica.checkpoint();
  }
  await replica.log.close();
  const file = await disk.open(PATH, { exclusive: false });
  const superblock = await readSuperblock(file);
  let sections = await readManifest(file, superblock);
  const found: DataFileError[] = [];
  let readsFail = false;
  const scrubber = new Scrubber({
    file: {
      read: (target, offset) =>
        readsFail
          ? Promise.reject(Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO' }))
          : file.read(target, offset),
    },
    key: superblock.key,
    sections: () => sections,
    mend: async (_, error) => {
      found.push(error);
      return false;
    },
  });
  const pieces = sections.flatMap((section) => section.pieces);
  const round = async (): Promise<void> => {
    for (let i = 0; i < pieces.length; i += 1) await scrubber.step();
  };
  const drop = (): void => {
    sections = [];
  };
  const failReads = (): void => {
    readsFail = true;
  };
  return { disk, scrubber, found, pieces, round, drop, failReads };
}

test('a round reads every piece, and tells a rotten one once, with its place', async () => {
  const { disk, scrubber, found, pieces, round } = await scrubbed();
  const bytes = pieces.reduce((sum, { size }) => sum + size, 0);
  expect(pieces.length).toBeGreaterThan(3);
  await round();
  expect(scrubber.standing()).toMatchObject({ verifiedBytes: bytes, damagedBytes: 0 });
  const [rotten] = pieces.slice(1);
  disk.rot(PATH, (all) => (all[rotten!.offset + 1]! ^= 4));
  await round();
  await round();
  expect(found.map(({ code, offset }) => [code, offset])).toEqual([
    ['checkpoint_corrupt', rotten!.offset],
  ]);
  expect(scrubber.standing()).toMatchObject({ damagedBytes: rotten!.size, rounds: 2 });
});

test('a piece that no checkpoint refers to any more is nobody’s damage', async () => {
  const { disk, scrubber, found, pieces, round, drop } = await scrubbed();
  await scrubber.step();
  disk.rot(PATH, (all) => all.fill(0, pieces[1]!.offset));
  drop();
  await round();
  expect(found).toEqual([]);
  expect(scrubber.standing().damagedBytes).toBe(0);
});

test('a piece that the disk cannot read is damaged, too', async () => {
  const { found, pieces, round, failReads } = await scrubbed();
  await round();
  failReads();
  await round();
  await round();
  expect(found.map(({ code, offset }) => [code, offset])).toEqual(
    pieces.map(({ offset }) => ['checkpoint_corrupt', offset]),
  );
});

test('a piece that nobody can mend is tried again and again, and the others are verified meanwhile', async () => {
  const { disk, scrubber, found, pieces } = await scrubbed();
  disk.rot(PATH, (all) => (all[pieces[1]!.offset + 1]! ^= 4));
  jest.useFakeTimers();
  try {
    scrubber.begin();
    await jest.advanceTimersByTimeAsync(3_600_000);
    scrubber.stop();
  } finally {
    jest.useRealTimers();
  }
  expect(found.length).toBeGreaterThan(20);
  expect(scrubber.standing().rounds).toBeGreaterThan(1);
});
