/** The log as an archiver reads it in the engine's data file, while the engine writes there. */
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { mkdtempSync, readdirSync, readlinkSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sha256 } from '../archive/chunk.ts';
import { decodeSegment } from '../archive/log-segment.ts';
import { DATABASE } from '../archive/testing/ledger-file.ts';
import { ArchiveFeed, type FeedPlace } from '../feed/archive-feed.ts';
import { decodeFeedPart, encodeFeedPart, type FeedPart } from '../feed/feed-body.ts';
import { decodePlacedPart, encodePlacedPart, type PlacedPart } from '../feed/placed-part.ts';
import { diskStorage } from '../log/disk-storage.ts';
import { checksumOf } from '../log/entries.ts';
import { LOG_OFFSET } from '../log/layout.ts';
import type { LogEntry } from '../log/log.ts';
import { createToyFile, IDENTITY, messageOf, ToyReplica } from '../log/testing/replica.ts';
import { BEGINNING, Collector } from './collector.ts';
import { LogVolume } from './log-volume.ts';

let folder: string;
let path: string;
let replica: ToyReplica;
let volume: LogVolume;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'log-volume-'));
  path = join(folder, 'replica.ledger');
  volume = new LogVolume(path, IDENTITY.clusterId);
});
afterEach(async () => {
  await volume.close();
  await replica.log.close();
  rmSync(folder, { recursive: true });
});

async function begin(logSizeBytes: number): Promise<void> {
  await createToyFile(diskStorage, logSizeBytes, path);
  replica = await ToyReplica.start(diskStorage, path);
  replica.log.archived(0);
}

const feedOf = ({ log, state }: ToyReplica): ArchiveFeed =>
  new ArchiveFeed({
    log,
    nowMs: () => 0,
    committedOp: () => state.op,
    leads: () => true,
    position: () => ({
      op: state.op,
      timestamp: BigInt(state.op),
      view: 0,
      stateHash: new Uint8Array(16).fill(state.op),
    }),
    counts: () => ({ accounts: state.op, transfers: 0 }),
  });

/** What the engine says, as it arrives. */
async function placesAfter(feed: ArchiveFeed, place: FeedPlace): Promise<PlacedPart> {
  const answer = await feed.read(place, 'groups');
  if (answer.kind !== 'places') throw new Error(`the engine answers with ${answer.kind}`);
  return decodePlacedPart(JSON.parse(encodePlacedPart(answer)));
}

async function entriesAfter(feed: ArchiveFeed, place: FeedPlace): Promise<FeedPart> {
  const answer = await feed.read(place);
  if (answer.kind !== 'part') throw new Error(`the engine answers with ${answer.kind}`);
  return decodeFeedPart(encodeFeedPart(answer));
}

const newCollector = (place = BEGINNING, nowMs = () => 0) =>
  new Collector({ databaseId: DATABASE, rpoMs: 60_000, nowMs }, place);

async function sealed(collector: Collector) {
  const segment = await collector.seal();
  return segment && decodeSegment('the segment', segment.object, DATABASE);
}

/** Digests: to compare millions of bytes one by one takes minutes. */
const digests = (entries: readonly LogEntry[]) =>
  entries.map(({ message, ...rest }) => ({ ...rest, message: sha256(message).toString('hex') }));

test('an archiver that reads the volume gets the entries and marks that the engine would send, from any operation on', async () => {
  await begin(64 << 20);
  const feed = feedOf(replica);
  // Groups of one large message, groups of many small ones, and many groups beside each other.
  for (const sizes of [[700_000], [300, 300, 4_000, 300], [1 << 20, 256, 900_000], [256], [260]]) {
    await Promise.all(sizes.map((bytes) => replica.append(messageOf(replica.state.op + 1, bytes))));
    feed.tick();
  }
  for (let count = 0; count < 150; count += 1)
    await replica.append(messageOf(replica.state.op + 1, 256 + (count % 7) * 500));
  feed.tick();
  const lastOp = replica.state.op;
  const written = await replica.log.read(1, Infinity);
  if ('oldestOp' in written) throw new Error('the log has no beginning');
  for (const from of [0, 2, 3, 5, 100, lastOp - 1]) {
    const known = written[from - 1];
    const place = known && { op: from, checksum: checksumOf(known), previous: '0'.repeat(64) };
    const collector = newCollector(place);
    while (collector.place.op < lastOp) {
      const part = await placesAfter(feed, collector.place);
      expect(await collector.takePlaced(part, volume)).toBe(true);
    }
    const segment = await sealed(collector);
    expect(segment?.firstOp).toBe(from + 1);
    expect(digests(segment?.entries ?? [])).toEqual(digests(written.slice(from)));
    const marks = segment?.marks.map(({ op, accounts }) => ({ op, accounts }));
    const marked = [1, 5, 8, 9, 10, lastOp].filter((op) => op > from);
    expect(marks).toEqual(marked.map((op) => ({ op, accounts: op })));
  }
});

test('a group that is overwritten before it is read is not taken, and all before it is', async () => {
  await begin(64 << 10);
  const feed = feedOf(replica);
  for (let count = 0; count < 6; count += 1)
    await replica.append(messageOf(replica.state.op + 1, 3_900));
  const [first, ...others] = (await placesAfter(feed, { op: 0 })).places;
  const collector = newCollector();
  expect(await collector.takePlaced({ places: [first!], marks: [], more: false }, volume)).toBe(
    true,
  );
  // The ring comes round.
  replica.log.archived(6);
  for (let count = 0; count < 14; count += 1) {
    await replica.checkpoint();
    await replica.append(messageOf(replica.state.op + 1, 3_900));
  }
  expect(await collector.takePlaced({ places: others, marks: [], more: false }, volume)).toBe(
    false,
  );
  expect(collector.place.op).toBe(1);
  expect((await sealed(collector))?.entries.map(({ op }) => op)).toEqual([1]);
});

test('a file that replaces the one that was read is read from the next answer on', async () => {
  await begin(64 << 10);
  await replica.append(messageOf(1, 300));
  const collector = newCollector();
  const part = await placesAfter(feedOf(replica), { op: 0 });
  expect(await collector.takePlaced(part, volume)).toBe(true);
  await replica.log.close();
  const other = join(folder, 'other.ledger');
  await createToyFile(diskStorage, 64 << 10, other);
  renameSync(other, path);
  replica = await ToyReplica.start(diskStorage, path);
  await replica.append(messageOf(1, 400));
  const later = await placesAfter(feedOf(replica), { op: 0 });
  const fresh = newCollector();
  expect(await fresh.takePlaced(later, volume)).toBe(false);
  expect(await fresh.takePlaced(later, volume)).toBe(true);
  expect((await sealed(fresh))?.entries[0]?.message).toHaveLength(400);
});

test('while more of the log waits, the next look is at once, however little is in its groups and in whatever form they come', async () => {
  await begin(64 << 20);
  const feed = feedOf(replica);
  // As one client makes them that waits for each answer: they are a tenth of what they take in the ring.
  for (let count = 0; count < 1_100; count += 1)
    await replica.append(messageOf(replica.state.op + 1, 300));
  for (const form of ['places', 'entries']) {
    let nowMs = 0;
    const collector = newCollector(BEGINNING, () => nowMs);
    for (let looks = 1; collector.place.op < 1_100; looks += 1) {
      nowMs += 1_000;
      if (form === 'places')
        await collector.takePlaced(await placesAfter(feed, collector.place), volume);
      else collector.take(await entriesAfter(feed, collector.place));
      if (collector.place.op < 1_100) expect(collector.lookInMs).toBe(0);
      else expect(looks).toBeGreaterThan(1);
    }
    expect(collector.lookInMs).toBeGreaterThan(1_000);
  }
});

test('no memory is taken for a group that is larger than any', async () => {
  await begin(64 << 10);
  const rooms: number[] = [];
  const sink = {
    room(bytes: number) {
      rooms.push(bytes);
      return new Uint8Array(0);
    },
    added: () => undefined,
  };
  for (const bytes of [5 << 20, 2 ** 31, Number.MAX_SAFE_INTEGER]) {
    const places = [{ at: LOG_OFFSET, bytes, seal: new Uint8Array(16) }];
    expect(await volume.read({ places }, sink)).toBe(false);
  }
  expect(rooms).toEqual([]);
});

test('what was read before the disk fails is kept with its marks, and the file is not held open', async () => {
  await begin(64 << 10);
  const feed = feedOf(replica);
  await replica.append(messageOf(1, 300));
  feed.tick();
  const { places, marks } = await placesAfter(feed, { op: 0 });
  // The system refuses to read two groups beside each other there.
  const nowhere = [2 ** 60, 2 ** 60 + 4_096].map((at) => ({ ...places[0]!, at }));
  const collector = newCollector();
  const taken = collector.takePlaced(
    { places: [...places, ...nowhere], marks, more: false },
    volume,
  );
  await expect(taken).rejects.toThrow();
  const segment = await sealed(collector);
  expect(segment?.entries.map(({ op }) => op)).toEqual([1]);
  expect(segment?.marks.map(({ op }) => op)).toEqual([1]);
  const held = readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(join('/proc/self/fd', fd)) === path;
    } catch {
      return false;
    }
  });
  // The engine's own two.
  expect(held).toHaveLength(2);
});
