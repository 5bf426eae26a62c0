import { DeadlineExceeded } from '../deadline.ts';
import { ApiError } from './kube.ts';

interface Status {
  readonly kind?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly code?: number;
  readonly details?: {
    readonly name?: string;
    readonly retryAfterSeconds?: number;
    readonly causes?: readonly { readonly reason?: string; readonly message?: string }[];
  };
}

/** Error for an answer that is not a success. `what` names the request: verb and object. */
export function failureOfAnswer(
  what: string,
  answer: { status: number; retryAfter: string | null; body: string },
): ApiError {
  const status = statusOf(answer.body);
  // The Status of a missing object has its name. That of a kind that is not served has no name or is plain text.
  const named = answer.status !== 404 || status?.details?.name !== undefined;
  const reason = (named ? status?.reason : undefined) ?? reasons[answer.status] ?? 'Unknown';
  const message = status?.message ?? (answer.body.slice(0, 200).trim() || 'no explanation');
  return new ApiError(`${what}: ${answer.status} ${reason}: ${message}`, {
    status: answer.status,
    reason,
    retryAfterMs: retryAfterMs(answer.retryAfter, status),
    causes: status?.details?.causes,
  });
}

/** Error for a `Status` object that arrived as an event of a watch. */
export function failureOfStatus(what: string, object: unknown): ApiError {
  const code = (object as Status | undefined)?.code ?? 500;
  return failureOfAnswer(what, { status: code, retryAfter: null, body: JSON.stringify(object) });
}

/** Error for a request without an answer. */
export function failureOfTransport(what: string, error: unknown, signal: AbortSignal): ApiError {
  const cause: unknown = signal.aborted ? signal.reason : error;
  const reason = !signal.aborted
    ? 'Unreachable'
    : cause instanceof DeadlineExceeded
      ? 'Timeout'
      : 'Aborted';
  return new ApiError(`${what}: ${reason}: ${deepestMessage(cause)}`, { status: 0, reason, cause });
}

/** Whether the error means that the object, not its kind, is absent. */
export function isAbsence(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404 && error.reason === 'NotFound';
}

/** Reasons for answers without a Status: from proxies, and for paths that the server does not know. */
const reasons: Readonly<Record<number, string>> = {
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'UnknownPath',
  409: 'Conflict',
  410: 'Expired',
  429: 'TooManyRequests',
  500: 'InternalError',
  502: 'BadGateway',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

function statusOf(body: string): Status | undefined {
  try {
    const parsed = JSON.parse(body) as Status | null;
    return parsed?.kind === 'Status' ? parsed : undefined;
  } catch {
    // Not JSON: the caller shows the text itself.
    return undefined;
  }
}

/** Reads the API server's Retry-After, whole seconds. Dates, which proxies may send, are ignored. */
function retryAfterMs(header: string | null, status: Status | undefined): number | undefined {
  const seconds =
    header !== null && /^\d+$/.test(header) ? Number(header) : status?.details?.retryAfterSeconds;
  return seconds === undefined ? undefined : seconds * 1_000;
}

/** Returns the message of the innermost cause: fetch itself says only "fetch failed". */
function deepestMessage(error: unknown): string {
  let current = error;
  while (current instanceof Error && current.cause instanceof Error) current = current.cause;
  return current instanceof Error ? current.message || current.name : String(current);
}
