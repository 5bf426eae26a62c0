/** Merges from the volume to the volume of processes that are killed on the way. */
import { expect, test } from '@jest/globals';
import { createHash } from 'node:crypto';
import { IndexDisk, IndexProcess } from '../../../test/support/engine/ledger/index-process.ts';
import { INDEX_TABLE } from '../checkpoint.ts';
import { PAGE_BYTES } from '../page.ts';

const SEAL_ROWS = 2048;
const MERGED_ROWS = 4 * SEAL_ROWS;
/** A merge of four takes some ten checkpoints, and its ids take more than one. */
const sizes = {
  sealRows: SEAL_ROWS,
  chunkRows: 1024,
  pageBytes: PAGE_BYTES,
  deltaBytesMax: 1 << 15,
};

/** A process whose oldest segments are to be merged, and its disk. */
class World {
  readonly disk = new IndexDisk();
  process!: IndexProcess;
  room = 2 ** 30;
  damages = 0;
  checkpoints = 0;

  /** Begins with four segments that checkpoints have, none of them in memory. */
  static async begin(): Promise<World> {
    const world = new World();
    await world.restart();
    world.room = 0;
    for (let row = 0; row < MERGED_ROWS + 100; row += 1) world.work();
    while (world.process.index.counts().onVolume < 4) world.checkpoint();
    world.room = 2 ** 30;
    world.checkpoints = 0;
    return world;
  }

  async restart(): Promise<void> {
    this.process = await IndexProcess.start({
      disk: this.disk,
      sizes,
      room: () => this.room,
      onDamage: () => void (this.damages += 1),
    });
  }

  /** Adds a row, and lets the helper do all that it can. */
  work(): void {
    this.process.add(this.disk.push());
    this.process.help(1e9);
  }

  checkpoint(): void {
    this.process.checkpoint().end();
    this.process.dropTo(0);
    this.checkpoints += 1;
    expect(this.checkpoints).toBeLessThan(60);
  }

  get isMerged(): boolean {
    return this.process.index.segments[0]!.rows === MERGED_ROWS;
  }

  /** The table of the oldest segment. */
  get table(): string {
    return createHash('sha256').update(this.#withoutNames).digest('hex');
  }

  /** Numbers of tables depend on what else was written. */
  get #withoutNames(): Buffer {
    const bytes = this.disk.bytesOf(this.process.index.segments[0]!.table!);
    for (let at = 0; at < bytes.length; at += PAGE_BYTES)
      bytes.fill(0, at + PAGE_BYTES - 64, at + PAGE_BYTES);
    return bytes;
  }

  /** The table that says how far the merge is. */
  get progressTable(): number | undefined {
    return [...this.disk.tables].find(([, { rowSize }]) => rowSize === 4)?.[0];
  }

  /** Works until a merge is in a table in part, with so many columns as a whole. */
  workUntil(columns: number): void {
    const wholeColumns = (): number => {
      const own = this.progressTable;
      return own === undefined ? -1 : this.disk.bytesOf(own).readUInt32LE(16);
    };
    while (wholeColumns() < columns) {
      this.work();
      this.checkpoint();
    }
    expect(this.isMerged).toBe(false);
  }

  finish(): void {
    while (!this.isMerged) {
      this.work();
      this.checkpoint();
    }
  }

  /** Expects that the disk has the directory and the segments, and nothing else. */
  expectNothingLeft(): void {
    while (this.process.index.segments.some(({ table }) => table === undefined)) this.checkpoint();
    this.checkpoint();
    const tables = this.process.index.segments.map(({ table }) => table!);
    expect([...this.disk.tables.keys()].toSorted((a, b) => a - b)).toEqual([
      INDEX_TABLE,
      ...tables.toSorted((a, b) => a - b),
    ]);
  }
}

/** What an uninterrupted merge makes of these rows, and in how many checkpoints. */
async function uninterrupted(): Promise<{ readonly table: string; readonly checkpoints: number }> {
  const world = await World.begin();
  world.finish();
  world.expectNothingLeft();
  const { table, checkpoints } = world;
  return { table, checkpoints };
}
const expected = await uninterrupted();

test('pages of merges are as they were when the version of their progress was last raised', () => {
  // Whoever changes them raises the version in merge-progress.ts, so that no merge goes on with pages of another release.
  expect(expected.table).toBe('6379cceb5b2924ad66b9821764e6d9dfba886ddec627ddd3438cb50e5451d885');
});

test('a merge from the volume to the volume ends although its process is killed after each checkpoint, with the same result', async () => {
  const world = await World.begin();
  for (let lives = 0; !world.isMerged; lives += 1) {
    world.work();
    // Every third life ends before its checkpoint is durable.
    if (lives % 3 === 2) world.process.checkpoint();
    else world.checkpoint();
    await world.restart();
  }
  expect(world.checkpoints).toBeLessThan(expected.checkpoints + 3);
  expect(world.table).toBe(expected.table);
  expect(world.damages).toBe(0);
  world.finish();
  world.expectNothingLeft();
});

test.each([0, 1, 5, 8])(
  'a start goes on with a merge of which checkpoints have %i columns, and waits for room with them',
  async (columns) => {
    const world = await World.begin();
    world.workUntil(columns);
    const written = world.disk.bytes;
    world.room = 0;
    await world.restart();
    for (let i = 0; i < 3; i += 1) {
      world.work();
      world.checkpoint();
    }
    expect(world.process.index.counts().streamedRows).toBe(0);
    expect(world.disk.bytes).toBeGreaterThanOrEqual(written);
    const [before] = [world.process.memory.usedBytes];
    world.room = 2 ** 30;
    world.work();
    expect(world.process.index.counts().streamedRows).toBe(MERGED_ROWS);
    expect(world.process.index.counts().streamedDone).toBeGreaterThanOrEqual(
      (MERGED_ROWS * columns) / 8,
    );
    expect(world.process.memory.usedBytes).toBeLessThanOrEqual(
      before + world.process.index.mergeBytes,
    );
    world.finish();
    world.expectNothingLeft();
    expect(world.table).toBe(expected.table);
  },
);

const changes: [string, (world: World) => void][] = [
  [
    'of another version',
    ({ disk, progressTable }) => void disk.tables.get(progressTable!)!.pieces[0]!.writeUInt32LE(2),
  ],
  ['that is not there', ({ disk, progressTable }) => void disk.tables.delete(progressTable!)],
  [
    'that is too short',
    ({ disk, progressTable }) => {
      const { rowSize, pieces, length } = disk.tables.get(progressTable!)!;
      const cut = [pieces[0]!.subarray(0, length - 4)];
      disk.tables.set(progressTable!, { rowSize, pieces: cut, length: length - 4 });
    },
  ],
  [
    'whose pages are not there',
    ({ disk, progressTable }) =>
      void disk.tables.delete(disk.bytesOf(progressTable!).readUInt32LE(4)),
  ],
  ['in an index that must be verified', ({ disk }) => void (disk.isSuspect = true)],
];

test.each(changes)(
  'a merge with a progress %s begins anew, and leaves nothing behind',
  async (_, change) => {
    const world = await World.begin();
    world.workUntil(3);
    change(world);
    await world.restart();
    expect(world.process.index.growing).toEqual([]);
    world.work();
    world.checkpoint();
    world.disk.isSuspect = false;
    world.finish();
    world.expectNothingLeft();
    expect(world.table).toBe(expected.table);
  },
);
