/**
 * Pages for people, without a script: signing in, letting a device in, accepting an invitation. What a form sends comes with
 * the session's CSRF token in a field, and from our own origin.
 */
import express, { type Express, type Request, type Response } from 'express';
import type { Logger } from 'pino';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { cookieOf, csrfCookie } from '../auth/credentials.ts';
import { checkCsrf, checkOrigin, csrfHeader } from '../auth/csrf.ts';
import type { Caller, KeyPrincipal } from '../auth/principal.ts';
import { problems } from '../model/problems.ts';
import { callerOf, type Gate } from '../http/gate.ts';
import { refusalOf } from '../http/problem-response.ts';
import { escaped, page } from '../http/reference-page.ts';
import { Refusal } from '../model/refusal.ts';
import { securityHeaders } from '../http/security-headers.ts';
import { acceptAs } from '../members/accept-invitation.ts';
import { isBootstrapToken } from './bootstrap-token.ts';
import { decideDeviceRequest, findDeviceRequest } from '../store/device-requests.ts';
import type { Store } from '../store/store.ts';
import { cookie, openBrowserSession } from './browser-session.ts';
import { readUserCode } from './device-tokens.ts';
import { fieldOf, queryOf, requestIdOf } from './form.ts';
import { signInSeconds, type IdentityProvider } from './identity-provider.ts';

export interface PageOptions {
  readonly store: Store;
  readonly logger: Logger;
  /** `undefined`: none is configured, and there is the local administrator alone. */
  readonly provider: IdentityProvider | undefined;
  readonly bootstrapTokenFile: string | undefined;
  /** Ours; `undefined`: as each request said. */
  readonly origin: string | undefined;
}

type Person = Exclude<Caller, KeyPrincipal>;
type PageHandler = (request: Request, response: Response) => Promise<void>;

const ticketCookie = '__Host-sign-in';
/** Of one credential: codes that are guessed. */
const userCodesPerMinute = 10;

export function addPages(app: Express, gate: Gate, options: PageOptions): void {
  const form = express.urlencoded({ extended: false, limit: 16 * 1_024, parameterLimit: 20 });
  const get = (path: string, handler: PageHandler) => app.get(path, shown(options, handler));
  const post = (path: string, handler: PageHandler) =>
    app.post(path, form, shown(options, handler));
  get('/auth/login', (request, response) => beginSignIn(options, request, response));
  get('/auth/callback', (request, response) => finishSignIn(options, request, response));
  get('/auth/administrator', administratorForm);
  post('/auth/administrator', (request, response) =>
    signInAdministrator(options, gate, request, response),
  );
  const withPerson =
    (handler: (person: Person, request: Request, response: Response) => Promise<void>) =>
    async (request: Request, response: Response) => {
      const person = await personOf(gate, request);
      if (person === undefined) {
        redirect(response, `/auth/login?returnTo=${encodeURIComponent(request.url)}`);
        return;
      }
      if (request.method === 'POST') checkForm(request, person, options.origin);
      await handler(person, request, response);
    };
  const codes = new RateLimiterMemory({ points: userCodesPerMinute, duration: 60 });
  get('/auth/account', withPerson(account));
  get(
    '/device',
    withPerson((person, ...rest) => deviceForm(options, codes, person, ...rest)),
  );
  post(
    '/device',
    withPerson((person, ...rest) => decideDevice(options, codes, person, ...rest)),
  );
  get('/invitation', withPerson(invitationForm));
  post(
    '/invitation',
    withPerson((person, ...rest) => accept(options, person, ...rest)),
  );
}

async function beginSignIn(
  { provider }: PageOptions,
  request: Request,
  response: Response,
): Promise<void> {
  const returnTo = ownPath(queryOf(request).get('returnTo'));
  if (provider === undefined) {
    redirect(response, `/auth/administrator?returnTo=${encodeURIComponent(returnTo)}`);
    return;
  }
  const { url, ticket } = await provider.begin(returnTo);
  response.append('Set-Cookie', `${cookie(ticketCookie, ticket, signInSeconds)}; HttpOnly`);
  redirect(response, url.href);
}

async function finishSignIn(
  { provider, store }: PageOptions,
  request: Request,
  response: Response,
): Promise<void> {
  if (provider === undefined) {
    throw new Refusal('not_found', { detail: 'No identity provider is configured.' });
  }
  const { search } = new URL(request.url, 'http://localhost');
  const ticket = cookieOf(request.headers.cookie, ticketCookie);
  // Good for one try, whatever comes of it.
  response.append('Set-Cookie', `${cookie(ticketCookie, '', 0)}; HttpOnly`);
  const { identity, returnTo } = await provider.finish(search, ticket);
  const { cookies } = await openBrowserSession(store, identity, fromOf(request, response));
  for (const one of cookies) response.append('Set-Cookie', one);
  redirect(response, returnTo);
}

async function administratorForm(request: Request, response: Response): Promise<void> {
  const returnTo = ownPath(queryOf(request).get('returnTo'));
  show(
    response,
    'Local administrator',
    `<p>The bootstrap token is in a Secret of the installation.</p>
<form method="post" action="/auth/administrator"><input type="hidden" name="returnTo" value="${escaped(returnTo)}">
<p><label>Bootstrap token <input type="password" name="token" autocomplete="off" required></label> <button>Sign in</button></p></form>`,
  );
}

async function signInAdministrator(
  { store, logger, bootstrapTokenFile, origin }: PageOptions,
  gate: Gate,
  request: Request,
  response: Response,
): Promise<void> {
  await gate.admitSecret(request);
  checkOrigin(request.headers, origin);
  const token = fieldOf(request, 'token') ?? '';
  if (!(await isBootstrapToken(bootstrapTokenFile, token, logger))) {
    const refusal = new Refusal('invalid_credentials', {
      detail: 'This is not the bootstrap token. The installation keeps it in a Secret.',
    });
    await gate.countIfWrong(request.ip ?? '', refusal);
    throw refusal;
  }
  const { cookies } = await openBrowserSession(store, null, fromOf(request, response));
  for (const one of cookies) response.append('Set-Cookie', one);
  redirect(response, ownPath(fieldOf(request, 'returnTo')));
}

async function account(person: Person, _request: Request, response: Response): Promise<void> {
  const address = person.user?.email ?? '';
  const where = person.organization?.name ?? 'no organization yet';
  show(
    response,
    'Signed in',
    `<p>You are <b>${escaped(person.name)}</b> ${escaped(address)}, in ${escaped(where)}.</p>`,
  );
}

async function deviceForm(
  { store }: PageOptions,
  codes: RateLimiterMemory,
  person: Person,
  request: Request,
  response: Response,
): Promise<void> {
  const given = queryOf(request).get('user_code');
  if (given === null) {
    show(
      response,
      'Let a device in',
      `<form action="/device"><p><label>Code that the device shows <input name="user_code" autocomplete="off" required></label> <button>Go on</button></p></form>`,
    );
    return;
  }
  await countCode(codes, person);
  const found = await findDeviceRequest(store.read, readUserCode(given));
  if (found === undefined) throw noSuchCode();
  show(
    response,
    'Let this device in?',
    `<p>It will act as <b>${escaped(person.name)}</b>. Go on only if <b>you</b> began this, and your device shows the code <b>${escaped(found.userCode)}</b>.</p>
<p>Asked from ${escaped(found.ip ?? 'an unknown address')} by ${escaped(found.userAgent ?? 'an unknown program')}, at ${found.createdAt.toISOString()}.</p>
<form method="post" action="/device">${csrfField(request)}<input type="hidden" name="user_code" value="${escaped(found.userCode)}">
<button name="decision" value="approved">Let it in</button> <button name="decision" value="denied">Refuse</button></form>`,
  );
}

async function decideDevice(
  { store }: PageOptions,
  codes: RateLimiterMemory,
  person: Person,
  request: Request,
  response: Response,
): Promise<void> {
  await countCode(codes, person);
  const decision = fieldOf(request, 'decision') === 'approved' ? 'approved' : 'denied';
  const userCode = readUserCode(fieldOf(request, 'user_code') ?? '');
  const done = await decideDeviceRequest(store.read, userCode, decision, person.user?.id ?? null);
  if (!done) throw noSuchCode();
  const text = decision === 'approved' ? 'The device is in.' : 'The device was refused.';
  show(response, text, '<p>You can close this page.</p>');
}

async function invitationForm(person: Person, request: Request, response: Response): Promise<void> {
  const token = queryOf(request).get('token') ?? '';
  show(
    response,
    'Accept the invitation?',
    `<p>You are <b>${escaped(person.name)}</b> ${escaped(person.user?.email ?? '')}.</p>
<form method="post" action="/invitation">${csrfField(request)}<input type="hidden" name="token" value="${escaped(token)}"><button>Accept</button></form>`,
  );
}

async function accept(
  { store }: PageOptions,
  person: Person,
  request: Request,
  response: Response,
): Promise<void> {
  const author = { ...fromOf(request, response), actor: person.actor };
  await acceptAs(store, person.user, author, fieldOf(request, 'token') ?? '');
  show(response, 'You are a member', '<p>The invitation is accepted.</p>');
}

/** Whoever's session the cookie is; `undefined`: nobody's. */
async function personOf(gate: Gate, request: Request): Promise<Person | undefined> {
  try {
    const caller = await gate.identify(request);
    return caller.type === 'session' ? caller : undefined;
  } catch (error) {
    const wrong = error instanceof Refusal && problems[error.code].status === 401;
    if (wrong) return undefined;
    throw error;
  }
}

function checkForm(request: Request, { csrfHash }: Person, origin: string | undefined): void {
  const headers = { ...request.headers, [csrfHeader]: fieldOf(request, 'csrf') };
  if (csrfHash !== null) checkCsrf(headers, csrfHash, origin);
}

const csrfField = (request: Request): string =>
  `<input type="hidden" name="csrf" value="${escaped(cookieOf(request.headers.cookie, csrfCookie) ?? '')}">`;

async function countCode(codes: RateLimiterMemory, { credentialId }: Person): Promise<void> {
  try {
    await codes.consume(credentialId);
  } catch {
    throw new Refusal('rate_limited', {
      detail: `More than ${userCodesPerMinute} codes in a minute.`,
      retryAfterSeconds: 60,
    });
  }
}

const noSuchCode = (): Refusal =>
  new Refusal('sign_in_failed', {
    detail: 'No device waits with this code; it may be too old. Begin again on the device.',
  });

/** A path of ours, never another site: `//host` and backslashes are read as one by browsers. */
export function ownPath(given: string | null | undefined): string {
  const base = 'http://localhost';
  const fallback = '/auth/account';
  if (given?.startsWith('/') !== true || !URL.canParse(given, base)) return fallback;
  const { origin, pathname, search } = new URL(given, base);
  return origin === base && !pathname.startsWith('//') ? `${pathname}${search}` : fallback;
}

function redirect(response: Response, to: string): void {
  response.status(303).set({ 'Cache-Control': 'no-store', Location: to });
  response.end();
}

const pageHeaders = {
  ...securityHeaders,
  'Content-Security-Policy':
    "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'Cache-Control': 'no-store, no-transform',
  'Content-Type': 'text/html; charset=utf-8',
};

function show(response: Response, title: string, content: string, status = 200): void {
  response.status(status).set(pageHeaders);
  response.end(page(title, `<main><h1>${escaped(title)}</h1>${content}</main>`));
}

/** Refusals are problems for programs and pages for people; both say what to do. */
const shown =
  ({ logger }: PageOptions, handler: PageHandler) =>
  async (request: Request, response: Response): Promise<void> => {
    try {
      await handler(request, response);
    } catch (error) {
      const refusal = refusalOf(error);
      const requestId = requestIdOf(response);
      if (refusal?.code.startsWith('sign_in_') || refusal?.code.startsWith('identity_provider_')) {
        const { code, occasion } = refusal;
        logger.warn({ err: occasion.cause, code, requestId }, 'a sign-in did not succeed');
      }
      const isPerson = request.accepts(['json', 'html']) === 'html';
      if (refusal === undefined || !isPerson || problems[refusal.code].status === 500) throw error;
      const { title, status } = problems[refusal.code];
      const content = `<p>${escaped(refusal.occasion.detail)}</p><p><code>${refusal.code}</code> · request <code>${escaped(requestId)}</code></p><p><a href="/auth/login">Sign in</a></p>`;
      show(response, title, content, status);
    }
  };

const fromOf = (request: Request, response: Response) => {
  const { ip, userAgent } = callerOf(request);
  return { ip, userAgent, requestId: requestIdOf(response) };
};
