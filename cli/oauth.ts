/** The client side of the device flow (RFC 8628) and its tokens. */
import { startDeadline } from '../base/deadline.ts';
import type { Timers } from '../base/timers.ts';
import { CliFailure } from './failure.ts';
import { ExitCode } from './exit-code.ts';

export interface OAuthOptions {
  /** URL of the service, without a slash at its end. */
  readonly baseUrl: string;
  readonly timers: Timers;
  readonly fetch: typeof fetch;
  readonly userAgent: string;
}

export interface DeviceRequest {
  readonly device_code: string;
  readonly user_code: string;
  readonly verification_uri: string;
  readonly verification_uri_complete: string;
  readonly expires_in: number;
  readonly interval: number;
}

export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly expires_in: number;
}

/** A refusal of the service, with its OAuth code. */
interface OAuthRefusal {
  readonly error: string;
  readonly error_description: string;
}

const clientId = 'ledgerhouse-cli';
const timeoutMs = 15_000;

export const isRefusal = (answer: object): answer is OAuthRefusal => 'error' in answer;

export const beginDevice = (options: OAuthOptions): Promise<DeviceRequest | OAuthRefusal> =>
  ask<DeviceRequest>(options, '/oauth/device_authorization', {});

export const redeemDevice = (
  options: OAuthOptions,
  deviceCode: string,
): Promise<Tokens | OAuthRefusal> =>
  ask<Tokens>(options, '/oauth/token', {
    grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
    device_code: deviceCode,
  });

export const refresh = (
  options: OAuthOptions,
  refreshToken: string,
): Promise<Tokens | OAuthRefusal> =>
  ask<Tokens>(options, '/oauth/token', {
    grant_type: 'refresh_token',
    refresh_token: refreshToken,
  });

async function ask<T extends object>(
  { baseUrl, timers, fetch, userAgent }: OAuthOptions,
  path: string,
  form: Readonly<Record<string, string>>,
): Promise<T | OAuthRefusal> {
  const deadline = startDeadline(timers, timeoutMs);
  let status: number;
  let text: string;
  try {
    const answer = await fetch(`${baseUrl}${path}`, {
      method: 'POST',
      headers: { accept: 'application/json', 'user-agent': userAgent },
      body: new URLSearchParams({ client_id: clientId, ...form }),
      redirect: 'manual',
      signal: deadline.signal,
    });
    ({ status } = answer);
    text = await answer.text();
  } catch {
    throw unusable(`${baseUrl} does not answer`);
  } finally {
    deadline.clear();
  }
  const body = documentOf(text);
  if (status === 200 && typeof body['access_token'] === 'string') return body as T;
  if (status === 200 && typeof body['device_code'] === 'string') return body as T;
  const { error, error_description: description = '' } = body;
  if (status === 400 && typeof error === 'string') {
    return { error, error_description: String(description) };
  }
  const { detail } = body;
  throw unusable(typeof detail === 'string' ? detail : `${baseUrl} answered ${status} to ${path}`);
}

function documentOf(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

const unusable = (detail: string): CliFailure =>
  new CliFailure({
    exitCode: ExitCode.General,
    code: 'sign_in_unavailable',
    title: 'Sign-in is not possible at the moment',
    detail,
    nextSteps: ['check --base-url, and try again'],
  });
