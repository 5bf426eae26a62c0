/** The credential in a request's headers, if there is one. */
import type { IncomingHttpHeaders } from 'node:http';

export type Credential =
  | { readonly kind: 'none' }
  /** Two headers with different credentials. */
  | { readonly kind: 'conflict' }
  /** A credential that has the form of neither a key nor a token. */
  | { readonly kind: 'malformed' }
  /** From either header; its prefix shows its kind. */
  | { readonly kind: 'token'; readonly text: string }
  | { readonly kind: 'session'; readonly token: string };

/** Prefix of tokens that a device got for a person. */
export const accessTokenPrefix = 'lha_';
export const sessionCookie = '__Host-session';
export const csrfCookie = '__Host-csrf';

export function credentialOf(headers: IncomingHttpHeaders): Credential {
  const key = headers['x-api-key'];
  const { authorization } = headers;
  const apiKey = Array.isArray(key) ? key.join(', ') : key;
  const [, bearer] = /^bearer +(\S+) *$/i.exec(authorization ?? '') ?? [];
  if (authorization !== undefined && bearer === undefined) {
    return apiKey === undefined ? { kind: 'malformed' } : { kind: 'conflict' };
  }
  if (apiKey !== undefined && bearer !== undefined && apiKey.trim() !== bearer) {
    return { kind: 'conflict' };
  }
  const text = bearer ?? apiKey?.trim();
  if (text !== undefined) return { kind: 'token', text };
  const token = cookieOf(headers.cookie, sessionCookie);
  return token === undefined ? { kind: 'none' } : { kind: 'session', token };
}

/** Returns the first cookie of that name (RFC 6265, section 4.2). */
export function cookieOf(header: string | undefined, name: string): string | undefined {
  for (const pair of header?.split(';') ?? []) {
    const at = pair.indexOf('=');
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return undefined;
}
