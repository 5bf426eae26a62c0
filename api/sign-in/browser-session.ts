/** A browser's session: one token that only the browser has, and one that our pages send back as a header or a field. */
import { hashOf, randomDigits } from '../auth/api-key-format.ts';
import { csrfCookie, sessionCookie } from '../auth/credentials.ts';
import type { Actor, Author } from '../model/actor.ts';
import type { Change } from '../store/change.ts';
import { openSession, type Session, type SessionHolder } from '../store/sessions.ts';
import type { Store } from '../store/store.ts';
import { useSignIn } from '../store/used-sign-ins.ts';
import { ensureUser } from '../store/users.ts';
import { failed, signInSeconds, type Finished } from './identity-provider.ts';

/** Length of each token: 238 bits. */
const tokenLength = 40;
const administratorMs = 12 * 60 * 60 * 1_000;
const personMs = 7 * 24 * 60 * 60 * 1_000;

interface OpenedSession {
  readonly session: Session;
  readonly csrfToken: string;
  /** Values of the header Set-Cookie. */
  readonly cookies: readonly string[];
}

/** Opens the session of a person whom the identity provider has identified. Throws a `Refusal` if the sign-in is repeated. */
export async function signInPerson(
  store: Store,
  { identity, state }: Finished,
  from: Omit<Author, 'actor'>,
): Promise<OpenedSession> {
  const user = await store.change({ ...from, actor: signIn }, (change) =>
    ensureUser(change, identity),
  );
  const actor = { type: 'user', id: user.id, display: user.name } as const;
  return store.change({ ...from, actor }, async (change) => {
    if (!(await useSignIn(change, hashOf(state), signInSeconds))) {
      throw failed('the sign-in has opened a session already');
    }
    return openBrowserSession(change, { user, bootstrapMac: null });
  });
}

export async function openBrowserSession(
  change: Change,
  holder: SessionHolder,
): Promise<OpenedSession> {
  const [token, csrfToken] = [randomDigits(tokenLength), randomDigits(tokenLength)];
  const lifetimeMs = holder.user === null ? administratorMs : personMs;
  const session = await openSession(change, {
    ...holder,
    kind: 'browser',
    tokenHash: hashOf(token),
    csrfHash: hashOf(csrfToken),
    lifetimeMs,
  });
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
