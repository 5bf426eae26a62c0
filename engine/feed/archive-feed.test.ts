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

const feedOf = (groups: readonly (readonly number[])[], committed = 9): ArchiveFeed =>
  new ArchiveFeed({
    log: logOf(groups),
    nowMs: () => 0,
    committedOp: () => committed,
    leads: () => true,
    position: () => ({ op: 0, timestamp: 0n, view: 0, stateHash: new Uint8Array(16) }),
    counts: () => ({ accounts: 0, transfers: 0 }),
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
