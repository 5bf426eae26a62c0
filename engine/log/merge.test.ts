import { beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { StateMachine } from '../ledger/state-machine.ts';
import { encodeMultiBatch } from '../wire/multi-batch.ts';
import { Operation } from '../wire/operations.ts';
import { CheckpointStore } from './checkpoint-store.ts';
import { FileLog } from './file-log.ts';
import { BLOCK_SIZE, LOG_OFFSET, LOG_SIZE_MIN, PIECE_SIZE_MAX } from './layout.ts';
import { encodeManifest, readManifest, type Piece, type StoredSection } from './manifest.ts';
import { chooseMerge, joinSections, PIECES_SPARE, withMerged } from './merge.ts';
import { restoreDataFile } from './restore.ts';
import { readSuperblock, type Superblock } from './superblock.ts';
import { MemoryStorage, PowerLoss } from './testing/memory-storage.ts';
import { fileOfManySections, HISTORY } from './testing/old-release.ts';
import { createToyFile, messageOf, PATH, RELEASE, ToyReplica } from './testing/replica.ts';
import { modelOf } from './testing/toy-state.ts';

const ROWS = PIECES_SPARE + 100;
const EXPORTED = '/disk/exported.ledger';
const RESTORED = '/disk/restored.ledger';

let old: { bytes: Uint8Array; messages: readonly Uint8Array[] };

beforeAll(async () => {
  old = await fileOfManySections(ROWS);
});

async function stored(
  disk: MemoryStorage,
): Promise<{ superblock: Superblock; sections: readonly StoredSection[] }> {
  const file = await disk.open(PATH, { exclusive: false });
  const superblock = await readSuperblock(file);
  return { superblock, sections: await readManifest(file, superblock) };
}

async function pieceCount(disk: MemoryStorage): Promise<number> {
  const { sections } = await stored(disk);
  return sections.reduce((sum, { pieces }) => sum + pieces.length, 0);
}

async function step(replica: ToyReplica): Promise<void> {
  await replica.append(messageOf(replica.state.op + 1, 50));
  await replica.checkpoint();
}

const stateAfter = (appended: readonly Uint8Array[]): string =>
  modelOf([...old.messages, ...appended]).digest();

test('a file of an older release with thousands of sections is read, merged, exported and restored', async () => {
  const disk = MemoryStorage.of(PATH, old.bytes);
  expect((await stored(disk)).sections.length).toBeGreaterThan(ROWS);
  const replica = await ToyReplica.start(disk);
  expect(replica.state.digest()).toBe(stateAfter([]));
  const before = disk.operations;
  await step(replica);
  expect(disk.operations - before).toBeLessThan(30);
  const { sections } = await stored(disk);
  expect(sections.map(({ table }) => table).join(' ')).toBe(`${HISTORY} 2 2 100`);
  expect(await pieceCount(disk)).toBeLessThan(100);
  const atCheckpoint = replica.state.digest(false);
  await replica.log.exportTo({ path: EXPORTED });
  await replica.log.close();
  expect((await ToyReplica.start(disk)).state.digest()).toBe(stateAfter(replica.messages));
  await restoreDataFile({
    from: EXPORTED,
    to: RESTORED,
    logSizeBytes: LOG_SIZE_MIN,
    storage: disk,
  });
  expect((await ToyReplica.start(disk, RESTORED)).state.digest(false)).toBe(atCheckpoint);
});

test('power loss at every write of checkpoints that merge, and that use the space anew, loses nothing', async () => {
  let crashes = 0;
  for (let crashAt = 1; ; crashAt += 1) {
    const disk = MemoryStorage.of(PATH, old.bytes);
    disk.crashAt = crashAt;
    const replica = await ToyReplica.start(disk).catch((error: unknown) => {
      expect(error).toBeInstanceOf(PowerLoss);
    });
    if (replica) await runToCrash(replica);
    const messages = [...(replica?.messages ?? [])];
    for (const survives of [() => false, () => true, everyOther()]) {
      const next = disk.afterCrash(survives);
      const again = await ToyReplica.start(next);
      const appended = again.state.op - ROWS;
      const durable = replica ? replica.acknowledgedOp - ROWS : 0;
      expect(appended).toBeGreaterThanOrEqual(durable);
      expect(again.state.digest()).toBe(stateAfter(messages.slice(0, appended)));
    }
    if (disk.operations < crashAt) break;
    crashes += 1;
  }
  expect(crashes).toBeGreaterThan(20);
});

/** Takes two checkpoints; the first one merges. */
async function runToCrash(replica: ToyReplica): Promise<void> {
  for (let round = 0; round < 2 && replica.failures.length === 0; round += 1) {
    void replica.append(messageOf(replica.state.op + 1, 50));
    await replica.checkpoint().catch((error: unknown) => {
      expect(error).toMatchObject({ code: 'storage_failed' });
    });
  }
}

function everyOther(): () => boolean {
  let count = 0;
  return () => (count += 1) % 2 === 0;
}

test('on a full volume a checkpoint needs room for what changed only, and merges as far as there is room', async () => {
  const outcomes = new Set<string>();
  for (const blocks of [0, 8, 16, 18, 19, 20, 21, 22, 23, 24, 28, 48]) {
    const disk = MemoryStorage.of(PATH, old.bytes);
    const replica = await ToyReplica.start(disk);
    disk.capacity = old.bytes.length + blocks * BLOCK_SIZE;
    outcomes.add(await outcomeOf(disk, replica));
    expect(replica.failures).toEqual([]);
    // The pieces dropped by the first checkpoint are free now; otherwise a little room is enough.
    disk.capacity += 24 * BLOCK_SIZE;
    for (let round = 0; round < 3; round += 1) await step(replica);
    expect(await pieceCount(disk)).toBeLessThan(PIECES_SPARE);
    await replica.log.close();
    expect((await ToyReplica.start(disk)).state.digest()).toBe(stateAfter(replica.messages));
  }
  expect([...outcomes].toSorted()).toEqual(['full', 'merged', 'not merged']);
});

async function outcomeOf(disk: MemoryStorage, replica: ToyReplica): Promise<string> {
  try {
    await step(replica);
  } catch (error) {
    expect(error).toMatchObject({ code: 'storage_full' });
    return 'full';
  }
  return (await pieceCount(disk)) > ROWS ? 'not merged' : 'merged';
}

test('a damaged piece is never merged under a new seal: the checkpoint goes on without it, and a start refuses it', async () => {
  const disk = MemoryStorage.of(PATH, old.bytes);
  const replica = await ToyReplica.start(disk);
  const { sections } = await stored(disk);
  const history = sections.filter(({ table }) => table === HISTORY);
  const { offset } = history[ROWS >> 1]!.pieces[0]!;
  const file = await disk.open(PATH, { exclusive: false });
  await file.write(Uint8Array.of(disk.bytes(PATH)[offset]! ^ 1), offset);
  await file.sync();
  for (let round = 0; round < 3; round += 1) await step(replica);
  expect(await pieceCount(disk)).toBeLessThan(PIECES_SPARE);
  await replica.log.close();
  await expect(ToyReplica.start(disk)).rejects.toMatchObject({
    code: 'checkpoint_corrupt',
    offset,
  });
});

/** Makes a body of `count` events of 128 bytes. */
function events(count: number, fill: (view: DataView) => void): Uint8Array {
  const bytes = new Uint8Array(count * 128);
  for (let at = 0; at < bytes.length; at += 128) fill(new DataView(bytes.buffer, at, 128));
  return encodeMultiBatch([bytes], 128);
}

test('a volume of the documented size takes checkpoints of few rows each without end', async () => {
  const disk = new MemoryStorage();
  const logSizeBytes = 8 << 20;
  await createToyFile(disk, logSizeBytes);
  const failures: Error[] = [];
  const onFailure = (error: Error): void => void failures.push(error);
  const log = await FileLog.open({ path: PATH, release: RELEASE, storage: disk, onFailure });
  const ledger = new StateMachine({ memoryLimitBytes: 2 ** 32 });
  await log.recover(ledger, () => undefined);
  let [op, timestamp, id] = [0, 10n ** 18n, 0];
  const run = async (operation: number, body: Uint8Array): Promise<void> => {
    timestamp += BigInt(ledger.timestampDelta(operation, body)) + 1n;
    op += 1;
    const entry = { op, timestamp, view: 0, message: new Uint8Array(256) };
    await new Promise<void>((resolve) => {
      log.append(entry, resolve);
    });
    ledger.commit(operation, timestamp, body);
  };
  const checkpoint = (): Promise<unknown> =>
    log.checkpoint(ledger, { op, timestamp, view: 0, stateHash: ledger.stateHash() });
  const account = (view: DataView): void => {
    view.setUint32(0, (id += 1), true);
    view.setUint32(112, 1, true);
    view.setUint16(116, 1, true);
  };
  const transfer = (view: DataView, credit = 2): void => {
    account(view);
    view.setUint32(16, 1, true);
    view.setUint32(32, credit, true);
    view.setUint8(48, 1);
  };
  await run(Operation.createAccounts, events(2, account));
  for (let batch = 0; batch < 50; batch += 1) {
    await run(
      Operation.createTransfers,
      events(8000, (view) => {
        transfer(view);
      }),
    );
  }
  await checkpoint();
  const head = LOG_OFFSET + logSizeBytes;
  disk.capacity = head + 1.2 * (disk.bytes(PATH).length - head);
  for (let round = 0; round < 750; round += 1) {
    await run(Operation.createAccounts, events(1, account));
    await run(
      Operation.createTransfers,
      events(1, (view) => {
        transfer(view, round % 2 === 0 ? 2 : 2 ** 31);
      }),
    );
    await checkpoint();
  }
  const most = 2 * Math.ceil(disk.capacity / PIECE_SIZE_MAX) + PIECES_SPARE;
  expect(await pieceCount(disk)).toBeLessThan(most);
  expect(failures).toEqual([]);
});

const piece = (size: number): Piece => ({ offset: 0, size, seal: new Uint8Array(16) });

test('any merge is of neighbours within its bound, and no other takes more pieces', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(fc.integer({ min: 1, max: 50 }), { maxLength: 12 }), { maxLength: 4 }),
      fc.integer({ min: 0, max: 100 }),
      (sizes, bytesMax) => {
        const sections = sizes.map((own, table) => ({
          kind: 1 as const,
          table,
          rowSize: 1,
          firstRow: 0,
          rowCount: own.reduce((sum, size) => sum + size, 0),
          pieces: own.map(piece),
        }));
        const runs = sizes.flatMap((own) =>
          own.flatMap((_, first) => own.map((__, last) => own.slice(first, last + 1))),
        );
        const fitting = runs.filter((run) => run.reduce((a, b) => a + b, 0) <= bytesMax);
        const most = Math.max(1, ...fitting.map((run) => run.length));
        const merge = chooseMerge(sections, bytesMax, new WeakSet());
        expect(merge?.pieces.length ?? 1).toBe(most);
        if (!merge) return;
        expect(merge.bytes).toBe(merge.pieces.reduce((sum, { size }) => sum + size, 0));
        expect(merge.bytes).toBeLessThanOrEqual(bytesMax);
        const after = withMerged(sections, merge, piece(merge.bytes));
        // Encoding checks that every section still holds its rows.
        encodeManifest(after);
      },
    ),
  );
});

test('sections are joined where one only goes on with the other, and nowhere else', () => {
  const head = { table: 1, rowSize: 8, firstRow: 0, rowCount: 2, pieces: [piece(16)] };
  const updates = { ...head, kind: 2 as const, pieces: [piece(24)] };
  const append = { ...head, kind: 1 as const };
  const more = { ...append, firstRow: 2 };
  const other = { ...append, table: 2 };
  const whole = { ...head, kind: 3 as const };
  const shapes = (sections: readonly StoredSection[]): string =>
    joinSections(sections)
      .map(({ kind, table, rowCount }) => `${kind}/${table}/${rowCount}`)
      .join(' ');
  expect(shapes([append, other, more])).toBe('1/1/4 1/2/2');
  expect(shapes([whole, other, more])).toBe('3/1/4 1/2/2');
  expect(shapes([append, updates, updates, more])).toBe('1/1/2 2/1/4 1/1/2');
  expect(shapes([append, whole])).toBe('1/1/2 3/1/2');
  expect(shapes([append, { ...append, firstRow: 3 }])).toBe('1/1/2 1/1/2');
  expect(shapes([append, { ...more, rowSize: 4, pieces: [piece(8)] }])).toBe('1/1/2 1/1/2');
});

test('a list of pieces that is too long is refused with the way out, before anything is written', async () => {
  const count = 2 ** 21;
  const same = { ...piece(16), offset: LOG_OFFSET };
  const pieces = Array.from({ length: count }, () => same);
  const section = { kind: 1 as const, table: 1, rowSize: 16, firstRow: 0, rowCount: count, pieces };
  expect(() => encodeManifest([section])).toThrow('a manifest is at most 64 MiB');
  const disk = MemoryStorage.of(PATH, old.bytes);
  const { superblock } = await stored(disk);
  const store = new CheckpointStore({
    file: await disk.open(PATH, { exclusive: true }),
    superblock,
    sections: [section],
    ring: undefined,
    release: RELEASE,
    room: () => Promise.resolve(Infinity),
    pause: () => Promise.resolve(),
  });
  const { position } = superblock;
  const checkpoint = store.checkpoint(modelOf(old.messages), position);
  await expect(checkpoint).rejects.toThrow(/larger; nothing is lost/);
  expect((await stored(disk)).superblock).toEqual(superblock);
});

test.each([
  [{ rowSize: 2 ** 32 }, 'fits u32'],
  [{ table: 2 ** 32 }, 'fits u32'],
  [{ rowCount: 3 }, 'hold its rows'],
  [{ rowCount: PIECE_SIZE_MAX + 1, pieces: [piece(PIECE_SIZE_MAX + 1)] }, '1 byte to 4 MiB'],
])('a section that the manifest cannot hold is not written: %p', (wrong, message) => {
  const section = { kind: 1 as const, table: 1, rowSize: 1, firstRow: 0, rowCount: 1 };
  expect(() => encodeManifest([{ ...section, pieces: [piece(1)], ...wrong }])).toThrow(message);
});
