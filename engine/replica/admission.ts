/**
 * Admission: decides what to do with a request, with checks in the protocol's order. Reads are not logged, so a session's
 * request number may be ahead of the log. After a restart any number above the last logged one is taken, and `parent` is
 * checked only if the reply before is known. Dropping such a request would hang its client.
 *
 * The view of a request is no concern of admission. It is later than the cluster's if the client has heard of a later leader: of this
 * cluster, which one of several replicas rules out first (leader-requests.ts), or of the one whose backup this cluster goes on from.
 */
import { inputValid } from '../wire/input-valid.ts';
import { EvictionReason, Header, ReplyHeader, type RequestHeader } from '../wire/header.ts';
import { Operation, shapeOf } from '../wire/operations.ts';
import { engineRelease, oldestClientRelease } from '../wire/release.ts';
import type { Reply, Session } from './sessions.ts';

type Admission =
  | { readonly kind: 'execute' }
  | { readonly kind: 'drop' }
  | { readonly kind: 'evict'; readonly reason: EvictionReason }
  | { readonly kind: 'resend'; readonly reply: Reply };

interface AdmissionContext {
  readonly batchSizeLimit: number;
  readonly session: Session | undefined;
}

const drop: Admission = { kind: 'drop' };
const execute: Admission = { kind: 'execute' };
const evict = (reason: EvictionReason): Admission => ({ kind: 'evict', reason });

export function admitRequest(
  request: RequestHeader,
  body: Uint8Array,
  context: AdmissionContext,
): Admission {
  if (!request.isWellFormed()) return drop;
  const refused = refuse(request, body, context.batchSizeLimit);
  if (refused !== undefined) return evict(refused);
  if (request.timestamp !== 0n) return drop;
  const { session } = context;
  if (session === undefined) {
    return request.operation === Operation.register ? execute : evict(EvictionReason.noSession);
  }
  if (request.operation === Operation.register) return repeated(request, session);
  if (session.session > request.session) return evict(EvictionReason.sessionTooLow);
  if (session.session < request.session) return drop;
  if (session.release !== request.header.release)
    return evict(EvictionReason.sessionReleaseMismatch);
  return request.number <= lastKnown(session) ? repeated(request, session) : next(request, session);
}

/** Returns the reason why a request can never be executed, whoever sends it. */
function refuse(
  request: RequestHeader,
  body: Uint8Array,
  batchSizeLimit: number,
): EvictionReason | undefined {
  const { release } = request.header;
  if (release < oldestClientRelease) return EvictionReason.clientReleaseTooLow;
  // Clients of the same minor release speak the same protocol, including those that are newer than this engine.
  if (release >>> 8 > engineRelease >>> 8) return EvictionReason.clientReleaseTooHigh;
  if (body.length > batchSizeLimit) return EvictionReason.invalidRequestBodySize;
  switch (request.operation) {
    case Operation.register:
      return body.length === 256 ? undefined : EvictionReason.invalidRequestBodySize;
    case Operation.noop:
      return body.length === 0 ? undefined : EvictionReason.invalidRequestBody;
    default:
      if (shapeOf(request.operation) === undefined) return EvictionReason.invalidRequestOperation;
      return inputValid(request.operation, body, batchSizeLimit)
        ? undefined
        : EvictionReason.invalidRequestBody;
  }
}

/** Returns the number of the last request whose reply is known here, logged or read. */
const lastKnown = (session: Session): number =>
  Math.max(session.lastRequest, session.read?.request ?? 0);

/** Admits a request that was executed before: the last one is answered again; nobody waits for an earlier one any more. */
function repeated(request: RequestHeader, session: Session): Admission {
  for (const known of [session.read, session]) {
    if (known === undefined) continue;
    const number = 'request' in known ? known.request : known.lastRequest;
    if (number === request.number && equal(known.requestChecksum, request.header.checksum)) {
      return { kind: 'resend', reply: known.reply };
    }
  }
  return drop;
}

function next(request: RequestHeader, session: Session): Admission {
  if (request.number !== lastKnown(session) + 1) return execute;
  // Two leaders may have executed the same read: the client has one reply, and this replica may have the other.
  if (session.read !== undefined && session.read.request > session.lastRequest) return execute;
  // A registration's reply contains the batch limit of the process that executed it; a replay with another limit differs.
  if (session.lastRequest === 0) return execute;
  return equal(contextOf(session.reply), request.parent) ? execute : drop;
}

const contextOf = ({ header }: Reply): Uint8Array => new ReplyHeader(new Header(header)).context;

function equal(a: Uint8Array, b: Uint8Array): boolean {
  for (let i = 0; i < 16; i += 1) {
    if (a[i] !== b[i]) return false;
  }
  return true;
}
