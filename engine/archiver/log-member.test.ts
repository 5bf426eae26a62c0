/** The log of several replicas as an archiver reads it in the member of etcd. */
import { expect, test } from '@jest/globals';
import { sha256 } from '../archive/chunk.ts';
import { decodeSegment } from '../archive/log-segment.ts';
import { DATABASE } from '../archive/testing/ledger-file.ts';
import { ArchiveFeed, type FeedPlace } from '../feed/archive-feed.ts';
import { decodePlacedPart, encodePlacedPart, type PlacedPart } from '../feed/placed-part.ts';
import { checksumOf } from '../log/entries.ts';
import type { LogEntry } from '../log/log.ts';
import { EtcdError } from '../log/replicated/etcd.ts';
import { ArchivedLog, CLUSTER, entryOf } from '../log/replicated/testing/archived-log.ts';
import { BEGINNING, Collector } from './collector.ts';
import { LogMember } from './log-member.ts';

const feedOf = (log: ArchivedLog): ArchiveFeed =>
  new ArchiveFeed({
    log: log.reader,
    nowMs: () => 0,
    committedOp: () => log.op,
    leads: () => true,
    position: () => ({
      op: log.op,
      timestamp: BigInt(log.op),
      view: 1,
      stateHash: new Uint8Array(16),
    }),
    counts: () => ({ accounts: log.op, transfers: 0 }),
  });

/** What the engine says, as it arrives. */
async function placesAfter(feed: ArchiveFeed, place: FeedPlace): Promise<PlacedPart> {
  const answer = await feed.read(place, 'blocks');
  if (answer.kind !== 'places') throw new Error(`the engine answers with ${answer.kind}`);
  return decodePlacedPart(JSON.parse(encodePlacedPart(answer)));
}

const newCollector = (place = BEGINNING) =>
  new Collector({ databaseId: DATABASE, rpoMs: 60_000, nowMs: () => 0 }, place);

/** Digests: to compare millions of bytes one by one takes minutes. */
const digests = (entries: readonly LogEntry[]) =>
  entries.map(({ message, ...rest }) => ({ ...rest, message: sha256(message).toString('hex') }));

test('an archiver that reads the member gets the entries and marks that the engine would send, from any operation on', async () => {
  const log = new ArchivedLog();
  const feed = feedOf(log);
  // Blocks as they are and without zeros, large ones, and many small ones.
  const sizes = [[256], [1 << 20], [300, 4_000, 256], [256, 900_000, 260]];
  const blocks = [...sizes, ...Array.from({ length: 100 }, (_, at) => [256 + 4 * (at % 9)])];
  for (const block of blocks) {
    log.append(block);
    feed.tick();
  }
  const all = blocks.flat();
  for (const from of [0, 1, 4, log.op - 1]) {
    const known = from === 0 ? undefined : entryOf(from, all[from - 1]!);
    const place = known && { op: from, checksum: checksumOf(known), previous: '0'.repeat(64) };
    const collector = newCollector(place);
    const member = new LogMember({ etcd: log.member, clusterId: CLUSTER });
    let read = 0;
    while (collector.place.op < log.op) {
      const part = await placesAfter(feed, collector.place);
      const before = log.requests;
      expect(await collector.takePlaced(part, member)).toBe(true);
      read += log.requests - before;
    }
    expect(read).toBeLessThanOrEqual(3);
    const segment = await collector.seal();
    const found = segment && (await decodeSegment('it', segment.object, DATABASE));
    expect(found?.firstOp).toBe(from + 1);
    const expected = all.slice(from).map((bytes, index) => entryOf(from + 1 + index, bytes));
    expect(digests(found?.entries ?? [])).toEqual(digests(expected));
    expect(found?.marks.at(-1)).toMatchObject({ op: log.op, accounts: log.op });
  }
});

test('an answer has no more entries to keep in memory because they are stored without zeros', async () => {
  const log = new ArchivedLog();
  for (let count = 0; count < 12; count += 1) log.append([900_000]);
  const collector = newCollector();
  const part = await placesAfter(feedOf(log), collector.place);
  expect(part.places).toHaveLength(5);
  expect(part.more).toBe(true);
});

test('blocks that are deleted before they are read are not taken, and the engine says what became of them', async () => {
  const log = new ArchivedLog();
  const feed = feedOf(log);
  for (let count = 0; count < 10; count += 1) log.append([256]);
  const member = new LogMember({ etcd: log.member, clusterId: CLUSTER });
  const collector = newCollector();
  const part = await placesAfter(feed, collector.place);
  log.deleteBefore(4);
  expect(await collector.takePlaced(part, member)).toBe(false);
  expect(collector.place.op).toBe(0);
  expect(await feed.read(collector.place, 'entries')).toEqual({ kind: 'gone', oldestOp: 4 });
});

test('a member that does not answer is asked again, and blocks of another database are not taken', async () => {
  const log = new ArchivedLog();
  log.append([256]);
  const part = await placesAfter(feedOf(log), { op: 0 });
  let isAway = true;
  const txn: ArchivedLog['member']['txn'] = (request) =>
    isAway ? Promise.reject(new EtcdError('unavailable', 'no socket')) : log.member.txn(request);
  const etcd = { txn, close: () => undefined };
  const member = new LogMember({ etcd, clusterId: CLUSTER });
  expect(await newCollector().takePlaced(part, member)).toBe(false);
  expect(member.problem).toContain('no socket');
  isAway = false;
  expect(await newCollector().takePlaced(part, member)).toBe(true);
  const other = new LogMember({ etcd, clusterId: CLUSTER + 1n });
  expect(await newCollector().takePlaced(part, other)).toBe(false);
});
