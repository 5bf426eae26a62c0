import { expect, test } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino, type Logger } from 'pino';
import { sleep, systemTimers } from '../../base/timers.ts';
import { segmentKey } from '../archive/keys.ts';
import { DATABASE } from '../archive/testing/ledger-file.ts';
import { MemoryStore } from '../archive/testing/memory-store.ts';
import { entryOf, writeChain } from '../archive/testing/written-log.ts';
import { diskStorage } from '../log/disk-storage.ts';
import { createToyFile, IDENTITY } from '../log/testing/replica.ts';
import { Archiver } from './archiver.ts';
import type { Feed } from './feed-client.ts';
import { LogVolume } from './log-volume.ts';
import { Spool } from './spool.ts';

/** The rest of an engine: it takes every report, and nobody asks it for a moment. */
const nobodyAsks: Omit<Feed, 'read'> = {
  report: () => Promise.resolve(),
  async question(waitMs, signal) {
    await sleep(systemTimers, waitMs, signal);
    return undefined;
  },
  answer: () => Promise.resolve(),
};

const archiverOf = (parts: {
  readonly store: MemoryStore;
  readonly spool: Spool;
  readonly feed: Feed;
  readonly source?: LogVolume | undefined;
  readonly logger?: Logger;
}) =>
  new Archiver({
    logger: pino({ level: 'silent' }),
    ...parts,
    databaseId: DATABASE,
    clusterId: 0n,
    rpoMs: 800,
    encrypted: false,
    spoolBytesMax: 1 << 20,
    timers: systemTimers,
    random: Math.random,
  });

/** An engine at rest: it answers at once if it has something that follows, and otherwise only when the wait is over. */
function engineWith(committedOp: () => number): Feed {
  return {
    async read({ op }, waitMs, signal) {
      if (op >= committedOp()) {
        await sleep(systemTimers, waitMs, signal);
        signal.throwIfAborted();
        return { kind: 'nothing', leads: true };
      }
      const entries = Array.from({ length: committedOp() - op }, (_, index) =>
        entryOf(op + 1 + index),
      );
      return { kind: 'part', entries, marks: [], more: false };
    },
    ...nobodyAsks,
  };
}

test('after what another archiver wrote, the rest is archived at once, though the engine has nothing new', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'archiver-'));
  const store = new MemoryStore();
  const spool = await Spool.open(folder);
  // Four segments, of which this one's first reaches beyond all.
  let isFirst = true;
  store.onWrite = async () => {
    if (!isFirst || spool.count === 0) return;
    isFirst = false;
    await writeChain(store, 1, 40, 'start');
  };
  const feed = engineWith(() => 45);
  // No wait ends by itself.
  const waiting: Feed = {
    ...feed,
    read: (place, waitMs, signal) => feed.read(place, waitMs === 0 ? 0 : 86_400_000, signal),
  };
  const archiver = archiverOf({ store, spool, feed: waiting });
  const end = new AbortController();
  const run = archiver.run(end.signal);
  for (let looks = 0; looks < 20_000 && archiver.report.archivedOp !== 45; looks += 1)
    await sleep(systemTimers, 20);
  end.abort();
  await run;
  expect(archiver.report.archivedOp).toBe(45);
  const log = segmentKey(DATABASE, 1, 1).replace(/[^/]*$/, '');
  const segments = [...store.objects.keys()].filter((key) => key.startsWith(log));
  expect(segments).toEqual([1, 11, 21, 31, 41].map((op) => segmentKey(DATABASE, 1, op)));
  rmSync(folder, { recursive: true });
});

test('operations that were sealed while another archiver’s segment is taken up do not follow it into the archive', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'archiver-'));
  const store = new MemoryStore();
  const spool = await Spool.open(folder);
  let committedOp = 3;
  const feed: Feed = {
    async read({ op }, _waitMs, signal) {
      await sleep(systemTimers, 5, signal);
      if (op >= committedOp) return { kind: 'nothing', leads: true };
      const entries = Array.from({ length: committedOp - op }, (_, index) =>
        entryOf(op + 1 + index),
      );
      return { kind: 'part', entries, marks: [], more: false };
    },
    ...nobodyAsks,
  };
  // The other archiver writes ten operations where this one has three.
  let isFirst = true;
  store.onWrite = async () => {
    if (!isFirst || spool.count === 0) return;
    isFirst = false;
    await writeChain(store, 1, 10, 'start');
  };
  // A slow disk, while the engine goes on.
  const writeEnd = spool.writeEnd.bind(spool);
  let isSlow = true;
  spool.writeEnd = async (end) => {
    if (isSlow) {
      isSlow = false;
      committedOp = 13;
      await sleep(systemTimers, 300);
    }
    await writeEnd(end);
  };
  const archiver = archiverOf({ store, spool, feed });
  const end = new AbortController();
  const run = archiver.run(end.signal);
  for (let looks = 0; looks < 20_000 && archiver.report.archivedOp !== 13; looks += 1)
    await sleep(systemTimers, 20);
  end.abort();
  await run;
  const log = segmentKey(DATABASE, 1, 1).replace(/[^/]*$/, '');
  const segments = [...store.objects.keys()].filter((key) => key.startsWith(log));
  expect(segments).toEqual([1, 11].map((op) => segmentKey(DATABASE, 1, op)));
  rmSync(folder, { recursive: true });
});

const { clusterId } = IDENTITY;
const none = 'this archiver has no place of the log';
const lacking = 'the data file has not the groups that the engine names';

test.each([
  ['a data file that is not there is asked for once', 'absent.ledger', clusterId, 1, 'ENOENT'],
  ["another database's is asked for once", 'whole.ledger', clusterId + 1n, 1, 'another database'],
  [
    'one without that group is asked for again, after the engine has read the log',
    'whole.ledger',
    clusterId,
    3,
    lacking,
  ],
  ['without a data file nothing is asked for', undefined, clusterId, 0, none],
])(
  'the engine reads its log itself for an archiver that cannot, which says so once: %s',
  async (_, name, cluster, asked, why) => {
    const folder = mkdtempSync(join(tmpdir(), 'archiver-'));
    await createToyFile(diskStorage, 64 << 10, join(folder, 'whole.ledger'));
    const store = new MemoryStore();
    const spool = await Spool.open(join(folder, 'spool'));
    const forms: string[] = [];
    const nowhere = { at: 1 << 30, bytes: 288, seal: new Uint8Array(16) };
    const feed: Feed = {
      async read({ op }, waitMs, signal, form = 'entries') {
        if (op === 3) {
          await sleep(systemTimers, waitMs, signal);
          return { kind: 'nothing', leads: true };
        }
        forms.push(form);
        if (form === 'groups') return { kind: 'places', places: [nowhere], marks: [], more: false };
        return { kind: 'part', entries: [entryOf(op + 1)], marks: [], more: false };
      },
      ...nobodyAsks,
    };
    const source = name === undefined ? undefined : new LogVolume(join(folder, name), cluster);
    const lines: string[] = [];
    const logger = pino({ level: 'warn' }, { write: (line: string) => lines.push(line) });
    const archiver = archiverOf({ store, spool, feed, source, logger });
    const end = new AbortController();
    const run = archiver.run(end.signal);
    for (let looks = 0; looks < 20_000 && archiver.report.archivedOp !== 3; looks += 1)
      await sleep(systemTimers, 20);
    end.abort();
    await run;
    expect(archiver.report.archivedOp).toBe(3);
    expect(forms.filter((form) => form === 'groups')).toHaveLength(asked);
    expect(forms.filter((form) => form === 'entries')).toHaveLength(3);
    const readsWhy = expect.stringContaining(why);
    expect(archiver.report).toMatchObject({ reads: 'Engine', readsWhy });
    expect(lines).toEqual([readsWhy]);
    rmSync(folder, { recursive: true });
  },
);
