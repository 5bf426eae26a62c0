/** The way of the log from the engine's port into segments, through memory that is used again. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sha256 } from '../archive/chunk.ts';
import { decodeSegment } from '../archive/log-segment.ts';
import { DATABASE } from '../archive/testing/ledger-file.ts';
import { entryOf } from '../archive/testing/written-log.ts';
import { encodeFeedPart, type FeedPart } from '../feed/feed-body.ts';
import { checksumOf } from '../log/entries.ts';
import type { LogEntry } from '../log/log.ts';
import { BEGINNING, Collector } from './collector.ts';
import { FeedClient } from './feed-client.ts';

/** An entry whose bytes are its own. */
function filled(op: number, bytes: number): LogEntry {
  const { message, ...rest } = entryOf(op);
  const longer = new Uint8Array(bytes).fill(op);
  longer.set(message);
  return { ...rest, message: longer };
}

const mark = (op: number) => ({
  op,
  timestamp: BigInt(op),
  stateHash: new Uint8Array(16).fill(op),
  accounts: op,
  transfers: 2 * op,
});

/** Large ones and small ones, in answers of any size; the last one is larger than what a segment usually has. */
const answers: readonly FeedPart[] = [
  { entries: [filled(1, 1 << 20), filled(2, 300)], marks: [mark(1), mark(2)], more: false },
  { entries: [filled(3, 256)], marks: [], more: false },
  { entries: [4, 5, 6].map((op) => filled(op, 1 << 20)), marks: [mark(6)], more: false },
  { entries: [filled(7, 256)], marks: [mark(7)], more: false },
  { entries: [8, 9, 10, 11, 12, 13].map((op) => filled(op, 1 << 20)), marks: [], more: false },
  { entries: [filled(14, 400)], marks: [mark(14)], more: false },
];

/** An answer as long as any other, so that nothing is left of what came before it. */
const nothing = `{"kind":"nothing","leads":true}${' '.repeat(8 << 20)}`;

/** Between two parts, the engine has nothing new. */
let [next, isNew] = [0, true];
const engine = createServer((_, response) => {
  const type = isNew ? 'application/octet-stream' : 'text/plain';
  response.writeHead(200, { 'content-type': type });
  response.end(isNew ? encodeFeedPart(answers[next]!) : nothing);
  if (isNew) next += 1;
  isNew = !isNew;
});
beforeAll(() => new Promise<void>((resolve) => engine.listen(0, '127.0.0.1', resolve)));
afterAll(() => new Promise((resolve) => engine.close(resolve)));

test('every segment has its entries and marks as the engine sent them, though their memory is used again at once', async () => {
  const { port } = engine.address() as AddressInfo;
  const feed = new FeedClient({ host: '127.0.0.1', port });
  const options = { databaseId: DATABASE, rpoMs: 60_000, nowMs: () => 0 };
  const collector = new Collector(options, BEGINNING);
  const [entries, marks, firsts]: [LogEntry[], unknown[], number[]] = [[], [], []];
  const seal = async () => {
    const sealed = await collector.seal();
    if (sealed === undefined) return;
    const key = `of ${sealed.firstOp}`;
    const found = await decodeSegment(key, sealed.object, DATABASE);
    firsts.push(sealed.firstOp);
    entries.push(...found.entries);
    marks.push(...found.marks);
    expect(collector.place).toMatchObject({ op: found.lastOp, checksum: found.lastChecksum });
  };
  const ask = () => feed.read(collector.place, 0, new AbortController().signal);
  for (const { entries: sent } of answers) {
    const answer = await ask();
    if (answer.kind !== 'part') throw new Error(`the engine answers with ${answer.kind}`);
    collector.take(answer);
    expect(await ask()).toEqual({ kind: 'nothing', leads: true });
    const last = sent.at(-1)!;
    expect(collector.place).toEqual({ op: last.op, checksum: checksumOf(last) });
    if (collector.dueInMs === 0) await seal();
  }
  await seal();
  expect(await collector.seal()).toBeUndefined();
  expect(firsts).toEqual([1, 7, 14]);
  // Digests: to compare millions of bytes one by one takes minutes.
  const digests = (list: readonly LogEntry[]) =>
    list.map(({ op, message }) => [op, sha256(message).toString('hex')]);
  expect(digests(entries)).toEqual(digests(answers.flatMap((answer) => answer.entries)));
  expect(marks).toEqual(answers.flatMap((answer) => answer.marks));
});
