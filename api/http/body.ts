/** Reads request bodies completely, within their size limit, and only in supported types and encodings. */
import type { Request } from 'express';
import type { BodySpec } from '../contract/route.ts';
import { ledgerBodyMax } from '../ledger/decode.ts';
import { importPartBytesMax } from '../model/import.ts';
import { readBytes } from './read-bytes.ts';
import { parseJsonBody } from './json-body.ts';
import { Refusal } from '../model/refusal.ts';
import { textErrors } from './text-errors.ts';
import { bodyErrors, summaryOf } from './validation.ts';

const controlBodyMax = 256 * 1024;

const limits = {
  json: controlBodyMax,
  ledger: ledgerBodyMax,
  signed: controlBodyMax,
  octets: importPartBytesMax,
};

/** Conditions for reading a body. */
interface BodyTerms {
  /** Called with the decompressed size of each piece. An error that it throws ends the reading. */
  readonly onBytes: (bytes: number) => void;
  /** Set for a caller without a credential: the body must not be compressed, and must come before it aborts. */
  readonly anonymous: AbortSignal | undefined;
}

/** Reads a body. Refuses it before reading if its announced length is too large. */
export async function readBody(
  request: Request,
  spec: BodySpec,
  { onBytes, anonymous }: BodyTerms,
): Promise<Uint8Array> {
  const hasBody =
    request.headers['transfer-encoding'] !== undefined ||
    (request.headers['content-length'] ?? '0') !== '0';
  if (!hasBody) {
    if (spec.optional === true || spec.form === 'octets') return new Uint8Array(0);
    throw new Refusal('malformed_json', {
      detail: 'The body is empty; it must be JSON.',
      members: { offset: 0 },
    });
  }
  if (spec.form === 'octets') checkOctets(request.headers['content-type']);
  else checkType(request.headers['content-type']);
  // Checked here because the parser would first read the body to its end.
  const { bytesMax = limits[spec.form] } = spec;
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) throw tooLarge(bytesMax);
  const encoding = (request.headers['content-encoding'] ?? 'identity').toLowerCase();
  if (anonymous !== undefined && encoding !== 'identity') {
    throw compressed('A request without a credential must not be compressed.');
  }
  if (spec.form === 'octets' && encoding !== 'identity') {
    throw compressed('The digest and the size of this body are of its bytes as they are.');
  }
  let size = 0;
  return readBytes(request, {
    encoding,
    onBytes: (bytes) => {
      size += bytes;
      if (size > bytesMax) throw tooLarge(bytesMax);
      onBytes(bytes);
    },
    ...(anonymous !== undefined && { signal: anonymous }),
  });
}

const compressed = (why: string): Refusal =>
  new Refusal('unsupported_media_type', {
    detail: `${why} Send it uncompressed.`,
    headers: { 'Accept-Encoding': 'identity' },
  });

const tooLarge = (limitBytes: number): Refusal =>
  new Refusal('payload_too_large', {
    detail: `The body is larger than ${limitBytes} bytes, the maximum here. Send a smaller one.`,
    members: { limitBytes },
  });

function checkType(contentType: string | undefined): void {
  const [type = '', ...parameters] = (contentType ?? '').toLowerCase().split(';');
  const known = ['application/json', 'application/merge-patch+json'].includes(type.trim());
  const charsets = parameters
    .map((parameter) => /^\s*charset="?([^"\s]*)"?\s*$/.exec(parameter)?.[1])
    .filter((charset) => charset !== undefined);
  if (known && charsets.every((charset) => charset === 'utf-8' || charset === 'utf8')) return;
  throw new Refusal('unsupported_media_type', {
    detail: `The Content-Type must be application/json in UTF-8, not ${contentType?.slice(0, 100) ?? 'absent'}.`,
    headers: { Accept: 'application/json' },
  });
}

function checkOctets(contentType: string | undefined): void {
  if (contentType?.toLowerCase().trim() === octets) return;
  throw new Refusal('unsupported_media_type', {
    detail: `The Content-Type must be ${octets}, not ${contentType?.slice(0, 100) ?? 'absent'}.`,
    headers: { Accept: octets },
  });
}

const octets = 'application/octet-stream';

/** Returns the handler's `body`: the value that the schema makes of JSON bytes; for other forms, the bytes themselves. */
export function parseBody(spec: BodySpec, bytes: Uint8Array): unknown {
  if (spec.form !== 'json') return bytes;
  const value = bytes.length === 0 && spec.optional === true ? {} : parseJsonBody(bytes);
  const parsed = spec.schema.safeParse(value);
  const errors = parsed.success ? textErrors(value) : bodyErrors(parsed.error, value, spec.schema);
  if (parsed.success && errors.length === 0) return parsed.data;
  throw new Refusal('validation_failed', { detail: summaryOf(errors), errors });
}
