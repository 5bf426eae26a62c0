/**
 * Signing in with the company's identity provider: OpenID Connect Core 1.0, authorization code with PKCE (RFC 7636). The ID
 * token's signature, issuer, audience, nonce and times are checked each time; keys are fetched for each sign-in, so that a
 * provider may rotate them at any moment.
 */
import * as openid from 'openid-client';
import { z } from 'zod';
import { systemTimers } from '../../base/timers.ts';
import { Refusal } from '../model/refusal.ts';
import type { Sealer } from '../store/sealing.ts';
import type { Identity } from '../store/users.ts';

export interface ProviderSettings {
  readonly issuer: string;
  readonly clientId: string;
  /** Undefined for a public client, which PKCE alone protects. */
  readonly clientSecret: string | undefined;
}

/** A finished sign-in at the provider. */
export interface Finished {
  readonly identity: Identity;
  readonly returnTo: string;
  /** Identifies this sign-in; the session is opened once for it. */
  readonly state: string;
}

interface Beginning {
  /** Address at the provider to which the browser is sent. */
  readonly url: URL;
  /** The sign-in's secrets, sealed; the browser must return it. */
  readonly ticket: string;
}

const ticketSchema = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  returnTo: z.string(),
  untilMs: z.number(),
});

/** Maximum time for a person at the provider. */
export const signInSeconds = 600;
const metadataMs = 10 * 60_000;
const requestSeconds = 10;
const skewSeconds = 30;
const scope = 'openid email profile';

export class IdentityProvider {
  readonly #settings: ProviderSettings;
  readonly #sealer: Sealer;
  readonly #redirectUri: string;
  #metadata: { readonly server: openid.ServerMetadata; readonly untilMs: number } | undefined;

  /** `publicUrl`: address at which browsers reach this service, without a path. */
  constructor(settings: ProviderSettings, sealer: Sealer, publicUrl: string) {
    this.#settings = settings;
    this.#sealer = sealer;
    this.#redirectUri = `${publicUrl}/auth/callback`;
  }

  /** `returnTo`: a path of this service. */
  async begin(returnTo: string): Promise<Beginning> {
    const configuration = await this.#configuration();
    const [state, nonce] = [openid.randomState(), openid.randomNonce()];
    const verifier = openid.randomPKCECodeVerifier();
    const url = openid.buildAuthorizationUrl(configuration, {
      redirect_uri: this.#redirectUri,
      scope,
      state,
      nonce,
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    const untilMs = Date.now() + signInSeconds * 1_000;
    const ticket = JSON.stringify({ state, nonce, verifier, returnTo, untilMs });
    return { url, ticket: this.#sealer.seal('sign-in', ticket).toString('base64url') };
  }

  /** `search`: the query of the callback's address, with its question mark. Throws a `Refusal` if any check fails. */
  async finish(search: string, ticket: string | undefined): Promise<Finished> {
    const { state, nonce, verifier, returnTo } = this.#open(ticket);
    const configuration = await this.#configuration();
    try {
      const tokens = await openid.authorizationCodeGrant(
        configuration,
        new URL(`${this.#redirectUri}${search}`),
        {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        },
      );
      const claims = tokens.claims();
      if (claims === undefined) throw failed('the provider sent no ID token');
      checkAge(claims.iat);
      const more = await moreClaims(configuration, tokens.access_token, claims);
      return { identity: identityOf(claims.iss, claims.sub, more), returnTo, state };
    } catch (error) {
      throw refusalOf(error);
    }
  }

  #open(ticket: string | undefined): z.output<typeof ticketSchema> {
    try {
      const text = this.#sealer.open('sign-in', Buffer.from(ticket ?? '', 'base64url'));
      const opened = ticketSchema.parse(JSON.parse(text));
      if (opened.untilMs > Date.now()) return opened;
    } catch (error) {
      throw failed(error);
    }
    throw failed('it took too long');
  }

  /** A new configuration each time: an old one would remember the provider's keys, which must be fetched again. */
  async #configuration(): Promise<openid.Configuration> {
    const { issuer, clientId, clientSecret } = this.#settings;
    const client = { [openid.clockTolerance]: skewSeconds };
    const authentication =
      clientSecret === undefined ? openid.None() : openid.ClientSecretBasic(clientSecret);
    const isPlain = issuer.startsWith('http:');
    if (this.#metadata === undefined || this.#metadata.untilMs < systemTimers.nowMs()) {
      try {
        const found = await openid.discovery(new URL(issuer), clientId, client, authentication, {
          timeout: requestSeconds,
          ...(isPlain && { execute: [openid.allowInsecureRequests] }),
        });
        this.#metadata = {
          server: found.serverMetadata(),
          untilMs: systemTimers.nowMs() + metadataMs,
        };
      } catch (error) {
        throw unavailable(error);
      }
    }
    const { server } = this.#metadata;
    const configuration = new openid.Configuration({ ...server }, clientId, client, authentication);
    configuration.timeout = requestSeconds;
    if (isPlain) openid.allowInsecureRequests(configuration);
    openid.enableNonRepudiationChecks(configuration);
    return configuration;
  }
}

/** Checks that the token was made for this sign-in: not before it began, and not in the future. */
function checkAge(issuedAt: number): void {
  const ageSeconds = Date.now() / 1_000 - issuedAt;
  if (ageSeconds >= -skewSeconds && ageSeconds <= signInSeconds + skewSeconds) return;
  throw failed(`the ID token is ${Math.round(ageSeconds)} s old: a clock goes wrong`);
}

type Claims = Readonly<Record<string, unknown>>;

/** Further claims of the person: many providers return the address only at their userinfo endpoint. */
async function moreClaims(
  configuration: openid.Configuration,
  accessToken: string,
  claims: openid.IDToken,
): Promise<Claims> {
  const has = configuration.serverMetadata().userinfo_endpoint !== undefined;
  if (claims['email'] !== undefined || !has) return claims;
  return { ...claims, ...(await openid.fetchUserInfo(configuration, accessToken, claims.sub)) };
}

function identityOf(issuer: string, subject: string, claims: Claims): Identity {
  const text = (name: string): string | null => {
    const value = claims[name];
    return typeof value === 'string' && value.trim() !== '' ? value.trim().slice(0, 254) : null;
  };
  const email = text('email');
  return {
    issuer,
    subject,
    email,
    // Some providers send it as text.
    emailVerified: email !== null && String(claims['email_verified']) === 'true',
    name: text('name') ?? text('preferred_username') ?? email ?? 'somebody',
  };
}

/** The refusal for an error: invalid answers of the provider or the browser are refused; a silent provider is `unavailable`. */
const refusalOf = (error: unknown): Refusal =>
  error instanceof Refusal ? error : isSilence(error) ? unavailable(error) : failed(error);

/** True if the error or one of its causes is a failed connection, a timeout, or an answer that the provider cannot serve now. */
function isSilence(error: unknown): boolean {
  let link: unknown = error;
  for (let depth = 0; depth < 6 && typeof link === 'object' && link !== null; depth += 1) {
    const { name, code, status, cause } = link as Readonly<Record<string, unknown>>;
    if (name === 'TimeoutError' || code === 'OAUTH_TIMEOUT') return true;
    if (typeof code === 'string' && /^(E[A-Z_]+|UND_ERR_\w+)$/.test(code)) return true;
    if (typeof status === 'number' && status >= 500) return true;
    link = cause;
  }
  return false;
}

export const failed = (cause: unknown): Refusal =>
  new Refusal('sign_in_failed', {
    detail: 'The sign-in did not succeed, or took longer than ten minutes. Begin it again.',
    cause,
  });

const unavailable = (cause: unknown): Refusal =>
  new Refusal('identity_provider_unavailable', {
    detail: 'The identity provider does not answer. Try again in a minute.',
    retryAfterSeconds: 10,
    cause,
  });
