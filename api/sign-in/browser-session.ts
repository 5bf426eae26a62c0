/** A browser's session: one token that only the browser has, and one that our pages send back as a header or a field. */
import { hashOf, randomDigits } from '../auth/api-key-format.ts';
import { csrfCookie, sessionCookie } from '../auth/credentials.ts';
import type { Actor, Author } from '../model/actor.ts';
import { openSession, type Session } from '../store/sessions.ts';
import type { Store } from '../store/store.ts';
import { ensureUser, type Identity } from '../store/users.ts';

/** Length of each token: 238 bits. */
const tokenLength = 40;
const administratorMs = 12 * 60 * 60 * 1_000;
const personMs = 7 * 24 * 60 * 60 * 1_000;

export interface OpenedSession {
  readonly session: Session;
  readonly csrfToken: string;
  /** Values of the header Set-Cookie. */
  readonly cookies: readonly string[];
}

/** Opens a session; the identity `null` is the local administrator. */
export async function openBrowserSession(
  store: Store,
  identity: Identity | null,
  from: Omit<Author, 'actor'>,
): Promise<OpenedSession> {
  const [token, csrfToken] = [randomDigits(tokenLength), randomDigits(tokenLength)];
  const lifetimeMs = identity === null ? administratorMs : personMs;
  const user =
    identity &&
    (await store.change({ ...from, actor: signIn }, (change) => ensureUser(change, identity)));
  const actor = user
    ? ({ type: 'user', id: user.id, display: user.name } as const)
    : ({ type: 'user', id: null, display: 'local administrator' } as const);
  const session = await store.change({ ...from, actor }, (change) =>
    openSession(change, {
      kind: 'browser',
      user,
      tokenHash: hashOf(token),
      csrfHash: hashOf(csrfToken),
      lifetimeMs,
    }),
  );
  const seconds = Math.floor(lifetimeMs / 1_000);
  const cookies = [
    `${cookie(sessionCookie, token, seconds)}; HttpOnly`,
    // Our own pages read this one and send it back.
    cookie(csrfCookie, csrfToken, seconds),
  ];
  return { session, csrfToken, cookies };
}

const signIn: Actor = { type: 'system', id: null, display: 'sign-in' };

export const closedSessionCookies: readonly string[] = [
  cookie(sessionCookie, '', 0),
  cookie(csrfCookie, '', 0),
];

/** Browsers accept the prefix `__Host-` with Secure and this path only. From localhost they accept Secure without TLS too. */
export function cookie(name: string, value: string, seconds: number): string {
  return `${name}=${value}; Path=/; Max-Age=${seconds}; Secure; SameSite=Lax`;
}
