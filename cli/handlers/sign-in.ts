import { sleep } from '../../base/timers.ts';
import type { Handler } from '../command.ts';
import type { Context } from '../context.ts';
import { ExitCode } from '../exit-code.ts';
import { CliFailure, usageFailure } from '../failure.ts';
import { Exchange } from '../http/exchange.ts';
import { contractRequest, execute, receive } from '../http/contract.ts';
import type { Input } from '../input.ts';
import {
  beginDevice,
  isRefusal,
  redeemDevice,
  type DeviceRequest,
  type OAuthOptions,
  type Tokens,
} from '../oauth.ts';
import { printable } from '../output/printable.ts';
import { readProfiles } from '../profiles.ts';
import { profileNameOf, resolveBaseUrl } from '../settings.ts';
import { freshAccessToken, keepSignIn, signInOf } from '../sign-in.ts';

export const login: Handler = async (context, input) => {
  const { environment, output, timers } = context;
  const name = profileNameOf(input, environment);
  const baseUrl = resolveBaseUrl(input, environment, name);
  const options = oauthOptions(context, baseUrl);
  const request = await beginDevice(options);
  if (isRefusal(request)) throw refused(request.error_description);
  output.warn(`open ${printable(request.verification_uri_complete)}`);
  output.warn(`and approve the code ${printable(request.user_code)}; waiting …`);
  const tokens = await untilDecided(context, options, request);
  keepSignIn(environment.configFile, name, signInOf(baseUrl, tokens, timers.wallMs()));
  const { document } = await receive(
    exchangeAs(context, input, baseUrl, tokens.access_token),
    contractRequest('get', '/api/v1/session'),
  );
  const { user, organization } = document;
  const where = organization === null ? 'no organization yet' : organization.name;
  if (input.has('json')) output.result(`${JSON.stringify(document, undefined, 2)}\n`);
  else output.result(`${printable(user?.display ?? '')}, ${printable(where)} (profile ${name})\n`);
  if (environment.apiKey !== undefined) {
    output.warn('warning: LEDGERHOUSE_API_KEY is set and is used instead of this sign-in');
  }
  return ExitCode.Ok;
};

export const logout: Handler = async (context, input) => {
  const { environment, output } = context;
  const name = profileNameOf(input, environment);
  const signIn = readProfiles(environment.configFile).profiles[name]?.signIn;
  if (signIn === undefined) {
    throw usageFailure(`nobody is signed in with the profile "${name}"`, 'ledgerhouse login');
  }
  const { baseUrl } = signIn;
  try {
    const { configFile } = environment;
    const token = await freshAccessToken(configFile, name, signIn, oauthOptions(context, baseUrl));
    const request = contractRequest('delete', '/api/v1/session');
    await execute(exchangeAs(context, input, baseUrl, token), request);
  } catch (error) {
    // A session that has already ended need not be ended.
    const isOver = error instanceof CliFailure && error.fields.exitCode === ExitCode.Authentication;
    if (!isOver) throw error;
  }
  keepSignIn(environment.configFile, name, undefined);
  output.note(`signed out of ${baseUrl} (profile ${name})`);
  return ExitCode.Ok;
};

async function untilDecided(
  { timers }: Context,
  options: OAuthOptions,
  request: DeviceRequest,
): Promise<Tokens> {
  const untilMs = timers.nowMs() + request.expires_in * 1_000;
  let intervalMs = request.interval * 1_000;
  while (timers.nowMs() < untilMs) {
    await sleep(timers, intervalMs);
    const answer = await redeemDevice(options, request.device_code);
    if (!isRefusal(answer)) return answer;
    if (answer.error === 'slow_down') intervalMs += 5_000;
    else if (answer.error !== 'authorization_pending') throw refused(answer.error_description);
  }
  throw refused('nobody approved the code in time');
}

const oauthOptions = ({ timers, version }: Context, baseUrl: string): OAuthOptions => ({
  baseUrl,
  timers,
  fetch,
  userAgent: `ledgerhouse-cli/${version}`,
});

const exchangeAs = (
  { output, timers, version }: Context,
  input: Input,
  baseUrl: string,
  accessToken: string,
): Exchange => {
  const settings = { baseUrl, apiKey: accessToken, organization: undefined, warnings: [] };
  return new Exchange({
    settings,
    freshSettings: () => Promise.resolve(settings),
    output,
    timers,
    version,
    random: Math.random,
    fetch,
    retry: !input.has('no-retry'),
  });
};

const refused = (detail: string): CliFailure =>
  new CliFailure({
    exitCode: ExitCode.Authentication,
    code: 'sign_in_failed',
    title: 'The sign-in did not succeed',
    detail: printable(detail),
    nextSteps: ['ledgerhouse login'],
  });
