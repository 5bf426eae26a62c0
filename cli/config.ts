/** Settings from the environment. No other part of the tool reads it. */
import { homedir } from 'node:os';
import { join } from 'node:path';

export interface Environment {
  readonly apiKey: string | undefined;
  readonly baseUrl: string | undefined;
  readonly profile: string | undefined;
  readonly organization: string | undefined;
  /** Path of the file with the profiles. */
  readonly configFile: string;
  /** The variables that name proxies. */
  readonly proxies: Readonly<Record<string, string>>;
  /** All variables, for commands that this tool runs. */
  readonly inherited: Readonly<Record<string, string | undefined>>;
}

const proxyNames = ['HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY'].flatMap((name) => [
  name,
  name.toLowerCase(),
]);

export function readEnvironment(): Environment {
  const { env } = process;
  const configHome = given(env['XDG_CONFIG_HOME']) ?? join(homedir(), '.config');
  return {
    apiKey: given(env['LEDGERHOUSE_API_KEY']),
    baseUrl: given(env['LEDGERHOUSE_BASE_URL']),
    profile: given(env['LEDGERHOUSE_PROFILE']),
    organization: given(env['LEDGERHOUSE_ORGANIZATION']),
    configFile: join(configHome, 'ledgerhouse', 'config.json'),
    proxies: Object.fromEntries(
      proxyNames.flatMap((name) => {
        const value = given(env[name]);
        return value === undefined ? [] : [[name, value]];
      }),
    ),
    inherited: { ...env },
  };
}

/** A variable with an empty value counts as not set. */
const given = (value: string | undefined): string | undefined => {
  const trimmed = value?.trim();
  return trimmed === '' ? undefined : trimmed;
};
