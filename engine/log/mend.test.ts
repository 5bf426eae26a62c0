/** Tests of a piece whose pages are mended: nothing but what this file had there before is ever written, whoever gives it. */
import { expect, test } from '@jest/globals';
import { PAGE_BYTES, PAGE_WORDS, sealPage, type PageName } from '../ledger/page.ts';
import { mendPiece, type Mended, type PageDonor } from './mend.ts';
import { seal } from './seal.ts';
import type { StorageFile } from './storage.ts';
import { MemoryStorage, PowerLoss } from './testing/memory-storage.ts';

const PATH = '/disk/pages';
const TABLE = 7;
const FIRST = 5;
const PAGES = 4;
const KEY = new Uint8Array(16).fill(3);

/** The page with these rows under a name. */
function pageOf({ table, page }: PageName, salt = 0): Uint8Array {
  const words = new Uint32Array(PAGE_WORDS);
  for (let i = 0; i < 1008; i += 1) words[i] = page * 31 + i + salt;
  sealPage(words, 0, { table, page }, 28);
  return new Uint8Array(words.buffer);
}

const whole = Buffer.concat(
  Array.from({ length: PAGES }, (_, i) => pageOf({ table: TABLE, page: FIRST + i })),
);
const piece = { offset: PAGE_BYTES, size: whole.length, seal: seal(KEY, whole) };

/** A disk with the piece between two blocks of something else, with these bytes flipped. */
function diskWith(flipped: readonly number[]): MemoryStorage {
  const bytes = Buffer.concat([Buffer.alloc(PAGE_BYTES, 9), whole, Buffer.alloc(PAGE_BYTES, 8)]);
  for (const at of flipped) bytes[PAGE_BYTES + at]! ^= 0x40;
  return MemoryStorage.of(PATH, new Uint8Array(bytes));
}

const donor = (
  name: string,
  salt = 0,
  has: (page: PageName) => boolean = () => true,
): PageDonor => ({
  name,
  give: async (pages) => pages.filter(has).map((page) => pageOf(page, salt)),
});

async function mend(
  disk: MemoryStorage,
  donors: readonly PageDonor[],
  file?: StorageFile,
): Promise<Mended | undefined> {
  return mendPiece({
    file: file ?? (await disk.open(PATH, { exclusive: false })),
    key: KEY,
    table: TABLE,
    firstPage: FIRST,
    piece,
    donors: (async function* all() {
      yield* donors;
    })(),
  });
}

const undamaged = diskWith([]).bytes(PATH);
const isWhole = (disk: MemoryStorage): boolean => Buffer.compare(disk.bytes(PATH), undamaged) === 0;

test('a flipped bit anywhere in a page, its name and its checksum included, is mended', async () => {
  for (let at = 0; at < PAGE_BYTES; at += at < 4032 ? 97 : 1) {
    const disk = diskWith([at + PAGE_BYTES]);
    expect(await mend(disk, [donor('other')])).toEqual({ pages: 1, from: ['other'] });
    expect(isWhole(disk)).toBe(true);
  }
});

test('several pages come from several donors, each of which lacks some', async () => {
  const disk = diskWith([1, 2 * PAGE_BYTES, 3 * PAGE_BYTES + 9]);
  const some = donor('some', 0, ({ page }) => page === FIRST);
  const fails: PageDonor = { name: 'silent', give: () => Promise.reject(new Error('no answer')) };
  const mended = await mend(disk, [some, fails, donor('all')]);
  expect(mended).toEqual({ pages: 3, from: ['some', 'all'] });
  expect(isWhole(disk)).toBe(true);
});

test('pages that are whole, but not what this file had there, are not written', async () => {
  const disk = diskWith([1, PAGE_BYTES + 1]);
  const before = disk.bytes(PATH);
  expect(await mend(disk, [donor('wrong', 1)])).toBeUndefined();
  expect(Buffer.compare(disk.bytes(PATH), before)).toBe(0);
  expect(await mend(disk, [donor('wrong', 1), donor('right')])).toEqual({
    pages: 2,
    from: ['right'],
  });
  expect(isWhole(disk)).toBe(true);
});

test('donors that always have other pages are not asked for ever', async () => {
  let asked = 0;
  const wrong: PageDonor = {
    name: 'wrong',
    give: async (pages) => {
      asked += 1;
      return pages.map((page) => pageOf(page, 1));
    },
  };
  expect(
    await mend(
      diskWith([1]),
      Array.from({ length: 100 }, () => wrong),
    ),
  ).toBeUndefined();
  expect(asked).toBeLessThan(10);
});

test('pages under other names, and half pages, are not taken', async () => {
  const disk = diskWith([1]);
  const others: PageDonor = {
    name: 'others',
    give: async () => [
      pageOf({ table: TABLE + 1, page: FIRST }),
      pageOf({ table: TABLE, page: FIRST + 1 }),
      whole.subarray(0, 2000),
    ],
  };
  expect(await mend(disk, [others])).toBeUndefined();
  expect(isWhole(disk)).toBe(false);
});

test('a page of this name that the disk has from another time is found by the seal, and mended', async () => {
  const disk = diskWith([]);
  disk.rot(PATH, (bytes) =>
    bytes.set(pageOf({ table: TABLE, page: FIRST + 2 }, 5), 3 * PAGE_BYTES),
  );
  expect(await mend(disk, [donor('other')])).toMatchObject({ pages: PAGES });
  expect(isWhole(disk)).toBe(true);
});

test('the power fails at any write: each page is damaged or mended, nothing else has changed, and the next try mends the rest', async () => {
  let cuts = 0;
  for (let crashAt = 1; crashAt < 10; crashAt += 1) {
    const disk = diskWith([1, PAGE_BYTES + 1, 3 * PAGE_BYTES + 1]);
    const damaged = disk.bytes(PATH);
    disk.crashAt = crashAt;
    const outcome = await mend(disk, [donor('other')]).catch((error: unknown) => error);
    if (!(outcome instanceof PowerLoss)) break;
    cuts += 1;
    for (let survivor = 0; survivor < 16; survivor += 1) {
      let block = 0;
      const after = disk.afterCrash(() => (((block += 1) * 7 + survivor * 5) & 3) < 2);
      const bytes = after.bytes(PATH);
      for (let at = 0; at < bytes.length; at += 512) {
        const part = Buffer.from(bytes.subarray(at, at + 512));
        const known = [damaged, undamaged].map((all) => part.compare(all.subarray(at, at + 512)));
        expect(known).toContain(0);
      }
      expect(await mend(after, [donor('other')])).toBeDefined();
      expect(isWhole(after)).toBe(true);
    }
  }
  // Two runs of pages and a sync.
  expect(cuts).toBe(3);
});

test('a page that the disk cannot read is mended, and what the disk does not keep is not called mended', async () => {
  const disk = diskWith([]);
  const file = await disk.open(PATH, { exclusive: false });
  const bad = { from: 2 * PAGE_BYTES, to: 3 * PAGE_BYTES, isRemapped: false, remaps: true };
  const broken: StorageFile = {
    size: () => file.size(),
    sync: () => file.sync(),
    close: () => file.close(),
    writeDurable: (bytes, offset) => file.writeDurable(bytes, offset),
    write: async (bytes, offset) => {
      await file.write(bytes, offset);
      if (bad.remaps && offset <= bad.from && offset + bytes.length >= bad.to)
        bad.isRemapped = true;
    },
    read: async (target, offset) => {
      if (!bad.isRemapped && offset < bad.to && offset + target.length > bad.from)
        throw Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO' });
      return file.read(target, offset);
    },
  };
  bad.remaps = false;
  expect(await mend(disk, [donor('other')], broken)).toBeUndefined();
  bad.remaps = true;
  expect(await mend(disk, [donor('other')], broken)).toEqual({ pages: 1, from: ['other'] });
  expect(isWhole(disk)).toBe(true);
});
