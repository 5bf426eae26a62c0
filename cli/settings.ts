/** Selects the service and the key: from flags, then the environment, then the profile. */
import type { Environment } from './config.ts';
import { CliFailure, usageFailure } from './failure.ts';
import { ExitCode } from './exit-code.ts';
import type { Input } from './input.ts';
import { isReadByOthers, readProfiles, type Profile, type SignIn } from './profiles.ts';

/** The default service: the contract's production server. */
export const productionUrl = 'https://ledgerhouse.example.com';

export interface Settings {
  /** URL without a slash at its end and without `/api/v1`. */
  readonly baseUrl: string;
  /** An API key, or the access token of a person who signed in. */
  readonly apiKey: string | undefined;
  /** The organization to act for, if the credential belongs to several. */
  readonly organization: string | undefined;
  /** Warnings about the settings for the user. */
  readonly warnings: readonly string[];
}

/** `signIn` is used if there is no key; its access token may have to be refreshed first. */
interface ResolvedSettings extends Settings {
  readonly signIn: { readonly profile: string; readonly kept: SignIn } | undefined;
}

export function resolveSettings(input: Input, environment: Environment): ResolvedSettings {
  const profile = selectProfile(input.text('profile') ?? environment.profile, environment);
  const baseUrl = baseUrlOf(input, environment, profile);
  const url = new URL(baseUrl);
  const given = input.text('api-key') ?? environment.apiKey;
  // Tokens are sent only to the service that issued them.
  const kept = profile.signIn?.baseUrl === baseUrl ? profile.signIn : undefined;
  const signIn =
    given === undefined && kept !== undefined
      ? { profile: profileNameOf(input, environment), kept }
      : undefined;
  const home = normalized(readBaseUrl(profile.baseUrl ?? productionUrl));
  const isAtHome = home === baseUrl;
  const isKeyWanted = given === undefined && signIn === undefined && profile.apiKey !== undefined;
  const apiKey = given ?? (isKeyWanted && isAtHome ? profile.apiKey : undefined);
  if (apiKey !== undefined) checkKey(apiKey);
  const organization =
    input.text('organization') ?? environment.organization ?? profile.organization;
  if (organization !== undefined) checkOrganization(organization);
  const warnings: string[] = [];
  if (isKeyWanted && !isAtHome) {
    warnings.push(
      `the profile's API key is for ${home} and is not sent to ${baseUrl}; give a key with LEDGERHOUSE_API_KEY, or make a profile for that service`,
    );
  }
  const hasSecret = profile.apiKey !== undefined || profile.signIn !== undefined;
  if (hasSecret && isReadByOthers(environment.configFile)) {
    warnings.push(
      `other users can read ${environment.configFile}; to prevent that: chmod 600 ${environment.configFile}`,
    );
  }
  const isSent = apiKey !== undefined || signIn !== undefined;
  if (isSent && url.protocol === 'http:' && !isLoopback(url.hostname)) {
    warnings.push(`the API key is sent to ${url.host} unencrypted; use https:// if you can`);
  }
  return { baseUrl, apiKey, organization, warnings, signIn };
}

/** For `login`, which creates the profile if it does not exist. */
export function resolveBaseUrl(input: Input, environment: Environment, name: string): string {
  const { profiles } = readProfiles(environment.configFile);
  return baseUrlOf(input, environment, Object.hasOwn(profiles, name) ? (profiles[name] ?? {}) : {});
}

function baseUrlOf(input: Input, environment: Environment, profile: Profile): string {
  const url = readBaseUrl(
    input.text('base-url') ??
      environment.baseUrl ??
      profile.baseUrl ??
      profile.signIn?.baseUrl ??
      productionUrl,
  );
  return normalized(url);
}

/** Removes slashes at the end and the API's own path. */
function normalized(url: URL): string {
  const path = url.pathname.replace(/\/+$/, '').replace(/\/api\/v1$/, '');
  return `${url.origin}${path}`;
}

export function profileNameOf(input: Input, environment: Environment): string {
  const name =
    input.text('profile') ?? environment.profile ?? readProfiles(environment.configFile).current;
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name)) return name;
  throw usageFailure(
    'the name of a profile may only have letters, digits, dots, hyphens and underscores',
  );
}

function selectProfile(name: string | undefined, { configFile }: Environment): Profile {
  const { current, profiles } = readProfiles(configFile);
  const wanted = name ?? current;
  if (Object.hasOwn(profiles, wanted)) return profiles[wanted] ?? {};
  if (name === undefined) return {};
  throw usageFailure(
    `no profile "${name}" in ${configFile}`,
    'see: ledgerhouse config list',
    `create it: ledgerhouse config set base-url URL --profile ${name}`,
  );
}

/** Also used by `config set`, which stores only valid URLs. */
export function readBaseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
    throw usageFailure(
      `"${text}" is not a base URL; an example is https://ledgerhouse.example.com`,
      ...(/^[\w.-]+(:\d+)?(\/|$)/.test(text) ? [`write https:// or http:// before it`] : []),
    );
  }
  // Does not quote the URL, because it contains a password.
  if (url.username !== '' || url.password !== '') {
    throw usageFailure(
      'the base URL contains credentials, which would appear in logs',
      'give the API key as LEDGERHOUSE_API_KEY',
    );
  }
  if (url.search !== '' || url.hash !== '') {
    throw usageFailure(`the base URL "${text}" may have only an address and a path`);
  }
  return url;
}

/** Also used by `config set`. The key itself is never shown. */
export function checkKey(key: string): void {
  if (/^[\x21-\x7e]+$/.test(key)) return;
  throw new CliFailure({
    exitCode: ExitCode.Authentication,
    code: 'invalid_credentials',
    title: 'The API key is not valid',
    detail: 'the API key is empty, or has blanks or other characters that no key contains',
    nextSteps: ['copy it again; a key begins with lhk_, followed by letters and digits'],
  });
}

/** A header cannot hold it otherwise; the service says whether such an organization exists. */
function checkOrganization(organization: string): void {
  if (/^[\x21-\x7e]+$/.test(organization)) return;
  throw usageFailure(
    `"${organization}" is not the ID of an organization`,
    'find the ID: ledgerhouse whoami',
  );
}

const isLoopback = (host: string): boolean =>
  host === 'localhost' ||
  host.endsWith('.localhost') ||
  host === '[::1]' ||
  host.startsWith('127.');
