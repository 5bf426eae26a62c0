/**
 * `fetch` that sends a request again while that is safe and may help. It always is safe here: records of the ledger carry IDs of the
 * caller, so that a repeated create answers `exists`; other POSTs get a key, with which the service does them once; and the
 * remaining methods may be repeated by their meaning.
 */
import { idempotencyHeader, mayPass, retryLimits, waitAfterMs } from './retry.ts';
import { retryAfterMs } from './retry-after.ts';

type SendRequest = (request: Request) => Promise<Response>;

interface RetryOptions {
  readonly fetch: SendRequest;
  /** 1: a request is sent once. */
  readonly attemptsMax: number;
  /** Timeout of one attempt, ms. */
  readonly timeoutMs: number;
  readonly random?: () => number;
  /** Resolves after so many ms; rejects when the signal aborts. */
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** Repeated ledger operations are recognized by their IDs. */
const isOfLedger = (url: string): boolean => /\/databases\/[^/]+\/tb\//.test(new URL(url).pathname);

export function retryingFetch(options: RetryOptions): SendRequest {
  const { attemptsMax, random = Math.random, pause = waitFor } = options;
  return async (given) => {
    const request = withKey(given);
    for (let attempt = 1; ; attempt += 1) {
      const isLast = attempt >= attemptsMax;
      const outcome = await attemptOnce(request, options, isLast);
      if (outcome instanceof Response) return outcome;
      const waitMs = waitAfterMs(attempt, outcome.askedMs, random);
      if (isLast || waitMs > retryLimits.waitMaxMs) return settle(outcome);
      await outcome.response?.body?.cancel();
      await pause(waitMs, request.signal);
    }
  };
}

/** An attempt that another one may better. */
interface Failed {
  readonly response?: Response;
  readonly error?: unknown;
  readonly askedMs?: number | undefined;
}

async function attemptOnce(
  request: Request,
  { fetch, timeoutMs }: RetryOptions,
  isLast: boolean,
): Promise<Response | Failed> {
  const signal = AbortSignal.any([request.signal, AbortSignal.timeout(timeoutMs)]);
  let response: Response;
  try {
    response = await fetch(new Request(isLast ? request : request.clone(), { signal }));
  } catch (error) {
    if (request.signal.aborted) throw error;
    return { error };
  }
  if (!mayPass(response.status, await codeOf(response))) return response;
  return { response, askedMs: retryAfterMs(response.headers.get('retry-after'), Date.now()) };
}

function settle({ response, error }: Failed): Response {
  if (response === undefined) throw error;
  return response;
}

function withKey(request: Request): Request {
  const needsNone = request.method !== 'POST' || request.headers.has(idempotencyHeader);
  if (needsNone || isOfLedger(request.url)) return request;
  const headers = new Headers(request.headers);
  headers.set(idempotencyHeader, crypto.randomUUID());
  return new Request(request, { headers });
}

/** The code of a conflict, which may be one that passes. The answer stays unread. */
async function codeOf(response: Response): Promise<string | undefined> {
  if (response.status !== 409) return undefined;
  try {
    const problem = (await response.clone().json()) as { readonly code?: unknown } | null;
    return typeof problem?.code === 'string' ? problem.code : undefined;
  } catch {
    return undefined;
  }
}

function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const abort = () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort);
      resolve();
    }, ms);
    signal.addEventListener('abort', abort, { once: true });
  });
}
