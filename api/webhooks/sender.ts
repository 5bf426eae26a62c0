/**
 * Sends one request of a webhook and returns its result; never throws. Each endpoint has its own connections, so that one that
 * hangs does not affect others. Proxies of the environment are not used: they would connect to addresses that we do not check.
 */
import { isIP } from 'node:net';
import { LRUCache } from 'lru-cache';
import { Pool } from 'undici';
import type { AttemptOutcome, AttemptRecord } from '../model/webhook.ts';
import { cutOff } from './cut-off.ts';
import { hostOf } from './endpoint-url.ts';
import { BlockedAddress, type ReceiverNames } from './resolver.ts';
import { readRetryAfter } from './schedule.ts';
import { signatureHeaders } from './signature.ts';

export const sendMaxMs = 15_000;
/** Maximum number of concurrent deliveries to one endpoint, each of another database. */
export const lanesMax = 8;
const connectMaxMs = 10_000;
const excerptBytes = 4_096;
/** Time for reading the beginning of an answer's body, which says no more than the status. */
const excerptMaxMs = 1_000;
/** Maximum number of endpoints whose connections are kept for the next delivery. */
const poolsMax = 512;
/**
 * Idle connections are reused only for this long: many receivers close theirs soon, and a request into a closed one is lost.
 */
const idleMs = 1_000;

export interface Outgoing {
  readonly endpointId: string;
  readonly url: string;
  readonly secrets: readonly string[];
  readonly eventId: string;
  readonly body: string;
}

export interface Attempt extends AttemptRecord {
  /** The pause that the receiver asks for. */
  readonly retryAfterMs: number | undefined;
}

export class WebhookSender {
  readonly #names: ReceiverNames;
  readonly #timeoutMs: number;
  readonly #pools = new LRUCache<string, Pool>({
    max: poolsMax,
    // Requests under way end first.
    dispose: (pool) => void pool.close().catch(() => {}),
  });

  constructor(names: ReceiverNames, timeoutMs = sendMaxMs) {
    this.#names = names;
    this.#timeoutMs = timeoutMs;
  }

  /** `abandoning`: cuts the request off. */
  async send(
    { endpointId, url, secrets, eventId, body }: Outgoing,
    abandoning: AbortSignal,
  ): Promise<Attempt> {
    const startedAt = new Date();
    const began = performance.now();
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'ledgerhouse-webhooks/1',
      ...signatureHeaders({ id: eventId, at: startedAt, body }, secrets),
    };
    const cut = cutOff(this.#timeoutMs, abandoning);
    let answer: Answer;
    try {
      answer = await this.#request(endpointId, new URL(url), headers, body, cut.signal);
    } catch (error) {
      answer = { ...failureOf(error, cut.timedOut(), this.#timeoutMs), ...nothing };
    } finally {
      cut.release();
    }
    return { ...answer, requestHeaders: headers, startedAt, durationMs: performance.now() - began };
  }

  async close(): Promise<void> {
    const pools = [...this.#pools.values()];
    this.#pools.clear();
    await Promise.all(pools.map((pool) => pool.destroy()));
  }

  async #request(
    endpointId: string,
    target: URL,
    headers: Readonly<Record<string, string>>,
    body: string,
    signal: AbortSignal,
  ): Promise<Answer> {
    const pool = this.#poolOf(endpointId, target);
    const response = await pool.request({
      method: 'POST',
      path: `${target.pathname}${target.search}`,
      headers,
      body,
      signal,
    });
    const { statusCode } = response;
    const responseExcerpt = await excerptOf(response.body);
    const retryAfter = response.headers['retry-after'];
    return {
      ...judged(statusCode),
      statusCode,
      responseExcerpt,
      retryAfterMs: readRetryAfter(String(retryAfter), Date.now()),
    };
  }

  /** Throws `BlockedAddress` if the URL holds an address that is not allowed: a socket does not look up an address. */
  #poolOf(endpointId: string, target: URL): Pool {
    const plain = target.protocol === 'http:';
    const host = hostOf(target);
    if (isIP(host) !== 0) this.#names.check(host, plain);
    const key = `${endpointId} ${target.origin}`;
    const kept = this.#pools.get(key);
    if (kept !== undefined) return kept;
    const pool = new Pool(target.origin, {
      connections: lanesMax,
      pipelining: 1,
      allowH2: false,
      keepAliveTimeout: idleMs,
      keepAliveMaxTimeout: idleMs,
      headersTimeout: this.#timeoutMs,
      bodyTimeout: this.#timeoutMs,
      connect: { timeout: connectMaxMs, lookup: this.#names.lookup(plain) },
    });
    this.#pools.set(key, pool);
    return pool;
  }
}

type Answer = Pick<
  Attempt,
  'outcome' | 'error' | 'statusCode' | 'responseExcerpt' | 'retryAfterMs'
>;
type Verdict = Pick<Answer, 'outcome' | 'error'>;

const nothing = { statusCode: null, responseExcerpt: null, retryAfterMs: undefined };

function judged(status: number): Verdict {
  if (status >= 200 && status < 300) return { outcome: 'SUCCESS', error: null };
  if (status >= 300 && status < 400) {
    return {
      outcome: 'REDIRECT_REFUSED',
      error: `The receiver answered ${status}. Redirects are not followed; set the URL to the new place.`,
    };
  }
  return { outcome: 'HTTP_ERROR', error: `The receiver answered ${status}.` };
}

function failureOf(error: unknown, timedOut: boolean, timeoutMs: number): Verdict {
  const failure = (outcome: AttemptOutcome, text: string) => ({ outcome, error: text });
  if (timedOut)
    return failure('TIMEOUT', `The receiver did not answer within ${timeoutMs / 1_000} s.`);
  if (error instanceof BlockedAddress)
    return failure('BLOCKED_ADDRESS', `Not sent: ${error.message}.`);
  const { code = '' } = error as NodeJS.ErrnoException;
  if (code === 'UND_ERR_CONNECT_TIMEOUT') {
    return failure('TIMEOUT', `No connection within ${connectMaxMs / 1_000} s.`);
  }
  // Codes are enough: messages of the network name addresses.
  return failure(
    'CONNECTION_ERROR',
    connectionFaults[code] ?? `The connection failed (${code || 'no code'}).`,
  );
}

/** Descriptions of faults of the network and of TLS, by the code of the error. */
export const connectionFaults: Readonly<Record<string, string>> = {
  ENOTFOUND: 'The host name has no address.',
  ENODATA: 'The host name has no address.',
  ECONNREFUSED: 'The connection was refused.',
  ECONNRESET: 'The receiver closed the connection without an answer.',
  UND_ERR_SOCKET: 'The receiver closed the connection without an answer.',
  CERT_HAS_EXPIRED: 'The receiver’s certificate has expired.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'The receiver’s certificate is for another host name.',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'The receiver’s certificate is signed by itself.',
  SELF_SIGNED_CERT_IN_CHAIN: 'No known authority signed the receiver’s certificate.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'No known authority signed the receiver’s certificate.',
};

/** The beginning of a body as text. The rest is not read: the connection is closed instead. */
async function excerptOf(
  body: AsyncIterable<Uint8Array> & { destroy(): unknown },
): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const timer = setTimeout(() => body.destroy(), excerptMaxMs);
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > excerptBytes) break;
    }
  } catch {
    // The status has come; a missing rest of the body changes nothing.
  } finally {
    clearTimeout(timer);
  }
  const text = Buffer.concat(chunks).subarray(0, excerptBytes).toString('utf8');
  // PostgreSQL keeps no NUL.
  return text.replaceAll('\0', '\ufffd');
}
