/**
 * API keys as text: `lhk_`, 12 characters that name the key, `_`, 32 characters of secret (190 bits), and 6 characters of the
 * CRC-32 of everything before them. With the CRC, a truncated or mistyped key is recognized without asking the store, and secret
 * scanners can tell real keys. Characters are base 62.
 */
import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const publicLength = 12;
const secretLength = 32;
const checksumLength = 6;

export const apiKeyPrefix = 'lhk_';
export const apiKeyPattern = /^lhk_([0-9A-Za-z]{12})_([0-9A-Za-z]{32})([0-9A-Za-z]{6})$/;

export interface ParsedApiKey {
  readonly publicId: string;
  /** SHA-256 of the secret; the store has only this. A slow hash would add nothing to 190 random bits. */
  readonly secretHash: Buffer;
}

export interface NewApiKeyText extends ParsedApiKey {
  readonly text: string;
  readonly lastFour: string;
}

export function generateApiKey(): NewApiKeyText {
  const publicId = randomDigits(publicLength);
  const secret = randomDigits(secretLength);
  const body = `${apiKeyPrefix}${publicId}_${secret}`;
  const text = `${body}${checksum(body)}`;
  return { text, publicId, secretHash: hashOf(secret), lastFour: text.slice(-4) };
}

/** Returns `undefined` if the text cannot be one of our keys. */
export function parseApiKey(text: string): ParsedApiKey | undefined {
  const [, publicId, secret, sum] = apiKeyPattern.exec(text) ?? [];
  if (publicId === undefined || secret === undefined) return undefined;
  if (checksum(text.slice(0, -checksumLength)) !== sum) return undefined;
  return { publicId, secretHash: hashOf(secret) };
}

/** Returns the part that names the key, even if the rest is wrong; `undefined` if there is none. */
export const publicIdIn = (text: string): string | undefined =>
  /^lhk_([0-9A-Za-z]{12})_/.exec(text)?.[1];

export const hashOf = (secret: string): Buffer => hash('sha256', secret, 'buffer');

function checksum(text: string): string {
  let rest = crc32(text);
  let sum = '';
  for (let index = 0; index < checksumLength; index += 1) {
    sum = `${digits.charAt(rest % 62)}${sum}`;
    rest = Math.floor(rest / 62);
  }
  return sum;
}

/** Skips bytes from 248 on: otherwise the first eight digits would be more likely than the others. */
export function randomDigits(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < 248 && text.length < length) text += digits.charAt(byte % 62);
    }
  }
  return text;
}
