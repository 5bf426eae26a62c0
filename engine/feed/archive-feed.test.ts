/** The entries that an engine hands to its archiver, for all sizes of the groups in its log. */
import { expect, test } from '@jest/globals';
import type { LogEntry } from '../log/log.ts';
import { ArchiveFeed, type FeedAnswer, type ReadableLog } from './archive-feed.ts';

const entryOf = (op: number): LogEntry => ({
  op,
  timestamp: BigInt(op),
  view: 0,
  message: new Uint8Array(256).fill(op),
});
const checksumOf = (op: number): Uint8Array => new Uint8Array(16).fill(op);

/** A log whose groups are as large as a read: each read gives the one with the first op. */
function logOf(groups: readonly (readonly number[])[]): ReadableLog {
  return {
    archived: () => undefined,
    read: async (op) => {
      await Promise.resolve();
      const oldestOp = groups[0]?.[0] ?? 1;
      if (op < oldestOp) return { oldestOp };
      const group = groups.find((ops) => (ops.at(-1) ?? 0) >= op) ?? [];
      return group.filter((one) => one >= op).map(entryOf);
    },
  };
}

const feedOf = (
  groups: readonly (readonly number[])[],
  committed = 9,
  log = logOf(groups),
): ArchiveFeed =>
  new ArchiveFeed({
    log,
    nowMs: () => 0,
    committedOp: () => committed,
    leads: () => true,
    position: () => ({ op: 0, timestamp: 0n, view: 0, stateHash: new Uint8Array(16) }),
    counts: () => ({ accounts: 0, transfers: 0 }),
  });

/** The same log in a data file, whose groups are told by their places. */
const placedLogOf = (groups: readonly (readonly number[])[]): ReadableLog => ({
  ...logOf(groups),
  form: 'groups',
  places: (op) => {
    const oldestOp = groups[0]?.[0] ?? 1;
    if (op < oldestOp) return { oldestOp };
    const left = groups.filter((ops) => (ops.at(-1) ?? 0) >= op);
    return left.map((ops) => ({
      lastOp: ops.at(-1) ?? 0,
      lastChecksum: checksumOf(ops.at(-1) ?? 0),
      at: ops[0] ?? 0,
      bytes: ops.length,
      seal: new Uint8Array(16),
    }));
  },
});

const opsOf = (answer: FeedAnswer): readonly number[] | string =>
  answer.kind === 'part' ? answer.entries.map(({ op }) => op) : answer.kind;

test('an archiver gets on from group to group, also when the one with its last entry fills a read', async () => {
  const feed = feedOf([[1], [2], [3, 4], [5, 6, 7, 8, 9]]);
  const got: number[] = [];
  for (let op = 0; op < 9; op = got.at(-1) ?? 0) {
    const answer = await feed.read(op === 0 ? { op } : { op, checksum: checksumOf(op) });
    expect(answer.kind).toBe('part');
    got.push(...(opsOf(answer) as number[]));
  }
  expect(got).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(opsOf(await feed.read({ op: 9, checksum: checksumOf(9) }))).toBe('nothing');
});

test('another history, a log that is gone and a database that is behind are told apart', async () => {
  const feed = feedOf([
    [4, 5],
    [6, 7, 8, 9],
  ]);
  expect(opsOf(await feed.read({ op: 5, checksum: checksumOf(7) }))).toBe('foreign');
  expect(opsOf(await feed.read({ op: 12, checksum: checksumOf(12) }))).toBe('foreign');
  expect(await feed.read({ op: 2, checksum: checksumOf(2) })).toEqual({
    kind: 'gone',
    oldestOp: 4,
  });
  // The archive's last entry is gone, and the next one is there.
  expect(opsOf(await feed.read({ op: 3, checksum: checksumOf(3) }))).toEqual([4, 5]);
  // What is not committed is not handed out.
  expect(opsOf(await feedOf([[1, 2, 3]], 2).read({ op: 0 }))).toEqual([1, 2]);
});

test('each part of the log is read once, though an archiver names the entry before with each question', async () => {
  const log = logOf([[1, 2], [3], [4, 5], [6, 7, 8, 9]]);
  const reads: number[] = [];
  const counted: ReadableLog = {
    ...log,
    read: (op, bytesMax) => {
      reads.push(op);
      return log.read(op, bytesMax);
    },
  };
  const feed = feedOf([], 9, counted);
  for (const op of [0, 2, 3, 5])
    await feed.read(op === 0 ? { op } : { op, checksum: checksumOf(op) });
  expect(reads).toEqual([1, 3, 4, 6]);
  // Another archive, or one whose history is another one, is compared with the log.
  expect(opsOf(await feed.read({ op: 5, checksum: checksumOf(5) }))).toEqual([6, 7, 8, 9]);
  expect(opsOf(await feed.read({ op: 9, checksum: checksumOf(7) }))).toBe('foreign');
});

test('a log of another history never goes on with an archive, also once it begins right after the end of that', async () => {
  const groups = [
    [4, 5],
    [6, 7],
    [8, 9],
  ];
  const feed = feedOf(groups);
  const place = { op: 5, checksum: checksumOf(7) };
  expect(opsOf(await feed.read(place))).toBe('foreign');
  // The ring uses the place of the oldest group again.
  groups.shift();
  expect(await feed.read(place)).toEqual({ kind: 'gone', oldestOp: 6 });
  // Another archive of which nothing else is known goes on.
  expect(opsOf(await feed.read({ op: 5, checksum: checksumOf(5) }))).toEqual([6, 7]);
});

test('an archiver that has the data file is told committed places of this history only, and the log is read for nobody', async () => {
  const groups = [
    [1, 2],
    [3, 4, 5],
    [6, 7, 8, 9],
  ];
  const log = placedLogOf(groups);
  const reads: number[] = [];
  const feed = feedOf([], 8, {
    ...log,
    read: (op, bytesMax) => {
      reads.push(op);
      return log.read(op, bytesMax);
    },
  });
  const firstOps = (answer: FeedAnswer) =>
    answer.kind === 'places' ? answer.places.map(({ at }) => at) : answer.kind;
  // The last group has an operation that is not committed.
  expect(firstOps(await feed.read({ op: 0 }, 'groups'))).toEqual([1, 3]);
  expect(firstOps(await feed.read({ op: 5, checksum: checksumOf(5) }, 'groups'))).toBe('nothing');
  expect(reads).toEqual([]);
  // A place in the middle of a group, as after another release's archiver.
  expect(firstOps(await feed.read({ op: 4, checksum: checksumOf(4) }, 'groups'))).toEqual([3]);
  expect(firstOps(await feed.read({ op: 2, checksum: checksumOf(7) }, 'groups'))).toBe('foreign');
  groups.shift();
  expect(await feed.read({ op: 2, checksum: checksumOf(7) }, 'groups')).toEqual({
    kind: 'gone',
    oldestOp: 3,
  });
  expect(firstOps(await feed.read({ op: 2, checksum: checksumOf(2) }, 'groups'))).toEqual([3]);
  expect(await feed.read({ op: 1 }, 'groups')).toEqual({ kind: 'gone', oldestOp: 3 });
});

test('a log that is in no data file is handed out as entries, whatever was asked for', async () => {
  expect(opsOf(await feedOf([[1, 2]], 2).read({ op: 0 }, 'groups'))).toEqual([1, 2]);
});
