/** The page on which a person admits a device (RFC 8628, section 3.3). */
import type { Request, Response } from 'express';
import { escaped } from '../http/page.ts';
import { Windows } from '../http/windows.ts';
import { Refusal } from '../model/refusal.ts';
import { decideDeviceRequest, findDeviceRequest } from '../store/device-requests.ts';
import type { Store } from '../store/store.ts';
import { readUserCode } from './device-tokens.ts';
import { fieldOf, queryOf } from './form.ts';
import { csrfField, facts, show, type Person } from './page-frame.ts';

/** Codes that one session may try in a minute; the limit prevents guessing. */
const userCodesPerMinute = 10;

export class DevicePage {
  readonly #store: Store;
  readonly #codes = new Windows(userCodesPerMinute, 60);

  constructor(store: Store) {
    this.#store = store;
  }

  async form(person: Person, request: Request, response: Response): Promise<void> {
    const given = queryOf(request).get('user_code');
    if (given === null) {
      show(
        response,
        'Approve a device',
        `<form action="/device"><label for="code">Code that the device shows</label>
<input id="code" name="user_code" autocomplete="off" autocapitalize="characters" required autofocus><p class="buttons"><button>Go on</button></p></form>`,
      );
      return;
    }
    this.#count(person);
    const found = await findDeviceRequest(this.#store.read, readUserCode(given));
    if (found === undefined) throw noSuchCode();
    const asked = {
      'Acts as': person.name,
      'Requested from': found.ip ?? 'an unknown address',
      Program: found.userAgent ?? 'an unknown program',
      'Asked at': found.createdAt.toISOString(),
    };
    show(
      response,
      'Approve this device?',
      `<p>Go on only if <b>you</b> began this, and your device shows this code:</p><p class="code">${escaped(found.userCode)}</p>${facts(asked)}
<form method="post" action="/device">${csrfField(request)}<input type="hidden" name="user_code" value="${escaped(found.userCode)}">
<p class="buttons"><button name="decision" value="approved">Approve</button><button class="second" name="decision" value="denied">Refuse</button></p></form>`,
    );
  }

  async decide(person: Person, request: Request, response: Response): Promise<void> {
    this.#count(person);
    const decision = fieldOf(request, 'decision') === 'approved' ? 'approved' : 'denied';
    const userCode = readUserCode(fieldOf(request, 'user_code') ?? '');
    const by = { userId: person.user?.id ?? null, sessionId: person.credentialId };
    const done = await decideDeviceRequest(this.#store.read, userCode, decision, by);
    if (!done) throw noSuchCode();
    const text = decision === 'approved' ? 'The device was approved' : 'The device was refused';
    show(response, text, '<p>You can close this page.</p>');
  }

  #count({ credentialId }: Person): void {
    if (this.#codes.take(credentialId).within) return;
    throw new Refusal('rate_limited', {
      detail: `You tried more than ${userCodesPerMinute} codes in a minute. Wait a minute and try again.`,
      retryAfterSeconds: 60,
    });
  }
}

const noSuchCode = (): Refusal =>
  new Refusal('sign_in_failed', {
    detail: 'No device waits with this code. It may have expired; begin again on the device.',
  });
