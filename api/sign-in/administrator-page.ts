/** The page on which the holder of the bootstrap token signs in as the local administrator. */
import type { Request, Response } from 'express';
import { checkOrigin } from '../auth/csrf.ts';
import type { Gate } from '../http/gate.ts';
import { escaped } from '../http/page.ts';
import { localAdministrator } from '../model/actor.ts';
import { Refusal } from '../model/refusal.ts';
import { openBrowserSession } from './browser-session.ts';
import { fieldOf, queryOf } from './form.ts';
import { ownPath } from './own-path.ts';
import { fromOf, redirect, show, type PageOptions } from './page-frame.ts';

export async function administratorForm(request: Request, response: Response): Promise<void> {
  showForm(response, ownPath(queryOf(request).get('returnTo')));
}

export async function signInAdministrator(
  { store, bootstrapToken, origin }: PageOptions,
  gate: Gate,
  request: Request,
  response: Response,
): Promise<void> {
  gate.admitSecret(request.ip ?? '');
  checkOrigin(request.headers, origin);
  const token = fieldOf(request, 'token') ?? '';
  const returnTo = ownPath(fieldOf(request, 'returnTo'));
  const bootstrapMac = await bootstrapToken.macOf(token);
  if (bootstrapMac === undefined) {
    const refusal = new Refusal('invalid_credentials', {
      detail: 'The token is wrong. The Secret of the bootstrap token has the right one.',
    });
    gate.countIfWrong(request.ip ?? '', refusal);
    if (request.accepts(['json', 'html']) !== 'html') throw refusal;
    showForm(response, returnTo, refusal.occasion.detail);
    return;
  }
  const author = { ...fromOf(request, response), actor: localAdministrator };
  const { cookies } = await store.change(author, (change) =>
    openBrowserSession(change, { user: null, bootstrapMac }),
  );
  for (const one of cookies) response.append('Set-Cookie', one);
  redirect(response, returnTo);
}

/** `wrong`: the fault of the token that was sent before. */
function showForm(response: Response, returnTo: string, wrong?: string): void {
  const told = wrong === undefined ? '' : `<p class="bad" role="alert">${escaped(wrong)}</p>`;
  show(
    response,
    'Local administrator',
    `<p>Sign in with the bootstrap token. It is in a Secret of the installation.</p>${told}
<form method="post" action="/auth/administrator"><input type="hidden" name="returnTo" value="${escaped(returnTo)}">
<label for="token">Bootstrap token</label><input id="token" type="password" name="token" autocomplete="off" required autofocus>
<p class="buttons"><button>Sign in</button></p></form>`,
    wrong === undefined ? 200 : 401,
  );
}
