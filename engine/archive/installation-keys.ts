/** The keys that an installation keeps for its archives, from a file: `NAME BASE64` on each line, the newest first. */
import { createHash } from 'node:crypto';
import { ArchiveError } from './errors.ts';

export const KEY_BYTES = 32;
/** Names of keys. */
export const KEY_NAME = /^[a-z0-9][a-z0-9._-]{0,62}$/;
/** 32 bytes in base64. */
const SECRET = /^[A-Za-z0-9+/]{43}=$/;
/** The line that refuses plain objects. */
const REFUSE_PLAIN = 'refuse-plain';

export interface InstallationKey {
  readonly name: string;
  /** Tells keys of one name apart, and reveals nothing of them. */
  readonly fingerprint: string;
  readonly secret: Uint8Array;
}

export interface InstallationKeys {
  /** At least one. The first is for what is written from now on, all are for what is read. */
  readonly keys: readonly [InstallationKey, ...InstallationKey[]];
  /** Whether objects that are not encrypted are refused. */
  readonly refusesPlain: boolean;
}

const wrong = (what: string): ArchiveError =>
  new ArchiveError(
    'keys_wrong',
    `The file with the encryption keys ${what}. Each line is a name and 32 random bytes in base64, such as: echo "2027-01 $(openssl rand -base64 32)".`,
  );

/** Never repeats a secret in its message. */
export function parseKeys(text: string): InstallationKeys {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  const named = lines.filter((line) => line !== REFUSE_PLAIN);
  const keys = named.map((line, index) => keyOf(line, index + 1));
  const [first, ...others] = keys;
  if (first === undefined) throw wrong('has no key');
  for (const [index, key] of keys.entries()) {
    const twice = keys.slice(0, index).find((one) => one.name === key.name || isSame(one, key));
    if (twice !== undefined) throw wrong(`has the name or the key of "${key.name}" twice`);
  }
  return { keys: [first, ...others], refusesPlain: named.length < lines.length };
}

const isSame = (one: InstallationKey, other: InstallationKey): boolean =>
  one.fingerprint === other.fingerprint;

function keyOf(line: string, number: number): InstallationKey {
  const [name = '', text = '', ...rest] = line.split(/\s+/);
  if (!KEY_NAME.test(name)) throw wrong(`has no name of a-z, 0-9, . _ and - in its key ${number}`);
  if (!SECRET.test(text) || rest.length > 0) throw wrong(`has no key of 32 bytes after "${name}"`);
  const secret = Buffer.from(text, 'base64');
  if (secret.every((byte) => byte === secret[0])) throw wrong(`has a key "${name}" of equal bytes`);
  return { name, fingerprint: fingerprintOf(secret), secret };
}

const fingerprintOf = (secret: Uint8Array): string =>
  createHash('sha256')
    .update('ledgerhouse archive key\0')
    .update(secret)
    .digest('hex')
    .slice(0, 16);
