import type { Handler } from '../command.ts';
import type { Context } from '../context.ts';
import { ExitCode } from '../exit-code.ts';
import { usageFailure } from '../failure.ts';
import { publicPartOf } from '../http/request.ts';
import type { Input } from '../input.ts';
import { orDash } from '../output/answer.ts';
import { table } from '../output/table.ts';
import { readProfiles, writeProfiles, type Profile, type Profiles } from '../profiles.ts';
import { readSecret } from '../secret.ts';
import { checkKey, profileNameOf, readBaseUrl } from '../settings.ts';

const properties = {
  'base-url': 'baseUrl',
  'api-key': 'apiKey',
  organization: 'organization',
} as const;
type Property = (typeof properties)[keyof typeof properties];

export const listProfiles: Handler = ({ environment, output }, input) => {
  const { current, profiles } = readProfiles(environment.configFile);
  const rows = Object.entries(profiles).map(([name, { baseUrl, apiKey, signIn }]) => ({
    name,
    current: name === current,
    baseUrl: baseUrl ?? null,
    apiKey: apiKey === undefined ? null : publicPartOf(apiKey),
    signedIn: signIn !== undefined,
  }));
  output.result(
    input.has('json')
      ? `${JSON.stringify({ profiles: rows }, undefined, 2)}\n`
      : rows.length === 0
        ? '(no profiles)\n'
        : table(
            [
              { title: 'PROFILE', cell: (row) => (row.current ? `${row.name} *` : row.name) },
              { title: 'BASE URL', cell: ({ baseUrl }) => orDash(baseUrl) },
              { title: 'API KEY', cell: ({ apiKey }) => orDash(apiKey) },
              { title: 'SIGNED IN', cell: ({ signedIn }) => (signedIn ? 'yes' : '-') },
            ],
            rows,
          ),
  );
  return ExitCode.Ok;
};

export const getValue: Handler = (context, input) => {
  const property = propertyOf(input);
  const name = profileNameOf(input, context.environment);
  const value = profileNamed(readProfiles(context.environment.configFile), name)[property];
  if (value === undefined) {
    throw usageFailure(
      `the profile "${name}" has no ${input.argument(0)}`,
      'see: ledgerhouse config list',
    );
  }
  context.output.result(`${property === 'apiKey' ? publicPartOf(value) : value}\n`);
  return ExitCode.Ok;
};

export const setValue: Handler = async (context, input) => {
  const property = propertyOf(input);
  const value = await givenValue(property, input);
  change(context, input, (profile) => ({ ...profile, [property]: value }));
  return ExitCode.Ok;
};

export const unsetValue: Handler = (context, input) => {
  const { [propertyOf(input)]: _forgotten, ...rest } = profileNamed(
    readProfiles(context.environment.configFile),
    profileNameOf(input, context.environment),
  );
  change(context, input, () => rest);
  return ExitCode.Ok;
};

export const useProfile: Handler = ({ environment }, input) => {
  const all = readProfiles(environment.configFile);
  const name = input.argument(0);
  requireProfile(all, name);
  writeProfiles(environment.configFile, { ...all, current: name });
  return ExitCode.Ok;
};

export const removeProfile: Handler = ({ environment }, input) => {
  const all = readProfiles(environment.configFile);
  const name = input.argument(0);
  requireProfile(all, name);
  const rest = Object.entries(all.profiles).filter(([other]) => other !== name);
  writeProfiles(environment.configFile, { ...all, profiles: Object.fromEntries(rest) });
  return ExitCode.Ok;
};

export const printPath: Handler = ({ environment, output }) => {
  output.result(`${environment.configFile}\n`);
  return ExitCode.Ok;
};

function change(context: Context, input: Input, edit: (profile: Profile) => Profile): void {
  const { configFile } = context.environment;
  const all = readProfiles(configFile);
  const name = profileNameOf(input, context.environment);
  const profiles = { ...all.profiles, [name]: edit(profileNamed(all, name)) };
  writeProfiles(configFile, { ...all, profiles });
  context.output.note(`profile "${name}" in ${configFile}`);
}

const profileNamed = ({ profiles }: Profiles, name: string): Profile =>
  Object.hasOwn(profiles, name) ? (profiles[name] ?? {}) : {};

function requireProfile({ profiles }: Profiles, name: string): void {
  if (Object.hasOwn(profiles, name)) return;
  throw usageFailure(`there is no profile "${name}"`, 'see: ledgerhouse config list');
}

function propertyOf(input: Input): Property {
  const key = input.argument(0);
  if (key === 'base-url' || key === 'api-key' || key === 'organization') return properties[key];
  throw usageFailure(
    `a profile has no value "${key}"; its values are base-url, api-key and organization`,
  );
}

function givenValue(property: Property, input: Input): string | Promise<string> {
  if (property === 'apiKey') return givenKey(input);
  return property === 'baseUrl' ? givenUrl(input) : givenOrganization(input);
}

function givenOrganization(input: Input): string {
  const [, text] = input.arguments;
  if (text !== undefined && /^org_[0-9a-z]{26}$/.test(text)) return text;
  throw usageFailure(
    'the value must be the ID of an organization, org_…',
    'see: ledgerhouse whoami',
  );
}

function givenUrl(input: Input): string {
  const [, text] = input.arguments;
  if (text === undefined) throw usageFailure('<value> is missing: the base URL');
  return readBaseUrl(text).href.replace(/\/$/, '');
}

async function givenKey(input: Input): Promise<string> {
  if (input.arguments.length > 1) {
    throw usageFailure(
      'the API key cannot be an argument, because it would appear in the shell history',
      'type it at the prompt, or: ledgerhouse config set api-key < FILE',
    );
  }
  const key = (await readSecret('API key: ')).trim();
  checkKey(key);
  return key;
}
