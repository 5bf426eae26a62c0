import { expect, test } from '@jest/globals';
import { Simulation } from '../../test/support/engine/ledger/simulation.ts';
import { SectionKind } from '../ledger/checkpoint.ts';
import { TableId } from '../ledger/checkpoint-tables.ts';
import { roundUp } from '../log/layout.ts';
import { encodeManifest, readManifest, type StoredSection } from '../log/manifest.ts';
import { seal } from '../log/seal.ts';
import { encodeSuperblock, readHead } from '../log/superblock.ts';
import { stagedKey } from './keys.ts';
import { imported, LedgerFile, contentsOf } from './testing/ledger-file.ts';
import { MemoryStore } from './testing/memory-store.ts';

const SOURCE = 7n;
const NEW = { clusterId: 9n, replicaIndex: 0, replicaCount: 1 };
const one = { importId: 'imp', sourceCluster: SOURCE, identity: NEW };
const key = (index: number) => stagedKey('imp', SOURCE, index);

async function ledgerFile(): Promise<LedgerFile> {
  const file = await LedgerFile.create(new Simulation(3));
  await file.work(30);
  await file.work(30);
  return file;
}

function staged(...files: readonly Uint8Array[]): MemoryStore {
  const store = new MemoryStore();
  for (const [index, bytes] of files.entries()) store.objects.set(key(index), bytes);
  return store;
}

/** The same file with another superblock. */
function restamped(
  bytes: Uint8Array,
  change: (superblock: ReturnType<typeof readHead>['superblock']) => object,
): Uint8Array {
  const { superblock } = readHead(bytes);
  const head = encodeSuperblock({ ...superblock, ...change(superblock) });
  const changed = new Uint8Array(bytes);
  for (let copy = 0; copy < 4; copy += 1) changed.set(head, copy * head.length);
  return changed;
}

/** The same file with another manifest, sealed like its own. */
function withManifest(bytes: Uint8Array, manifest: Uint8Array): Uint8Array {
  const offset = roundUp(bytes.length);
  const whole = new Uint8Array(offset + roundUp(manifest.length));
  whole.set(bytes);
  whole.set(manifest, offset);
  return restamped(whole, ({ key: secret }) => ({
    manifest: { offset, size: manifest.length, seal: seal(secret, manifest) },
  }));
}

/** The same file with other sections, in a manifest before them as in an export. */
function withSections(
  bytes: Uint8Array,
  change: (sections: readonly StoredSection[]) => readonly StoredSection[],
  sections: readonly StoredSection[],
): Uint8Array {
  const { offset } = readHead(bytes).superblock.manifest;
  const manifest = encodeManifest(change(sections));
  const changed = new Uint8Array(bytes);
  changed.set(manifest, offset);
  return restamped(changed, ({ key: secret }) => ({
    manifest: { offset, size: manifest.length, seal: seal(secret, manifest) },
  }));
}

async function sectionsOf(bytes: Uint8Array): Promise<readonly StoredSection[]> {
  const read = (target: Uint8Array, offset: number): Promise<number> => {
    const part = bytes.subarray(offset, offset + target.length);
    target.set(part);
    return Promise.resolve(part.length);
  };
  return readManifest({ read }, readHead(bytes).superblock);
}

const isOf = (bytes: Uint8Array, replicaIndex: number, clusterId = SOURCE): Uint8Array =>
  restamped(bytes, () => ({ identity: { clusterId, replicaIndex, replicaCount: 3 } }));

test('an imported file has every row of the exported one, under the new cluster’s identity', async () => {
  const file = await ledgerFile();
  const { data, ledger } = await imported(staged(await file.exported()), one);
  expect(data.identity).toEqual(NEW);
  expect(data.superblock.position).toMatchObject({ op: file.op });
  expect(data.superblock.position.place).toBeUndefined();
  expect(Buffer.from(ledger.stateHash()).toString('hex')).toBe(file.hash);
  expect(contentsOf(ledger)).toEqual(contentsOf(file.load.machine));
});

test('each of three replicas takes its own file, and all begin with one state', async () => {
  const file = await ledgerFile();
  const bytes = await file.exported();
  const store = staged(...[0, 1, 2].map((index) => isOf(bytes, index)));
  for (const replicaIndex of [0, 1, 2]) {
    const identity = { clusterId: 9n, replicaIndex, replicaCount: 3 };
    const { data, ledger } = await imported(store, { ...one, identity });
    expect(data.identity).toEqual(identity);
    expect(Buffer.from(ledger.stateHash()).toString('hex')).toBe(file.hash);
  }
});

test('files that do not belong together are refused by name by every replica, whichever file is wrong', async () => {
  const file = await ledgerFile();
  const alone = await file.exported();
  const [zero, first, second] = [isOf(alone, 0), isOf(alone, 1), isOf(alone, 2)];
  const foreign = isOf(alone, 1, 8n);
  const other = restamped(first, ({ position }) => ({
    position: { ...position, stateHash: new Uint8Array(16) },
  }));
  await file.work(1);
  const later = isOf(await file.exported(), 2);
  const cases = [
    ['import_missing', 2, /2.ledger: there is no such object.*0 to 2/, [zero, first]],
    ['import_differs', 1, /file of cluster 8, not of 7/, [zero, foreign, second]],
    ['import_differs', 1, /file of replica 0, not of 1/, [zero, zero, second]],
    ['import_differs', 2, /is op 61 with .* replica 0 is op 60 with/, [zero, first, later]],
    ['import_differs', 1, /is op 60 with .* replica 0 is op 60 with/, [zero, other, second]],
    ['import_differs', 0, /has 1 replicas, the new database 3/, [alone]],
  ] as const;
  for (const [code, index, message, files] of cases) {
    const store = staged(...files);
    for (const replicaIndex of [0, 1, 2]) {
      const identity = { clusterId: 9n, replicaIndex, replicaCount: 3 };
      await expect(imported(store, { ...one, identity })).rejects.toMatchObject({
        code,
        key: key(index),
        message: expect.stringMatching(message),
      });
    }
  }
});

test('a replica refuses by name files of another state than the first one began with, though they belong together', async () => {
  const file = await ledgerFile();
  const identity = { clusterId: 9n, replicaIndex: 1, replicaCount: 3 };
  const exported = await file.exported();
  const { position } = readHead(exported).superblock;
  const state = { op: position.op, stateHash: Buffer.from(position.stateHash).toString('hex') };
  const importing = { ...one, identity, state };
  const all = (bytes: Uint8Array) => staged(...[0, 1, 2].map((index) => isOf(bytes, index)));
  const { data } = await imported(all(exported), importing);
  expect(data.superblock.position.op).toBe(state.op);
  await file.work(1);
  const later = imported(all(await file.exported()), importing);
  await expect(later).rejects.toMatchObject({
    code: 'import_differs',
    message: expect.stringMatching(/is op 61 .* began with op 60 .* Put the files of that state/),
  });
  const history = { ...state, stateHash: '00'.repeat(16) };
  const other = imported(all(exported), { ...importing, state: history });
  await expect(other).rejects.toMatchObject({ code: 'import_differs' });
});

test('a file that is no export of this release or an older one is refused by name', async () => {
  const bytes = await (await ledgerFile()).exported();
  const cases = [
    ['import_foreign', /not a data file/, new Uint8Array(0)],
    ['import_foreign', /not a data file/, new Uint8Array(100_000)],
    ['import_foreign', /ledger-engine export/, restamped(bytes, () => ({ logSizeBytes: 1 << 25 }))],
    ['import_newer', /release 0.99.0 wrote it/, restamped(bytes, () => ({ release: 99 << 8 }))],
  ] as const;
  for (const [code, message, wrong] of cases) {
    await expect(imported(staged(wrong), one)).rejects.toMatchObject({
      code,
      key: key(0),
      message: expect.stringMatching(message),
    });
  }
});

test('a file that is cut short anywhere, or changed in any block, is never imported', async () => {
  const bytes = await (await ledgerFile()).exported();
  for (let size = 0; size < bytes.length; size += 2048) {
    const code = size < 4096 ? 'import_foreign' : 'import_cut';
    await expect(imported(staged(bytes.slice(0, size)), one)).rejects.toMatchObject({
      code,
      key: key(0),
    });
  }
  const { superblock } = readHead(bytes);
  for (let at = superblock.manifest.offset; at < bytes.length; at += 4096) {
    const changed = new Uint8Array(bytes);
    changed[at]! ^= 1;
    await expect(imported(staged(changed), one)).rejects.toMatchObject({
      code: 'object_damaged',
      key: key(0),
    });
  }
});

test('a database never begins empty or with a part of the ledger, even if all seals of the file are right', async () => {
  const bytes = await (await ledgerFile()).exported();
  const sections = await sectionsOf(bytes);
  const having = (change: (all: readonly StoredSection[]) => readonly StoredSection[]) =>
    withSections(bytes, change, sections);
  const changing = (table: number, to: Partial<StoredSection>) =>
    having((all) =>
      all.map((section) => (section.table === table ? { ...section, ...to } : section)),
    );
  const nothing = { offset: 0, size: 0, seal: new Uint8Array(16) };
  const { transfers, head } = TableId;
  const cases = [
    [/marks .* are not in it/, restamped(bytes, () => ({ manifest: nothing }))],
    [/marks .* are not in it/, having(() => [])],
    [/marks .* are not in it/, having((all) => all.filter(({ table }) => table !== head))],
    [/table 6 are missing/, having((all) => [...all, ...all.filter((s) => s.table === head)])],
    [
      /another state hash/,
      restamped(bytes, ({ position }) => ({
        position: { ...position, stateHash: new Uint8Array(16) },
      })),
    ],
    [
      /later .* than the head/,
      restamped(bytes, ({ position }) => ({ position: { ...position, timestamp: 1n } })),
    ],
    [/rows of table 2 are missing after the first 0/, changing(transfers, { firstRow: 1 })],
    [/rows of table 1 are missing/, having((all) => [all[0]!, ...all])],
    [/table 99 with rows of/, changing(transfers, { table: 99 })],
    [/table 5 with rows of/, changing(transfers, { table: TableId.burnedIds })],
    [/table 6 are missing/, having((all) => [...all, { ...all.at(-1)!, firstRow: 0 }])],
    [
      /not after the one before/,
      having((all) => {
        const last = all.findLast(({ table }) => table !== head)!;
        return [...all, { ...last, kind: SectionKind.append, firstRow: last.rowCount }];
      }),
    ],
    [/not after the one before/, having((all) => all.toReversed())],
  ] as const;
  for (const [message, wrong] of cases) {
    await expect(imported(staged(wrong), one)).rejects.toMatchObject({
      code: 'object_damaged',
      key: key(0),
      message: expect.stringMatching(message),
    });
  }
});

test('an empty ledger, and one of a time to come, are refused by name', async () => {
  const bytes = await (await ledgerFile()).exported();
  const at = (change: object) =>
    restamped(bytes, ({ position }) => ({ position: { ...position, ...change } }));
  const { timestamp } = readHead(bytes).superblock.position;
  const cases = [
    ['import_empty', at({ op: 0 })],
    ['import_future', at({ timestamp: timestamp + 61_000_000_000n })],
    ['import_future', at({ timestamp: 2n ** 64n - 1n })],
  ] as const;
  for (const [code, wrong] of cases) {
    await expect(imported(staged(wrong), one)).rejects.toMatchObject({ code, key: key(0) });
  }
  const { data } = await imported(staged(at({ timestamp: timestamp + 59_000_000_000n })), one);
  expect(data.superblock.position.op).toBe(60);
});

test('a manifest with impossible numbers is refused by name before anything of their size is allocated', async () => {
  const bytes = await (await ledgerFile()).exported();
  const sections = await sectionsOf(bytes);
  const changed = (change: (view: DataView) => void): Uint8Array => {
    const manifest = encodeManifest(sections);
    change(new DataView(manifest.buffer));
    return withManifest(bytes, manifest);
  };
  const [section, piece] = [16, 16 + 40];
  for (const wrong of [
    changed((view) => view.setUint32(0, 0, true)),
    changed((view) => view.setUint32(4, 0xffffffff, true)),
    changed((view) => view.setUint32(section + 12, 0xffffffff, true)),
    changed((view) => view.setBigUint64(section + 16, 2n ** 60n, true)),
    changed((view) => view.setBigUint64(section + 24, 2n ** 60n, true)),
    changed((view) => view.setBigUint64(piece, 2n ** 60n, true)),
  ]) {
    await expect(imported(staged(wrong), one)).rejects.toMatchObject({
      code: 'object_damaged',
      key: key(0),
      message: expect.stringContaining("list of the checkpoint's sections"),
    });
  }
  const wide = changed((view) => view.setUint32(piece + 8, 0xfffffff0, true));
  const wideStore = staged(wide);
  const sized = (store: MemoryStore) => {
    // An object that says to be as large as it must be.
    const readRange = async (name: string, offset: number, length: number) => {
      const { bytes: part } = await store.readRange(name, offset, length);
      return { bytes: part, sizeBytes: 2 ** 40 };
    };
    return { readRange };
  };
  await expect(imported(sized(wideStore), one)).rejects.toMatchObject({
    code: 'object_damaged',
    message: expect.stringMatching(/pieces of table 1 do not hold/),
  });
  const large = restamped(bytes, ({ manifest }) => ({ manifest: { ...manifest, size: 2 ** 39 } }));
  await expect(imported(sized(staged(large)), one)).rejects.toMatchObject({
    code: 'object_damaged',
    key: key(0),
    message: expect.stringContaining("list of the checkpoint's sections"),
  });
});
