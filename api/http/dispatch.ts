/** Handles one request to one route: gate, body, query, handler, answer. */
import { createHash } from 'node:crypto';
import type { Request, Response } from 'express';
import type { WebSocket } from 'ws';
import { startDeadline } from '../../base/deadline.ts';
import { systemTimers } from '../../base/timers.ts';
import { withinTrace, type Trace } from '../../base/tracing/tracer.ts';
import { idempotencyKeyPattern } from '../contract/document.ts';
import { pathNumbers } from '../contract/path-parameters.ts';
import type { Origin } from '../auth/authenticator.ts';
import type { Caller } from '../auth/principal.ts';
import {
  takesIdempotencyKey,
  type BodySpec,
  type RouteSpec,
  type ServerSentEvent,
  type ServeSocket,
} from '../contract/route.ts';
import type { OperationId } from '../contract/routes.ts';
import { eventsWanted, formatOf } from './accepted.ts';
import type { AnonymousBodies } from './anonymous-bodies.ts';
import { smallAnswerMax, type BodyBudget } from './body-budget.ts';
import { parseBody, readBody } from './body.ts';
import { ClientGone } from './client-gone.ts';
import { compressIfLarge } from './compress.ts';
import { isKnown } from './conditional.ts';
import { callerOf, type Gate } from './gate.ts';
import type { HoldAnswer, RequestFacts } from './handler.ts';
import { parseQuery } from './query.ts';
import { onBehalfOf } from '../store/connection-shares.ts';
import { Refusal } from '../model/refusal.ts';
import { none, writePieces } from './pieces.ts';
import { eventStreamType, writeEvents } from './server-sent-events.ts';
import { socketOf } from './upgrades.ts';

const deadlineDefaultMs = 30_000;
const onePieceMax = 4_096;
const cacheDefault = 'private, no-store';

/** A handler without its route's types; `Handlers` has checked those. */
export type AnyHandler = (request: never) => Promise<AnyReply>;
interface AnyReply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly etag?: string;
  readonly cookies?: readonly string[];
  readonly body?: unknown;
  readonly bytes?: Uint8Array;
  readonly contentType?: string;
  readonly events?: AsyncIterable<ServerSentEvent | Uint8Array>;
  readonly pieces?: AsyncIterable<string>;
  readonly serve?: ServeSocket;
}

/** Limits of the bodies that are read, and of the answers that are held, at once. */
interface Bodies {
  readonly budget: BodyBudget;
  readonly anonymous: AnonymousBodies;
  readonly answers: BodyBudget;
  /** Time for the other end to take an answer. */
  readonly answerMs: number;
}

interface Exchange {
  readonly request: Request;
  readonly response: Response;
  readonly requestId: string;
  readonly trace: Trace | undefined;
  readonly operationId: OperationId;
  readonly bodies: Bodies;
  /** The answer is a stream. */
  readonly isStream: boolean;
  /** Aborts when the client has gone, or when a stream must end because the process ends. */
  readonly gone: AbortSignal;
}

export async function dispatch(
  exchange: Exchange,
  route: RouteSpec,
  handler: AnyHandler,
  gate: Gate,
): Promise<void> {
  const { request } = exchange;
  const { url } = request;
  const search = url.includes('?') ? url.slice(url.indexOf('?') + 1) : '';
  const isPublic = route.access.kind === 'public';
  const caller = callerOf(request);
  if (isPublic) gate.admitAnybody(request, caller, route);
  const admission = isPublic ? undefined : await gate.admit({ ...exchange, caller }, route);
  if (admission !== undefined) noteCaller(exchange, admission.principal);
  const query = parseQuery(route.query, search);
  const accept = route.responses[101] && socketAsked(request);
  const format = formatOf(request, route);
  const wantsEvents = eventsWanted(request, route);
  const bytes = route.body && (await bodyOf(exchange, caller.ip, route.body, admission?.principal));
  if (admission !== undefined && route.body?.form === 'ledger')
    await gate.admitBytes(admission.principal, bytes?.length ?? 0);
  const body = route.body && parseBody(route.body, bytes ?? new Uint8Array(0));
  const stream =
    admission !== undefined && exchange.isStream
      ? gate.openStream(request, route, admission.principal)
      : undefined;
  const gone =
    stream === undefined ? exchange.gone : AbortSignal.any([exchange.gone, stream.ended]);
  const deadline = startDeadline(systemTimers, route.timeoutMs ?? deadlineDefaultMs, gone);
  try {
    const facts = factsOf(exchange, caller, route, bytes, {
      signal: deadline.signal,
      format,
      wantsEvents,
    });
    const input = Object.assign(facts, { params: paramsOf(request.params), query, body });
    const full = admission
      ? Object.assign(input, ofCaller(exchange, caller, gate, admission))
      : input;
    const run = () => handler(full as never);
    const forOwner = <T>(work: () => T): T =>
      admission ? forCaller(exchange, admission.principal, work) : work();
    const reply = await untilEnded(forOwner(run), deadline.signal);
    const isOpenEnded =
      reply.events !== undefined || reply.pieces !== undefined || reply.serve !== undefined;
    if (isOpenEnded) deadline.disarm();
    if (accept !== undefined && admission !== undefined && reply.serve !== undefined) {
      const { principal } = admission;
      const { serve } = reply;
      const socket = await accept();
      await forOwner(() =>
        serve(socket, {
          ended: gone,
          admit: (bytes, events) => gate.ledgerWaitMs(principal, bytes, events),
        }),
      );
      return;
    }
    // Reads of the store while a stream is sent also count for its owner.
    await forOwner(() => send(exchange, route, reply, deadline.signal));
  } catch (error) {
    if (route.access.kind === 'public') gate.countIfWrong(caller.ip, error);
    if (admission !== undefined)
      gate.noteFailure({ ...exchange, caller }, route, admission.principal, error);
    throw error;
  } finally {
    stream?.close();
    deadline.clear();
  }
}

function noteCaller({ response, trace }: Exchange, principal: Caller): void {
  response.locals['principal'] = principal;
  trace?.admit(ownerOf(principal));
}

const forCaller = <T>({ trace }: Exchange, principal: Caller, work: () => T): T =>
  onBehalfOf(ownerOf(principal), () => withinTrace(trace, work));

/** The path's parameters as the handler gets them; the gate has checked them. */
function paramsOf(given: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const params = { ...given };
  for (const name of Object.keys(params))
    if (Object.hasOwn(pathNumbers, name)) params[name] = Number(params[name]);
  return params;
}

const ofCaller = (
  exchange: Exchange,
  { ip, userAgent }: Origin,
  gate: Gate,
  { principal }: { readonly principal: Caller },
) => ({
  principal,
  author: { actor: principal.actor, requestId: exchange.requestId, ip, userAgent },
  takeEvents: (count: number) => gate.admitEvents(principal, count),
  holdAnswer: answerHold(exchange, principal),
});

function answerHold({ response, bodies }: Exchange, principal: Caller): HoldAnswer {
  const hold = bodies.answers.hold(ownerOf(principal));
  if (response.closed) hold.release();
  else response.once('close', hold.release);
  let held = 0;
  return (bytes, mayRefuse) => {
    if (bytes <= smallAnswerMax || bytes <= held) return;
    if (mayRefuse) hold.add(bytes - held);
    else hold.addAnyway(bytes - held);
    held = bytes;
  };
}

function socketAsked(request: Request): () => Promise<WebSocket> {
  const accept = socketOf(request);
  if (accept !== undefined) return accept;
  throw new Refusal('upgrade_required', {
    detail: 'The request does not ask for a WebSocket, or a proxy removed its header Upgrade.',
    headers: { Upgrade: 'websocket', Connection: 'Upgrade' },
  });
}

/** Reads the body and holds its bytes until the answer has left. A ledger request holds its decoded records too. */
async function bodyOf(
  { request, response, bodies }: Exchange,
  ip: string,
  spec: BodySpec,
  principal: Caller | undefined,
): Promise<Uint8Array> {
  const hold = bodies.budget.hold(ownerOf(principal));
  response.once('close', hold.release);
  const anonymous = principal === undefined ? bodies.anonymous.take(ip) : undefined;
  const perByte = spec.form === 'ledger' ? 2 : 1;
  try {
    return await readBody(request, spec, {
      onBytes: (bytes) => hold.add(perByte * bytes),
      anonymous: anonymous?.signal,
    });
  } finally {
    anonymous?.release();
    if (response.closed) hold.release();
  }
}

const ownerOf = (principal: Caller | undefined): string =>
  principal === undefined ? 'anonymous' : (principal.organization?.id ?? principal.credentialId);

/** Rejects when the signal aborts first: with a `Refusal` after a deadline, or with `ClientGone`. */
const untilEnded = <T>(work: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    const end = () => {
      const late = signal.reason instanceof Error && signal.reason.name === 'DeadlineExceeded';
      reject(late ? tooLate(signal.reason) : new ClientGone());
    };
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
    // Released in the same tick: once this promise settles, the deadline is cleared, which aborts the signal.
    const release = () => signal.removeEventListener('abort', end);
    work.finally(release).then(resolve, reject);
  });

const tooLate = (cause: unknown) =>
  new Refusal('service_unavailable', {
    detail:
      'The request exceeded its deadline. Check whether it was executed before you send it again.',
    retryAfterSeconds: 5,
    cause,
  });

function factsOf(
  { request, requestId }: Exchange,
  { ip, userAgent }: Origin,
  route: RouteSpec,
  bytes: Uint8Array | undefined,
  { signal, format, wantsEvents }: Pick<RequestFacts, 'signal' | 'format' | 'wantsEvents'>,
): RequestFacts {
  const { headers } = request;
  return {
    requestId,
    signal,
    ip,
    userAgent,
    ifMatch: headers['if-match'],
    ifNoneMatch: headers['if-none-match'],
    lastEventId: headers['last-event-id']?.toString(),
    idempotency: takesIdempotencyKey(route) ? idempotencyOf(request, bytes) : undefined,
    stripeSignature: headers['stripe-signature']?.toString(),
    contentDigest: headers['content-digest']?.toString(),
    waitMs: waitOf(headers['prefer']?.toString()),
    format,
    wantsEvents,
  };
}

function idempotencyOf(
  request: Request,
  bytes: Uint8Array | undefined,
): RequestFacts['idempotency'] {
  const key = request.headers['idempotency-key']?.toString();
  if (key === undefined) return undefined;
  if (!new RegExp(idempotencyKeyPattern).test(key)) {
    const detail = 'Must be 1 to 255 printable characters of ASCII, without spaces.';
    throw new Refusal('invalid_parameter', {
      detail: `Idempotency-Key: ${detail}`,
      errors: [{ header: 'Idempotency-Key', code: 'invalid_format', detail }],
    });
  }
  const hash = createHash('sha256').update(`${request.method} ${request.originalUrl}\n`);
  const organization = request.headers['x-organization-id'];
  if (organization !== undefined) hash.update(`${organization.toString()}\n`);
  return { key, requestHash: hash.update(bytes ?? '').digest() };
}

/** Reads `Prefer: wait` (RFC 7240, section 4.3), in milliseconds. A preference that cannot be met is ignored. */
function waitOf(prefer: string | undefined): number | undefined {
  const [, seconds] = /(?:^|[\s,;])wait\s*=\s*"?(\d{1,4})"?(?:$|[\s,;])/i.exec(prefer ?? '') ?? [];
  return seconds === undefined ? undefined : Number(seconds) * 1_000;
}

async function send(
  { request, response, bodies }: Exchange,
  route: RouteSpec,
  reply: AnyReply,
  signal: AbortSignal,
): Promise<void> {
  response.setHeader('Cache-Control', route.cache ?? cacheDefault);
  for (const [name, value] of Object.entries(reply.headers ?? {})) response.setHeader(name, value);
  if (reply.etag !== undefined) response.setHeader('ETag', reply.etag);
  if (reply.cookies !== undefined) response.set('Set-Cookie', [...reply.cookies]);
  if (reply.events !== undefined && request.method === 'HEAD') {
    // Sends only the headers: waiting for the last event would occupy the connection for nothing.
    response.status(reply.status).set('Content-Type', eventStreamType).end();
    return;
  }
  if (reply.events !== undefined) {
    await writeEvents(response, reply.events, signal);
    return;
  }
  if (
    reply.etag !== undefined &&
    route.conditional === 'read' &&
    isKnown(request.headers['if-none-match'], reply.etag)
  ) {
    response.status(304).end();
    return;
  }
  response.status(reply.status);
  if (reply.pieces !== undefined) {
    response.set('Content-Type', reply.contentType ?? 'application/octet-stream');
    compressIfLarge(request, response);
    await writePieces(response, request.method === 'HEAD' ? none() : reply.pieces, signal);
  } else if (reply.bytes !== undefined) {
    response.setHeader('Content-Type', reply.contentType ?? 'application/octet-stream');
    response.setHeader('Content-Length', reply.bytes.length);
    compressIfLarge(request, response, reply.bytes.length);
    endWith(response, reply.bytes);
    if (reply.bytes.length > smallAnswerMax) cutOffLate(response, bodies.answerMs);
  } else if (reply.body === undefined) {
    response.end();
  } else {
    response.setHeader('Content-Type', 'application/json; charset=utf-8');
    const text = JSON.stringify(reply.body);
    const length = Buffer.byteLength(text);
    response.setHeader('Content-Length', length);
    compressIfLarge(request, response, length);
    response.end(text);
    if (text.length > smallAnswerMax) cutOffLate(response, bodies.answerMs);
  }
}

/**
 * Ends the connection if the other end does not take its answer, which would otherwise be held for as long as the other end
 * likes.
 */
function cutOffLate(response: Response, afterMs: number): void {
  response.once(
    'close',
    systemTimers.after(afterMs, () => response.destroy()),
  );
}

/**
 * Sends a small body as Latin-1 text in one piece with the headers. Bytes would be a second piece, which costs more than the
 * copy.
 */
function endWith(response: Response, bytes: Uint8Array): void {
  if (bytes.length > onePieceMax) response.end(bytes);
  else
    response.end(
      Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1'),
      'latin1',
    );
}
