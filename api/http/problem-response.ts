/** Turns any thrown error into the problem that the client reads. */
import { ApiError } from '../../base/kube/kube.ts';
import { problems, problemType, type ProblemCode } from '../model/problems.ts';
import { Refusal, type Occasion } from '../model/refusal.ts';

interface ProblemResponse {
  readonly status: number;
  readonly code: ProblemCode;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export const problemContentType = 'application/problem+json; charset=utf-8';

export function problemResponse(
  { code, occasion }: Pick<Refusal, 'code' | 'occasion'>,
  about: { readonly docsUrl: string; readonly path: string; readonly requestId: string },
): ProblemResponse {
  const { status, title, retryable } = problems[code];
  const { detail, errors, members, retryAfterSeconds } = occasion;
  const isRetryable = occasion.retryable ?? retryable;
  const body = {
    type: problemType(about.docsUrl, code),
    title,
    status,
    detail,
    instance: about.path,
    code,
    requestId: about.requestId,
    retryable: isRetryable,
    ...(errors !== undefined && { errors }),
    ...members,
  };
  return {
    status,
    code,
    headers: {
      ...(status === 401 && { 'WWW-Authenticate': challenge(code) }),
      ...(retryAfterSeconds !== undefined && { 'Retry-After': String(retryAfterSeconds) }),
      ...occasion.headers,
    },
    body: JSON.stringify(body),
  };
}

/** Value of WWW-Authenticate. It has no error code if no credential was sent (RFC 6750, section 3). */
const challenge = (code: ProblemCode): string =>
  code === 'authentication_required'
    ? 'Bearer realm="ledgerhouse"'
    : 'Bearer realm="ledgerhouse", error="invalid_token"';

/** Refusals for the errors of the form parser, by their `type`. */
const parserRefusals: Readonly<Record<string, () => readonly [ProblemCode, Occasion]>> = {
  'encoding.unsupported': () => [
    'unsupported_media_type',
    {
      detail: 'A form must not be compressed. Send it uncompressed.',
      headers: { 'Accept-Encoding': 'identity' },
    },
  ],
  'charset.unsupported': () => ['unsupported_media_type', { detail: 'A form must be in UTF-8.' }],
  'entity.too.large': () => [
    'payload_too_large',
    {
      detail: `The form is larger than ${formMax} bytes, the maximum. Send a smaller one.`,
      members: { limitBytes: formMax },
    },
  ],
  'parameters.too.many': () => [
    'payload_too_large',
    {
      detail: 'The form has too many fields. Send only the documented ones.',
      members: { limitBytes: formMax },
    },
  ],
  'request.size.invalid': () => [
    'malformed_json',
    {
      detail:
        'The length of the body differs from its Content-Length. Send the complete body again.',
    },
  ],
};

/** Largest form, in bytes. */
export const formMax = 16 * 1_024;

interface ParserError {
  readonly type?: string;
  readonly status?: number;
  readonly code?: string;
}

/**
 * Whether the cluster did not answer, or reports that it cannot answer now. Any other failure, such as a missing right, is ours
 * to fix.
 */
const isPassing = ({ status }: ApiError): boolean =>
  status === 0 || status === 429 || status >= 500;

/** Returns `undefined` if the client has gone and nobody can be answered. */
export function refusalOf(error: unknown): Refusal | undefined {
  if (error instanceof Refusal) return error;
  const { type = '', status, code } = (error ?? {}) as ParserError;
  if (type === 'request.aborted') return undefined;
  const known = parserRefusals[type];
  if (known !== undefined) return new Refusal(...known());
  if (code === 'store_unavailable') {
    return new Refusal('service_unavailable', {
      detail: 'The database of the service itself does not answer. Retry in a few seconds.',
      retryAfterSeconds: 2,
      cause: error,
    });
  }
  if (error instanceof ApiError && isPassing(error)) {
    return new Refusal('service_unavailable', {
      detail:
        'The cluster does not answer. Send the request again in a few seconds: nothing is done twice.',
      retryAfterSeconds: 5,
      cause: error,
    });
  }
  if (code === 'idempotency_in_progress') {
    return new Refusal('idempotency_in_progress', {
      detail: 'Another request with this Idempotency-Key took over; retry to get its answer.',
      retryAfterSeconds: 1,
      cause: error,
    });
  }
  // Error of the router: the path has an invalid percent-encoding.
  if (status === 400) {
    return new Refusal('invalid_parameter', {
      detail: 'The path is not a valid URL. Percent-encode special characters.',
      errors: [{ parameter: 'path', code: 'invalid_format', detail: 'Not a valid URL.' }],
    });
  }
  return new Refusal('internal_error', {
    detail:
      'The service met an internal error and logged it under the requestId. Report the requestId to the operators of the service.',
    cause: error,
  });
}
