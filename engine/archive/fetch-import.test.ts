import { expect, test } from '@jest/globals';
import {
  dataFileSize,
  encodeSuperblock,
  type Superblock,
} from '../../images/tigerbeetle-double/superblock.ts';
import type { Storage, StorageFile } from '../log/storage.ts';
import { missing } from './errors.ts';
import { fetchImport, type FetchOptions } from './fetch-import.ts';
import { stagedKey } from './keys.ts';
import type { RangedStore } from './object-store.ts';

const RELEASE = 4361;
const PATH = '/data/77_0.tigerbeetle.partial';
const key = (index: number, cluster = 77n) => stagedKey('imp', cluster, index, 'TigerBeetle');

const zeros = new Uint8Array(8 << 20);

/** What is in a file besides zeros, by offset. */
type Content = ReadonlyMap<number, Uint8Array>;
interface Staged {
  sizeBytes: number;
  content: Content;
}

/** Real heads, and some bytes near the end of the file. */
function replicaFile(index: number, rest: Partial<Superblock> = {}, replicaCount = 3): Staged {
  const identity = { clusterId: 77n, replicaIndex: index, replicaCount };
  const head = encodeSuperblock({
    identity,
    sequence: 3 + index,
    release: RELEASE,
    releaseFormat: RELEASE,
    checkpointOp: 959,
    syncOpMax: 0,
    view: 4,
    ...rest,
  });
  const tail = new Uint8Array(100).fill(7 + index);
  return {
    sizeBytes: dataFileSize,
    content: new Map([
      [0, head],
      [dataFileSize - tail.length, tail],
    ]),
  };
}

/** A bucket whose files are mostly zeros and lie nowhere. */
class Bucket implements RangedStore {
  readonly files = new Map<string, Staged>();
  reads = 0;
  onRead: ((key: string) => void) | undefined;

  static of(files: readonly Staged[]): Bucket {
    const bucket = new Bucket();
    for (const [index, file] of files.entries()) bucket.files.set(key(index), file);
    return bucket;
  }

  async readRange(name: string, offset: number, length: number) {
    await Promise.resolve();
    this.reads += 1;
    this.onRead?.(name);
    const file = this.files.get(name);
    if (file === undefined) throw missing(name);
    const bytes = new Uint8Array(Math.max(0, Math.min(length, file.sizeBytes - offset)));
    for (const [at, part] of file.content) {
      const from = Math.max(at, offset);
      const to = Math.min(at + part.length, offset + bytes.length);
      if (to > from) bytes.set(part.subarray(from - at, to - at), from - offset);
    }
    return { bytes, sizeBytes: file.sizeBytes };
  }
}

/** A disk that keeps what is not zero, and the names of finished files. */
class Disk implements Storage {
  readonly written = new Map<string, { content: Map<number, number>; sizeBytes: number }>();
  freeBytes = 2 ** 40;

  async create(path: string): Promise<StorageFile> {
    await Promise.resolve();
    const file = { content: new Map<number, number>(), sizeBytes: 0 };
    this.written.set(path, file);
    const write = async (bytes: Uint8Array, offset: number): Promise<void> => {
      await Promise.resolve();
      if (Buffer.compare(bytes, zeros.subarray(0, bytes.length)) !== 0)
        for (const [at, byte] of bytes.entries())
          if (byte !== 0) file.content.set(offset + at, byte);
      file.sizeBytes = Math.max(file.sizeBytes, offset + bytes.length);
    };
    const nothing = () => Promise.resolve();
    const size = () => Promise.resolve(file.sizeBytes);
    const read = () => Promise.reject(new Error('nobody reads it'));
    return { size, read, write, writeDurable: write, sync: nothing, close: nothing };
  }

  async publish(temporary: string, path: string): Promise<void> {
    await Promise.resolve();
    this.written.set(path, this.written.get(temporary)!);
    this.written.delete(temporary);
  }

  remove = (path: string) => Promise.resolve(void this.written.delete(path));
  exists = (path: string) => Promise.resolve(this.written.has(path));
  volume = () => Promise.resolve({ sizeBytes: 2 ** 40, freeBytes: this.freeBytes });
  open = () => Promise.reject(new Error('nothing is opened'));
  replace = () => Promise.reject(new Error('nothing is replaced'));
}

const fetched = (store: RangedStore, disk: Disk, rest: Partial<FetchOptions> = {}) =>
  fetchImport({
    store,
    importId: 'imp',
    to: PATH,
    identity: { clusterId: 77n, replicaIndex: 0, replicaCount: 3 },
    release: RELEASE,
    now: () => new Date(1_800_000_000_000),
    storage: disk,
    ...rest,
  });

const three = () => [0, 1, 2].map((index) => replicaFile(index));

test('each replica of TigerBeetle gets its own file, byte for byte', async () => {
  const bucket = Bucket.of(three());
  for (const replicaIndex of [0, 2]) {
    const disk = new Disk();
    const identity = { clusterId: 77n, replicaIndex, replicaCount: 3 };
    expect(await fetched(bucket, disk, { identity })).toBe(dataFileSize);
    expect([...disk.written.keys()]).toEqual([PATH]);
    const { content, sizeBytes } = disk.written.get(PATH)!;
    expect(sizeBytes).toBe(dataFileSize);
    const expected = [...replicaFile(replicaIndex).content].flatMap(([at, part]) =>
      [...part].flatMap((byte, within) => (byte === 0 ? [] : [[at + within, byte] as const])),
    );
    expect([...content].toSorted(([a], [b]) => a - b)).toEqual(expected);
  }
});

test.each<[string, string, RegExp, (files: Staged[]) => void]>([
  [
    'missing',
    'import_missing',
    /2.tigerbeetle: there is no such object.*0 to 2/,
    (files) => void files.pop(),
  ],
  [
    'of a newer release',
    'import_newer',
    /77_1.*release 0.17.10 wrote it/,
    (files) => void (files[1] = replicaFile(1, { release: 4362 })),
  ],
  [
    'of another cluster',
    'import_differs',
    /77_1.*file of cluster 8, not of 77/,
    (files) =>
      void (files[1] = replicaFile(1, {
        identity: { clusterId: 8n, replicaIndex: 1, replicaCount: 3 },
      })),
  ],
  [
    'of another replica',
    'import_differs',
    /77_1.*file of replica 2, not of 1/,
    (files) => void (files[1] = replicaFile(2)),
  ],
  [
    'of another number of replicas',
    'import_differs',
    /77_1.*has 6 replicas/,
    (files) => void (files[1] = replicaFile(1, {}, 6)),
  ],
  [
    'of a replica that fetches a state',
    'import_foreign',
    /77_1.*still fetching/,
    (files) => void (files[1] = replicaFile(1, { syncOpMax: 9 })),
  ],
  ['cut short', 'import_cut', /77_1.*cut short/, (files) => void (files[1]!.sizeBytes -= 1)],
  [
    'no data file',
    'import_foreign',
    /77_1.*no data file/,
    (files) => void (files[1]!.content = new Map()),
  ],
])('with one file that is %s, no replica begins', async (_, code, message, change) => {
  const files = three();
  change(files);
  const disk = new Disk();
  const attempt = fetched(Bucket.of(files), disk);
  await expect(attempt).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
  expect([...disk.written.keys()]).toEqual([]);
});

test('a head whose four copies were changed alike is damaged: the checksums say so', async () => {
  const [file] = three();
  const head = new Uint8Array(file!.content.get(0)!);
  for (let copy = 0; copy < 4; copy += 1) head[copy * 24_576 + 1_360]! ^= 1;
  const forged = { ...file!, content: new Map([[0, head]]) };
  const attempt = fetched(Bucket.of([forged, ...three().slice(1)]), new Disk());
  await expect(attempt).rejects.toMatchObject({ code: 'object_damaged' });
});

test('a file that is exchanged while it is copied never gets its name, and one that has no room is not begun', async () => {
  const bucket = Bucket.of(three());
  bucket.onRead = () => {
    if (bucket.reads === 20) bucket.files.set(key(0), replicaFile(0, { view: 5 }));
  };
  const disk = new Disk();
  await expect(fetched(bucket, disk)).rejects.toMatchObject({ code: 'import_differs' });
  expect([...disk.written.keys()]).toEqual([]);

  const full = new Disk();
  full.freeBytes = dataFileSize - 1;
  const whole = Bucket.of(three());
  await expect(fetched(whole, full)).rejects.toMatchObject({ code: 'import_no_room' });
  expect(whole.reads).toBe(3);
});
