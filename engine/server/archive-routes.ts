/**
 * What the archiver beside an engine asks (`GET /log?after=OP`; with `form=groups` if it has the data file as well, and `form=blocks` with the member of etcd) and reports
 * (`POST /archived`), and the questions that it answers (`GET /question`, `POST /answer`).
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { jsonOf } from '../../base/json.ts';
import { sleep, systemTimers } from '../../base/timers.ts';
import { archiveAnswerSchema } from '../../domain/archive-question.ts';
import { archiveReportSchema } from '../../domain/archive-status.ts';
import type { ArchiveQuestions } from '../feed/archive-questions.ts';
import type { ArchiveFeed, FeedAnswer, FeedForm, FeedPlace } from '../feed/archive-feed.ts';
import type { Target } from '../../domain/recovery.ts';
import { encodeFeedPart } from '../feed/feed-body.ts';
import { encodePlacedPart } from '../feed/placed-part.ts';

/** Time between two looks for something new. */
const LOOK_MS = 100;
const WAIT_MS_MAX = 30_000;
const REPORT_BYTES_MAX = 64 << 10;

/** State that an engine keeps for the archiver beside it. */
export interface ArchiverSide {
  readonly feed: ArchiveFeed;
  readonly questions: ArchiveQuestions;
}

export async function answerArchiver(
  { feed, questions }: ArchiverSide,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://engine');
    if (pathname === '/question') await sendQuestion(questions, searchParams, response);
    else if (request.method !== 'POST') await sendLog(feed, searchParams, response);
    else {
      const json = await jsonIn(request);
      if (pathname === '/answer') takeAnswer(questions, json, response);
      else takeReport(feed, json, response);
    }
  } catch (error) {
    send(response, 503, `${String(error)}\n`);
  }
}

/** `undefined` if there is none, or more than 64 KiB. */
async function jsonIn(request: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request) {
    bytes += (part as Buffer).length;
    if (bytes > REPORT_BYTES_MAX) return undefined;
    parts.push(part as Buffer);
  }
  return jsonOf(Buffer.concat(parts).toString('utf8'));
}

function takeReport(feed: ArchiveFeed, json: unknown, response: ServerResponse): void {
  const parsed = archiveReportSchema.safeParse(json);
  if (!parsed.success)
    return send(response, 400, 'this is no report of an archiver of at most 64 KiB\n');
  feed.reported(parsed.data);
  return send(response, 200, '{}\n');
}

function takeAnswer(questions: ArchiveQuestions, json: unknown, response: ServerResponse): void {
  const parsed = archiveAnswerSchema.safeParse(json);
  if (!parsed.success) return send(response, 400, 'this is no answer of an archiver\n');
  questions.answered(parsed.data);
  return send(response, 200, '{}\n');
}

async function sendQuestion(
  questions: ArchiveQuestions,
  query: URLSearchParams,
  response: ServerResponse,
): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const question = await questions.next(waitOf(query), gone.signal);
  send(response, 200, `${JSON.stringify(question ?? {})}\n`);
}

/** The operation of the archived log at a number or a time, for everybody who may read the status: `GET /archive/moment?timestamp=NS`. */
export async function answerMoment(
  { questions }: ArchiverSide,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const target = targetOf(new URL(request.url ?? '', 'http://engine').searchParams);
  if (target === undefined) return send(response, 400, 'give op or timestamp\n');
  const moment = await questions.ask(target);
  if (moment === undefined) return send(response, 503, 'the archiver does not know it\n');
  const { op, timestamp } = moment;
  return send(response, 200, `${JSON.stringify({ op, timestamp: String(timestamp) })}\n`);
}

function targetOf(query: URLSearchParams): Target | undefined {
  const [op, timestamp] = [query.get('op') ?? '', query.get('timestamp') ?? ''];
  if (/^\d{1,15}$/.test(op)) return { kind: 'op', op: Number(op) };
  return /^\d{1,19}$/.test(timestamp)
    ? { kind: 'timestamp', timestamp: BigInt(timestamp) }
    : undefined;
}

const waitOf = (query: URLSearchParams): number =>
  Math.min(Number(query.get('wait') ?? 0) || 0, WAIT_MS_MAX);

async function sendLog(
  feed: ArchiveFeed,
  query: URLSearchParams,
  response: ServerResponse,
): Promise<void> {
  const place = placeOf(query);
  if (place === undefined) return send(response, 400, 'after is the last op that is archived\n');
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const endMs = systemTimers.nowMs() + waitOf(query);
  const form = formOf(query.get('form'));
  let answer: FeedAnswer = await feed.read(place, form);
  while (answer.kind === 'nothing' && systemTimers.nowMs() < endMs && !gone.signal.aborted) {
    await sleep(systemTimers, LOOK_MS, gone.signal);
    if (feed.hasAfter(place.op)) answer = await feed.read(place, form);
  }
  if (answer.kind === 'places') return send(response, 200, encodePlacedPart(answer));
  if (answer.kind !== 'part') return send(response, 200, `${JSON.stringify(answer)}\n`);
  response.writeHead(200, { 'content-type': 'application/octet-stream' });
  response.end(encodeFeedPart(answer));
}

const formOf = (form: string | null): FeedForm =>
  form === 'groups' || form === 'blocks' ? form : 'entries';

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
