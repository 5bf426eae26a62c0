/** Tests of another replica's state that is taken without the pages that are here: power cuts, damage, and senders that lie or end. */
import { createHash } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { isDerived, SectionKind, type Checkpointed, type Section } from '../ledger/checkpoint.ts';
import { PageTableId } from '../ledger/layout.ts';
import { PAGE_BYTES, PAGE_WORDS, sealPage } from '../ledger/page.ts';
import { DataFile } from './data-file.ts';
import { createEmpty } from './format-file.ts';
import { SESSIONS_TABLE } from './layout.ts';
import { readManifest } from './manifest.ts';
import type { OwnRanges } from './page-ranges.ts';
import { readSuperblock } from './superblock.ts';
import type { TakenState } from './take-missing.ts';
import { MemoryStorage } from './testing/memory-storage.ts';
import { SharedStorage } from './testing/shared-storage.ts';

const PATH = '/disk/state.ledger';
const RELEASE = 4361;
const ACCOUNTS = 1;
const ROWS = 2;
const ACCOUNT_BYTES = 128;
const DERIVED = 1 << 16;

/** A state with pages, accounts, rows that fill no page yet, sessions, and an index. */
class PagesState implements Checkpointed {
  /** Content of each page; what is counted up makes them differ. */
  readonly pages: number[] = [];
  accounts = 0;
  tail = 0;
  #given = { pages: 0, accounts: 0 };

  grow({ pages, accounts, salt = 0 }: Growth): this {
    const first = this.pages.length;
    for (let i = 0; i < pages; i += 1) this.pages.push(first + i + salt);
    this.accounts += accounts;
    this.tail += 1;
    return this;
  }

  takeDelta(): readonly Section[] {
    const given = this.#given;
    this.#given = { pages: this.pages.length, accounts: this.accounts };
    const accounts = this.accounts - given.accounts;
    const pages = this.pages.length - given.pages;
    return [
      append(ACCOUNTS, ACCOUNT_BYTES, given.accounts, [filled(accounts * ACCOUNT_BYTES, 5)]),
      ...[PageTableId.transfers, PageTableId.expiries].flatMap((table) =>
        pages === 0
          ? []
          : [append(table, PAGE_BYTES, given.pages, this.pagesOf(table, given.pages))],
      ),
      replace(ROWS, filled(144, this.tail)),
      replace(SESSIONS_TABLE, filled(50, this.tail + 1)),
      append(DERIVED + this.tail, 1, 0, [filled(9000, 3)]),
    ].filter(({ rowCount }) => rowCount > 0);
  }

  pagesOf(table: number, first: number): Uint8Array[] {
    return this.pages.slice(first).map((content, i) => {
      const words = new Uint32Array(PAGE_WORDS).fill(content);
      sealPage(words, 0, { table, page: first + i }, 28);
      return new Uint8Array(words.buffer);
    });
  }

  /** What a file holds once it has this state, but for what is derived. */
  content(): Map<number, Buffer> {
    return new Map([
      [ACCOUNTS, Buffer.from(filled(this.accounts * ACCOUNT_BYTES, 5))],
      [PageTableId.transfers, Buffer.concat(this.pagesOf(PageTableId.transfers, 0))],
      [PageTableId.expiries, Buffer.concat(this.pagesOf(PageTableId.expiries, 0))],
      [ROWS, Buffer.from(filled(144, this.tail))],
      [SESSIONS_TABLE, Buffer.from(filled(50, this.tail + 1))],
    ]);
  }

  stored(): void {
    // Nothing leaves memory.
  }

  async loadSection(): Promise<void> {
    throw new Error('only a Loader loads');
  }

  async finishLoad(): Promise<void> {
    throw new Error('only a Loader loads');
  }
}

interface Growth {
  readonly pages: number;
  readonly accounts: number;
  readonly salt?: number;
}

/** Numbers of the derived tables in a file. */
async function derivedIn(disk: MemoryStorage): Promise<readonly number[]> {
  const file = await disk.open(PATH, { exclusive: false });
  const sections = await readManifest(file, await readSuperblock(file));
  return sections.map(({ table }) => table).filter(isDerived);
}

const filled = (bytes: number, value: number): Uint8Array => new Uint8Array(bytes).fill(value);

function append(table: number, rowSize: number, firstRow: number, chunks: Uint8Array[]): Section {
  const bytes = chunks.reduce((sum, { length }) => sum + length, 0);
  return { kind: SectionKind.append, table, rowSize, firstRow, rowCount: bytes / rowSize, chunks };
}

const replace = (table: number, bytes: Uint8Array): Section => ({
  ...append(table, 1, 0, [bytes]),
  kind: SectionKind.replace,
});

/** Takes in what a file holds. */
class Loader implements Checkpointed {
  readonly content = new Map<number, Buffer>();

  takeDelta(): readonly Section[] {
    return [];
  }

  stored(): void {
    // It holds nothing of its own.
  }

  async loadSection({ table }: Section, chunks: AsyncIterable<Uint8Array>): Promise<void> {
    const parts = [this.content.get(table) ?? Buffer.alloc(0)];
    for await (const chunk of chunks) parts.push(Buffer.from(chunk));
    if (table < DERIVED) this.content.set(table, Buffer.concat(parts));
  }

  async finishLoad(): Promise<void> {
    // Nothing follows from it.
  }
}

interface Made<Disk extends MemoryStorage = MemoryStorage> {
  readonly disk: Disk;
  readonly file: DataFile;
  readonly state: PagesState;
}

const open = (storage: MemoryStorage): Promise<DataFile> =>
  DataFile.open({
    path: PATH,
    release: RELEASE,
    storage,
    sharesVolume: storage instanceof SharedStorage,
    onFailure: () => undefined,
  });

const placeAt = (op: number, incarnation = 1) => ({
  incarnation,
  sequence: op,
  fence: 1,
  seal: new Uint8Array(16).fill(op),
});

/** Makes a file with a checkpoint for each of these steps. */
async function made<Disk extends MemoryStorage>(
  steps: readonly Growth[],
  options: FileOptions<Disk>,
): Promise<Made<Disk>> {
  const { disk, incarnation } = options;
  const file = await formatted(options);
  const state = new PagesState();
  for (const [index, step] of steps.entries())
    await file.checkpoint(state.grow(step), positionAt(10 * (index + 1), incarnation));
  return { disk, file, state };
}

interface FileOptions<Disk extends MemoryStorage = MemoryStorage> {
  readonly disk: Disk;
  readonly replicaIndex?: number;
  readonly clusterId?: bigint;
  readonly incarnation?: number;
}

async function formatted({
  disk,
  replicaIndex = 0,
  clusterId = 7n,
}: FileOptions): Promise<DataFile> {
  const identity = { clusterId, replicaIndex, replicaCount: 3 };
  const of = { path: PATH, identity, release: RELEASE, storage: disk };
  await createEmpty({ ...of, logSizeBytes: 1 << 16 });
  const file = await open(disk);
  await file.load(new Loader());
  file.beginCheckpoints({ ring: undefined, pause: () => Promise.resolve() });
  return file;
}

const positionAt = (op: number, incarnation?: number) => ({
  op,
  timestamp: 1n,
  view: 0,
  stateHash: filled(16, op),
  place: placeAt(op, incarnation),
});

/** Makes a file whose checkpoint has these sections. */
async function withSections(sections: readonly Section[]): Promise<Made> {
  const disk = new MemoryStorage();
  const file = await formatted({ disk });
  const state = Object.assign(new PagesState(), { takeDelta: () => sections });
  await file.checkpoint(state, positionAt(10));
  return { disk, file, state };
}

const ownSteps: readonly Growth[] = [
  { pages: 9, accounts: 4 },
  { pages: 3, accounts: 0 },
  { pages: 8, accounts: 2 },
];
const older = (disk = new MemoryStorage()): Promise<Made> =>
  made(ownSteps, { disk, replicaIndex: 2 });
const newer = (): Promise<Made> =>
  made([...ownSteps, { pages: 5, accounts: 1 }, { pages: 6, accounts: 90 }], {
    disk: new MemoryStorage(),
    replicaIndex: 1,
  });

/** Bytes that `from` sends, in parts of odd sizes. */
async function sent(from: Made, ranges: OwnRanges): Promise<readonly Uint8Array[]> {
  const parts: Uint8Array[] = [];
  await from.file.sendMissing(ranges, async (bytes) => void parts.push(bytes.slice()));
  const all = Buffer.concat(parts);
  const odd: Uint8Array[] = [];
  for (let at = 0; at < all.length; at += 3001) odd.push(all.subarray(at, at + 3001));
  return odd;
}

const giving =
  (parts: readonly Uint8Array[]) =>
  async (write: (bytes: Uint8Array) => Promise<void>): Promise<void> => {
    for (const part of parts) await write(part);
  };

const bytesOf = (parts: readonly Uint8Array[]): number =>
  parts.reduce((sum, { length }) => sum + length, 0);

async function rangesOf({ file }: Made): Promise<OwnRanges> {
  const ranges = await file.ownRanges();
  expect(ranges).toBeDefined();
  return ranges!;
}

/** Takes the newer one's state in the older one. */
async function take(into: Made, from: Made): Promise<TakenState & { readonly sentBytes: number }> {
  const ranges = await rangesOf(into);
  const parts = await sent(from, ranges);
  const taken = await into.file.takeMissing(ranges, giving(parts));
  return { ...taken, sentBytes: bytesOf(parts) };
}

/** Digests, since comparing buffers takes long. */
const digestsOf = (content: Map<number, Buffer>): Record<number, string> =>
  Object.fromEntries(
    [...content].map(([table, bytes]) => [table, createHash('sha256').update(bytes).digest('hex')]),
  );

async function expectHolds(disk: MemoryStorage, { state }: Made, op: number): Promise<void> {
  const file = await open(disk);
  const loader = new Loader();
  expect((await file.load(loader)).op).toBe(op);
  expect(digestsOf(loader.content)).toEqual(digestsOf(state.content()));
  await file.close();
}

test('only pages that are not here are sent, and the file then has the other state, under its own name and seals', async () => {
  const [own, other] = [await older(), await newer()];
  const { key, identity } = own.file.superblock;
  const taken = await take(own, other);
  expect(taken.keptBytes).toBe(2 * 20 * PAGE_BYTES);
  expect(taken.differingBytes).toBe(0);
  expect(taken.sentBytes).toBeGreaterThan(2 * 11 * PAGE_BYTES);
  expect(taken.sentBytes).toBeLessThan(2 * 11 * PAGE_BYTES + 30_000);
  await own.file.close();
  await expectHolds(
    own.disk.afterCrash(() => false),
    other,
    50,
  );
  const file = await open(own.disk);
  expect(file.superblock).toMatchObject({ key, identity, position: { place: placeAt(50) } });
});

test('checkpoints go on from a state that was taken', async () => {
  const [own, other] = [await older(), await newer()];
  await take(own, other);
  await own.file.close();
  const file = await open(own.disk);
  await file.load(new Loader());
  file.beginCheckpoints({ ring: undefined, pause: () => Promise.resolve() });
  const more = { ...own, file, state: other.state.grow({ pages: 2, accounts: 1 }) };
  await file.checkpoint(more.state, positionAt(60));
  await file.close();
  await expectHolds(
    own.disk.afterCrash(() => false),
    more,
    60,
  );
});

test('a sender with the same state sends no pages', async () => {
  const [own, other] = [await older(), await older()];
  const taken = await take(own, other);
  expect(taken.keptBytes).toBe(2 * 20 * PAGE_BYTES);
  expect(taken.sentBytes).toBeLessThan(2 * PAGE_BYTES);
  await own.file.close();
  await expectHolds(own.disk, other, 30);
});

test('a cut of the power at any write leaves the old state or the new one', async () => {
  const other = await newer();
  const found = { old: 0, new: 0 };
  const taking = async (crashAt: number): Promise<Made> => {
    const own = await older();
    const ranges = await rangesOf(own);
    const parts = await sent(other, ranges);
    own.disk.crashAt = own.disk.operations + crashAt;
    await own.file.takeMissing(ranges, giving(parts)).catch(() => undefined);
    return own;
  };
  const before = (await older()).disk.operations;
  const all = (await taking(Infinity)).disk.operations - before;
  expect(all).toBeGreaterThan(20);
  for (let nth = 1; nth <= all + 1; nth += 1) {
    for (const survives of [() => false, () => true, () => nth % 2 === 0]) {
      const own = await taking(nth);
      const after = own.disk.afterCrash(survives);
      const { op } = (await open(after)).superblock.position;
      found[op === 50 ? 'new' : 'old'] += 1;
      await expectHolds(after.afterKill(), op === 50 ? other : own, op === 50 ? 50 : 30);
    }
  }
  expect(Math.min(found.old, found.new)).toBeGreaterThan(0);
});

test('damaged pages are sent with the missing ones, whichever they are', async () => {
  const other = await newer();
  for (const page of [0, 8, 9, 11, 12, 19]) {
    const own = await older();
    // Each checkpoint has written a piece of each table.
    own.disk.rot(PATH, (bytes) => {
      const all = Buffer.from(bytes.buffer);
      const name = Buffer.from(Uint32Array.of(PageTableId.transfers, page, 0, 28).buffer);
      bytes[all.indexOf(name) - 2000]! ^= 1;
    });
    const ranges = await rangesOf(own);
    const taken = await take(own, other);
    expect(ranges.tables[0]!.ranges.filter(({ seal }) => seal === undefined)).toHaveLength(1);
    const [start, end]: [number, number] = page < 9 ? [0, 9] : page < 12 ? [9, 12] : [12, 20];
    expect(taken.keptBytes).toBe((2 * 20 - (end - start)) * PAGE_BYTES);
    expect(taken.differingBytes).toBe(0);
    await own.file.close();
    await expectHolds(own.disk, other, 50);
  }
});

test('pages of another history are not kept, and their bytes are reported', async () => {
  const other = await newer();
  const own = await made([ownSteps[0]!, { ...ownSteps[1]!, salt: 1 }, ownSteps[2]!], {
    disk: new MemoryStorage(),
    replicaIndex: 2,
  });
  const taken = await take(own, other);
  expect(taken.differingBytes).toBeGreaterThan(0);
  expect(taken.keptBytes + taken.differingBytes).toBe(2 * 20 * PAGE_BYTES);
  await own.file.close();
  await expectHolds(own.disk, other, 50);
});

test('the index and start points stay if all rows that were here stay', async () => {
  // Rows that fill no page yet, and what they are in the newer state.
  const tail = filled(144, 9);
  const pageWith = (start: Uint8Array): Uint8Array => {
    const words = new Uint32Array(PAGE_WORDS).fill(1);
    new Uint8Array(words.buffer).set(start);
    sealPage(words, 0, { table: PageTableId.transfers, page: 2 }, 28);
    return new Uint8Array(words.buffer);
  };
  const pagesOf = (count: number, salt = 0): Uint8Array[] =>
    new PagesState().grow({ pages: count, accounts: 0, salt }).pagesOf(PageTableId.transfers, 0);
  const accounts = (count: number, value = 5): Section =>
    append(ACCOUNTS, ACCOUNT_BYTES, 0, [filled(count * ACCOUNT_BYTES, value)]);
  const pages = (all: Uint8Array[]): Section => append(PageTableId.transfers, PAGE_BYTES, 0, all);
  const index = append(DERIVED, 1, 0, [filled(9000, 3)]);
  const own = [accounts(3), pages(pagesOf(2)), replace(ROWS, tail), index];
  const differing = new Uint8Array(tail);
  differing[143]! ^= 1;
  const longer = Uint8Array.from([...tail, ...filled(144, 3)]);
  const cases: readonly (readonly [string, boolean, readonly Section[]])[] = [
    ['the same', true, [accounts(3), pages(pagesOf(2)), replace(ROWS, tail)]],
    ['more rows', true, [accounts(3), pages(pagesOf(2)), replace(ROWS, longer)]],
    ['more accounts', true, [accounts(70_000), pages(pagesOf(2)), replace(ROWS, tail)]],
    [
      'a page more',
      true,
      [accounts(3), pages([...pagesOf(2), pageWith(tail)]), replace(ROWS, longer)],
    ],
    ['another row', false, [accounts(3), pages(pagesOf(2)), replace(ROWS, differing)]],
    [
      'another row in a page',
      false,
      [accounts(3), pages([...pagesOf(2), pageWith(differing)]), replace(ROWS, tail)],
    ],
    ['no rows', false, [accounts(3), pages(pagesOf(2))]],
    ['other pages', false, [accounts(3), pages(pagesOf(2, 4)), replace(ROWS, tail)]],
    ['other accounts', false, [accounts(4, 6), pages(pagesOf(2)), replace(ROWS, tail)]],
    ['fewer accounts', false, [accounts(2), pages(pagesOf(2)), replace(ROWS, tail)]],
    [
      'a table of a later release',
      false,
      [accounts(3), pages(pagesOf(2)), replace(ROWS, tail), replace(11, tail)],
    ],
  ];
  const kept: [string, boolean][] = [];
  for (const [what, , sections] of cases) {
    const [into, from] = [await withSections(own), await withSections(sections)];
    await take(into, from);
    await into.file.close();
    kept.push([what, (await derivedIn(into.disk)).length > 0]);
  }
  expect(kept).toEqual(cases.map(([what, stays]) => [what, stays]));
});

test('a sender with fewer pages than are here is taken as it is', async () => {
  const own = await made([{ pages: 20, accounts: 1 }], { disk: new MemoryStorage() });
  const other = await made(
    [
      { pages: 2, accounts: 1 },
      { pages: 3, accounts: 1 },
    ],
    {
      disk: new MemoryStorage(),
    },
  );
  const taken = await take(own, other);
  expect(taken.keptBytes).toBe(0);
  await own.file.close();
  await expectHolds(own.disk, other, 20);
});

test('a state that was changed on the way, or comes short or twice, is refused, and the file stays as it was', async () => {
  const [own, other] = [await older(), await newer()];
  const ranges = await rangesOf(own);
  const all = Buffer.concat(await sent(other, ranges));
  const corrupt = {
    code: expect.stringMatching(/^(checkpoint_corrupt|not_a_data_file|superblock_corrupt)$/),
  };
  for (let at = 0; at < all.length; at += at < 6000 ? 211 : 1999) {
    const flipped = Buffer.from(all);
    flipped[at]! ^= 4;
    await expect(own.file.takeMissing(ranges, giving([flipped]))).rejects.toMatchObject(corrupt);
    await expect(own.file.takeMissing(ranges, giving([all.subarray(0, at)]))).rejects.toMatchObject(
      corrupt,
    );
  }
  await expect(own.file.takeMissing(ranges, giving([all, Buffer.alloc(1)]))).rejects.toMatchObject(
    corrupt,
  );
  await expect(
    own.file.takeMissing(ranges, giving([Buffer.concat([all, all])])),
  ).rejects.toMatchObject(corrupt);
  const ended = new Error('the connection ended');
  const cut = async (write: (bytes: Uint8Array) => Promise<void>): Promise<void> => {
    await write(all.subarray(0, all.length - 100_000));
    throw ended;
  };
  await expect(own.file.takeMissing(ranges, cut)).rejects.toBe(ended);
  await expectHolds(own.disk.afterKill(), own, 30);
  await own.file.takeMissing(ranges, giving([all]));
  await own.file.close();
  await expectHolds(own.disk, other, 50);
});

test('a sender cannot have pages kept that were not named to it', async () => {
  const [own, other] = [await older(), await newer()];
  const ranges = await rangesOf(own);
  const parts = await sent(other, ranges);
  const unnamed = {
    ...ranges,
    tables: ranges.tables.map((one) => ({
      ...one,
      ranges: one.ranges.map(({ pages, pieces }) => ({ pages, pieces })),
    })),
  };
  await expect(own.file.takeMissing(unnamed, giving(parts))).rejects.toMatchObject({
    message: expect.stringContaining('not named here'),
  });
});

test.each([
  ['of another cluster', { clusterId: 8n }],
  ['of another incarnation', { incarnation: 2 }],
])('a state %s is refused', async (why, difference) => {
  const own = await older();
  const other = await made([{ pages: 30, accounts: 1 }, ...ownSteps], {
    disk: new MemoryStorage(),
    ...difference,
  });
  await expect(take(own, other)).rejects.toMatchObject({ message: expect.stringContaining(why) });
  await expectHolds(own.disk.afterKill(), own, 30);
});

test('an older state is refused', async () => {
  const [own, other] = [await newer(), await older()];
  await expect(take(own, other)).rejects.toMatchObject({
    message: expect.stringContaining('older than the state here'),
  });
});

test('a volume without room for the missing pages keeps the old state; there need be no room for a second copy of the others', async () => {
  const other = await newer();
  const own = await made(ownSteps, { disk: new SharedStorage(), replicaIndex: 2 });
  const ranges = await rangesOf(own);
  const parts = await sent(other, ranges);
  const bytes = own.disk.bytes(PATH).length;
  own.disk.capacity = bytes + 50_000;
  await expect(own.file.takeMissing(ranges, giving(parts))).rejects.toMatchObject({
    code: 'storage_full',
  });
  await expectHolds(own.disk.afterKill(), own, 30);
  // Less than the pages that are here.
  own.disk.capacity = bytes + bytesOf(parts) + 40_000;
  expect(own.disk.capacity).toBeLessThan(2 * bytes);
  await own.file.takeMissing(ranges, giving(parts));
  await own.file.close();
  await expectHolds(own.disk.afterKill(), other, 50);
});

test('a write that fails while a state is taken is final', async () => {
  const [own, other] = [await older(), await newer()];
  const ranges = await rangesOf(own);
  const parts = await sent(other, ranges);
  own.disk.failAt = own.disk.operations + 5;
  await expect(own.file.takeMissing(ranges, giving(parts))).rejects.toMatchObject({
    code: 'storage_failed',
  });
  expect(own.file.failed).toBe(true);
});

test('a file that is closed meanwhile has not failed', async () => {
  const [own, other] = [await older(), await newer()];
  const ranges = await rangesOf(own);
  const parts = await sent(other, ranges);
  let count = 0;
  const closing = async (write: (bytes: Uint8Array) => Promise<void>): Promise<void> => {
    for (const part of parts) {
      count += 1;
      if (count === 5) {
        await own.file.close();
        own.disk.failAt = own.disk.operations + 1;
      }
      await write(part);
    }
  };
  await expect(own.file.takeMissing(ranges, closing)).rejects.toMatchObject({ code: 'EIO' });
  expect(own.file.failed).toBe(false);
});

test('a file without pages names none', async () => {
  const own = await made([{ pages: 0, accounts: 3 }], { disk: new MemoryStorage() });
  expect(await own.file.ownRanges()).toBeUndefined();
});
