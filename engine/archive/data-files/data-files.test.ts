/** Backups of TigerBeetle's data files: they come back byte for byte, or are refused by name. */
import { expect, test } from '@jest/globals';
import { createHash, randomBytes } from 'node:crypto';
import {
  dataFileSize,
  encodeSuperblock,
  type Superblock,
} from '../../../images/tigerbeetle-double/superblock.ts';
import { seeded } from '../../../test/support/prng.ts';
import { findRecord } from '../archive.ts';
import { parseKeys } from '../installation-keys.ts';
import { fileBackupKey, filesPrefix, givenUpKey, recordKey, replicaFileKey } from '../keys.ts';
import { removals, removeBackup } from '../removals.ts';
import { SealedStore } from '../sealed-store.ts';
import { sweep } from '../sweep.ts';
import type { Storage, StorageFile } from '../../log/storage.ts';
import { LockingStore } from '../testing/locking-store.ts';
import { Killed, MemoryStore, refusal } from '../testing/memory-store.ts';
import { backUpFile } from './back-up-file.ts';
import { completeFileBackup } from './complete.ts';
import { findFileBackup, listFileBackups, storedSizeOf } from './record.ts';
import { restoreFile } from './restore-file.ts';
import { removeUnfinished } from './unfinished.ts';
import { verifyFiles } from './verify-files.ts';

const RELEASE = 4361;
const databaseId = 'db_1';
const backupId = 'bkp_1';
const which = { databaseId, backupId };
const HOUR = 3_600_000;

const zeros = new Uint8Array(8 << 20);

/** What is in a file besides zeros, by offset. */
type Content = ReadonlyMap<number, Uint8Array>;

/** A file with a real head, bytes that all replicas share, and bytes of its own at its end. */
function replicaFile(index: number, replicaCount: number, rest: Partial<Superblock> = {}): Content {
  const head = encodeSuperblock({
    identity: { clusterId: 77n, replicaIndex: index, replicaCount },
    sequence: 3 + index,
    release: RELEASE,
    releaseFormat: RELEASE,
    checkpointOp: 959,
    syncOpMax: 0,
    view: 4,
    ...rest,
  });
  // Bytes that cannot be compressed.
  const shared = createHash('shake256', { outputLength: 70_000 }).update('shared').digest();
  return new Map([
    [0, head],
    [600 << 20, shared],
    [dataFileSize - 100, new Uint8Array(100).fill(7 + index)],
  ]);
}

function fileOf(content: Content, sizeBytes = dataFileSize) {
  return {
    size: () => Promise.resolve(sizeBytes),
    async read(target: Uint8Array, offset: number): Promise<number> {
      await Promise.resolve();
      const count = Math.max(0, Math.min(target.length, sizeBytes - offset));
      for (const [at, part] of content) {
        const from = Math.max(at, offset);
        const to = Math.min(at + part.length, offset + count);
        if (to > from) target.set(part.subarray(from - at, to - at), from - offset);
      }
      return count;
    },
  };
}

const now = () => new Date(1_800_000_000_000);

/** Copies the file of a replica. */
const copied = (
  store: MemoryStore | SealedStore,
  content: Content,
  replicaIndex: number,
  replicaCount: number,
  rest: Partial<Parameters<typeof backUpFile>[0]> = {},
) =>
  backUpFile({
    file: fileOf(content),
    store,
    ...which,
    identity: { clusterId: 77n, replicaIndex, replicaCount },
    seals: store instanceof SealedStore && store.seals,
    requireUnchanged: () => Promise.resolve(),
    now,
    ...rest,
  });

const options = { ...which, clusterId: 77n, now };
const completed = (store: MemoryStore | SealedStore, replicaCount: number) =>
  completeFileBackup({ ...options, store, replicaCount });

/** A disk for one file, that keeps what is not zero. */
class Disk implements Storage {
  readonly written = new Map<number, Uint8Array>();
  published: string | undefined;
  sizeBytes = 0;
  freeBytes = 2 ** 40;

  async create(): Promise<StorageFile> {
    await Promise.resolve();
    const write = async (bytes: Uint8Array, offset: number): Promise<void> => {
      await Promise.resolve();
      expect(offset).toBeLessThanOrEqual(this.sizeBytes);
      this.sizeBytes = Math.max(this.sizeBytes, offset + bytes.length);
      if (Buffer.compare(bytes, zeros.subarray(0, bytes.length)) !== 0)
        this.written.set(offset, new Uint8Array(bytes));
    };
    const nothing = () => Promise.resolve();
    const size = () => Promise.resolve(this.sizeBytes);
    const read = () => Promise.reject(new Error('nobody reads it'));
    return { size, read, write, writeDurable: write, sync: nothing, close: nothing };
  }

  publish = (_: string, path: string) => Promise.resolve(void (this.published = path));
  remove = () => Promise.resolve();
  exists = () => Promise.resolve(false);
  volume = () => Promise.resolve({ sizeBytes: 2 ** 40, freeBytes: this.freeBytes });
  open = () => Promise.reject(new Error('nothing is opened'));
  replace = () => Promise.reject(new Error('nothing is replaced'));
}

const restoredTo = async (
  disk: Disk,
  store: MemoryStore | SealedStore,
  identity: { clusterId?: bigint; replicaIndex?: number; replicaCount?: number } = {},
  release = RELEASE,
) =>
  restoreFile({
    store,
    backup: (await findFileBackup(store, which)).record,
    to: '/data/77_0.tigerbeetle.partial',
    identity: { clusterId: 77n, replicaIndex: 0, replicaCount: 1, ...identity },
    release,
    storage: disk,
  });

const rest = (content: Content) =>
  [...content].flatMap(([at, part]) =>
    [...part].flatMap((byte, within) => (byte === 0 ? [] : [[at + within, byte] as const])),
  );

/** Each pass over a file of a gigabyte takes time: tests that change nothing of it share the backup of one. */
let shared: Promise<Awaited<ReturnType<typeof single>>> | undefined;
const sharedSingle = () => (shared ??= begun().then((store) => single(store)));

/** For the same reason others begin with a bucket of their own into which the file has been copied. */
let copy: Promise<MemoryStore> | undefined;
async function begun(): Promise<MemoryStore> {
  const store = new MemoryStore();
  copy ??= copied(store, replicaFile(0, 1), 0, 1).then(() => store);
  return (await copy).with('nothing', undefined);
}

async function single(store: MemoryStore) {
  await copied(store, replicaFile(0, 1), 0, 1);
  return { store, made: await completed(store, 1) };
}

test('the files of all replicas come back byte for byte; what they have in common is stored and counted once, and all of it is encrypted', async () => {
  const bucket = new MemoryStore();
  const store = new SealedStore(bucket, parseKeys(`2026 ${randomBytes(32).toString('base64')}`));
  const contents = [0, 1, 2].map((index) => replicaFile(index, 3));
  const first = await copied(store, contents[0]!, 0, 3);
  const second = await copied(store, contents[1]!, 1, 3);
  await copied(store, contents[2]!, 2, 3);
  expect(first.record.pieces).toHaveLength(3);
  expect(second.newBytes).toBeLessThan(first.newBytes / 2);
  const { record } = await completed(store, 3);
  expect(record).toMatchObject({
    clusterId: '77',
    replicaCount: 3,
    release: '0.17.9',
    sealed: true,
  });
  const pieces = [...bucket.objects].filter(([key]) => key.endsWith('.sealed'));
  expect(pieces).toHaveLength(7);
  expect(storedSizeOf(record)).toBe(pieces.reduce((sum, [, { length }]) => sum + length, 0));
  // By another process.
  const reader = new SealedStore(bucket, store.keys);
  const disk = new Disk();
  expect(await restoredTo(disk, reader, { replicaIndex: 1, replicaCount: 3 })).toBe(dataFileSize);
  expect(disk.sizeBytes).toBe(dataFileSize);
  expect(rest(disk.written)).toEqual(rest(contents[1]!));
  for (const [key, bytes] of bucket.objects) {
    if (!/\/(?:files|file-backups)\//.test(key)) continue;
    expect([key, Buffer.from(bytes).toString('latin1', 0, 4)]).toEqual([key, 'LENC']);
  }
});

test('the digest of a file is that of all of its bytes', async () => {
  const { made } = await sharedSingle();
  const hash = createHash('sha256');
  const file = fileOf(replicaFile(0, 1));
  const part = new Uint8Array(1 << 24);
  for (let at = 0; at < dataFileSize; at += 1 << 24) {
    const bytes = part.subarray(0, dataFileSize - at).fill(0);
    await file.read(bytes, at);
    hash.update(bytes);
  }
  expect(made.record.files[0]?.sha256).toBe(hash.digest('hex'));
});

test('a copy that dies at any write is made again, and the backup is the same', async () => {
  const { store: whole, made } = await sharedSingle();
  // The first piece, what is known of the file, the backup.
  for (const write of [3, 6, 7]) {
    const store = new MemoryStore();
    // Whether it still arrives.
    store.killAt = { write, arrives: write % 2 === 0 };
    await expect(single(store)).rejects.toThrow(Killed);
    store.killAt = undefined;
    const again = await single(store);
    expect(again.made.record).toEqual(made.record);
    expect([...store.objects.keys()].sort()).toEqual([...whole.objects.keys()].sort());
  }
});

test('files that are no backup together are refused before there is one', async () => {
  const store = new MemoryStore();
  const file_unfit = { code: 'file_unfit' };
  // Another cluster, another replica, a standby, no head at all.
  for (const content of [
    replicaFile(0, 1, { identity: { clusterId: 78n, replicaIndex: 0, replicaCount: 1 } }),
    replicaFile(1, 3),
    new Map<number, Uint8Array>(),
  ])
    expect(await refusal(copied(store, content, 0, 1))).toMatchObject(file_unfit);
  expect(store.objects.size).toBe(0);
  // One replica is further ahead than it can be of two that were stopped with it.
  await copied(store, replicaFile(0, 3, { checkpointOp: 959 + 960 * 9 }), 0, 3);
  await copied(store, replicaFile(1, 3), 1, 3);
  expect(await refusal(completed(store, 3))).toEqual({
    code: 'object_missing',
    key: replicaFileKey(databaseId, backupId, 2),
  });
  await copied(store, replicaFile(2, 3), 2, 3);
  expect(await refusal(completed(store, 3))).toMatchObject(file_unfit);
  expect(await refusal(findFileBackup(store, which))).toMatchObject({ code: 'backup_unknown' });
});

test('objects of a backup of data files that never ended are deleted from the bucket, and those of no other backup', async () => {
  const store = await begun();
  const databases = { store, databaseId };
  await completed(store, 1);
  const good = [...store.objects.keys()].sort();
  store.nowMs = 3 * HOUR;
  // Its name is the beginning of another one's, and the other way round.
  for (const one of ['bkp_', 'bkp_10'])
    await copied(store, replicaFile(1, 3), 1, 3, { backupId: one });
  const week = 7 * 24 * HOUR;
  expect(await removeUnfinished({ ...databases, nowMs: week + 2 * HOUR })).toBe(0);
  const nowMs = week + 3 * HOUR;
  for (const noted of [2, 0]) expect(await removeUnfinished({ ...databases, nowMs })).toBe(noted);
  const late = completeFileBackup({ ...options, store, replicaCount: 3, backupId: 'bkp_10' });
  expect(await refusal(late)).toMatchObject({ code: 'backup_removed' });
  const graceMs = 24 * HOUR;
  await sweep({ ...databases, nowMs: nowMs + graceMs, graceMs });
  await sweep({ ...databases, nowMs: nowMs + 2 * graceMs, graceMs });
  expect([...store.objects.keys()].sort()).toEqual(good);
  expect(await refusal(findFileBackup(store, which))).toBeUndefined();
});

test('files that were copied under the name of a backup of rows take it not with them', async () => {
  const store = new MemoryStore();
  await store.create(`${filesPrefix(databaseId, backupId)}piece`, new Uint8Array(1));
  // Nothing of it is read: it may be of a key that the sweep does not have.
  await store.create(recordKey(databaseId, 7, backupId), new Uint8Array(1));
  const nowMs = 8 * 24 * HOUR;
  for (const _ of [1, 2]) expect(await removeUnfinished({ store, databaseId, nowMs })).toBe(0);
  expect(await refusal(findRecord(store, databaseId, backupId))).not.toMatchObject({
    code: 'backup_removed',
  });
});

test('no file is copied into a backup that is removed: the sweep may delete a piece that the copy found there', async () => {
  const store = new MemoryStore();
  const note = { backupId, removedAt: new Date(0).toISOString() };
  const requireUnchanged = async () => void (await removeBackup(store, databaseId, note));
  const late = copied(store, replicaFile(0, 1), 0, 1, { requireUnchanged });
  expect(await refusal(late)).toMatchObject({ code: 'backup_removed' });
  expect(store.objects.has(replicaFileKey(databaseId, backupId, 0))).toBe(false);
  const { writes } = store;
  const again = copied(store, replicaFile(0, 1), 0, 1);
  expect(await refusal(again)).toMatchObject({ code: 'backup_removed' });
  expect(store.writes).toBeLessThan(writes + 3);
});

/** A search that does not end fails. */
class PatientStore extends MemoryStore {
  #lists = 0;

  override async *list(prefix: string, after?: string): AsyncIterable<string> {
    this.#lists += 1;
    if (this.#lists > 99) throw new Error('it never ends');
    yield* super.list(prefix, after);
  }
}

test('an object that is nobody’s does not hold the search for unfinished backups up', async () => {
  const store = new PatientStore();
  for (const one of ['bkp_1', 'bkp_10', 'bkp_2'])
    await store.create(`${filesPrefix(databaseId, one)}~~`, new Uint8Array(1));
  const nowMs = 8 * 24 * HOUR;
  for (const noted of [3, 0])
    expect(await removeUnfinished({ store, databaseId, nowMs })).toBe(noted);
});

test('whether the sweep gives a backup up or the backup is completed first: one sees the other, wherever one of them is killed', async () => {
  const nowMs = 8 * 24 * HOUR;
  const outcomes = new Set<string>();
  // The backup is completed just before the sweep's write of this number, before which or with which the sweep may be killed.
  for (const at of [1, 2, 3, 4])
    for (const dies of ['no', 'before', 'after'] as const) {
      const store = await begun();
      let late: Awaited<ReturnType<typeof refusal>>;
      let isDue = true;
      const complete = async () => {
        store.onWrite = undefined;
        store.killAt = undefined;
        isDue = false;
        late = await refusal(completed(store, 1));
      };
      let seen = 0;
      store.onWrite = async () => {
        seen += 1;
        if (seen < at) return;
        await complete();
        if (dies !== 'no') store.killAt = { write: store.writes + 1, arrives: dies === 'after' };
      };
      for (let round = 1; round <= 4; round += 1) {
        const swept = removeUnfinished({ store, databaseId, nowMs });
        await swept.catch((error: unknown) => {
          if (!(error instanceof Killed)) throw error;
        });
        if (!isDue) {
          store.onWrite = undefined;
          store.killAt = undefined;
        }
      }
      store.onWrite = undefined;
      if (isDue) await complete();
      outcomes.add(await outcomeOf(store, late, `write ${at}, killed: ${dies}`));
    }
  expect([...outcomes].toSorted()).toEqual(['given up', 'made']);
});

/** The outcome after any number of rounds: whoever completes a backup learns it. */
async function outcomeOf(
  store: MemoryStore,
  told: Awaited<ReturnType<typeof refusal>>,
  how: string,
): Promise<'made' | 'given up'> {
  for (const _ of [1, 2]) await removeUnfinished({ store, databaseId, nowMs: 8 * 24 * HOUR });
  const isThere = (await refusal(findFileBackup(store, which))) === undefined;
  const isRemoved = (await removals(store, databaseId)).has(backupId);
  // It is there for good, or its objects go.
  expect({ how, told: told?.code, isThere, isRemoved }).toEqual(
    told === undefined
      ? { how, told: undefined, isThere: true, isRemoved: false }
      : { how, told: 'backup_removed', isThere: false, isRemoved: true },
  );
  return told === undefined ? 'made' : 'given up';
}

/** Processes that share a store. Their requests come to it one by one, in an order of the seed's. */
class Turns {
  readonly #store: MemoryStore;
  readonly #random: () => number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(store: MemoryStore, seed: number) {
    this.#store = store;
    this.#random = seeded(seed);
  }

  async run(processes: readonly ((store: MemoryStore) => Promise<void>)[]): Promise<void> {
    this.#running = processes.length;
    const runs = processes.map(async (process) => {
      try {
        await process(this.#shared());
      } finally {
        this.#running -= 1;
        this.#next();
      }
    });
    await Promise.all(runs);
  }

  #shared(): MemoryStore {
    const turn = () => this.#turn();
    return new Proxy(this.#store, {
      get(store, name) {
        const is: unknown = Reflect.get(store, name, store);
        if (typeof is !== 'function') return is;
        if (name === 'create' || name === 'read' || name === 'remove')
          return async (...args: unknown[]) => {
            await turn();
            return is.apply(store, args) as unknown;
          };
        return async function* (...args: unknown[]) {
          await turn();
          yield* is.apply(store, args) as AsyncIterable<unknown>;
        };
      },
    });
  }

  async #turn(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve);
      this.#next();
    });
  }

  /** The order is the seed's alone: nobody goes before all wait. */
  #next(): void {
    if (this.#waiting.length < this.#running) return;
    const [chosen] = this.#waiting.splice(Math.floor(this.#random() * this.#waiting.length), 1);
    chosen?.();
  }
}

test('a backup that is completed while two sweeps give it up is there for good, or was refused and goes', async () => {
  const nowMs = 8 * 24 * HOUR;
  const outcomes = new Set<string>();
  for (let seed = 1; seed <= 150; seed += 1) {
    const store = await begun();
    let told: Awaited<ReturnType<typeof refusal>>;
    const sweeps = async (shared: MemoryStore) => {
      for (const _ of [1, 2]) await removeUnfinished({ store: shared, databaseId, nowMs });
    };
    const completes = async (shared: MemoryStore) => {
      told = await refusal(completed(shared, 1));
    };
    await new Turns(store, seed).run([sweeps, sweeps, completes]);
    outcomes.add(await outcomeOf(store, told, `seed ${seed}`));
  }
  expect([...outcomes].toSorted()).toEqual(['given up', 'made']);
});

test('no file is copied into a backup that the sweep has given up, and nobody completes it', async () => {
  const store = new MemoryStore();
  await store.create(`${filesPrefix(databaseId, backupId)}piece`, new Uint8Array(1));
  await removeUnfinished({ store, databaseId, nowMs: 8 * 24 * HOUR });
  const again = copied(store, replicaFile(1, 2), 1, 2);
  expect(await refusal(again)).toMatchObject({ code: 'backup_removed' });
  expect(await refusal(completed(store, 2))).toMatchObject({ code: 'backup_removed' });
});

test('the note of a backup that was completed after all holds up no sweep while it is locked, and goes then', async () => {
  const store = new LockingStore({ mode: 'GOVERNANCE', days: 30 }, 0);
  await copied(store, replicaFile(0, 1), 0, 1);
  await completed(store, 1);
  // So a sweep leaves it that was killed when it had not yet found the record.
  const note = givenUpKey(databaseId, backupId);
  await store.create(note, new Uint8Array(1));
  for (const days of [8, 9]) {
    store.nowMs = days * 24 * HOUR;
    expect(await removeUnfinished({ store, databaseId, nowMs: store.nowMs })).toBe(0);
    expect(store.objects.has(note)).toBe(true);
  }
  store.nowMs = 99 * 24 * HOUR;
  expect(await removeUnfinished({ store, databaseId, nowMs: store.nowMs })).toBe(0);
  expect(store.objects.has(note)).toBe(false);
  expect((await findFileBackup(store, which)).record).toMatchObject(which);
});

test('a restore of rows from a backup of data files says what to ask for instead', async () => {
  const { store } = await sharedSingle();
  const rows = findRecord(store, databaseId, backupId);
  expect(await refusal(rows)).toEqual({
    code: 'backup_of_files',
    key: fileBackupKey(databaseId, backupId),
  });
  await expect(rows).rejects.toThrow(/engine to TigerBeetle, and .*clusterId to "77"/);
  expect(await refusal(findRecord(store, databaseId, 'bkp_2'))).toMatchObject({
    code: 'backup_unknown',
  });
});

test('a file that is changed, or cut, while it is copied makes no backup', async () => {
  const store = new MemoryStore();
  const requireUnchanged = () => Promise.reject(new Error('changed'));
  await expect(copied(store, replicaFile(0, 1), 0, 1, { requireUnchanged })).rejects.toThrow();
  const cut = {
    ...fileOf(replicaFile(0, 1), dataFileSize - 5_000),
    size: () => Promise.resolve(dataFileSize),
  };
  expect(await refusal(copied(store, replicaFile(0, 1), 0, 1, { file: cut }))).toMatchObject({
    code: 'file_changed',
  });
  expect(await refusal(completed(store, 1))).toMatchObject({ code: 'object_missing' });
});

test('a file that was changed since an earlier try copied it makes no backup', async () => {
  const { store } = await sharedSingle();
  const known = replicaFile(0, 1);
  // Operations that came later are in the log behind the head, and change no byte of it.
  const later = new Map([...known, [200_000, new Uint8Array([1])]]);
  for (const file of [fileOf(later), fileOf(known, dataFileSize + 4_096)]) {
    const again = copied(store, known, 0, 1, { file });
    expect(await refusal(again)).toMatchObject({ code: 'file_changed' });
  }
  expect((await copied(store, known, 0, 1)).newBytes).toBe(0);
});

test('a changed or missing object is told by its name, and nothing is restored', async () => {
  const { store, made } = await sharedSingle();
  const [last] = [...store.objects.keys()].filter((key) => key.includes('/files/')).slice(-2);
  for (const [key, bytes] of store.objects) {
    if (key.endsWith('archive.json')) continue;
    const flipped = new Uint8Array(bytes);
    flipped[flipped.length >> 1]! ^= 1;
    for (const changed of [store.with(key, flipped), store.with(key, undefined)]) {
      const check = async () => {
        const { record } = await findFileBackup(changed, which, made.sha256);
        await verifyFiles(changed, record);
      };
      const found = await refusal(check());
      // Without its record a backup does not exist.
      const isGone = key === fileBackupKey(databaseId, backupId) && !changed.objects.has(key);
      expect(isGone ? { ...found, key } : found).toMatchObject({
        code: expect.stringMatching(isGone ? 'backup_unknown' : /^object_(?:damaged|missing)$/),
        key,
      });
      if (key !== last) continue;
      const disk = new Disk();
      expect(await refusal(restoredTo(disk, changed))).toBeDefined();
      expect(disk.published).toBeUndefined();
    }
  }
});

test('a database of another cluster ID, another topology, an older release or without room is refused', async () => {
  const { store } = await sharedSingle();
  for (const [code, attempt] of [
    ['import_differs', () => restoredTo(new Disk(), store, { clusterId: 78n })],
    ['import_differs', () => restoredTo(new Disk(), store, { replicaCount: 3 })],
    ['import_newer', () => restoredTo(new Disk(), store, {}, RELEASE - 1)],
    [
      'import_no_room',
      () => restoredTo(Object.assign(new Disk(), { freeBytes: dataFileSize - 1 }), store),
    ],
  ] as const)
    expect(await refusal(attempt())).toMatchObject({ code });
});

test('a removed backup of files is found no more, and the sweep deletes all of it and nothing else', async () => {
  const { store } = await single(await begun());
  const other = { databaseId, backupId: 'bkp_2' };
  await copied(store, replicaFile(0, 1), 0, 1, other);
  await completeFileBackup({ store, ...other, clusterId: 77n, replicaCount: 1, now });
  const keysOf = (id: string) => [...store.objects.keys()].filter((key) => key.includes(id));
  const kept = keysOf('bkp_2');
  await removeBackup(store, databaseId, { backupId, removedAt: new Date(0).toISOString() });
  expect(await refusal(findFileBackup(store, which))).toMatchObject({ code: 'backup_removed' });
  const listed = [];
  for await (const { record } of listFileBackups(store, databaseId)) listed.push(record.backupId);
  expect(listed).toEqual(['bkp_2']);
  const sweepAt = (hours: number) =>
    sweep({ store, databaseId, nowMs: hours * HOUR, graceMs: 24 * HOUR });
  expect(await sweepAt(23)).toMatchObject({ waiting: 1, chunks: 0 });
  // Two of the three pieces hold bytes, and so does what is known of the file.
  expect(await sweepAt(24)).toMatchObject({ emptied: 1, chunks: 4 });
  expect(await sweepAt(48)).toMatchObject({ gone: 1 });
  expect(keysOf('bkp_1')).toEqual([]);
  expect(keysOf('bkp_2')).toEqual(kept);
  await verifyFiles(store, (await findFileBackup(store, other)).record);
});

test('a backup of files says until when the bucket keeps all of it', async () => {
  const store = new LockingStore({ mode: 'GOVERNANCE', days: 10 }, now().getTime());
  const { made } = await single(store);
  expect(made.record.lockedUntil).toBe(store.locks.endOfNew());
});

test('a backup of files with one that was copied before the bucket locked is not told as locked', async () => {
  const { store: plain } = await sharedSingle();
  const store = new LockingStore({ mode: 'GOVERNANCE', days: 10 }, now().getTime());
  for (const [key, bytes] of plain.objects)
    if (key !== fileBackupKey(databaseId, backupId)) store.objects.set(key, bytes);
  expect((await completed(store, 1)).record.lockedUntil).toBeUndefined();
});
