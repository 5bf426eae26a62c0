/**
 * The tokens of a person who signed in, stored in the profile. A refresh token can be used once; using it twice ends the session.
 * So of several processes at once, one refreshes behind a lock, and the others use its result.
 */
import { mkdirSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { sleep, type Timers } from '../base/timers.ts';
import { CliFailure } from './failure.ts';
import { ExitCode } from './exit-code.ts';
import { isRefusal, refresh, type OAuthOptions, type Tokens } from './oauth.ts';
import { readProfiles, writeProfiles, type SignIn } from './profiles.ts';

/** A token is not used any more when it expires within this time. */
const marginMs = 60_000;
/** Longer than a refresh takes: a process that holds the lock for longer has died. */
const lockStaleMs = 30_000;
const lockPollMs = 100;

export const signInOf = (baseUrl: string, tokens: Tokens, nowMs: number): SignIn => ({
  baseUrl,
  accessToken: tokens.access_token,
  refreshToken: tokens.refresh_token,
  expiresAt: new Date(nowMs + tokens.expires_in * 1_000).toISOString(),
});

/** Stores the sign-in in the profile; `undefined` removes it. */
export function keepSignIn(configFile: string, name: string, signIn: SignIn | undefined): void {
  const all = readProfiles(configFile);
  const { signIn: _before, ...profile } = all.profiles[name] ?? {};
  const kept = signIn === undefined ? profile : { ...profile, signIn };
  writeProfiles(configFile, { ...all, profiles: { ...all.profiles, [name]: kept } });
}

/** Returns an access token that is valid for at least `marginMs`; refreshes it if necessary. */
export async function freshAccessToken(
  configFile: string,
  name: string,
  signIn: SignIn,
  options: OAuthOptions,
): Promise<string> {
  if (isFresh(signIn, options.timers)) return signIn.accessToken;
  const lock = await takeLock(`${configFile}.lock`, options.timers);
  try {
    const now = readProfiles(configFile).profiles[name]?.signIn ?? signIn;
    if (isFresh(now, options.timers)) return now.accessToken;
    const tokens = await refresh(options, now.refreshToken);
    if (isRefusal(tokens)) throw ended();
    keepSignIn(configFile, name, signInOf(now.baseUrl, tokens, options.timers.wallMs()));
    return tokens.access_token;
  } finally {
    lock.release();
  }
}

const isFresh = ({ expiresAt }: SignIn, timers: Timers): boolean =>
  Date.parse(expiresAt) - timers.wallMs() > marginMs;

/** The lock is a folder: on every file system, mkdir either succeeds or finds another's folder. */
async function takeLock(path: string, timers: Timers): Promise<{ release(): void }> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  for (;;) {
    try {
      mkdirSync(path);
      return { release: () => rmSync(path, { recursive: true, force: true }) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    if (ageMs(path, timers) > lockStaleMs) rmSync(path, { recursive: true, force: true });
    else await sleep(timers, lockPollMs);
  }
}

function ageMs(path: string, timers: Timers): number {
  try {
    return timers.wallMs() - statSync(path).mtimeMs;
  } catch {
    // The lock was removed meanwhile and can be taken.
    return 0;
  }
}

const ended = (): CliFailure =>
  new CliFailure({
    exitCode: ExitCode.Authentication,
    code: 'invalid_credentials',
    title: 'The sign-in has ended',
    detail: 'the sign-in has ended: it was not used for 30 days, or somebody ended it',
    nextSteps: ['ledgerhouse login'],
  });
