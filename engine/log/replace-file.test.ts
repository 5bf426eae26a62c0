/** Tests of replacing the state of a replica that is behind, on volumes with room for both files or only one. */
import { expect, test } from '@jest/globals';
import { DataFile } from './data-file.ts';
import { createEmpty } from './format-file.ts';
import { LOG_OFFSET, LOG_SIZE_MIN } from './layout.ts';
import { replaceDataFile, removeUnfinished } from './replace-file.ts';
import { MemoryStorage } from './testing/memory-storage.ts';
import { createToyFile, messageOf, PATH, RELEASE, ToyReplica } from './testing/replica.ts';
import { SharedStorage } from './testing/shared-storage.ts';
import { ToyState } from './testing/toy-state.ts';

const identity = { clusterId: 7n, replicaIndex: 2, replicaCount: 3 };
const stateBytes = 9 << 20;
const oldBytes = 48 << 20;
const lostBytes = LOG_OFFSET + LOG_SIZE_MIN;
/**
 * Room for the old file and the one that marks it as lost, or for that one and the new file, but not for the old and the
 * new.
 */
const tightBytes = oldBytes + lostBytes + (4 << 20);

/** Returns the export of a replica that has executed eight operations, in parts of odd sizes. */
async function sent(): Promise<{ digest: string; parts: readonly Uint8Array[] }> {
  const disk = new MemoryStorage();
  await createToyFile(disk, 64 << 10);
  const replica = await ToyReplica.start(disk);
  for (let op = 1; op <= 8; op += 1) await replica.append(messageOf(op, 500));
  const row = new Uint8Array(16).fill(3);
  for (let at = 0; at < stateBytes; at += row.length) replica.state.history.push(row);
  await replica.checkpoint();
  const bytes = await replica.exported();
  const parts: Uint8Array[] = [];
  for (let at = 0; at < bytes.length;) {
    const size = at < 2 * LOG_OFFSET ? 5000 : 700_001;
    parts.push(bytes.subarray(at, at + size));
    at += size;
  }
  return { digest: replica.state.digest(false), parts };
}

interface Old {
  readonly disk: SharedStorage;
  readonly file: DataFile;
}

async function old(): Promise<Old> {
  const disk = new SharedStorage();
  const logSizeBytes = oldBytes - LOG_OFFSET;
  await createEmpty({ path: PATH, identity, release: RELEASE, logSizeBytes, storage: disk });
  return { disk, file: await open(disk) };
}

const open = (storage: MemoryStorage): Promise<DataFile> =>
  DataFile.open({
    path: PATH,
    release: RELEASE,
    sharesVolume: true,
    storage,
    onFailure: () => undefined,
  });

const replace = (
  { disk, file }: Old,
  receive: Parameters<typeof replaceDataFile>[0]['receive'],
): Promise<void> =>
  replaceDataFile({
    path: PATH,
    identity,
    incarnation: 4,
    release: RELEASE,
    storage: disk,
    receive,
    closeOld: () => file.close(),
  });

const giving =
  (parts: readonly Uint8Array[]) =>
  async (write: (bytes: Uint8Array) => Promise<void>): Promise<void> => {
    for (const part of parts) await write(part);
  };

async function digestOf(storage: MemoryStorage): Promise<string> {
  const file = await open(storage);
  expect(file.identity).toEqual(identity);
  const state = new ToyState();
  expect((await file.load(state)).op).toBe(8);
  return state.digest(false);
}

test('the state that another replica sends becomes the data file, under its own name, and no other file is left', async () => {
  const { digest, parts } = await sent();
  const made = await old();
  await replace(made, giving(parts));
  expect(made.disk.paths).toEqual([PATH]);
  expect(await digestOf(made.disk.afterCrash(() => false))).toBe(digest);
});

test('a volume that holds one state holds the one that comes: the old one goes first', async () => {
  const { digest, parts } = await sent();
  const made = await old();
  made.disk.capacity = tightBytes;
  made.disk.takenBytes = tightBytes - lostBytes - (34 << 20);
  await expect(replace(made, giving(parts))).rejects.toMatchObject({ code: 'storage_full' });
  // Giving up the old file would not help.
  expect(made.file.superblock.position.place).toBeUndefined();
  expect(made.disk.bytes(PATH).length).toBe(oldBytes);
  made.disk.takenBytes = 0;
  await replace(made, giving(parts));
  expect(made.disk.paths).toEqual([PATH]);
  expect(await digestOf(made.disk.afterCrash(() => false))).toBe(digest);
});

test('an incomplete transfer changes nothing', async () => {
  const { parts } = await sent();
  const damaged = Uint8Array.from(parts.at(-3) ?? []);
  damaged[99]! ^= 1;
  const cases = [
    { come: [...parts.slice(0, -3), damaged, ...parts.slice(-2)], code: 'checkpoint_corrupt' },
    { come: parts.slice(0, -2), code: 'checkpoint_corrupt' },
    { come: parts.slice(0, 1), code: 'checkpoint_corrupt' },
    { come: [], code: 'not_a_data_file' },
  ];
  const made = await old();
  const before = Buffer.from(made.disk.bytes(PATH));
  for (const { come, code } of cases) {
    await expect(replace(made, giving(come))).rejects.toMatchObject({ code });
    expect(made.disk.paths).toEqual([PATH]);
    expect(Buffer.compare(before, made.disk.bytes(PATH))).toBe(0);
  }
  const ended = new Error('the connection ended');
  const cut = async (write: (bytes: Uint8Array) => Promise<void>): Promise<void> => {
    await giving(parts.slice(0, 9))(write);
    throw ended;
  };
  await expect(replace(made, cut)).rejects.toBe(ended);
  expect(made.disk.paths).toEqual([PATH]);
  expect(Buffer.compare(before, made.disk.bytes(PATH))).toBe(0);
});

test('a volume that holds one state keeps the old one until the whole new one was seen', async () => {
  const { digest, parts } = await sent();
  const made = await old();
  made.disk.capacity = tightBytes;
  const before = Buffer.from(made.disk.bytes(PATH));
  const damaged = Uint8Array.from(parts.at(-3) ?? []);
  damaged[99]! ^= 1;
  const cases = [
    { come: [...parts.slice(0, -3), damaged, ...parts.slice(-2)], code: 'checkpoint_corrupt' },
    { come: parts.slice(0, -2), code: 'checkpoint_corrupt' },
  ];
  for (const { come, code } of cases) {
    await expect(replace(made, giving(come))).rejects.toMatchObject({ code });
    expect(made.disk.paths).toEqual([PATH]);
    expect(Buffer.compare(before, made.disk.bytes(PATH))).toBe(0);
  }
  // The first time shows that there is no room beside the old one, the second time all of it, and the third time it stays.
  let times = 0;
  await replace(made, (write) => {
    times += 1;
    return giving(parts)(write);
  });
  expect(times).toBe(3);
  expect(await digestOf(made.disk.afterCrash(() => false))).toBe(digest);
});

test('killed at any instant it leaves the old state, a lost one, or the new one', async () => {
  const { digest, parts } = await sent();
  const found = { old: 0, lost: 0, new: 0 };
  const replacing = async (crashAt: number): Promise<MemoryStorage> => {
    const made = await old();
    made.disk.capacity = tightBytes;
    made.disk.crashAt = made.disk.operations + crashAt;
    await replace(made, giving(parts)).catch(() => undefined);
    return made.disk;
  };
  const before = (await old()).disk.operations;
  const all = (await replacing(Infinity)).operations - before;
  for (let nth = 1; nth <= all + 1; nth += 1) {
    // Most operations write zeros, so most are skipped.
    if (nth % 6 !== 0 && nth < all - 8) continue;
    const disk = await replacing(nth);
    const after = disk.afterCrash(() => nth % 4 === 0);
    await removeUnfinished(PATH, after);
    expect(after.paths.filter((path) => path !== PATH && !path.endsWith('.tmp'))).toEqual([]);
    const { op, place } = (await open(after)).superblock.position;
    if (op === 8) {
      found.new += 1;
      expect(await digestOf(after.afterKill())).toBe(digest);
    } else if (place === undefined) found.old += 1;
    else {
      found.lost += 1;
      expect(place).toMatchObject({ incarnation: 4, sequence: 0 });
    }
  }
  expect(Math.min(found.old, found.lost, found.new)).toBeGreaterThan(0);
});
