/**
 * `/oauth/device_authorization` and `/oauth/token` (RFC 8628, RFC 6749). Refusals have the two properties that OAuth requires,
 * and those of a problem too.
 */
import type { Express, Request, Response } from 'express';
import { problems } from '../model/problems.ts';
import { limitAddress } from '../http/address-limit.ts';
import { callerOf } from '../http/gate.ts';
import { Windows } from '../http/windows.ts';
import {
  beginDeviceRequest,
  redeemDeviceCode,
  refreshTokens,
  type IssuedTokens,
  type OAuthError,
  type TokenServices,
} from './device-tokens.ts';
import { fieldOf, readForm, requestIdOf } from './form.ts';

interface OAuthOptions extends TokenServices {
  /** Public address of the service; empty: take it from the request. */
  readonly publicUrl: string;
}

/** Public: the client ID alone gives no access. */
const cliClientId = 'ledgerhouse-cli';
const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';
/** For each address. Each start leaves a row in the store for ten minutes. */
const beginningsPerMinute = 20;
const tokensPerMinute = 120;

const advice: Readonly<Record<OAuthError, string>> = {
  invalid_request: 'A parameter is missing. RFC 8628 and RFC 6749 list the required ones.',
  invalid_client: `The client_id must be ${cliClientId}.`,
  invalid_grant: 'The refresh token is not valid or was used before. Sign in again.',
  unsupported_grant_type: `The grant_type must be ${deviceGrant} or refresh_token.`,
  authorization_pending: 'The request is not approved yet. Ask again after the interval.',
  slow_down: 'Ask less often: wait five more seconds between two requests.',
  access_denied: 'The person refused the device.',
  expired_token: 'The code has expired or was used. Begin again.',
};

export function addOAuthEndpoints(app: Express, options: OAuthOptions): void {
  const { store, publicUrl } = options;
  const beginnings = new Windows(beginningsPerMinute, 60);
  const tokens = new Windows(tokensPerMinute, 60);
  app.post('/oauth/device_authorization', readForm(), async (request, response) => {
    limitAddress(beginnings, request);
    if (fieldOf(request, 'client_id') !== cliClientId) {
      refuse(request, response, 'invalid_client');
      return;
    }
    const base = publicUrl === '' ? `${request.protocol}://${request.headers.host}` : publicUrl;
    answer(response, 200, await beginDeviceRequest(store, base, fromOf(request, response)));
  });
  app.post('/oauth/token', readForm(), async (request, response) => {
    limitAddress(tokens, request);
    const outcome = await redeem(options, request, response);
    if (typeof outcome === 'string') refuse(request, response, outcome);
    else answer(response, 200, outcome);
  });
}

async function redeem(
  services: TokenServices,
  request: Request,
  response: Response,
): Promise<IssuedTokens | OAuthError> {
  if (fieldOf(request, 'client_id') !== cliClientId) return 'invalid_client';
  const from = fromOf(request, response);
  const grant = fieldOf(request, 'grant_type');
  const [name, take] =
    grant === deviceGrant
      ? (['device_code', redeemDeviceCode] as const)
      : (['refresh_token', refreshTokens] as const);
  if (grant !== deviceGrant && grant !== 'refresh_token') {
    return grant === undefined ? 'invalid_request' : 'unsupported_grant_type';
  }
  const secret = fieldOf(request, name);
  return secret === undefined ? 'invalid_request' : take(services, secret, from);
}

function refuse(request: Request, response: Response, error: OAuthError): void {
  const { title, status, retryable } = problems.sign_in_failed;
  answer(response, status, {
    error,
    error_description: advice[error],
    title,
    status,
    detail: advice[error],
    instance: request.path,
    code: 'sign_in_failed',
    requestId: requestIdOf(response),
    retryable,
  });
}

function answer(response: Response, status: number, body: object): void {
  response.status(status).set({
    'Cache-Control': 'no-store, no-transform',
    'Content-Type': 'application/json; charset=utf-8',
  });
  response.end(JSON.stringify(body));
}

const fromOf = (request: Request, response: Response) => {
  const { ip, userAgent } = callerOf(request);
  return { ip, userAgent, requestId: requestIdOf(response) };
};
