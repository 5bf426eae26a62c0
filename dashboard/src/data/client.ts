/** Typed requests of the OpenAPI document. They return an answer with its ETag, or throw an error. */
import {
  planRequest,
  type AnswerTo,
  type Parts,
  type PathWith,
  type Verb,
} from '../../../clients/typescript/src/planned-request.ts';
import { foreignAnswer, problemErrorOf } from './problem-error.ts';
import { createTransport, csrfTokenIn } from './transport.ts';

interface Answer<T> {
  readonly data: T;
  /** The text of the answer, with every integer as it was sent. */
  readonly text: string;
  /** For `If-Match`. */
  readonly etag: string | undefined;
  readonly headers: Headers;
}

interface Sending {
  readonly signal?: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
  /** Of what takes the service longer than other requests. */
  readonly timeoutMs?: number;
  /** The answer is another text than JSON, such as CSV; only `text` holds it. */
  readonly isText?: boolean;
}

const transports = new Map<string, ReturnType<typeof createTransport>>();

function transportOf(organizationId: string) {
  let transport = transports.get(organizationId);
  if (transport === undefined) {
    transport = createTransport({
      organizationId: organizationId === '' ? undefined : organizationId,
      csrfToken: () => csrfTokenIn(document.cookie),
      fetch: (request) => fetch(request),
    });
    transports.set(organizationId, transport);
  }
  return transport;
}

/** `mine`: the request concerns the caller alone, whatever the organization. */
export const mine = '';

/**
 * Sends a request for an organization and reads the answer. Throws a `ProblemError` for a problem, and `NoAnswer` when there is
 * no answer.
 */
export async function ask<V extends Verb, const P extends PathWith<V>>(
  organizationId: string,
  verb: V,
  path: P,
  parts: Parts<V, P> = {},
  { signal, headers = {}, timeoutMs, isText = false }: Sending = {},
): Promise<Answer<AnswerTo<V, P>>> {
  const planned = planRequest(verb, path, parts);
  const hasBody = planned.body !== undefined;
  const request = new Request(new URL(planned.path, location.origin), {
    method: planned.method,
    headers: { ...(hasBody && { 'Content-Type': 'application/json' }), ...headers },
    ...(hasBody && { body: planned.body as Uint8Array<ArrayBuffer> }),
    ...(signal !== undefined && { signal }),
  });
  const { response, text } = await transportOf(organizationId)(request, timeoutMs);
  const data = isText && response.ok ? null : parsed(text);
  if (!response.ok) throw problemErrorOf(data, response);
  // A sign-in page of a network or a proxy has status 200, too.
  if (data === undefined && response.status !== 204) throw foreignAnswer(response);
  return {
    data: data as AnswerTo<V, P>,
    text,
    etag: response.headers.get('etag') ?? undefined,
    headers: response.headers,
  };
}

/** Parses JSON. Returns `undefined` for any other text. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A key for one intent of a person: the same for every try, a new one for the next intent. */
export function intentKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
