/**
 * Sends every request. It names the organization and the CSRF token, and asks for a page that was read before only if it has
 * changed (the answers are `no-store`, so the browser's own cache does not help).
 */
import { noteServerDate } from '../lib/clock.ts';
import { notePause, noteRateLimit } from './polling.ts';
import { NoAnswer } from './problem-error.ts';

/** Deadline of a request, in milliseconds. Longer than what the service itself allows for almost all of them. */
const usualTimeoutMs = 45_000;
const keptMax = 64;

interface TransportOptions {
  /** The organization to act for; `undefined` if the request concerns only the caller. */
  readonly organizationId: string | undefined;
  readonly csrfToken: () => string | undefined;
  readonly fetch: (request: Request) => Promise<Response>;
}

interface Received {
  readonly response: Response;
  /** The whole body. */
  readonly text: string;
}

interface Kept extends Received {
  readonly etag: string;
}

export function createTransport({ organizationId, csrfToken, fetch }: TransportOptions) {
  const kept = new Map<string, Kept>();
  return async (request: Request, timeoutMs = usualTimeoutMs): Promise<Received> => {
    const headers = new Headers(request.headers);
    if (organizationId !== undefined) headers.set('X-Organization-Id', organizationId);
    const isRead = request.method === 'GET';
    const token = isRead ? undefined : csrfToken();
    if (token !== undefined) headers.set('X-CSRF-Token', token);
    const known = isRead ? kept.get(request.url) : undefined;
    if (known !== undefined && !headers.has('If-None-Match')) {
      headers.set('If-None-Match', known.etag);
    }
    const signal = AbortSignal.any([request.signal, AbortSignal.timeout(timeoutMs)]);
    let response: Response;
    let text: string;
    try {
      response = await fetch(new Request(request, { headers, signal }));
      // The connection may break, and the deadline may pass, within the body, too.
      text = await response.text();
    } catch (error) {
      if (request.signal.aborted) throw error;
      throw new NoAnswer(error);
    }
    noteServerDate(response.headers.get('date'));
    noteRateLimit(response.headers.get('ratelimit'));
    if (response.status === 429) notePause(response.headers.get('retry-after'));
    if (response.status === 304 && known !== undefined) return known;
    const received = { response, text };
    const etag = response.headers.get('etag');
    if (!isRead || etag === null || response.status !== 200) return received;
    kept.delete(request.url);
    kept.set(request.url, { ...received, etag });
    const [oldest] = kept.keys();
    if (kept.size > keptMax && oldest !== undefined) kept.delete(oldest);
    return received;
  };
}

/** The session's CSRF token, in a cookie that only our own pages read. */
export const csrfTokenIn = (cookies: string): string | undefined =>
  /(?:^|;\s*)__Host-csrf=([^;]+)/.exec(cookies)?.[1];
