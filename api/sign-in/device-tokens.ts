/** The device flow (RFC 8628) and its tokens: the requests of a device and their answers. */
import { randomInt } from 'node:crypto';
import { hashOf, randomDigits } from '../auth/api-key-format.ts';
import type { BootstrapToken } from '../auth/bootstrap-token.ts';
import { accessTokenPrefix } from '../auth/credentials.ts';
import type { Actor, Author } from '../model/actor.ts';
import {
  createDeviceRequest,
  deviceRequestSeconds,
  pollDeviceRequest,
  pollSeconds,
} from '../store/device-requests.ts';
import { openSession } from '../store/sessions.ts';
import type { Store } from '../store/store.ts';
import {
  accessTokenSeconds,
  issueTokens,
  refreshTokenSeconds,
  rotateTokens,
} from '../store/tokens.ts';

/** Consonants that are not mistaken for each other (RFC 8628, section 6.1). Eight of them have 34 bits. */
const userCodeLetters = 'BCDFGHJKLMNPQRSTVWXZ';
const secretLength = 40;

/** Codes of RFC 6749, section 5.2, and RFC 8628, section 3.5. */
export type OAuthError =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'unsupported_grant_type'
  | 'authorization_pending'
  | 'slow_down'
  | 'access_denied'
  | 'expired_token';

export interface IssuedTokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly token_type: 'Bearer';
  readonly expires_in: number;
}

type From = Omit<Author, 'actor'>;

export interface TokenServices {
  readonly store: Store;
  readonly bootstrapToken: BootstrapToken;
}

export async function beginDeviceRequest(store: Store, publicUrl: string, from: From) {
  const deviceCode = `lhd_${randomDigits(secretLength)}`;
  for (let tries = 0; tries < 5; tries += 1) {
    const userCode = newUserCode();
    const { ip, userAgent } = from;
    const request = { deviceCodeHash: hashOf(deviceCode), userCode, ip: ip ?? '', userAgent };
    if (await createDeviceRequest(store.read, request)) {
      const page = `${publicUrl}/device`;
      return {
        device_code: deviceCode,
        user_code: userCode,
        verification_uri: page,
        verification_uri_complete: `${page}?user_code=${userCode}`,
        expires_in: deviceRequestSeconds,
        interval: pollSeconds,
      };
    }
  }
  throw new Error('no user code was free');
}

/** Converts a code from the form that people type to the stored form. */
export function readUserCode(text: string): string {
  const letters = text.toUpperCase().replaceAll(/[^A-Z]/g, '');
  return `${letters.slice(0, 4)}-${letters.slice(4, 8)}`;
}

function newUserCode(): string {
  const letters = Array.from({ length: 8 }, () =>
    userCodeLetters.charAt(randomInt(userCodeLetters.length)),
  );
  return readUserCode(letters.join(''));
}

const polls = {
  pending: 'authorization_pending',
  slow_down: 'slow_down',
  denied: 'access_denied',
  unknown: 'expired_token',
} as const satisfies Record<string, OAuthError>;

const device: Actor = { type: 'system', id: null, display: 'device sign-in' };

export async function redeemDeviceCode(
  { store, bootstrapToken }: TokenServices,
  deviceCode: string,
  from: From,
): Promise<IssuedTokens | OAuthError> {
  const tokens = newTokens();
  const macs = await bootstrapToken.macs();
  return store.change({ ...from, actor: device }, async (change) => {
    const poll = await pollDeviceRequest(change, hashOf(deviceCode));
    if (poll.kind !== 'approved') return polls[poll.kind];
    const { holder } = poll;
    // The administrator who approved it had a token that is no longer the installation's.
    const isOver = holder.user === null && !macs.some((mac) => mac.equals(holder.bootstrapMac));
    if (isOver) return 'access_denied';
    const session = await openSession(change, {
      ...holder,
      kind: 'device',
      tokenHash: null,
      csrfHash: null,
      lifetimeMs: refreshTokenSeconds * 1_000,
    });
    await issueTokens(change, session.id, hashesOf(tokens));
    return tokens;
  });
}

export async function refreshTokens(
  { store, bootstrapToken }: TokenServices,
  refreshToken: string,
  from: From,
): Promise<IssuedTokens | OAuthError> {
  const tokens = newTokens();
  const macs = await bootstrapToken.macs();
  // The error is not thrown within the change: the end of the session that a reused token caused must be committed.
  const rotated = await store.change({ ...from, actor: device }, (change) =>
    rotateTokens(change, hashOf(refreshToken), hashesOf(tokens), macs),
  );
  return rotated ? tokens : 'invalid_grant';
}

const newTokens = (): IssuedTokens => ({
  access_token: `${accessTokenPrefix}${randomDigits(secretLength)}`,
  refresh_token: `lhr_${randomDigits(secretLength)}`,
  token_type: 'Bearer',
  expires_in: accessTokenSeconds,
});

const hashesOf = ({ access_token: access, refresh_token: refresh }: IssuedTokens) => ({
  access: hashOf(access),
  refresh: hashOf(refresh),
});
