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
      'The request comes from another site. Send it from our own pages, or without a browser.',
    );
  }
  if (sent === undefined) return;
  const own = origin === undefined ? hostOf(sent) === headers.host : sent === origin;
  if (!own)
    throw refused('The header Origin names another site. Send the request from our own pages.');
}

export function checkCsrf(
  headers: IncomingHttpHeaders,
  csrfHash: Buffer,
  origin: string | undefined,
): void {
  checkOrigin(headers, origin);
  const token = headers[csrfHeader];
  if (typeof token !== 'string') {
    throw refused(
      'The header X-CSRF-Token is missing. Send the token that you got when the session was opened.',
    );
  }
  const inCookie = cookieOf(headers.cookie, csrfCookie);
  const same = timingSafeEqual(hashOf(token), csrfHash);
  if (!same || (inCookie !== undefined && inCookie !== token)) {
    throw refused(
      'The header X-CSRF-Token belongs to another session. Send the token that you got when this session was opened.',
    );
  }
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}
