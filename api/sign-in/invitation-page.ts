/** The page on which a person accepts an invitation that came by mail. */
import type { Request, Response } from 'express';
import { escaped } from '../http/page.ts';
import { acceptAs } from '../members/accept-invitation.ts';
import type { Store } from '../store/store.ts';
import { fieldOf, queryOf } from './form.ts';
import { csrfField, fromOf, show, type Person } from './page-frame.ts';

export async function invitationForm(
  person: Person,
  request: Request,
  response: Response,
): Promise<void> {
  const token = queryOf(request).get('token') ?? '';
  const address = person.user?.email ?? null;
  const who = `<b>${escaped(person.name)}</b>${address === null ? '' : ` (${escaped(address)})`}`;
  show(
    response,
    'Accept the invitation?',
    `<p>You are signed in as ${who}. An invitation is for the address that it was sent to.</p>
<form method="post" action="/invitation">${csrfField(request)}<input type="hidden" name="token" value="${escaped(token)}"><p class="buttons"><button>Accept</button></p></form>`,
  );
}

export async function acceptInvitation(
  store: Store,
  person: Person,
  request: Request,
  response: Response,
): Promise<void> {
  const author = { ...fromOf(request, response), actor: person.actor };
  const token = fieldOf(request, 'token') ?? '';
  await store.change(author, (change) => acceptAs(change, person.user, token));
  show(
    response,
    'You are a member',
    '<p>The invitation is accepted.</p><p><a href="/auth/account">Your account</a></p>',
  );
}
