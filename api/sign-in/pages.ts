/**
 * Pages for people, without a script: signing in and out, admitting a device, accepting an invitation. A form must carry the
 * session's CSRF token in a field and come from our own origin.
 */
import type { Express, Request, Response } from 'express';
import { cookieOf } from '../auth/credentials.ts';
import { checkCsrf, csrfHeader } from '../auth/csrf.ts';
import { problems } from '../model/problems.ts';
import { callerOf, type Gate } from '../http/gate.ts';
import { Refusal } from '../model/refusal.ts';
import { securityHeaders } from '../http/security-headers.ts';
import { endSession } from '../store/sessions.ts';
import { administratorForm, signInAdministrator } from './administrator-page.ts';
import { closedSessionCookies, cookie, signInPerson } from './browser-session.ts';
import { DevicePage } from './device-page.ts';
import { fieldOf, queryOf, readForm } from './form.ts';
import { signInSeconds } from './identity-provider.ts';
import { acceptInvitation, invitationForm } from './invitation-page.ts';
import { ownPath } from './own-path.ts';
import {
  csrfField,
  facts,
  fromOf,
  redirect,
  show,
  shown,
  type PageHandler,
  type PageOptions,
  type Person,
} from './page-frame.ts';
import { pageStyle, pageStylePath } from './page-style.ts';

type PersonsHandler = (person: Person, request: Request, response: Response) => Promise<void>;

const ticketCookie = '__Host-sign-in';

export function addPages(app: Express, gate: Gate, options: PageOptions): void {
  const get = (path: string, handler: PageHandler) => app.get(path, shown(options, handler));
  const post = (path: string, handler: PageHandler) =>
    app.post(path, readForm(), shown(options, handler));
  const withPerson = (handler: PersonsHandler) => forPeople(gate, options, handler);
  const device = new DevicePage(options.store);
  app.get(pageStylePath, (_request, response) => sendStyle(response));
  get('/auth/login', (request, response) => beginSignIn(options, request, response));
  get('/auth/callback', (request, response) => finishSignIn(options, request, response));
  get('/auth/administrator', administratorForm);
  post('/auth/administrator', (request, response) =>
    signInAdministrator(options, gate, request, response),
  );
  get('/auth/account', withPerson(account));
  post(
    '/auth/logout',
    withPerson((person, ...rest) => signOut(options, person, ...rest)),
  );
  get(
    '/device',
    withPerson((...all) => device.form(...all)),
  );
  post(
    '/device',
    withPerson((...all) => device.decide(...all)),
  );
  get('/invitation', withPerson(invitationForm));
  post(
    '/invitation',
    withPerson((...all) => acceptInvitation(options.store, ...all)),
  );
}

/** Sends a person without a session to sign in, and checks that a form is ours. */
const forPeople =
  (gate: Gate, { origin }: PageOptions, handler: PersonsHandler): PageHandler =>
  async (request, response) => {
    const person = await personOf(gate, request);
    if (person !== undefined) {
      if (request.method === 'POST') checkForm(request, person, origin);
      await handler(person, request, response);
      return;
    }
    if (request.method === 'GET') {
      redirect(response, `/auth/login?returnTo=${encodeURIComponent(request.url)}`);
      return;
    }
    // No redirect here: the content security policy of the form's page allows no other site, such as the identity provider.
    show(
      response,
      'Your session has ended',
      '<p>Nothing was changed. Sign in, and begin again.</p><p><a href="/auth/login">Sign in</a></p>',
      401,
    );
  };

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
  // The browser has the ticket for one try. A copy of it is worth nothing once the session is open.
  response.append('Set-Cookie', `${cookie(ticketCookie, '', 0)}; HttpOnly`);
  const finished = await provider.finish(search, ticket);
  const { cookies } = await signInPerson(store, finished, fromOf(request, response));
  for (const one of cookies) response.append('Set-Cookie', one);
  redirect(response, finished.returnTo);
}

async function account(person: Person, request: Request, response: Response): Promise<void> {
  const { user, organization, role, expiresAt } = person;
  const rows = {
    Name: person.name,
    ...(typeof user?.email === 'string' && { Address: user.email }),
    Organization: organization?.name ?? 'none; ask an owner for an invitation',
    ...(role !== null && { Role: role }),
    ...(expiresAt !== null && { 'Signed in until': expiresAt.toISOString() }),
  };
  const out = `<form method="post" action="/auth/logout">${csrfField(request)}<p class="buttons"><button class="second">Sign out</button></p></form>`;
  show(response, 'Signed in', `${facts(rows)}${out}`);
}

async function signOut(
  { store }: PageOptions,
  { actor, credentialId }: Person,
  request: Request,
  response: Response,
): Promise<void> {
  const author = { ...fromOf(request, response), actor };
  await store.change(author, (change) => endSession(change, credentialId));
  for (const one of closedSessionCookies) response.append('Set-Cookie', one);
  show(response, 'Signed out', '<p><a href="/auth/login">Sign in again</a></p>');
}

/** The person of the cookie's session; `undefined` if there is none. */
async function personOf(gate: Gate, request: Request): Promise<Person | undefined> {
  try {
    const caller = await gate.identify(request, callerOf(request));
    return caller.type === 'session' ? caller : undefined;
  } catch (error) {
    const isWrong = error instanceof Refusal && problems[error.code].status === 401;
    if (isWrong) return undefined;
    throw error;
  }
}

function checkForm(request: Request, { csrfHash }: Person, origin: string | undefined): void {
  const headers = { ...request.headers, [csrfHeader]: fieldOf(request, 'csrf') };
  if (csrfHash !== null) checkCsrf(headers, csrfHash, origin);
}

function sendStyle(response: Response): void {
  response.set({
    ...securityHeaders,
    'Cache-Control': 'public, max-age=300',
    'Content-Type': 'text/css; charset=utf-8',
  });
  response.end(pageStyle);
}
