/** A request to the API before it is sent. */
import type { Settings } from '../settings.ts';

export interface ApiRequest {
  readonly method: string;
  /** Path with `/api/v1` and the query. */
  readonly path: string;
  /** Body that is sent byte for byte. */
  readonly body?: Uint8Array;
  /** Media type of the body; JSON by default. */
  readonly contentType?: string;
  /** Digest of the body (RFC 9530), such as `sha-256=:…:`. */
  readonly contentDigest?: string;
  readonly accept?: string;
  readonly idempotencyKey?: string;
  /** If set, the answer may be 304. */
  readonly ifNoneMatch?: string;
  /** Whether a repetition has no further effect. Only then is it tried again after an attempt that may have arrived. */
  readonly repeatable: boolean;
  /** Whether it may change something. If so, an attempt without an answer leaves the outcome unknown. */
  readonly writes: boolean;
  /** For requests that need no credential. */
  readonly anonymous?: boolean;
  /** Timeout of one attempt. */
  readonly timeoutMs?: number;
}

export function headersOf(
  request: ApiRequest,
  { apiKey, organization }: Settings,
  version: string,
): Readonly<Record<string, string>> {
  return {
    accept: request.accept ?? 'application/json',
    'user-agent': `ledgerhouse-cli/${version}`,
    ...(request.body === undefined
      ? {}
      : { 'content-type': request.contentType ?? 'application/json' }),
    ...(request.contentDigest === undefined ? {} : { 'content-digest': request.contentDigest }),
    ...(request.idempotencyKey === undefined ? {} : { 'idempotency-key': request.idempotencyKey }),
    ...(request.ifNoneMatch === undefined ? {} : { 'if-none-match': request.ifNoneMatch }),
    ...(organization === undefined ? {} : { 'x-organization-id': organization }),
    ...credentialOf(apiKey),
  };
}

/** Header of the credential: an access token of a person who signed in, or else a key. */
function credentialOf(credential: string | undefined): Readonly<Record<string, string>> {
  if (credential === undefined) return {};
  return credential.startsWith('lha_')
    ? { authorization: `Bearer ${credential}` }
    : { 'x-api-key': credential };
}

/** Headers in a form that may be shown: only the public part of a key, and nothing of any other credential. */
export function shownHeaders(headers: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(headers).map(([name, value]) => `${name}: ${shownValue(name, value)}`);
}

function shownValue(name: string, value: string): string {
  if (name === 'authorization') return 'Bearer (redacted)';
  return name === 'x-api-key' ? publicPartOf(value) : value;
}

/** The key without its secret. Text that does not have the form of a key is all secret. */
export function publicPartOf(key: string): string {
  const publicPart = /^(lhk_[0-9A-Za-z]{12})_[0-9A-Za-z]{38}$/.exec(key)?.[1];
  return publicPart === undefined ? '(redacted)' : `${publicPart}_(redacted)`;
}

/** Output of `--dry-run`: the request as it would be sent, with its exact body. */
export function describeRequest(
  request: ApiRequest,
  settings: Settings,
  options: { readonly version: string; readonly json: boolean },
): string {
  const url = `${settings.baseUrl}${request.path}`;
  const headers = shownHeaders(headersOf(request, settings, options.version));
  const body = request.body === undefined ? undefined : Buffer.from(request.body).toString('utf8');
  if (options.json) {
    const pairs = headers.map((line) => [
      line.slice(0, line.indexOf(':')),
      line.slice(line.indexOf(':') + 2),
    ]);
    const described = {
      dryRun: true,
      method: request.method,
      url,
      headers: Object.fromEntries(pairs) as Record<string, string>,
      // Text, not a document, so that large integers stay exact.
      body: body ?? null,
    };
    return `${JSON.stringify(described, undefined, 2)}\n`;
  }
  return `${[`${request.method} ${url}`, ...headers].join('\n')}\n${body === undefined ? '' : `\n${body}${body.endsWith('\n') ? '' : '\n'}`}`;
}
