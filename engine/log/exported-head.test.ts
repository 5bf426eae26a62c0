/** Whoever looks at a data file without the engine sees the same in it. */
import { expect, test } from '@jest/globals';
import { importFaults } from '../../domain/import-files/faults.ts';
import { FILE_HEAD_SIZE, readFileHead } from '../../domain/import-files/file-head.ts';
import { encodeSuperblock, readHead } from './superblock.ts';
import { MemoryStorage } from './testing/memory-storage.ts';
import {
  createToyFile,
  IDENTITY,
  messageOf,
  PATH,
  RELEASE,
  ToyReplica,
} from './testing/replica.ts';

async function written(): Promise<{ readonly exported: Uint8Array; readonly own: Uint8Array }> {
  const disk = new MemoryStorage();
  await createToyFile(disk, 64 << 10);
  const replica = await ToyReplica.start(disk);
  for (let op = 1; op <= 8; op += 1) await replica.append(messageOf(op, 500));
  await replica.checkpoint();
  const exported = await replica.exported();
  await replica.log.close();
  return { exported, own: disk.bytes(PATH) };
}

const start = (bytes: Uint8Array): Uint8Array => bytes.slice(0, FILE_HEAD_SIZE);

test('the first bytes of an exported file tell what the engine reads of them', async () => {
  const { exported } = await written();
  const { superblock } = readHead(exported);
  const read = readFileHead(start(exported));
  expect(read).toEqual({
    kind: 'ledger',
    head: {
      ...IDENTITY,
      release: RELEASE,
      op: 8,
      timestamp: superblock.position.timestamp,
      stateHash: Buffer.from(superblock.position.stateHash).toString('hex'),
      logSizeBytes: 0,
      endsAfterBytes: superblock.manifest.offset + superblock.manifest.size,
    },
  });
  const terms = { release: RELEASE, now: new Date() };
  expect(importFaults([{ sizeBytes: exported.length, head: read }], terms)).toEqual([]);
});

test("a replica's own file is told from an exported one", async () => {
  const { own } = await written();
  const read = readFileHead(start(own));
  expect(read).toMatchObject({ kind: 'ledger', head: { logSizeBytes: 64 << 10, op: 8 } });
  const faults = importFaults([{ sizeBytes: own.length, head: read }], {
    release: RELEASE,
    now: new Date(),
  });
  expect(faults.map(({ code }) => code)).toEqual(['replica_own_file']);
});

test.each([1, 2])(
  'a file of format version %i is one that the release before reads until the first checkpoint',
  async (version) => {
    const { own } = await written();
    const { superblock } = readHead(own);
    const old = encodeSuperblock({ ...superblock, formatVersion: version });
    for (let copy = 0; copy < 4; copy += 1) own.set(old, copy * old.length);
    // One copy is damaged, and repaired at the start.
    own[old.length * 2 + 100]! ^= 1;
    const disk = MemoryStorage.of(PATH, own);
    const versions = (): number[] =>
      Array.from({ length: 4 }, (_, copy) => disk.bytes(PATH)[copy * old.length + 8]!);
    const replica = await ToyReplica.start(disk);
    await replica.append(messageOf(9, 500));
    expect(versions()).toEqual(Array(4).fill(version));
    await replica.checkpoint();
    expect(versions()).toEqual([3, 3, 3, 3]);
    await replica.log.close();
  },
);

test('two equal copies of the head are enough, and one is damage', async () => {
  const { exported } = await written();
  const head = start(exported);
  const whole = readFileHead(head);
  head[20]! ^= 1;
  head[4096 + 20]! ^= 2;
  expect(readFileHead(head)).toEqual(whole);
  head[2 * 4096 + 20]! ^= 4;
  expect(readFileHead(head)).toEqual({ kind: 'damaged' });
  expect(readFileHead(exported.slice(0, 4096))).toEqual({ kind: 'damaged' });
});

test('the newest whole state counts of a head that is being written', async () => {
  const { exported } = await written();
  const head = start(exported);
  const { superblock } = readHead(exported);
  const position = { ...superblock.position, op: 9 };
  const newer = encodeSuperblock({ ...superblock, sequence: 2, position });
  head.set(newer, 0);
  head.set(newer, 4096);
  expect(readFileHead(head)).toMatchObject({ head: { op: 9 } });
});

test('a newer format, another program and nothing at all are not read as a ledger', async () => {
  const { exported } = await written();
  const head = start(exported);
  for (let copy = 0; copy < 4; copy += 1) head[copy * 4096 + 8] = 4;
  expect(readFileHead(head)).toEqual({ kind: 'newer-format', formatVersion: 4 });
  expect(readFileHead(new TextEncoder().encode('id,amount\n'.repeat(2_000)))).toEqual({
    kind: 'foreign',
  });
  expect(readFileHead(new Uint8Array(FILE_HEAD_SIZE))).toEqual({ kind: 'foreign' });
  expect(readFileHead(new Uint8Array(0))).toEqual({ kind: 'foreign' });
});
