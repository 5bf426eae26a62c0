import { expect, jest, test } from '@jest/globals';
import { systemTimers } from '../../base/timers.ts';
import { SectionKind } from '../ledger/checkpoint.ts';
import { TableId } from '../ledger/checkpoint-tables.ts';
import { PAGE_BYTES, PAGE_WORDS, sealPage, type PageName } from '../ledger/page.ts';
import type { HeardPeer } from '../peers/peer-link.ts';
import { peerDonors } from '../replica/page-donors.ts';
import { Mender } from './mender.ts';
import { seal } from './seal.ts';
import { MemoryStorage } from './testing/memory-storage.ts';

const PATH = '/disk/pages';
const KEY = new Uint8Array(16).fill(3);
const TABLE = 7;
const PIECES = 8;

function pageOf({ table, page }: PageName): Uint8Array {
  const words = new Uint32Array(PAGE_WORDS).fill(page + 5, 0, 1008);
  sealPage(words, 0, { table, page }, 28);
  return new Uint8Array(words.buffer);
}

test('pieces that nobody has do not keep one waiting that a peer has', async () => {
  const pages = Array.from({ length: PIECES }, (_, page) => pageOf({ table: TABLE, page }));
  const pieces = pages.map((bytes, i) => {
    return { offset: i * PAGE_BYTES, size: PAGE_BYTES, seal: seal(KEY, bytes) };
  });
  const disk = MemoryStorage.of(PATH, new Uint8Array(Buffer.concat(pages)));
  disk.rot(PATH, (bytes) => pieces.forEach(({ offset }) => (bytes[offset + 9]! ^= 1)));
  const file = await disk.open(PATH, { exclusive: false });
  const heads = { kind: SectionKind.append, table: TABLE, rowSize: PAGE_BYTES, firstRow: 0 };
  const section = { ...heads, rowCount: PIECES, pieces };
  jest.useFakeTimers();
  try {
    const timers = { ...systemTimers, nowMs: () => Date.now() };
    const peers = {
      all: () => [{ replica: 1, heardAtMs: Date.now() } as HeardPeer],
      fetchPages: async (_: number, names: readonly PageName[]) =>
        names.filter(({ page }) => page === PIECES - 1).map(pageOf),
    };
    const mender = new Mender({
      file,
      key: KEY,
      sections: () => [section],
      pin: () => () => undefined,
      rewrite: () => false,
      checkpoint: () => undefined,
      onMended: () => undefined,
      donors: () => peerDonors({ peers, timers, stopped: new AbortController().signal }),
    });
    const ended: [number, boolean][] = [];
    for (const [i, piece] of pieces.entries())
      void mender.mend(piece).then((isMended) => ended.push([i, isMended]));
    await jest.advanceTimersByTimeAsync(1000);
    expect(ended).toEqual([[PIECES - 1, true]]);
    await jest.advanceTimersByTimeAsync(31_000);
    expect(ended).toHaveLength(PIECES);
  } finally {
    jest.useRealTimers();
  }
});

test('a damaged piece of accounts that have left memory makes no checkpoint after another, however many reads need it', async () => {
  const bytes = new Uint8Array(PAGE_BYTES);
  const piece = { offset: 0, size: PAGE_BYTES, seal: seal(KEY, bytes) };
  const disk = MemoryStorage.of(PATH, bytes);
  const file = await disk.open(PATH, { exclusive: false });
  const heads = { kind: SectionKind.append, table: TableId.accounts, rowSize: 128, firstRow: 0 };
  const section = { ...heads, rowCount: 32, pieces: [piece] };
  jest.useFakeTimers();
  try {
    let checkpoints = 0;
    const mender = new Mender({
      file,
      key: KEY,
      sections: () => [section],
      pin: () => () => undefined,
      rewrite: () => true,
      checkpoint: () => void (checkpoints += 1),
      onMended: () => undefined,
      donors: async function* donors() {},
    });
    for (let read = 0; read < 100; read += 1) expect(await mender.mend(piece)).toBe(false);
    expect(checkpoints).toBe(1);
    // The scrubber looks at it again each minute: the accounts may be in memory by then, or the volume have room.
    jest.advanceTimersByTime(60_000);
    await mender.mend(piece);
    expect(checkpoints).toBe(2);
  } finally {
    jest.useRealTimers();
  }
});
