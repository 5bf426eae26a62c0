/** The digest of a part: the header Content-Digest (RFC 9530) against the bytes that came. */
import { createHash } from 'node:crypto';
import { Refusal } from '../model/refusal.ts';

/** Returns the SHA-256 of the bytes. Throws a `Refusal` unless the header has the same one. */
export function checkedDigest(header: string | undefined, bytes: Uint8Array): Buffer {
  const [, text] = /(?:^|,)\s*sha-256=:([A-Za-z0-9+/]{43}=):\s*(?:,|$)/.exec(header ?? '') ?? [];
  if (text === undefined) {
    const detail = 'Must be sha-256=:BASE64: with the SHA-256 of the body.';
    throw new Refusal('invalid_parameter', {
      detail: `Content-Digest: ${detail}`,
      errors: [{ header: 'Content-Digest', code: 'invalid_format', detail }],
    });
  }
  const actual = createHash('sha256').update(bytes).digest();
  if (actual.equals(Buffer.from(text, 'base64'))) return actual;
  const detail = `The body has the SHA-256 ${actual.toString('base64')}, the header says ${text}. Read the part anew, and send it again.`;
  throw new Refusal('import_part_wrong', {
    detail,
    errors: [{ header: 'Content-Digest', code: 'digest_differs', detail }],
  });
}
