/** Typed client of the HTTP API over `fetch`, with the types of the OpenAPI document. Requests are sent again where that is safe. */
import createFetchClient, { type Client as FetchClient } from 'openapi-fetch';
import type { paths } from '../../../gen/api.ts';
import { querySerializer } from './query.ts';
import { retryLimits } from './retry.ts';
import { retryingFetch } from './retrying-fetch.ts';

export type Client = FetchClient<paths>;

export interface ClientOptions {
  /** URL of the service, without `/api/v1`. */
  readonly baseUrl: string;
  /** API key, sent as x-api-key. */
  readonly apiKey?: string;
  readonly userAgent?: string;
  /** Attempts of one request; 4 by default, 1 for callers with their own retries. */
  readonly attemptsMax?: number;
  /** Timeout of one attempt, ms; 35 s by default. */
  readonly timeoutMs?: number;
  /** Another `fetch`, such as one that knows a proxy. */
  readonly fetch?: (request: Request) => Promise<Response>;
}

export function createClient({
  baseUrl,
  apiKey,
  userAgent,
  attemptsMax = retryLimits.attemptsMax,
  timeoutMs = retryLimits.timeoutMs,
  fetch: send = (request) => fetch(request),
}: ClientOptions): Client {
  return createFetchClient<paths>({
    baseUrl: baseUrl.replace(/\/+$/, ''),
    querySerializer,
    headers: {
      ...(apiKey !== undefined && { 'x-api-key': apiKey }),
      ...(userAgent !== undefined && { 'user-agent': userAgent }),
    },
    // A redirect would take the key to its target.
    redirect: 'error',
    fetch: retryingFetch({ fetch: send, attemptsMax, timeoutMs }),
  });
}
