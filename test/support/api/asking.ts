/** Requests to a service whose answers are judged by the document. */
import { createHash } from 'node:crypto';
import { expect } from '@jest/globals';
import type { OperationId } from '../../../api/contract/routes.ts';
import { routes } from '../../../api/contract/routes.ts';
import { undocumented } from './openapi.ts';
import type { Headers } from './service.ts';

export interface Answer<T> {
  readonly status: number;
  readonly headers: globalThis.Headers;
  readonly json: T;
}

export interface Sending {
  /** Values of the path's parameters. */
  readonly of?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly body?: object;
  /** A body that is sent as it is, with its digest, instead of JSON. */
  readonly octets?: Uint8Array<ArrayBuffer>;
  readonly headers?: Headers;
}

/** Sends a request for an operation and fails if its answer is not as the document has it. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names the answer it expects
export async function ask<T>(
  url: string,
  as: Headers,
  operation: OperationId,
  { of = {}, query = '', body, octets, headers }: Sending = {},
): Promise<Answer<T>> {
  const { method, path } = routes[operation];
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => of[name] ?? '');
  const response = await fetch(`${url}${filled}${query}`, {
    method,
    headers: {
      ...as,
      ...(body && { 'content-type': 'application/json' }),
      ...(octets && {
        'content-type': 'application/octet-stream',
        'content-digest': `sha-256=:${createHash('sha256').update(octets).digest('base64')}:`,
      }),
      ...headers,
    },
    ...(body && { body: JSON.stringify(body) }),
    ...(octets && { body: octets }),
  });
  const text = await response.text();
  const { status } = response;
  expect({ operation, status, text, wrong: undocumented(operation, response, text) }).toEqual({
    operation,
    status,
    text,
    wrong: [],
  });
  return {
    status,
    headers: response.headers,
    json: (text === '' ? {} : JSON.parse(text)) as T,
  };
}
