/** Profiles: named pairs of service and API key, in one file that only its owner may read. */
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { CliFailure } from './failure.ts';
import { ExitCode } from './exit-code.ts';

/** Tokens of a person who signed in with `login`. They are sent to that service only. */
export interface SignIn {
  readonly baseUrl: string;
  readonly accessToken: string;
  readonly refreshToken: string;
  /** Expiry of the access token (RFC 3339). */
  readonly expiresAt: string;
}

export interface Profile {
  readonly baseUrl?: string;
  readonly apiKey?: string;
  /** For people who belong to several organizations. */
  readonly organization?: string;
  readonly signIn?: SignIn;
}

export interface Profiles {
  readonly current: string;
  readonly profiles: Readonly<Record<string, Profile>>;
}

const defaultProfile = 'default';
const nothing: Profiles = { current: defaultProfile, profiles: {} };

/** Without a file there are no profiles. An unreadable file is a failure and is never overwritten. */
export function readProfiles(file: string): Profiles {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return nothing;
    throw unusable(file, `cannot be read (${code ?? 'unknown reason'})`);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Does not use the parser's message: it quotes the text, which contains keys.
    throw unusable(file, 'is not JSON');
  }
  if (!isProfiles(value)) throw unusable(file, 'contains no profiles');
  return value;
}

/** Tells whether users other than the owner may read the file. */
export function isReadByOthers(file: string): boolean {
  try {
    return process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0;
  } catch {
    return false;
  }
}

/** Replaces the file in one step: after a crash the old file is still there. */
export function writeProfiles(file: string, profiles: Profiles): void {
  const temporary = `${file}.${process.pid}.new`;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(temporary, `${JSON.stringify(profiles, undefined, 2)}\n`, { mode: 0o600 });
    // The umask reduces the mode above, and an old temporary file keeps its own mode.
    chmodSync(temporary, 0o600);
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw unusable(
      file,
      `cannot be written (${(error as NodeJS.ErrnoException).code ?? 'unknown reason'})`,
    );
  }
}

function isProfiles(value: unknown): value is Profiles {
  if (!isObject(value) || typeof value['current'] !== 'string') return false;
  const { profiles } = value;
  return (
    isObject(profiles) &&
    Object.values(profiles).every(
      (profile) =>
        isObject(profile) &&
        ['baseUrl', 'apiKey', 'organization'].every((key) =>
          ['string', 'undefined'].includes(typeof profile[key]),
        ) &&
        isSignIn(profile['signIn']),
    )
  );
}

const isSignIn = (value: unknown): boolean =>
  value === undefined ||
  (isObject(value) &&
    ['baseUrl', 'accessToken', 'refreshToken', 'expiresAt'].every(
      (key) => typeof value[key] === 'string',
    ));

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const unusable = (file: string, detail: string): CliFailure =>
  new CliFailure({
    exitCode: ExitCode.General,
    code: 'configuration_unusable',
    title: 'The configuration cannot be used',
    detail: `${file} ${detail}`,
    nextSteps: [
      `correct the file, or delete it and begin again: ledgerhouse config set base-url URL`,
    ],
  });
