/** Typed client of the HTTP API over `fetch`, with the types of the OpenAPI document: for the dashboard and tests. */
import createFetchClient, { type Client as FetchClient } from 'openapi-fetch';
import type { paths, Problem } from '../../gen/api.ts';
import { querySerializer } from './query.ts';

export type Client = FetchClient<paths>;

export interface ClientOptions {
  /** URL of the service, without `/api/v1`. */
  readonly baseUrl: string;
  /** Sent as x-api-key. */
  readonly apiKey?: string;
  readonly userAgent?: string;
  /** For tests, and for callers with their own retries. */
  readonly fetch?: (request: Request) => Promise<Response>;
}

export function createClient({ baseUrl, apiKey, userAgent, fetch }: ClientOptions): Client {
  return createFetchClient<paths>({
    baseUrl: baseUrl.replace(/\/+$/, ''),
    querySerializer,
    headers: {
      ...(apiKey !== undefined && { 'x-api-key': apiKey }),
      ...(userAgent !== undefined && { 'user-agent': userAgent }),
    },
    ...(fetch !== undefined && { fetch }),
  });
}

export type { paths, Problem };
