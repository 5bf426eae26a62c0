/** JSON in one line, and the digest of that line in a second one. FORMAT.md, "Record". */
import { sha256 } from './chunk.ts';
import { damaged } from './errors.ts';

const digestLine = (line: string): string => sha256(Buffer.from(line)).toString('hex');

export function encodeDigested(json: object): { bytes: Uint8Array; sha256: string } {
  const line = JSON.stringify(json);
  const digest = digestLine(line);
  return { bytes: Buffer.from(`${line}\n${JSON.stringify({ sha256: digest })}\n`), sha256: digest };
}

/** Throws ArchiveError that names the key if the digest does not fit. */
export function decodeDigested(
  key: string,
  bytes: Uint8Array,
): { readonly json: unknown; readonly sha256: string } {
  const [line = '', seal = '', ...rest] = Buffer.from(bytes).toString('utf8').split('\n');
  const digest = digestLine(line);
  if (seal !== JSON.stringify({ sha256: digest }) || rest.join('\n') !== '')
    throw damaged(key, 'its digest does not fit');
  return { json: JSON.parse(line) as unknown, sha256: digest };
}
