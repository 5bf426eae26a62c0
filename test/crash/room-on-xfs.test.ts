/** XFS allocates blocks ahead of a file that grows, up to as many again as it has: they count as used on the volume, and are the file's to fill. */
import { afterAll, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { diskStorage } from '../../engine/log/disk-storage.ts';
import { isFull } from '../../engine/log/storage.ts';
import { mountXfs, unmountVolume } from '../support/engine/small-volume.ts';

const MIB = 2 ** 20;
const folder = mkdtempSync(join(tmpdir(), 'ledgerhouse-xfs-'));
// Half a gigabyte: mkfs.xfs refuses less than 300 MB.
const volume = mountXfs(folder, 512 * MIB);
const mountTest = volume === undefined ? test.skip : test;

afterAll(() => {
  if (volume !== undefined) unmountVolume(volume);
  rmSync(folder, { recursive: true });
});

mountTest(
  'a data file that grows on XFS is told all the room that it has, and gets it',
  async () => {
    const path = join(volume ?? '', 'replica.ledger');
    const file = await diskStorage.create(path);
    const piece = new Uint8Array(MIB);
    let size = 0;
    const append = async () => {
      await file.write(piece, size);
      size += piece.length;
    };
    const told = async () => size + (await diskStorage.volume(path)).freeBytes;
    // Beyond a power of two the most is allocated ahead.
    for (let pieces = 0; pieces < 140; pieces += 1) await append();
    await file.sync();
    const limit = await told();
    try {
      for (;;) await append();
    } catch (error) {
      expect(isFull(error)).toBe(true);
    }
    await file.close();
    // Blocks of the file system's own trees are the difference.
    expect(Math.abs(limit - size)).toBeLessThan(8 * MIB);
  },
);
