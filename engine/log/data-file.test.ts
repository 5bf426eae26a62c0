import { expect, test } from '@jest/globals';
import { DataFile } from './data-file.ts';
import { PATH, createToyFile, RELEASE } from './testing/replica.ts';
import { SharedStorage } from './testing/shared-storage.ts';
import { ToyState } from './testing/toy-state.ts';

const row = new Uint8Array(16).fill(3);

test('on a shared volume a checkpoint leaves the member its part, and the file records the limit', async () => {
  const disk = new SharedStorage();
  await createToyFile(disk, 64 << 10);
  const before = disk.bytes(PATH).length;
  disk.capacity = before + 8 * 4096;
  const options = { path: PATH, release: RELEASE, sharesVolume: true, storage: disk };
  const file = await DataFile.open({ ...options, onFailure: () => undefined });
  expect(file.storage()).toEqual({ usedBytes: before, limitBytes: disk.capacity });
  expect(file.isShort).toBe(false);
  const state = new ToyState();
  await file.load(state);
  file.beginCheckpoints({ ring: undefined, pause: () => Promise.resolve() });
  const checkpoint = (): Promise<unknown> => {
    state.execute({ op: state.op + 1, message: row });
    const at = { op: state.op, timestamp: 1n, view: 0, stateHash: state.stateHash() };
    return file.checkpoint(state, at);
  };

  for (let index = 0; index < 2 * 4096; index += 1) state.history.push(row);
  const bytes = Buffer.from(disk.bytes(PATH));
  await expect(checkpoint()).rejects.toMatchObject({ code: 'storage_full' });
  expect(Buffer.compare(bytes, disk.bytes(PATH))).toBe(0);
  disk.capacity += 2 * 16 * 4096;
  await checkpoint();
  expect(file.isShort).toBe(false);

  // The etcd member has taken more than its share.
  disk.takenBytes = 2 ** 29;
  await checkpoint().catch(() => undefined);
  expect(file.isShort).toBe(true);
  expect(file.storage()).toEqual({
    usedBytes: disk.bytes(PATH).length,
    limitBytes: disk.bytes(PATH).length,
  });
  await file.close();
});
