/** Bodies: whole, within their limit, of a type and an encoding that we read. */
import { raw, type Request, type Response } from 'express';
import type { BodySpec } from '../contract/route.ts';
import { ledgerBodyMax } from '../ledger/decode.ts';
import { parseJsonBody } from './json-body.ts';
import { Refusal } from '../model/refusal.ts';
import { bodyErrors, summaryOf } from './validation.ts';

export const controlBodyMax = 256 * 1024;

const limits = { json: controlBodyMax, ledger: ledgerBodyMax, signed: controlBodyMax };
const reader = (limit: number) => raw({ type: () => true, limit });
const readers = {
  json: reader(limits.json),
  ledger: reader(limits.ledger),
  signed: reader(limits.signed),
};

/** Refused before it is read where its length is told and too large. */
export async function readBody(
  request: Request,
  response: Response,
  spec: BodySpec,
): Promise<Uint8Array> {
  const hasBody =
    request.headers['transfer-encoding'] !== undefined ||
    (request.headers['content-length'] ?? '0') !== '0';
  if (!hasBody) {
    if (spec.optional === true) return new Uint8Array(0);
    throw new Refusal('malformed_json', {
      detail: 'The body is empty; it must be JSON.',
      members: { offset: 0 },
    });
  }
  checkType(request.headers['content-type']);
  // The parser would read it to its end first.
  if (Number(request.headers['content-length'] ?? 0) > limits[spec.form]) {
    throw tooLarge(limits[spec.form]);
  }
  await new Promise<void>((resolve, reject) => {
    readers[spec.form](request, response, (error?: unknown) =>
      error === undefined ? resolve() : reject(failureOf(error)),
    );
  });
  return request.body as Uint8Array;
}

const tooLarge = (limitBytes: number): Refusal =>
  new Refusal('payload_too_large', {
    detail: `The body is larger than the ${limitBytes} bytes that are allowed here; send less at once.`,
    members: { limitBytes },
  });

/** Failures of its own the parser names; what has no name is the decompressor's. */
function failureOf(error: unknown): unknown {
  const { type, status, limit } = error as { type?: string; status?: number; limit?: number };
  if (type === 'entity.too.large') return tooLarge(limit ?? controlBodyMax);
  if (type !== undefined || status !== 400) return error;
  return new Refusal('malformed_json', {
    detail: 'The body cannot be decompressed: it is not what its Content-Encoding says.',
    cause: error,
  });
}

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

/** The handler's `body`: what the schema makes of the bytes, or the bytes themselves where they are not ours to read yet. */
export function parseBody(spec: BodySpec, bytes: Uint8Array): unknown {
  if (spec.form !== 'json') return bytes;
  const value = bytes.length === 0 && spec.optional === true ? {} : parseJsonBody(bytes);
  const parsed = spec.schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const errors = bodyErrors(parsed.error, value, spec.schema);
  throw new Refusal('validation_failed', { detail: summaryOf(errors), errors });
}
