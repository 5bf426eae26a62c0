/**
 * Protects against requests that a browser makes with the session's cookie on behalf of another page. The cookie is SameSite=Lax.
 * A request that changes something must also come from our own origin, as far as the browser tells, and repeat the session's CSRF
 * token, which is in a second cookie that only our pages can read.
 */
import { timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { Refusal } from '../model/refusal.ts';
import { hashOf } from './api-key-format.ts';
import { cookieOf, csrfCookie } from './credentials.ts';

export const csrfHeader = 'x-csrf-token';

const refused = (detail: string) => new Refusal('csrf_failed', { detail });

/** `origin` is ours, such as `https://ledgerhouse.example.com`; `undefined`: take it from the Host header. */
export function checkOrigin(headers: IncomingHttpHeaders, origin: string | undefined): void {
  const sent = headers.origin;
  if (headers['sec-fetch-site'] === 'cross-site') {
    throw refused(
      'The request comes from another site; send it from our own pages, or without a browser.',
    );
  }
  if (sent === undefined) return;
  const own = origin === undefined ? hostOf(sent) === headers.host : sent === origin;
  if (!own) throw refused('The header Origin names another site than this one.');
}

export function checkCsrf(
  headers: IncomingHttpHeaders,
  csrfHash: Buffer,
  origin: string | undefined,
): void {
  checkOrigin(headers, origin);
  const token = headers[csrfHeader];
  if (typeof token !== 'string') {
    throw refused('Send the header X-CSRF-Token with the token that the session was opened with.');
  }
  const inCookie = cookieOf(headers.cookie, csrfCookie);
  const same = timingSafeEqual(hashOf(token), csrfHash);
  if (!same || (inCookie !== undefined && inCookie !== token)) {
    throw refused(
      'The header X-CSRF-Token is not this session’s; send the one it was opened with.',
    );
  }
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}
