/**
 * Sends bytes with their digest and reports upload progress, which `fetch` cannot. Slow lines need long, so there is no total deadline;
 * a request is aborted when it makes no progress for a while.
 */
import { noteRateLimit } from './polling.ts';
import { NoAnswer, problemErrorOf } from './problem-error.ts';
import { csrfTokenIn } from './transport.ts';

/** Maximum time without progress, and between the last byte and the answer. */
const stillMs = 90_000;

interface Bytes {
  readonly organizationId: string;
  readonly path: string;
  readonly bytes: ArrayBuffer;
  readonly signal: AbortSignal;
  /** Called with the number of bytes sent so far. */
  readonly onSent: (bytes: number) => void;
}

/** Throws a `ProblemError` for a problem, `NoAnswer` without an answer, and the signal's reason when it aborts. */
export async function putBytes(sending: Bytes): Promise<void> {
  const digest = await contentDigest(sending.bytes);
  sending.signal.throwIfAborted();
  const answer = await put(sending, digest);
  noteRateLimit(answer.headers.get('ratelimit'));
  if (!answer.ok) throw problemErrorOf(await bodyOf(answer), answer);
}

/** RFC 9530. The service rejects bytes that do not match. */
export async function contentDigest(bytes: ArrayBuffer): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return `sha-256=:${btoa(String.fromCharCode(...digest))}:`;
}

function put({ organizationId, path, bytes, signal, onSent }: Bytes, digest: string) {
  return new Promise<Response>((resolve, reject) => {
    const request = new XMLHttpRequest();
    let timer: ReturnType<typeof setTimeout>;
    const giveUp = () => request.abort();
    const moved = () => {
      clearTimeout(timer);
      timer = setTimeout(giveUp, stillMs);
    };
    const end = (settle: () => void) => () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', giveUp);
      settle();
    };
    const fail = end(() =>
      reject(signal.aborted ? signal.reason : new NoAnswer('the connection ended')),
    );
    request.upload.addEventListener('progress', ({ loaded }) => {
      moved();
      onSent(loaded);
    });
    request.addEventListener(
      'load',
      end(() => resolve(answerOf(request))),
    );
    request.addEventListener('error', fail);
    request.addEventListener('abort', fail);
    signal.addEventListener('abort', giveUp);
    request.open('PUT', path);
    request.setRequestHeader('Content-Type', 'application/octet-stream');
    request.setRequestHeader('Content-Digest', digest);
    request.setRequestHeader('X-Organization-Id', organizationId);
    const token = csrfTokenIn(document.cookie);
    if (token !== undefined) request.setRequestHeader('X-CSRF-Token', token);
    moved();
    request.send(bytes);
  });
}

const headers = ['retry-after', 'x-request-id', 'ratelimit'];

const answerOf = (request: XMLHttpRequest): Response =>
  new Response(request.status === 204 ? null : request.responseText, {
    status: request.status,
    headers: headers.flatMap((name): [string, string][] => {
      const value = request.getResponseHeader(name);
      return value === null ? [] : [[name, value]];
    }),
  });

async function bodyOf(answer: Response): Promise<unknown> {
  try {
    return await answer.json();
  } catch {
    return undefined;
  }
}
