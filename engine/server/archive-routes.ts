/** What the archiver beside an engine asks (`GET /log?after=OP`) and reports (`POST /archived`). */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { jsonOf } from '../../base/json.ts';
import { sleep, systemTimers } from '../../base/timers.ts';
import { archiveReportSchema } from '../../domain/archive-status.ts';
import type { ArchiveFeed, FeedAnswer, FeedPlace } from '../feed/archive-feed.ts';
import { encodeFeedPart } from '../feed/feed-body.ts';

/** Time between two looks for something new. */
const LOOK_MS = 100;
const WAIT_MS_MAX = 30_000;
const REPORT_BYTES_MAX = 64 << 10;

export async function answerArchiver(
  feed: ArchiveFeed,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    if (request.method === 'POST') await takeReport(feed, request, response);
    else await sendLog(feed, new URL(request.url ?? '', 'http://engine').searchParams, response);
  } catch (error) {
    send(response, 503, `${String(error)}\n`);
  }
}

async function takeReport(
  feed: ArchiveFeed,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request) {
    bytes += (part as Buffer).length;
    if (bytes > REPORT_BYTES_MAX) return send(response, 413, 'a report is at most 64 KiB\n');
    parts.push(part as Buffer);
  }
  const parsed = archiveReportSchema.safeParse(jsonOf(Buffer.concat(parts).toString('utf8')));
  if (!parsed.success) return send(response, 400, 'this is no report of an archiver\n');
  feed.reported(parsed.data);
  return send(response, 200, '{}\n');
}

async function sendLog(
  feed: ArchiveFeed,
  query: URLSearchParams,
  response: ServerResponse,
): Promise<void> {
  const place = placeOf(query);
  if (place === undefined) return send(response, 400, 'after is the last op that is archived\n');
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const wait = Math.min(Number(query.get('wait') ?? 0) || 0, WAIT_MS_MAX);
  const endMs = systemTimers.nowMs() + wait;
  let answer: FeedAnswer = await feed.read(place);
  while (answer.kind === 'nothing' && systemTimers.nowMs() < endMs && !gone.signal.aborted) {
    await sleep(systemTimers, LOOK_MS, gone.signal);
    if (feed.hasAfter(place.op)) answer = await feed.read(place);
  }
  if (answer.kind !== 'part') return send(response, 200, `${JSON.stringify(answer)}\n`);
  response.writeHead(200, { 'content-type': 'application/octet-stream' });
  response.end(encodeFeedPart(answer));
}

function placeOf(query: URLSearchParams): FeedPlace | undefined {
  const [after, checksum] = [query.get('after') ?? '', query.get('checksum')];
  if (!/^\d{1,15}$/.test(after)) return undefined;
  if (checksum === null) return { op: Number(after) };
  if (!/^[0-9a-f]{32}$/.test(checksum)) return undefined;
  return { op: Number(after), checksum: Buffer.from(checksum, 'hex') };
}

function send(response: ServerResponse, code: number, text: string): void {
  response.writeHead(code, { 'cache-control': 'no-store' }).end(text);
}
